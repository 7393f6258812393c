"""The model file's document, format version 1: what is in it, and of which types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

FORMAT = "elseif model"
VERSION = 1

LARGEST_WHOLE = 2**63 - 1
LARGEST_CHAIN = 2**32
Whole = Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Special = Literal["NaN", "Infinity", "-Infinity"]
Number = Finite | Special
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
LabelType = Annotated[
    str,
    Field(
        pattern=r"^(bool|u?int(8|16|32|64)|float(16|32|64)|U[0-9]{1,6}|object"
        r"|datetime64\[(Y|M|W|D|h|m|s|ms|us|ns)\])$"
    ),
]
Operator = Literal[
    "is true", "is false", "=", "!=", "in", ">", "<=", ">=", "<", "between", "is missing"
]
KindName = Literal["boolean", "numeric", "category", "ordered", "date"]


class Part(BaseModel):
    """A part of the document: every field known, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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

    held: Annotated[list[Value], Field(alias="tuple")]


class ListValue(Part):
    """A list."""

    held: Annotated[list[Value], Field(alias="list")]


class SetValue(Part):
    """A set."""

    held: Annotated[list[Value], Field(alias="set")]


class DictValue(Part):
    """A dict, as pairs of key and value."""

    held: Annotated[list[Pair], Field(alias="dict")]


class ConditionValue(Part):
    """A condition given in a setting: column, operator, value."""

    held: Annotated[list[Value], Field(alias="condition", min_length=3, max_length=3)]


class NotStored(Part):
    """A value that no file can hold, such as a source of random numbers: its type."""

    held: Annotated[str, Field(alias="not stored")]


Value = TypeAliasType(
    "Value",
    Scalar | TupleValue | ListValue | SetValue | DictValue | ConditionValue | NotStored | None,
)
Pair = Annotated[list[Value], Field(min_length=2, max_length=2)]


class ConditionPart(Part):
    """An assertion about one column; "order" is a place in the document's "orders"."""

    column: str
    operator: Operator
    value: Scalar | TupleValue | None = None
    order: Whole | None = None


class RulePart(Part):
    """One line: conditions that must all hold, none for the default rule."""

    conditions: list[ConditionPart]
    label_counts: Annotated[list[Count], Field(description="training cases captured, by label")]
    probabilities: Annotated[list[Share], Field(description="posterior means, by label")]


class OutcomePart(Part):
    """What is predicted: its name, its labels in order, their type and pseudocounts."""

    name: str | None
    label_type: LabelType
    labels: Annotated[list[Scalar], Field(min_length=2)]
    pseudocounts: list[Positive]


class ColumnPart(Part):
    """What fit made of a column."""

    name: str
    kind: KindName
    n_missing: Whole | None  # None where a minimum cell is held
    n_conditions: Whole
    cuts: list[Scalar]
    levels: list[Scalar]
    grouped: list[Scalar]
    excluded: str | None


class TablePart(Part):
    """The training table."""

    n_features: Annotated[int, Field(ge=1)]
    feature_names: list[str] | None
    n_rows: Annotated[int, Field(ge=1)]
    n_rows_without_label: Whole
    columns: list[ColumnPart]
    notes: list[str]


class RoundingPart(Part):
    """The minimum cell that is held, and the multiple of it that counts are rounded to."""

    min_cell: Annotated[int, Field(ge=2, le=LARGEST_WHOLE)]
    step: Annotated[int, Field(ge=2, le=LARGEST_WHOLE)]


class TrainingPart(Part):
    """What stands behind the model."""

    rounding: Annotated[
        RoundingPart | None, Field(description="of all counts, where a minimum cell is held")
    ] = None
    label_counts: Annotated[list[Count], Field(description="training cases by label, weighted")]
    count_unit: Annotated[Positive, Field(description="what a count of 1 in the posterior is")]
    fingerprint: Annotated[
        Sha256 | None,
        Field(description="SHA-256 of the columns as read, labels and weights, in row order"),
    ]
    versions: dict[str, str]
    date: Annotated[str, Field(description="day and time of fit or first save, UTC")]


class PoolPart(Part):
    """The antecedents that lists are made of, by places of conditions in "conditions"."""

    conditions: list[ConditionPart]
    antecedents: list[list[Whole]]
    supports: Annotated[
        list[Share] | None, Field(description="of each antecedent; none under a minimum cell")
    ]
    aliases: dict[str, list[str]]


class QuantityPart(Part):
    """Diagnostics of one quantity."""

    name: str
    r_hat: Number
    ess_bulk: Number
    ess_tail: Number


class ConvergencePart(Part):
    """Whether the chains agree."""

    r_hat: Number
    status: Literal["converged", "warn", "not converged", "undetermined"]
    quantities: list[QuantityPart]
    inclusion_r_hat: Number
    inclusion_difference: Number
    n_chains: Whole
    n_iter: Whole
    n_distinct: Whole
    acceptance: dict[str, Number]
    exchange: list[Number]
    independent: bool = False  # draws of the exact posterior, not of chains


class ChainPart(Part):
    """Kept draws of one chain in order: how many at which list before it moved on."""

    n_draws: list[Annotated[int, Field(ge=1, le=LARGEST_CHAIN)]]
    lists: list[Whole]


class PosteriorPart(Part):
    """Distinct lists drawn: antecedents of the pool, counts of each rule and of the default."""

    lists: Annotated[list[list[Whole]], Field(min_length=1)]
    label_counts: list[list[list[Whole]]]
    log_posterior: list[Finite]
    chains: Annotated[list[ChainPart], Field(min_length=1)]


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
    rule_list: Annotated[list[RulePart], Field(min_length=1)]
    map_rule_list: Annotated[list[RulePart], Field(min_length=1)]
    orders: Annotated[
        list[list[Scalar]], Field(description="categories in their order, for conditions")
    ]
    table: TablePart
    training: TrainingPart
    settings: dict[str, Value]
    convergence: ConvergencePart | None
    pool: PoolPart
    posterior: PosteriorPart | None


def schema() -> dict[str, Any]:
    """The JSON schema that is published beside the documentation."""
    made = Document.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
