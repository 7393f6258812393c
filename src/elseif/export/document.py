"""The document of a model file, format version 1: its fields and their types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
)
from typing_extensions import TypeAliasType

from elseif.antecedents.labels_file import LONGEST
from elseif.export.document_part import Part
from elseif.export.field_types import (
    LARGEST_CHAIN,
    LARGEST_WHOLE,
    Count,
    Finite,
    KindName,
    LabelType,
    Many,
    Named,
    Number,
    Operator,
    Positive,
    Sha256,
    Share,
    Special,
    Whole,
    check_aliases,
    check_names,
    check_shares,
)
from elseif.export.origin_parts import CohortPart, FederationPart, RecalibratedPart

FORMAT = "elseif model"
VERSION = 1


ShownName = Annotated[str, Field(min_length=1, max_length=LONGEST)]
ShownNames = Named[ShownName]


class DateValue(Part):
    """A date or time, ISO 8601 in UTC, to the microsecond."""

    date: Annotated[str, Field(max_length=40)]


class IntegerValue(Part):
    """A whole number of more than 63 bits, as text."""

    integer: Annotated[str, Field(pattern="^-?[0-9]{1,1000}$")]


class NumberValue(Part):
    """A number that is not finite."""

    number: Special


# plain JSON where it has the type: a number with a point or an exponent is a float
Scalar = bool | int | Finite | str | DateValue | IntegerValue | NumberValue


class TupleValue(Part):
    """A tuple."""

    content: Annotated[Many[Value], Field(alias="tuple")]


class ListValue(Part):
    """A list."""

    content: Annotated[Many[Value], Field(alias="list")]


class SetValue(Part):
    """A set."""

    content: Annotated[Many[Value], Field(alias="set")]


class DictValue(Part):
    """A dict, as pairs of key and value."""

    content: Annotated[Many[Pair], Field(alias="dict")]


class ConditionValue(Part):
    """A condition given in a setting: column, operator, value."""

    content: Annotated[Many[Value], Field(alias="condition", min_length=3, max_length=3)]


class NotStored(Part):
    """A value that no file can hold, such as a source of random numbers: its type."""

    content: Annotated[str, Field(alias="not stored")]


Value = TypeAliasType(
    "Value",
    Scalar | TupleValue | ListValue | SetValue | DictValue | ConditionValue | NotStored | None,
)
Pair = Annotated[Many[Value], Field(min_length=2, max_length=2)]


class ConditionPart(Part):
    """An assertion about one column; "order" is a place in the document's "orders"."""

    column: str
    operator: Operator
    value: Scalar | TupleValue | None = None
    order: Whole | None = None


class ColumnLabelsPart(Part):
    """How a column is shown to people."""

    name: ShownName | None = None
    unit: ShownName | None = None
    question: ShownName | None = None
    levels: Annotated[ShownNames, Field(description="names of levels, true and false too")] = {}


class OutcomeLabelsPart(Part):
    """How the outcome is shown to people."""

    name: ShownName | None = None
    event: Annotated[ShownName | None, Field(description="of two labels, the last")] = None
    no_event: Annotated[ShownName | None, Field(description="of two labels, the first")] = None
    labels: Annotated[ShownNames, Field(description="names of labels")] = {}


class LabelsPart(Part):
    """The content of a labels file: names, units and words."""

    columns: Named[ColumnLabelsPart] = {}
    outcome: OutcomeLabelsPart = OutcomeLabelsPart()
    conditions: Annotated[ShownNames, Field(description="names of conditions")] = {}


class RulePart(Part):
    """One line: conditions that must all hold, none for the default rule."""

    conditions: Many[ConditionPart]
    label_counts: Annotated[Many[Count], Field(description="training cases captured, by label")]
    probabilities: Annotated[Many[Share], Field(description="posterior means, by label")]


class OutcomePart(Part):
    """What is predicted: its name, its labels in order, their type and pseudocounts."""

    name: str | None
    label_type: LabelType
    labels: Annotated[Many[Scalar], Field(min_length=2)]
    pseudocounts: Many[Positive]


class RangePart(Part):
    """Where nearly all numbers or dates of a column lay, rounded outwards."""

    low: Finite | DateValue
    high: Finite | DateValue
    people: Annotated[int, Field(ge=1, le=LARGEST_WHOLE, description="at or beyond each end")]


