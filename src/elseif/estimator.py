"""BayesianRuleListClassifier: the wiring, behind scikit-learn's interface."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from elseif.antecedents.named_levels import only_named_levels
from elseif.antecedents.own_antecedents import read_antecedents, read_weights
from elseif.antecedents.pool import Pool
from elseif.bits.merging import merged_note
from elseif.bits.packing import BitLayout, make_layout
from elseif.conditions.binarise import (
    Binarised,
    Binarising,
    ColumnReport,
    binarise,
    refuse_missing,
    seen_levels,
)
from elseif.conditions.fit_report import FitReport, in_the_end
from elseif.conditions.levels import short_scale
from elseif.conditions.matching import match_columns, warn_of_unseen
from elseif.errors import DataError, NothingFrequentError, ParamError
from elseif.explain_mixin import ExplainMixin
from elseif.forking import LOADING
from elseif.model.likelihood import log_likelihood
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.parameters import (
    SETTINGS,
    check_cuts,
    check_parameters,
    check_predictor,
    refuse_unknown,
    seed_sequence,
    suggesting_names,
)
from elseif.posterior.draws import Posterior
from elseif.posterior.point_estimate import maximum_a_posteriori, point_estimate
from elseif.posterior.predictive import predictive_probabilities
from elseif.posterior.rule_list import ModelMetadata, RuleList
from elseif.progress import Progress, ProgressBar
from elseif.tables.columns import Kind
from elseif.tables.fingerprint import column_digest, data_fingerprint
from elseif.tables.labels import (
    Labels,
    category_order,
    known_labels,
    label_array,
    name_of,
    read_labels,
    read_pseudocounts,
)
from elseif.tables.lazily import read_lazily
from elseif.tables.reading import Table, parse_kinds, read_table

if TYPE_CHECKING:
    from elseif.antecedents.mining import Mined
    from elseif.sampler.convergence import Convergence


class BayesianRuleListClassifier(ExplainMixin, ClassifierMixin, BaseEstimator):
    """A short list of if ... else if ... else statements, learnt as a posterior over lists.

    Letham, Rudin, McCormick and Madigan (2015), Interpretable classifiers using rules
    and Bayesian analysis, Annals of Applied Statistics 9(3).

    Parameters
    ----------
    expected_length : float, default=3
        Prior mean of the number of rules (lambda), the default rule not counted.
    expected_cardinality : float, default=1
        Prior mean of the number of conditions in a rule (eta).
    pseudocounts : float, sequence or dict, default=1
        Prior counts of the labels in each rule (alpha): one number, one for each label in
        the order of ``classes_``, or a dict by label; from 1e-100 to 1e9.
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
        How lists are drawn. "exact" sums over all lists of a pool of at most 20 antecedents,
        and draws from them independently; "tempered" runs chains with warmer replicas.
        "auto" is "exact" for pools of at most 18 antecedents, unless ``n_iter`` asks for millions
        of draws, and "tempered" for all others.
    n_chains : int, default=4
        Independent chains, each started from a draw of the prior or, above a million
        observations, from a list that was found on a sample of them. With "exact",
        independent sequences of draws.
    n_iter : int, default=None
        Iterations of each chain, of which the second half is kept. None runs in growing
        batches until the chains agree or ``max_iter`` is reached.
    max_iter : int, default=2_000_000
        Most iterations of each chain when ``n_iter`` is None.
    predict_with : {"point", "posterior", "map"}, default="point"
        What predicts: the point estimate, the average over the posterior, or the list of
        highest posterior probability.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same seed gives the same result for any ``n_jobs``.
    n_jobs : int, default=None
        Threads that run chains, as in joblib.
    verbose : bool, default=False
        Show on standard error how reading and sampling get on.
    kinds : dict, default=None
        Kind of a column where it should not be inferred: "boolean", "numeric",
        "category", "ordered" or "date", or a list of its categories in their order.
    cuts : dict, default=None
        Cut points of numeric, date or ordered columns, such as ``{"age": [50, 60, 70]}``, or
        the name of a cutting method for a column.
    cutting : {"quantiles", "mdl"}, default="quantiles"
        How other numeric and date columns are cut: at quantiles moved to readable values, or
        where it lowers the labels' entropy by more than it costs to describe (Fayyad and
        Irani 1993), learnt on the training data alone.
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
    infinite : {"error", "outer"}, default="error"
        Infinite numbers are an error, or beyond the outermost cut.
    support_in : {"all", "any_class"}, default="all"
        Whether ``min_support`` counts among all observations, or among those of any one label,
        as the paper's authors did: with a rare outcome this finds its strong risk factors.
    merge_equivalents : bool, default=False
        Keep only the simplest of antecedents that cover the same observations, the others
        as its aliases.
    empty_pool : {"error", "default_rule"}, default="error"
        What to do when no antecedent reaches the support: raise, or fit the default rule.
    max_antecedents : int, default=100_000
        Largest pool that mining may return.
    max_memory : float, default=4e9
        Bytes that packed covers may take. Where those of all antecedents would take more, the
        covers of conditions are kept alone and joined at every use, which is slower.

    Attributes
    ----------
    rule_list_ : RuleList
        The point estimate.
    map_rule_list_ : RuleList
        The drawn list of highest posterior probability.
    posterior_ : Posterior
        The kept draws.
    convergence_ : Convergence
        Whether the chains agree.
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
    edited_ : str
        What was changed by hand; only where ``edit`` and ``as_classifier`` made the list.
    """

    @suggesting_names
    def __init__(
        self,
        expected_length: float = 3,
        expected_cardinality: float = 1,
        pseudocounts: float | Sequence[float] | Mapping[Any, float] = 1,
        min_support: float = 0.1,
        max_cardinality: int = 2,
        antecedents: Sequence[Any] | None = None,
        antecedent_weights: Mapping[Any, float] | None = None,
        kernel: str = "auto",
        n_chains: int = 4,
        n_iter: int | None = None,
        max_iter: int = 2_000_000,
        predict_with: str = "point",
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
        infinite: str = "error",
        support_in: str = "all",
        merge_equivalents: bool = False,
        empty_pool: str = "error",
        max_antecedents: int = 100_000,
        max_memory: float = 4e9,
    ) -> None:
        given = locals()
        for setting in SETTINGS:
            setattr(self, setting.name, given[setting.name])

    posterior_: Posterior
    rule_list_: RuleList
    map_rule_list_: RuleList
    convergence_: Convergence
    pool_: Pool
    fit_report_: FitReport
    classes_: np.ndarray
    n_iter_: int
    fingerprint_: str

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
        refuse_unknown(type(self).__name__, params)
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianRuleListClassifier:
        """Learn the posterior over rule lists, and the list that stands for it."""
        check_parameters(self)
        table = read_table(X, allow_infinite=self.infinite == "outer")
        labels = self._read_labels(y, sample_weight, table)
        _load_compiled_code()
        layout = make_layout(labels.codes, len(labels.classes), labels.weights, labels.unit)
        pseudocounts = read_pseudocounts(self.pseudocounts, labels.classes)
        binarised, mined = self._pool(table, labels, layout)
        columns, conditions = only_named_levels(binarised, mined.pool.conditions)
        mined = replace(mined, pool=replace(mined.pool, conditions=conditions))
        kinds = {column.name: column.kind for column in binarised.columns}
        metadata = ModelMetadata(labels.classes, pseudocounts, kinds, labels.unit, name_of(y))
        weights = read_weights(self.antecedent_weights, mined.pool, table.names)
        self._warn_of_long_prior(mined.pool)
        prior = ListPrior(
            mined.pool.cardinalities,
            float(self.expected_length),
            float(self.expected_cardinality),
            weights,
        )
        problem = Problem(mined.covers, mined.layout, pseudocounts, prior, mined.condition_ids)
        posterior, convergence = self._sample(problem, mined.pool, metadata)
        best, note = point_estimate(posterior)
        report = FitReport(
            columns=tuple(in_the_end(columns, conditions)),
            n_rows=table.n_rows,
            n_rows_without_label=labels.n_dropped,
            aliases=mined.pool.aliases,
            notes=tuple(
                n for n in (note, self._clamped(mined.pool), merged_note(layout, mined.layout)) if n
            ),
        )
        self._set_fit(
            posterior_=posterior,
            rule_list_=posterior.rule_list(best),
            map_rule_list_=posterior.rule_list(maximum_a_posteriori(posterior)),
            convergence_=convergence,
            pool_=mined.pool,
            fit_report_=report,
            classes_=labels.classes,
            n_iter_=convergence.n_iter,
            fingerprint_=data_fingerprint(labels, binarised.digests),
            n_features_in_=len(table.names),
            **({"feature_names_in_": np.array(table.names, dtype=object)} if table.named else {}),
        )
        self._warn_of_convergence()
        return self

    def _set_fit(self, **fitted: Any) -> None:
        """Replace whatever an earlier fit has left, in one step that nothing can interrupt."""
        kept = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        self.__dict__ = {**kept, **fitted}

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, in the order of ``classes_``."""
        check_is_fitted(self)
        table = self._read_again(X)
        check_predictor(self)
        if self.predict_with == "posterior":
            return predictive_probabilities(self.posterior_, table)
        rule_list = self.rule_list_ if self.predict_with == "point" else self.map_rule_list_
        return rule_list.predict_proba(table)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of each observation."""
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    # ------------------------------------------------------------------- reading

    def _read_labels(self, y: Any, sample_weight: Any, table: Table) -> Labels:
        """The labels of a table's rows, with their weights."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        if table.n_rows == 0:
            raise DataError(
                f"X has no rows: Found array with 0 sample(s) (shape=(0, {len(table.names)})) "
                "while a minimum of 1 is required."
            )
        order = category_order(y)
        y = _one_label_each(y)
        if len(y) != table.n_rows:
            raise DataError(
                f"X and y have inconsistent numbers of samples: X has {table.n_rows} rows, "
                f"y has {len(y)} labels."
            )
        return read_labels(y, sample_weight, self.missing_y == "drop", order)

    def _read_again(self, X: Any) -> Table:
        """A table to predict for, its columns matched with those of fit."""
        table = match_columns(
            read_lazily(X, allow_infinite=self.infinite == "outer"),
            getattr(self, "feature_names_in_", None),
            self.n_features_in_,
            type(self).__name__,
        )
        if self.missing == "error":
            known = [c for c in self.fit_report_.columns if c.excluded is None]
            refuse_missing({c.name: table.column(c.name, c.kind).n_missing for c in known})
        kinds = self.rule_list_.metadata.kinds
        used = {condition.column for condition in self.pool_.conditions}
        words = {name for name in used if kinds[name] in (Kind.CATEGORY, Kind.ORDERED)}
        # under a minimum cell categories that fit saw may be left out
        if words and self.rule_list_.metadata.rounding is None:
            warn_of_unseen(table, [c for c in self.fit_report_.columns if c.name in words])
        return table

    def _pool(self, table: Table, labels: Labels, layout: BitLayout) -> tuple[Binarised, Mined]:
        from elseif.antecedents.mining import (  # loads compiled code
            MiningSettings,
            empty_pool,
            given_pool,
            mine,
            warn_of_leaks,
        )

        kinds, orders = parse_kinds(self.kinds, table.names)
        settings = MiningSettings(
            min_support=self.min_support,
            max_cardinality=self.max_cardinality,
            support_in=self.support_in,
            merge_equivalents=self.merge_equivalents,
            max_antecedents=self.max_antecedents,
            max_memory=self.max_memory,
        )
        if self.antecedents is not None:
            antecedents = read_antecedents(self.antecedents, table, kinds, orders)
            used = sorted({name for a in antecedents for name in a.columns})
            columns = [table.column(name, kinds.get(name)) for name in used]
            reports = [ColumnReport(c.name, c.kind, c.n_missing, **seen_levels(c)) for c in columns]
            if self.missing == "error":
                refuse_missing({c.name: c.n_missing for c in columns})
            known: dict[str, Kind] = {report.name: report.kind for report in reports}
            if not antecedents and self.empty_pool == "error":
                raise ParamError(
                    "antecedents is empty, and the default rule would be the whole list; "
                    "empty_pool='default_rule' allows that."
                )
            mined = given_pool(antecedents, table, layout, known, settings)
            warn_of_leaks(mined, labels.classes)
            digests = [column_digest(c) for c in columns]
            scales = {c.name: short_scale(c, labels) for c in columns}
            return Binarised([], [], reports, digests, scales), mined
        how = self._binarising(kinds, orders, table.names)
        binarised = binarise(table, labels, how, self._progress(), layout)
        try:
            mined = mine(binarised, layout, settings)
        except NothingFrequentError:
            if self.empty_pool == "error":
                raise
            return binarised, empty_pool(layout)
        binarised.truths.clear()  # the covers say the same, and either may be gigabytes
        warn_of_leaks(mined, labels.classes)
        return binarised, mined

    def _binarising(
        self,
        kinds: Mapping[str, Kind],
        orders: Mapping[str, tuple[Any, ...]],
        names: Sequence[str],
    ) -> Binarising:
        return Binarising(
            kinds=kinds,
            orders=orders,
            cuts=check_cuts(self.cuts, names),
            cutting=self.cutting,
            n_quantiles=self.n_quantiles,
            shape="bins" if self.disjoint_bins else "thresholds",
            negations=self.negations,
            group_rare=self.group_rare or 0.0,
            allow_missing=self.missing == "own_level",
        )

    # ------------------------------------------------------------------ sampling

    def _sample(
        self, problem: Problem, pool: Pool, metadata: ModelMetadata
    ) -> tuple[Posterior, Convergence]:
        from elseif.posterior.collect import collect, only_the_default_rule
        from elseif.sampler.chains import SamplerSettings, sample
        from elseif.sampler.convergence import nothing_to_sample

        if not len(pool):
            totals = problem.layout.label_totals
            log_posterior = log_likelihood(
                totals[None, :] * metadata.count_unit, problem.pseudocounts
            )
            posterior = only_the_default_rule(totals, log_posterior, pool, metadata)
            return posterior, nothing_to_sample()
        settings = SamplerSettings(
            self.kernel, self.n_chains, self.n_iter, self.max_iter, self.n_jobs
        )
        sampled = sample(problem, settings, seed_sequence(self.random_state), self._progress())
        return collect(sampled.chains, pool, metadata), sampled.convergence

    def _clamped(self, pool: Pool) -> str | None:
        """A note when no antecedent can have as many conditions as allowed."""
        n = len(pool.conditions)
        if self.antecedents is not None or self.max_cardinality <= n:
            return None
        return (
            f"max_cardinality={self.max_cardinality} is more than the {n} conditions there are; "
            f"taken as {n}."
        )

    def _progress(self) -> Progress:
        return ProgressBar() if self.verbose else Progress()

    def _warn_of_long_prior(self, pool: Pool) -> None:
        if self.expected_length > len(pool) > 0:
            warnings.warn(
                f"expected_length={self.expected_length} is more than the {len(pool)} antecedents "
                "of the pool; the prior then favours the longest lists.",
                UserWarning,
                stacklevel=3,
            )


def _load_compiled_code() -> None:
    """Load what takes a second, and only fits need, such that a fork waits for its end."""
    with LOADING:
        import elseif.antecedents.mining
        import elseif.sampler.chains  # noqa: F401


def _one_label_each(y: Any) -> np.ndarray:
    """Labels as an array of one dimension that holds classes, not measurements."""
    try:
        labels = column_or_1d(label_array(y), warn=True)
        known = known_labels(labels)
        if len(known):
            check_classification_targets(known)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(f"y: {error}") from error
    return labels
