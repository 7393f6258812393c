"""BayesianRuleListClassifier: the wiring, behind scikit-learn's interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from elseif.bits.merging import merged_note
from elseif.bits.packing import make_layout
from elseif.engine_fitting import pool_in_engine
from elseif.engines.lazy_table import is_lazy
from elseif.errors import ParamError
from elseif.explain_mixin import ExplainMixin
from elseif.fitted_attributes import FittedAttributes
from elseif.fitted_model import as_model
from elseif.fitting import FittedPool, Observed, fit_pool
from elseif.forking import LOADING
from elseif.parameters import (
    SETTINGS,
    check_parameters,
    refuse_unknown,
    settings_of,
    suggesting_names,
    without_learn,
)
from elseif.pool_mixin import PoolMixin
from elseif.progress import Progress, ProgressBar
from elseif.project_mixin import ProjectMixin
from elseif.sampling_mixin import SamplingMixin
from elseif.tables.fingerprint import data_fingerprint
from elseif.tables.labels import name_of, read_pseudocounts
from elseif.tables.origin import origin_of
from elseif.tables.reading import read_table
from elseif.tables.weights import weight_note
from elseif.training_labels import training_labels

if TYPE_CHECKING:
    pass


class BayesianRuleListClassifier(
    FittedAttributes,
    PoolMixin,
    ProjectMixin,
    ExplainMixin,
    SamplingMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """A short list of if ... else if ... else statements, learnt as a posterior over lists.

    Letham, Rudin, McCormick and Madigan (2015), Interpretable classifiers using rules
    and Bayesian analysis, Annals of Applied Statistics 9(3).

    Parameters
    ----------
    expected_length : float or "learn", default=3
        Prior mean of the number of rules (lambda), the default rule not counted. "learn" takes
        the value that makes the labels most probable (highest evidence).
    expected_cardinality : float or "learn", default=1
        Prior mean of the number of conditions in a rule (eta), or "learn".
    pseudocounts : float, sequence, dict or "learn", default=1
        Prior counts of the labels in each rule (alpha): one number, one for each label in the
        order of ``classes_``, or a dict by label; from 1e-100 to 1e9. "learn": one for all.
    min_support : float or int, default=0.1
        Smallest share (float, at most 1) or number (int) of observations that an
        antecedent must cover.
    max_cardinality : int, default=2
        Most conditions in an antecedent.
    antecedents : list of tuples, default=None
        Your own antecedents in place of mining. A condition is the name of a boolean
        column or (column, operator, value).
    antecedent_weights : dict, default=None
        Prior weight of a column, condition or antecedent: what is cheap to measure can be
        preferred. Weights of the parts of an antecedent multiply.
    kernel : {"auto", "exact", "tempered", "paper"}, default="auto"
        How the posterior is found. "exact" sums over all lists of a pool of at most 24
        antecedents, which no seed can change; "tempered" runs chains with warmer replicas.
        "auto" is "exact" for pools of at most 18 antecedents, unless ``n_iter`` asks for millions
        of draws, and "tempered" for all others.
    n_chains : int, default=4
        Independent chains, each started from a list drawn from scored short ones or, above a
        million observations, from a list that was found on a sample of them. With "exact",
        independent sequences of draws.
    n_iter : int, default=None
        Iterations of each chain, of which the second half is kept. None runs in growing
        batches until the list, its predictions and the shares of lists are steady, or
        ``max_iter`` or ``max_time`` is reached. ``sample_more`` goes on from there.
    max_iter : int, default=2_000_000
        Most iterations of each chain when ``n_iter`` is None.
    max_time : float, default=None
        About how many seconds chains may run; a run that is cut short says so in
        ``convergence_``. A sum over all lists is not cut short.
    predict_with : {"point", "posterior", "map", "projected"}, default="point"
        What predicts: the point estimate, the average over the posterior, the list of
        highest posterior probability, or the list whose lines best reproduce that
        average, which fit then searches for.
    max_length : int, default=None
        Most rules of the projected list. None allows as many as the point estimate has.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same seed gives the same result for any ``n_jobs``.
    n_jobs : int, default=None
        Threads that run chains, as in joblib.
    verbose : bool, default=False
        Show on standard error how reading and sampling get on.
    kinds : dict, default=None
        Kind of a column where it should not be inferred: "boolean", "numeric",
        "category", "ordered" or "date" ("dmy" or "mdy" for text that has the day or the month
        first), or a list of its categories in their order.
    cuts : dict, default=None
        Cut points of numeric, date or ordered columns, such as ``{"age": [50, 60, 70]}``, or
        the name of a cutting method for a column.
    cutting : {"quantiles", "mdl", "evidence"}, default="quantiles"
        How other numeric and date columns are cut: at quantiles moved to readable values; where
        it lowers the labels' entropy by more than it costs to describe (Fayyad and Irani 1993); or
        at 16 quantiles, less those between neighbours whose labels are evidence of one
        distribution. The last two learn from the training labels.
    n_quantiles : int, default=4
        Parts that quantiles cut a column into: 4 gives three cut points, at the quartiles. At
        most 1,000.
    disjoint_bins : bool, default=False
        Cut columns into disjoint bins instead of overlapping thresholds on either side.
    negations : bool, default=False
        Also make conditions such as ``not smoker`` and ``region != north``.
    group_rare : float, default=None
        Give categories of a smaller share of the observations one condition together, such
        as ``region in {east, west}``.
    missing : {"own_level", "error"}, default="own_level"
        A missing value makes no condition true but "is missing"; or it is an error.
    missing_y : {"error", "drop"}, default="error"
        What to do with observations that have no label.
    weight_scaling : {"none", "effective"}, default="none"
        Weights as they are, or (survey weights) scaled to Kish's effective sample size.
    infinite : {"error", "outer"}, default="error"
        Infinite numbers are an error, or beyond the outermost cut.
    support_in : {"all", "any_class"}, default="all"
        Whether ``min_support`` counts among all observations, or among those of any one label,
        as the paper's authors did: with a rare outcome this finds its strong risk factors.
    merge_equivalents : bool, default=False
        Keep only the simplest of antecedents that cover the same observations, the others
        as its aliases.
    max_correlation : float, default=None
        Antecedents whose covers correlate by that much or more, and whose differences the labels
        do not tell apart, become one, the most readable. None merges nothing. Pools of at most 200
        antecedents are left as they are.
    empty_pool : {"error", "default_rule"}, default="error"
        What to do when no antecedent reaches the support: raise, or fit the default rule.
    max_antecedents : int, default=2_500
        Size of the pool from which mined antecedents are screened to those with most evidence.
    max_memory : float, default=4e9
        Bytes that packed covers, or the sum of "exact", may take. Where covers of all antecedents
        would take more, those of conditions are kept and joined at every use, which is slower.
    checkpoint : str or path, default=None
        Folder of this fit's own. Chains are written there as they run; after the fit was killed,
        the same call goes on from there, and the result is the same as if it had not been.
    n_shards : int, default=None
        Of a Dask frame: parts in which workers of its cluster hold the rows, and count them, so
        that no machine needs room for all. Draws are the same, and take a message each. None
        holds rows here, or one part on each worker where they exceed ``max_memory``.

    Attributes
    ----------
    rule_list_ : RuleList
        The point estimate, whatever ``predict_with`` is: with "map" and "projected", the list that
        predicts is ``map_rule_list_`` or ``projected_rule_list_``.
    map_rule_list_ : RuleList
        The list of highest posterior probability: of all lists (proven) with "exact", else of
        those drawn.
    projected_rule_list_ : RuleList
        The list of at most ``max_length`` rules whose lines best reproduce the
        posterior's predictions; only with ``predict_with="projected"``.
    projection_path_ : ProjectionPath
        The same for every smaller number of rules, with distances from the posterior.
    posterior_ : Posterior
        The kept draws; with "exact", also what the sum over all lists says.
    convergence_ : Convergence
        Whether the chains have converged, and what is not steady yet.
    pool_ : Pool
        The antecedents that lists are made of.
    fit_report_ : FitReport
        What was done with each column.
    classes_ : ndarray
        The labels.
    n_iter_ : int
        Iterations that each chain ran.
    fingerprint_ : str
        SHA-256 of columns, labels and weights, in the order of the rows.
    learnt_ : dict
        Values learnt in place of "learn", by setting; only where there are any.
    edited_ : str
        What was changed by hand; only where ``edit`` and ``as_classifier`` made the list.
    model_ : FittedModel
        All of these in one object, which reports, pages, exports and edits take. It keeps the
        settings of fit; of those set afterwards, only ``predict_with`` changes its predictions.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> clf.predict(X[:1]), clf.predict_proba(X[:1]).round(2)
    (array(['died'], dtype=object), array([[0.79, 0.21]]))
    >>> clf.explain(X, row=0).fired.place, round(clf.edit(X, y).drop(0).change, 1)
    (0, -179.6)
    >>> clf.set_params(predict_with="posterior").predict_proba(X[:1]).round(2)
    array([[0.79, 0.21]])
    """

    @suggesting_names
    def __init__(
        self,
        expected_length: float | str = 3,
        expected_cardinality: float | str = 1,
        pseudocounts: float | str | Sequence[float] | Mapping[Any, float] = 1,
        min_support: float = 0.1,
        max_cardinality: int = 2,
        antecedents: Sequence[Any] | None = None,
        antecedent_weights: Mapping[Any, float] | None = None,
        kernel: str = "auto",
        n_chains: int = 4,
        n_iter: int | None = None,
        max_iter: int = 2_000_000,
        max_time: float | None = None,
        predict_with: str = "point",
        max_length: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        kinds: Mapping[str, Any] | None = None,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        cutting: str = "quantiles",
        n_quantiles: int = 4,
        disjoint_bins: bool = False,
        negations: bool = False,
        group_rare: float | None = None,
        missing: str = "own_level",
        missing_y: str = "error",
        weight_scaling: str = "none",
        infinite: str = "error",
        support_in: str = "all",
        merge_equivalents: bool = False,
        max_correlation: float | None = None,
        empty_pool: str = "error",
        max_antecedents: int = 2_500,
        max_memory: float = 4e9,
        checkpoint: str | os.PathLike[str] | None = None,
        n_shards: int | None = None,
    ) -> None:
        given = locals()
        for setting in SETTINGS:
            setattr(self, setting.name, given[setting.name])

    def set_params(self, **params: Any) -> BayesianRuleListClassifier:
        """Set parameters by name; where one is unknown, none is changed.

        Parameters
        ----------
        **params : dict
            Values by name of the parameter.

        Returns
        -------
        BayesianRuleListClassifier
            The classifier itself.
        """
        refuse_unknown(type(self).__name__, params, self._get_param_names())
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianRuleListClassifier:
        """Learn the posterior over rule lists, and the list that represents it.

        Parameters
        ----------
        X : table
            pandas, polars, pyarrow, NumPy or SciPy sparse, a ParquetTable or a SparseTable; or a
            lazy frame of PySpark, DuckDB, Dask, polars or ibis, which the engine counts.
        y : array or str
            The labels; of a lazy frame, the name of their column.
        sample_weight : array or str, default=None
            How many observations each row stands for; of a lazy frame, the name of the column.

        Returns
        -------
        BayesianRuleListClassifier
            The classifier itself.
        """
        check_parameters(self)
        self._check_checkpoint()
        settings = settings_of(self)
        if is_lazy(X):
            return self._fit_in_engine(X, y, sample_weight)
        if self.n_shards is not None:
            raise ParamError(
                f"n_shards={self.n_shards} asks for workers that hold the rows of a Dask frame, "
                f"and X is a {type(X).__name__} in memory. Leave n_shards out, or hand over a "
                "Dask frame."
            )
        table = read_table(X, allow_infinite=self.infinite == "outer")
        labels = training_labels(self, y, sample_weight, table)
        _load_compiled_code()
        layout = make_layout(labels.codes, len(labels.classes), labels.weights, labels.unit)
        known, _ = without_learn(settings)
        pseudocounts = read_pseudocounts(known["pseudocounts"], labels.classes)
        binarised, mined = self._pool(table, labels, layout, pseudocounts)
        observed = Observed(
            names=table.names,
            named=table.named,
            n_rows=table.n_rows,
            labels=labels,
            layout=layout,
            pseudocounts=pseudocounts,
            outcome=name_of(y),
            fingerprint=data_fingerprint(labels, binarised.digests),
            cohort=origin_of(X, {condition.column for condition in mined.pool.conditions}),
        )
        notes = (
            weight_note(labels.weights, labels.unit),
            self._clamped(mined.pool),
            merged_note(layout, mined.layout),
        )
        return self._take(fit_pool(self, settings, observed, binarised, mined, notes))

    def _fit_in_engine(
        self, X: Any, y: Any, sample_weight: Any = None, order: Sequence[Any] | None = None
    ) -> BayesianRuleListClassifier:
        """Fit a lazy frame; the order of its labels may be told."""
        check_parameters(self)
        self._check_checkpoint()
        _load_compiled_code()
        settings = settings_of(self)
        found = pool_in_engine(self, X, y, sample_weight, order)
        return self._take(fit_pool(self, settings, *found))

    def _take(self, fitted: FittedPool) -> BayesianRuleListClassifier:
        self.model_ = fitted.model  # one assignment, which nothing can interrupt: a refit is whole
        self._keep_chains(fitted.drawn, fitted.problem, fitted.kept)
        self._warn_of_convergence()
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each label.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        array of float
            One row for each observation, one column for each of ``classes_``.
        """
        check_is_fitted(self)
        model = as_model(self)
        needed = model.columns_used()
        return model.probabilities(model.read(X, type(self).__name__, needed))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable label.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        array
            One label for each observation.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _progress(self) -> Progress:
        return ProgressBar() if self.verbose else Progress()


def _load_compiled_code() -> None:
    """Load what takes a second, and only fits need, such that a fork waits for its end."""
    with LOADING:
        import elseif.antecedents.mining
        import elseif.sampler.chains  # noqa: F401