class ColumnPart(Part):
    """What fit made of a column."""

    name: str
    kind: KindName
    n_missing: Whole | None  # None under a minimum cell
    n_conditions: Whole
    cuts: Many[Scalar]
    levels: Annotated[Many[Scalar], Field(description="categories that conditions name")]
    grouped: Many[Scalar]
    excluded: str | None
    n_levels: Annotated[Whole, Field(description="categories seen, where that is known, or 0")] = 0
    holds: Annotated[str | None, Field(description="what categories are, such as text")] = None
    range: RangePart | None = None  # of numbers and dates, where it may be disclosed
    date_order: Annotated[
        Literal["dmy", "mdy"] | None, Field(description="of dates that were text in fit")
    ] = None


class TablePart(Part):
    """The training table."""

    n_features: Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]
    feature_names: Annotated[list[str] | None, BeforeValidator(check_names)]
    n_rows: Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]
    n_rows_without_label: Whole
    columns: Many[ColumnPart]
    notes: Many[str]


class RoundingPart(Part):
    """The minimum cell, and the multiple of it that counts are rounded to."""

    min_cell: Annotated[int, Field(ge=2, le=LARGEST_WHOLE)]
    step: Annotated[int, Field(ge=2, le=LARGEST_WHOLE)]


class ReadingPart(Part):
    """How the text file of the training table was written, as far as it was said."""

    sep: Annotated[str | None, Field(max_length=20)] = None
    decimal: Literal[".", ","] | None = None
    thousands: Annotated[str | None, Field(max_length=1)] = None
    encoding: Annotated[str | None, Field(max_length=100)] = None
    na_values: Many[str] = Field(default_factory=list)
    date_format: Annotated[str | None, Field(max_length=100)] = None


class TrainingPart(Part):
    """The training data and versions of the model."""

    rounding: Annotated[
        RoundingPart | None, Field(description="of all counts, under a minimum cell")
    ] = None
    label_counts: Annotated[Many[Count], Field(description="training cases by label, weighted")]
    count_unit: Annotated[Positive, Field(description="what a count of 1 in the posterior is")]
    fingerprint: Annotated[
        Sha256 | None,
        Field(description="SHA-256 of the columns as read, labels and weights, in row order"),
    ]
    reading: Annotated[
        ReadingPart | None, Field(description="how its text file was written, where that was said")
    ] = None
    versions: Named[str]
    date: Annotated[str, Field(description="day and time of fit or first save, UTC")]


class PoolPart(Part):
    """The antecedents that lists are made of, by places of conditions in "conditions"."""

    conditions: Many[ConditionPart]
    antecedents: Many[Many[Whole]]
    supports: Annotated[
        list[Share] | None,
        BeforeValidator(check_shares),
        Field(description="of each antecedent; none under a minimum cell"),
    ]
    aliases: Annotated[dict[str, Many[str]], BeforeValidator(check_aliases)]


class QuantityPart(Part):
    """Diagnostics of one quantity."""

    name: str
    r_hat: Number
    ess_bulk: Number
    ess_tail: Number
    level: Annotated[
        Literal["list", "share", "inclusion"] | None,
        Field(description="where a reader meets it: the list and its predictions, a list's share"),
    ] = None
    index: Annotated[
        int, Field(ge=-1, description="distinct list or antecedent of the pool; -1 for others")
    ] = -1
    mean: Number = "NaN"
    mcse: Annotated[Number, Field(description="Monte Carlo standard error of the mean")] = "NaN"
    ess_replica: Number = "NaN"
    r_hat_replica: Number = "NaN"
    steady: bool | None = None


class ConvergencePart(Part):
    """Whether the chains agree."""

    r_hat: Number
    status: Literal["converged", "warn", "not converged", "undetermined"]
    quantities: Many[QuantityPart]
    inclusion_r_hat: Number
    inclusion_difference: Number
    n_chains: Whole
    n_iter: Whole
    n_distinct: Whole
    acceptance: Named[Number]
    exchange: Many[Number]
    independent: bool = False  # draws of the exact posterior, not of chains
    share_deviation: Annotated[
        Many[Number],
        Field(
            min_length=2,
            max_length=2,
            description="shares of lists against log posteriors, in standard errors",
        ),
    ] = ["NaN", "NaN"]
    restricted_deviation: Annotated[
        Many[Number],
        Field(
            min_length=2,
            max_length=2,
            description="share of the draws that an exact sum was compared with, and how far they "
            "are off, in standard errors",
        ),
    ] = ["NaN", "NaN"]
    ended_by: Literal["", "max_iter", "max_time", "interrupted"] = ""
    scored_first: str = ""  # which short lists were scored before sampling
    point_found_by: Whole | None = None
    point_is_steady: bool | None = None


