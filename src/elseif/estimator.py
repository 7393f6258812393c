"""BayesianRuleListClassifier: the wiring, behind scikit-learn's interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

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
from elseif.tables.labels import category_order, event_note, name_of, read_pseudocounts
from elseif.tables.misspelt_labels import misspelt_label_note
from elseif.tables.origin import origin_of
from elseif.tables.reading import read_table
from elseif.tables.weights import weight_note
from elseif.training_labels import training_labels


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
        Prior mean of the number of rules (lambda), not counting the default rule. "learn" chooses
        the value that makes the labels most probable (highest evidence).
    expected_cardinality : float or "learn", default=1
        Prior mean of the number of conditions in a rule (eta), or "learn".
    pseudocounts : float, sequence, dict or "learn", default=1
        Prior counts of the labels in each rule (alpha): one number, one for each label in the order
        of ``classes_``, or a dict by label; from 1e-100 to 1e9. "learn" chooses one number for all
        labels.
    min_support : float or int, default=0.1
        Smallest share (float, at most 1) or number (int) of observations that an
        antecedent must cover.
    max_cardinality : int, default=2
        Maximum number of conditions in an antecedent.
    antecedents : list of tuples, default=None
        Your own antecedents instead of mined ones. A condition is the name of a boolean column or
        (column, operator, value).
    antecedent_weights : dict, default=None
        Prior weights of columns, conditions or antecedents, for example to prefer what is cheap to
        measure. The weights of the parts of an antecedent are multiplied.
    kernel : {"auto", "exact", "tempered", "paper"}, default="auto"
        How the posterior is computed. "exact" sums over all lists of a pool of at most 24
        antecedents, so that the result does not depend on the seed; "tempered" runs chains with
        warmer replicas. "auto" uses "exact" for pools of at most 18 antecedents, unless ``n_iter``
        asks for millions of draws, and "tempered" for all others.
    n_chains : int, default=4
        Number of independent chains. Each starts from a list drawn from the scored short lists or,
        above a million observations, from a list found on a sample of them. With "exact", the
        number of independent sequences of draws.
    n_iter : int, default=None
        Iterations of each chain; the second half is kept. None runs in growing batches until the
        list, its predictions and the shares of lists are steady, or until ``max_iter`` or
        ``max_time`` is reached. ``sample_more`` continues from there.
    max_iter : int, default=2_000_000
        Maximum number of iterations of each chain if ``n_iter`` is None.
    max_time : float, default=None
        Approximate time limit for the chains, in seconds; ``convergence_`` says if it ended the
        run. It does not apply to a sum over all lists.
    predict_with : {"point", "posterior", "map", "projected"}, default="point"
        What to predict with: the point estimate, the average over the posterior, the list with the
        highest posterior probability, or the list whose lines best reproduce that average, which
        ``fit`` then searches for.
    max_length : int, default=None
        Maximum number of rules in the projected list. None allows as many as the point estimate
        has.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same seed gives the same result for any ``n_jobs``.
    n_jobs : int, default=None
        Number of threads that run chains, as in joblib.
    verbose : bool, default=False
        Show the progress of reading and sampling on standard error.
    kinds : dict, default=None
        Kinds of columns for which the kind should not be inferred: "boolean", "numeric",
        "category", "ordered" or "date" ("dmy" or "mdy" for text with the day or the month first),
        or a list of the categories in their order.
    cuts : dict, default=None
        Cut points of numeric, date or ordered columns, such as ``{"age": [50, 60, 70]}``, or
        the name of a cutting method for a column.
    cutting : {"quantiles", "mdl", "evidence"}, default="quantiles"
        How other numeric and date columns are cut: at quantiles moved to readable values; where a
        cut lowers the entropy of the labels by more than its description length (Fayyad and Irani
        1993); or at 16 quantiles, without those between adjacent bins whose labels do not differ.
        The last two use the training labels.
    n_quantiles : int, default=4
        Number of parts into which quantiles cut a column: 4 gives three cut points, the quartiles.
        At most 1,000.
    disjoint_bins : bool, default=False
        Cut columns into disjoint bins instead of overlapping thresholds.
    negations : bool, default=False
        Also create conditions such as ``not smoker`` and ``region != north``.
    group_rare : float, default=None
        Combine categories with a smaller share of the observations than this into one condition,
        such as ``region in {east, west}``.
    missing : {"own_level", "error"}, default="own_level"
        "own_level": only the condition "is missing" is true of a missing value. "error": missing
        values are an error.
    missing_y : {"error", "drop"}, default="error"
        What to do with observations that have no label.
    weight_scaling : {"none", "effective"}, default="none"
        Use weights as they are or, for survey weights, scale them to Kish's effective sample size.
    infinite : {"error", "outer"}, default="error"
        Whether infinite numbers are an error or lie beyond the outermost cut.
    support_in : {"all", "any_class"}, default="all"
        Whether ``min_support`` applies to all observations or to those of any one label, as in the
        paper authors' code; for a rare outcome, the latter finds strong risk factors.
    merge_equivalents : bool, default=False
        If several antecedents cover the same observations, keep only the simplest, with the others
        as its aliases.
    max_correlation : float, default=None
        Antecedents whose covers have at least this correlation are merged into the most readable
        one, unless the labels distinguish them. None merges nothing. Pools of at most 200
        antecedents are not changed.
    empty_pool : {"error", "default_rule"}, default="error"
        What to do if no antecedent has enough support: raise an error, or fit the default rule.
    max_antecedents : int, default=2_500
        Maximum size of the pool. If more antecedents are mined, those with the strongest evidence
        are kept.
    max_memory : float, default=4e9
        Memory limit in bytes for packed covers, or for the sum of "exact". If the covers of all
        antecedents would take more, only those of conditions are kept and are combined at every
        use, which is slower.
    checkpoint : str or path, default=None
        A folder for this fit alone. The state of the chains is saved there as they run; if the fit
        is killed, the same call continues from there, with the same result as an uninterrupted fit.
    n_shards : int, default=None
        For a Dask frame: the number of parts in which the workers of its cluster hold and count the
        rows, so that no machine needs room for all. The draws are the same, but each step takes a
        message to every part. None keeps the rows on this machine or, if they exceed
        ``max_memory``, one part on each worker.

    Attributes
    ----------
    rule_list_ : RuleList
        The point estimate, for any ``predict_with``; with "map" and "projected", predictions come
        from ``map_rule_list_`` and ``projected_rule_list_``.
    map_rule_list_ : RuleList
        The list with the highest posterior probability: among all lists with "exact", otherwise
        among those drawn.
    projected_rule_list_ : RuleList
        The list of at most ``max_length`` rules, with at least 10 training observations on every
        line, whose lines best reproduce the posterior's predictions; only with
        ``predict_with="projected"``.
    projection_path_ : ProjectionPath
        The same for every smaller number of rules, with distances from the posterior.
    posterior_ : Posterior
        The kept draws; with "exact", also the results of the sum over all lists.
    convergence_ : Convergence
        Whether the chains have converged, and what is not yet steady.
    pool_ : Pool
        The antecedents from which lists are built.
    fit_report_ : FitReport
        What was done with each column.
    classes_ : ndarray
        The labels.
    n_iter_ : int
        Iterations that each chain ran.
    fingerprint_ : str
        SHA-256 of columns, labels and weights, in the order of the rows.
    learnt_ : dict
        Learnt values by setting; only if a setting is "learn".
    edited_ : str
        What was changed by hand; only if the list was made by ``edit`` and ``as_classifier``.
    model_ : FittedModel
        All of these in one object, which reports, pages, exports and edits use. It keeps the
        settings of ``fit``; of settings changed afterwards, only ``predict_with`` affects its
        predictions.

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
        """Set parameters by name; if one is unknown, none is changed.

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
            lazy frame of PySpark, DuckDB, Dask, polars or ibis, whose engine then does the
            counting.
        y : array or str
            The labels; for a lazy frame, the name of their column. ``classes_`` has them sorted,
            or in the order of a Categorical; scorers of scikit-learn need them sorted.
        sample_weight : array or str, default=None
            How many observations each row represents; for a lazy frame, the name of the column.

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
                f"n_shards={self.n_shards} distributes the rows of a Dask frame over its workers, "
                f"and X is a {type(X).__name__} in memory. Leave n_shards out, or pass a Dask "
                "frame."
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
            event_note(labels.classes, category_order(y), in_engine=False),
            misspelt_label_note(labels.classes, labels.n_rows_by_label()),
            weight_note(labels.weights, labels.unit),
            self._clamped(mined.pool),
            merged_note(layout, mined.layout),
        )
        return self._take(fit_pool(self, settings, observed, binarised, mined, notes))

    def _fit_in_engine(
        self, X: Any, y: Any, sample_weight: Any = None, order: Sequence[Any] | None = None
    ) -> BayesianRuleListClassifier:
        """Fit a lazy frame, with the labels in a given order if there is one."""
        check_parameters(self)
        self._check_checkpoint()
        _load_compiled_code()
        settings = settings_of(self)
        pooled = pool_in_engine(self, X, y, sample_weight, order)
        return self._take(fit_pool(self, settings, *pooled))

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
    """Load the compiled code, which takes a second and only fits need; a fork waits for its end."""
    with LOADING:
        import elseif.antecedents.mining
        import elseif.sampler.chains  # noqa: F401
