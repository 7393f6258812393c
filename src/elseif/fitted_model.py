"""FittedModel: what a fit has learnt, made by ``fit`` or read from a file.

Reports, pages, exports, explanations, edits and the command line take it; no compiling is needed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.antecedents.named_levels import known_levels
from elseif.antecedents.pool import Pool, pool_of
from elseif.checks import check_level
from elseif.conditions.binarise import ColumnReport, refuse_missing
from elseif.conditions.fit_report import FitReport
from elseif.conditions.matching import (
    LISTS_NOT_DRAWN,
    OTHER_LISTS,
    match_columns,
    note_of_lacking,
    warn_of_other_numbers,
    warn_of_unseen,
)
from elseif.errors import DataError, ModelFileError, ParamError, ParamTypeError
from elseif.labelling import relabelled
from elseif.list_prior import list_prior
from elseif.model.prior import ListPrior
from elseif.parameters import BY_NAME, check_choice
from elseif.posterior.draws import Posterior
from elseif.posterior.intervals import list_intervals, mixture_intervals
from elseif.posterior.predictive import predictive_probabilities
from elseif.posterior.quantity_names import named
from elseif.posterior.rule_list import ModelMetadata, RuleList
from elseif.sampler.convergence import Convergence
from elseif.tables.federated import has_synthetic_site
from elseif.tables.labels import Labels, category_order, label_array, read_labels
from elseif.tables.lazily import read_lazily
from elseif.tables.reading import Table, read_table
from elseif.training_match import is_training_data
from elseif.training_record import training_record

if TYPE_CHECKING:
    from elseif.editing.draft import Draft
    from elseif.explaining.explanation import Explanation
    from elseif.projection.path import ProjectionPath

# settings that do not change what was fitted: those of the classifier count, whenever they are set
AFTER_FIT = ("predict_with", "n_jobs", "verbose")


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A posterior over rule lists, the lists that represent it, and how they were fitted.

    Attributes
    ----------
    rule_list : RuleList
        The point estimate.
    map_rule_list : RuleList
        The most probable list: of all lists, if they were summed over, else of those drawn.
    posterior : Posterior | None
        The posterior, unless the model was saved without it.
    convergence : Convergence | None
        Convergence of the sampler.
    fit_report : FitReport
        What ``fit`` did with each column.
    settings : dict[str, Any]
        Settings of ``fit``.
    training : dict[str, Any]
        n, label counts, fingerprint of the data, versions and date.
    feature_names : list[str] | None
        Names of the columns.
    n_features : int
        Number of columns.
    pool : Pool
        The antecedents that lists are made of.
    edited : str | None
        What was changed by hand in the list.
    projection_path : ProjectionPath | None
        The projected lists by number of rules.
    projected_rule_list : RuleList | None
        The projected list that predicts.
    learnt : dict | None
        Learnt values by setting, if a setting was "learn".
    cohort : dict | None
        The cohort that it was learnt from, if any: definition, concepts, whether synthetic.
    recalibrated : dict | None
        Old and new label counts of each line, and the discount, if it was recalibrated.
    federation : dict | None
        Of counts of sites: the plan, the sites, and how many people they withheld.
    sha256 : str | None
        Checksum of the model file from which it was read, unless it was changed since.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> model = clf.model_
    >>> model.was_trained_on(X, y)
    True
    >>> len(model.chosen_list("map").rules) <= len(model.chosen_list("point").rules)
    True
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.79, 0.21]])
    >>> sorted(model.columns_used())
    ['age', 'class', 'sex']
    >>> model.with_labels({"columns": {"sex": "Sex"}}).rule_list.rules[0].text
    'age = adult and Sex = male'
    >>> model.predict_interval(X[:1]).shape
    (1, 2, 2)
    >>> model.explain(X, row=0).predicted, round(model.edit(X, y).drop(0).change, 1)
    ('died', -179.6)
    """

    rule_list: RuleList
    map_rule_list: RuleList
    posterior: Posterior | None
    convergence: Convergence | None
    fit_report: FitReport
    settings: dict[str, Any]
    training: dict[str, Any]
    feature_names: list[str] | None
    n_features: int
    pool: Pool
    edited: str | None = None
    projection_path: ProjectionPath | None = None
    projected_rule_list: RuleList | None = None
    learnt: dict[str, float] | None = None
    cohort: dict[str, Any] | None = None
    recalibrated: dict[str, Any] | None = None
    federation: dict[str, Any] | None = None
    sha256: str | None = field(default=None, init=False)  # init=False: replace() forgets it

    def __repr__(self) -> str:
        return f"FittedModel({len(self.rule_list)} rules, posterior={self.posterior!r})"

    @property
    def lists(self) -> tuple[RuleList, ...]:
        """The lists that represent the posterior: point estimate, most probable, projected."""
        known = (self.rule_list, self.map_rule_list, self.projected_rule_list)
        return tuple(each for each in known if each is not None)

    @classmethod
    def of_list(cls, rule_list: RuleList) -> FittedModel:
        """A model of a single list, with only the kinds of its columns known."""
        return cls(
            rule_list=rule_list,
            map_rule_list=rule_list,
            posterior=None,
            convergence=None,
            fit_report=FitReport(columns=(), n_rows=0, n_rows_without_label=0, aliases={}),
            settings={},
            training=training_record(rule_list, None),
            feature_names=None,
            n_features=len(rule_list.metadata.kinds),
            pool=pool_of(rule_list.antecedents),
        )

    @property
    def is_of_patients(self) -> bool:
        """Whether it was learnt from patients' records, in a database or at sites."""
        return self.cohort is not None

    @property
    def is_synthetic(self) -> bool:
        """Whether it was learnt from synthetic patients."""
        return bool((self.cohort or {}).get("synthetic")) or has_synthetic_site(self.federation)

    @property
    def metadata(self) -> ModelMetadata:
        """Labels, pseudocounts and kinds of columns."""
        return self.rule_list.metadata

    @property
    def n(self) -> float:
        """Training observations, by their weights."""
        return float(self.training["n"])

    def setting(self, name: str) -> Any:
        """A setting of ``fit``; the default if the model does not have it."""
        return self.settings.get(name, BY_NAME[name].default)

    def with_settings(self, **settings: Any) -> FittedModel:
        """The same model under other settings that do not change what was fitted."""
        return replace(self, settings={**self.settings, **settings})

    def with_labels(self, labels: Any) -> FittedModel:
        """The same model, with the names in a labels file wherever people read it.

        Parameters
        ----------
        labels : str, path or dict
            The labels file, or its contents; it replaces any labels that the model has.

        Returns
        -------
        FittedModel
            The model.
        """
        return relabelled(self, labels)

    @cached_property
    def named_convergence(self) -> Convergence | None:
        """The convergence of the sampler, with readable names of rules and lists."""
        return named(self.convergence, self.posterior)

    @cached_property
    def prior(self) -> ListPrior:
        """The prior of the posterior."""
        names = self.feature_names or [column.name for column in self.fit_report.columns]
        return list_prior({**self.settings, **(self.learnt or {})}, self.pool, names)

    # ------------------------------------------------------------------ prediction

    @property
    def predict_with(self) -> str:
        """What predicts: "point", "posterior", "map" or "projected"."""
        return str(self.setting("predict_with"))

    def chosen_list(self, which: str | None = None) -> RuleList:
        """One of the lists that represent the posterior.

        If the average over the posterior predicts, the point estimate represents it.

        Parameters
        ----------
        which : {"point", "map", "projected", None}, default=None
            The point estimate, the most probable or the projected list; None for the one that
            predicts.

        Returns
        -------
        RuleList
            The list.
        """
        if which not in (None, "point", "map", "projected"):
            raise ParamError(f"which is {which!r}; it must be 'point', 'map' or 'projected'.")
        which = which or self.predict_with
        if which != "projected":
            return self.map_rule_list if which == "map" else self.rule_list
        if self.projected_rule_list is None:
            raise ParamError(
                "The model has no projected list: fit it with predict_with='projected', or take "
                "project(X, y).as_classifier()."
            )
        return self.projected_rule_list

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each label.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        array of float
            One row for each observation, one column for each label.
        """
        return self.probabilities(self.read(X, needed=self.columns_used()))

    def probabilities(self, table: Table) -> np.ndarray:
        """As ``predict_proba``, for a table that has been read."""
        check_choice("predict_with", self.predict_with)
        if self.predict_with != "posterior":
            probabilities = self.chosen_list().predict_proba(table)
        else:
            note_of_lacking(table, self.columns_of_all_lists, LISTS_NOT_DRAWN)
            probabilities = predictive_probabilities(self.needed_posterior(), table)
        warn_of_other_numbers(table)
        return probabilities

    def predict_interval(
        self, X: Any, level: float = 0.95, predict_with: str = "posterior"
    ) -> np.ndarray:
        """Credible intervals of the probabilities.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.
        level : float, default=0.95
            Level of the intervals.
        predict_with : str, default="posterior"
            What predicts, as in `BayesianRuleListClassifier`.

        Returns
        -------
        array of float
            Lower and upper end, in the shape (rows, labels, 2).
        """
        used = self.columns_used(predict_with)
        return self.intervals(self.read(X, needed=used), level, predict_with)

    def intervals(self, table: Table, level: float, predict_with: str) -> np.ndarray:
        """``predict_interval`` for a table that has been read."""
        check_level(level)
        check_choice("predict_with", predict_with)
        chosen = self.with_settings(predict_with=predict_with)
        if predict_with == "posterior":
            intervals = mixture_intervals(chosen.needed_posterior(), table, level)
        else:
            intervals = list_intervals(chosen.chosen_list(), table, level)
        warn_of_other_numbers(table)
        return intervals

    def needed_posterior(self) -> Posterior:
        """The posterior; an error if the model was saved without it."""
        if self.posterior is None:
            raise ParamError(
                "predict_with is 'posterior', but the model was saved without its posterior. "
                "Save it with posterior='lists', or predict with 'point' or 'map'."
            )
        return self.posterior

    # --------------------------------------------------------------------- reading

    def columns_used(self, predict_with: str | None = None) -> set[str]:
        """The columns that predictions need: those of the list, or of the posterior's lists.

        Parameters
        ----------
        predict_with : str, default=None
            What predicts, as in `BayesianRuleListClassifier`; None as in ``fit``.

        Returns
        -------
        set of str
            The columns.
        """
        which = predict_with or self.predict_with
        check_choice("predict_with", which)
        source = self.needed_posterior() if which == "posterior" else self.chosen_list(which)
        return source.columns_used

    @property
    def columns_of_all_lists(self) -> set[str]:
        """The columns that a sum over all lists asks for; none if that is not what predicts."""
        sums = self.posterior if self.predict_with == "posterior" else None
        return set() if sums is None or sums.exact is None else sums.pool_columns

    def read(self, X: Any, who: str = "the model", needed: Collection[str] | None = None) -> Table:
        """Read a table to predict for, and match its columns with those of ``fit``."""
        read = read_lazily(X, allow_infinite=self._allows_infinite)
        table = match_columns(read, self.feature_names, self.n_features, who, needed)
        table.date_orders = self.date_orders
        self.refuse_missing(table)
        in_pool = {c.column for c in self.pool.conditions if c.column in table}
        used = in_pool & ({*needed, *self.columns_of_all_lists} if needed is not None else in_pool)
        if self.metadata.rounding is None:  # else categories that fit saw may be left out
            warn_of_unseen(table, [c for c in self.fit_report.columns if c.name in used])
        return table

    def read_training(self, X: Any) -> Table:
        """Read all columns of a table like that of ``fit``."""
        read = read_table(X, allow_infinite=self._allows_infinite)
        table = match_columns(read, self.feature_names, self.n_features, "the model")
        table.date_orders = self.date_orders
        return table

    @property
    def date_orders(self) -> dict[str, str]:
        """Order of day and month, by column, in dates of ``fit`` that were text."""
        return {c.name: c.date_order for c in self.fit_report.columns if c.date_order is not None}

    def read_labels(
        self, y: Any, sample_weight: Any, table: Table, drop_missing: bool = True
    ) -> Labels:
        """Read the labels and weights of a table's rows."""
        labels = label_array(y).ravel()
        if len(labels) != table.n_rows:
            raise DataError(
                f"X and y have inconsistent numbers of samples: X has {table.n_rows} rows, "
                f"y has {len(labels)} labels."
            )
        effective = self.setting("weight_scaling") == "effective"
        return read_labels(labels, sample_weight, drop_missing, category_order(y), effective)

    @property
    def _allows_infinite(self) -> bool:
        return bool(self.setting("infinite") == "outer")

    def refuse_missing(self, table: Table) -> None:
        """Raise an error for missing values if ``fit`` did not allow them."""
        if self.setting("missing") == "error":
            known = [c for c in self.fit_report.columns if c.excluded is None and c.name in table]
            refuse_missing({c.name: table.column(c.name, c.kind).n_missing for c in known})

    def column(self, name: str) -> ColumnReport | None:
        """What ``fit`` did with a column, if that is known."""
        return next((c for c in self.fit_report.columns if c.name == name), None)

    def was_trained_on(self, X: Any, y: Any, sample_weight: Any = None) -> bool:
        """Whether these are exactly the training data; performance on them would be apparent.

        Parameters
        ----------
        X, y : table and labels
            The data.
        sample_weight : array, default=None
            The weights.

        Returns
        -------
        bool
            Whether their fingerprint is that of the training data. For a table counted by an
            engine, rows are compared by the conditions of the pool only, in any order.
        """
        if self.training["fingerprint"] is None:
            raise ModelFileError("The model has no fingerprint of its data.")
        return is_training_data(self, X, y, sample_weight)

    # --------------------------------------------------------- explaining, editing

    def explain(self, X: Any, row: int = 0, level: float = 0.95) -> Explanation:
        """Explain the prediction for one case, and what would change it.

        Parameters
        ----------
        X : table or dict
            A table, or the values of one case by column.
        row : int, default=0
            Which row of the table.
        level : float, default=0.95
            Level of the credible intervals.

        Returns
        -------
        Explanation
            It prints as text.
        """
        from elseif.explaining.case import as_mapping, one_row, read_case

        check_choice("predict_with", self.predict_with)
        if as_mapping(X) is None:
            table = self.read(one_row(X, row), needed=self.chosen_list().columns_used)
        else:
            table = read_case(X)
            self.refuse_missing(table)
        posterior = self.posterior  # a model may be saved without it
        # what the list itself lacks is an error below
        is_whole = all(name in table for name in self.chosen_list().columns_used)
        if is_whole and posterior is not None:
            lacks = note_of_lacking(table, posterior.columns_used, OTHER_LISTS)
            posterior = None if lacks else posterior
        explanation = self.chosen_list().explain(
            table,
            posterior=posterior,
            levels=known_levels(self.fit_report.columns),
            level=level,
            allow_missing=self.setting("missing") != "error",
        )
        warn_of_other_numbers(table)
        return explanation

    def edit(self, X: Any, y: Any, sample_weight: Any = None, classifier: Any = None) -> Draft:
        """Start editing the point estimate by hand, with the cost of every change.

        Parameters
        ----------
        X, y : table and labels
            The data of ``fit``.
        sample_weight : array, default=None
            The weights of ``fit``.
        classifier : BayesianRuleListClassifier, default=None
            What the draft's ``as_classifier`` copies.

        Returns
        -------
        Draft
            The list, ready to be changed.
        """
        from elseif.editing.draft import begin  # loaded by those who edit
        from elseif.editing.edit_context import edit_context

        return begin(edit_context(self, X, y, sample_weight, classifier))


def as_model(model: Any) -> FittedModel:
    """A model, or that of a fitted classifier as it predicts now."""
    fitted = model if isinstance(model, FittedModel) else getattr(model, "model_", None)
    if not isinstance(fitted, FittedModel):
        raise ParamTypeError(
            f"A fitted BayesianRuleListClassifier or a model is needed, not {type(model).__name__}"
            f"{' that is not fitted' if hasattr(model, 'fit') else ''}. Call fit first, or read a "
            "model file."
        )
    if fitted is model:
        return fitted
    now = {name: getattr(model, name) for name in AFTER_FIT if hasattr(model, name)}
    is_same = all(fitted.setting(name) == value for name, value in now.items())
    return fitted if is_same else fitted.with_settings(**now)