class ChainPart(Part):
    """Kept draws of one chain in order: how many at which list before it moved on."""

    n_draws: Many[Annotated[int, Field(ge=1, le=LARGEST_CHAIN)]]
    lists: Many[Whole]


class ExactPart(Part):
    """The posterior summed over all lists: its results, and the counts that they follow from.

    A pattern is a number whose bit a is set where antecedent a of the pool is true.
    """

    log_evidence: Finite
    length_probabilities: Annotated[Many[Share], Field(description="of lists of 0, 1, ... rules")]
    inclusion: Annotated[Many[Share], Field(description="of each antecedent")]
    mean_average_cardinality: Number
    map_list: Annotated[Whole, Field(description="the most probable list, a place in lists")]
    point_list: Annotated[Whole, Field(description="the point estimate, a place in lists")]
    point_note: str | None
    expected_length: Positive
    expected_cardinality: Positive
    weights: Annotated[Many[Positive], Field(description="prior weight of each antecedent")]
    patterns: Annotated[Many[Whole], Field(description="ascending")]
    pattern_counts: Annotated[
        Many[Many[Whole]], Field(description="training cases of each pattern by label, in units")
    ]


class PosteriorPart(Part):
    """Distinct lists: antecedents of the pool, counts of each rule and of the default."""

    lists: Annotated[Many[Many[Whole]], Field(min_length=1)]
    label_counts: Many[Many[Many[Whole]]]
    log_posterior: Many[Finite]
    chains: Annotated[Many[ChainPart], Field(min_length=1)]
    exact: Annotated[ExactPart | None, Field(description="where it was summed over all lists")] = (
        None
    )


class PathScoresPart(Part):
    """How the lists of a path predict out of sample, an entry for each length from 0 on."""

    folds: Annotated[int, Field(ge=2, le=LARGEST_WHOLE)]
    n: Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]
    log_loss: Many[Number]
    log_loss_gap: Many[Number]
    log_loss_gap_error: Many[Number]
    auc: Many[Number]
    posterior_log_loss: Number
    posterior_auc: Number
    point_log_loss: Number
    point_auc: Number


class ProjectionPathPart(Part):
    """For each most number of rules, from 0 on, the list closest to the posterior."""

    lists: Annotated[Many[Annotated[Many[RulePart], Field(min_length=1)]], Field(min_length=1)]
    distances: Annotated[Many[Number], Field(description="from the posterior, nats per row")]
    point_distance: Number
    scores: PathScoresPart | None = None


class ProjectionPart(Part):
    """The projected list, and the path that it is of; under a minimum cell the list alone."""

    rule_list: Annotated[Many[RulePart], Field(min_length=1)]
    path: ProjectionPathPart | None = None


class Document(Part):
    """A fitted Bayesian rule list."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="elseif model file")

    format: Literal["elseif model"]
    format_version: Literal[1]
    made_by: str
    sha256: Annotated[
        Sha256,
        Field(
            description="SHA-256 of the document without this field, as JSON in UTF-8 with sorted "
            "keys, no white space and nothing escaped that need not be"
        ),
    ]
    outcome: OutcomePart
    edited: Annotated[
        str | None, Field(description="what was changed by hand in rule_list, where it was")
    ] = None
    labels: Annotated[
        LabelsPart | None, Field(description="names, units and words to show, where there are some")
    ] = None
    learnt: Annotated[
        dict[Literal["expected_length", "expected_cardinality", "pseudocounts"], Positive] | None,
        Field(description="values learnt where a setting is 'learn'"),
    ] = None
    cohort: Annotated[
        CohortPart | None, Field(description="where the training table was extracted")
    ] = None
    recalibrated: RecalibratedPart | None = None
    federation: Annotated[
        FederationPart | None, Field(description="where it was learnt from the counts of sites")
    ] = None
    rule_list: Annotated[Many[RulePart], Field(min_length=1)]
    map_rule_list: Annotated[Many[RulePart], Field(min_length=1)]
    projection: Annotated[
        ProjectionPart | None,
        Field(description="the list closest to the posterior's predictions, where one was made"),
    ] = None
    orders: Annotated[
        Many[Many[Scalar]], Field(description="categories in their order, for conditions")
    ]
    table: TablePart
    training: TrainingPart
    settings: Named[Value]
    convergence: ConvergencePart | None
    pool: PoolPart
    posterior: PosteriorPart | None


def schema() -> dict[str, Any]:
    """The JSON schema that is published beside the documentation."""
    made = Document.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
