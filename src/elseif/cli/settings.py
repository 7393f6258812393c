"""The estimator's settings as options of the command line, each of them once.

The texts and defaults are written out, so that --help need not load scikit-learn; a test holds
them to the estimator's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.errors import ParamError

PRIOR, MINING, TABLE, SAMPLING = "Prior", "Mining", "Reading the table", "Sampling"


class Kernel(StrEnum):
    """The kernels that there are."""

    AUTO = "auto"
    EXACT = "exact"
    TEMPERED = "tempered"
    PAPER = "paper"


class Cutting(StrEnum):
    """How numbers are cut."""

    QUANTILES = "quantiles"
    MDL = "mdl"


class Missing(StrEnum):
    """What a missing value is."""

    OWN_LEVEL = "own_level"
    ERROR = "error"


class MissingLabel(StrEnum):
    """What to do without a label."""

    ERROR = "error"
    DROP = "drop"


class Infinite(StrEnum):
    """What an infinite number is."""

    ERROR = "error"
    OUTER = "outer"


class SupportIn(StrEnum):
    """Among which observations the support is counted."""

    ALL = "all"
    ANY_CLASS = "any_class"


class EmptyPool(StrEnum):
    """What to do when nothing is frequent."""

    ERROR = "error"
    DEFAULT_RULE = "default_rule"


class PredictWith(StrEnum):
    """What predicts."""

    POINT = "point"
    POSTERIOR = "posterior"
    MAP = "map"


def _option(text: str, panel: str, metavar: str = "NUMBER", **more: Any) -> Any:
    return typer.Option(help=text, rich_help_panel=panel, metavar=metavar, **more)


def _choice(choices: type[StrEnum], text: str, panel: str) -> Any:
    return _option(text, panel, "|".join(choices))


def _flag(name: str, text: str, panel: str) -> Any:
    return typer.Option(f"--{name}", help=text, rich_help_panel=panel)


ExpectedLength = Annotated[float, _option("Prior mean of the number of rules.", PRIOR)]
ExpectedCardinality = Annotated[
    float, _option("Prior mean of the number of conditions in a rule.", PRIOR)
]
Pseudocounts = Annotated[
    list[str],
    _option(
        "Prior count of every label in every rule; or, repeated for each label, LABEL=NUMBER.",
        PRIOR,
    ),
]
Antecedents = Annotated[
    Path | None,
    _option(
        "JSON file of your own antecedents in place of mining, such as "
        '[["smoker", ["age", ">", 60]], [["sex", "=", "male"]]].',
        PRIOR,
        "FILE",
    ),
]
AntecedentWeights = Annotated[
    list[str],
    _option(
        "Prior weight of a column, condition or antecedent; may be repeated.",
        PRIOR,
        "NAME=NUMBER",
    ),
]
MinSupport = Annotated[
    str, _option("Share (0.1) or number (30) of rows that an antecedent must cover.", MINING)
]
MaxCardinality = Annotated[int, _option("Most conditions in an antecedent.", MINING)]
SupportAmong = Annotated[
    SupportIn,
    _choice(SupportIn, "Count the support among all rows, or those of any one label.", MINING),
]
MergeEquivalents = Annotated[
    bool,
    _flag(
        "merge-equivalents",
        "Keep only the simplest antecedent of those that cover the same rows.",
        MINING,
    ),
]
OnEmptyPool = Annotated[
    EmptyPool,
    _choice(EmptyPool, "When nothing is frequent: stop, or fit the default rule alone.", MINING),
]
MaxAntecedents = Annotated[int, _option("Largest pool that mining may return.", MINING)]
MaxMemory = Annotated[
    float,
    _option("Bytes that packed covers may take; 4e9 if not told.", MINING, show_default=False),
]
Kinds = Annotated[
    list[str],
    _option(
        "Kind of a column: boolean, numeric, category, ordered or date; or its categories in "
        "their order, such as stage=I,II,III. May be repeated.",
        TABLE,
        "COLUMN=KIND",
    ),
]
Cuts = Annotated[
    list[str],
    _option(
        "Cut points of a column, such as age=50,60,70, or how to find them: quantiles or mdl. "
        "May be repeated.",
        TABLE,
        "COLUMN=CUTS",
    ),
]
CuttingMethod = Annotated[Cutting, _choice(Cutting, "How other numbers and dates are cut.", TABLE)]
NQuantiles = Annotated[int, _option("Parts that quantiles cut a column into.", TABLE)]
DisjointBins = Annotated[
    bool, _flag("disjoint-bins", "Cut into bins, not into overlapping thresholds.", TABLE)
]
Negations = Annotated[bool, _flag("negations", "Also make conditions such as 'not smoker'.", TABLE)]
GroupRare = Annotated[
    float | None,
    _option("Categories of a smaller share of the rows have one condition together.", TABLE),
]
MissingValues = Annotated[
    Missing,
    _choice(
        Missing,
        "A missing value makes no condition true but 'is missing' (own_level), or is an error.",
        TABLE,
    ),
]
MissingY = Annotated[
    MissingLabel, _choice(MissingLabel, "Rows without a label: stop, or drop them.", TABLE)
]
InfiniteValues = Annotated[
    Infinite,
    _choice(Infinite, "Infinite numbers: stop, or take them for the outermost.", TABLE),
]
SamplingKernel = Annotated[
    Kernel,
    _choice(Kernel, "How lists are drawn; auto is exact for small pools, else tempered.", SAMPLING),
]
NChains = Annotated[int, _option("Independent chains.", SAMPLING)]
NIter = Annotated[
    int | None, _option("Iterations of each chain; without it, until they agree.", SAMPLING)
]
MaxIter = Annotated[int, _option("Most iterations where --n-iter is not given.", SAMPLING)]
Predictor = Annotated[
    PredictWith,
    _choice(
        PredictWith,
        "What predicts: the point estimate, the whole posterior or the most probable list.",
        SAMPLING,
    ),
]
RandomState = Annotated[
    int, _option("Seed; the same one gives the same list for any --n-jobs.", SAMPLING)
]
NJobs = Annotated[int, _option("Threads that run chains; -1 for all cores.", SAMPLING)]

# parameters of the estimator that fit has under their own names, --n-iter for n_iter
NAMES = (
    "expected_length",
    "expected_cardinality",
    "pseudocounts",
    "antecedents",
    "antecedent_weights",
    "min_support",
    "max_cardinality",
    "support_in",
    "merge_equivalents",
    "empty_pool",
    "max_antecedents",
    "max_memory",
    "kinds",
    "cuts",
    "cutting",
    "n_quantiles",
    "disjoint_bins",
    "negations",
    "group_rare",
    "missing",
    "missing_y",
    "infinite",
    "kernel",
    "n_chains",
    "n_iter",
    "max_iter",
    "predict_with",
    "random_state",
    "n_jobs",
)


def estimator_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The estimator's parameters of what the command line was told."""
    readers: dict[str, Callable[[Any], Any]] = {
        "pseudocounts": read_pseudocounts,
        "antecedents": read_antecedents,
        "antecedent_weights": read_weights,
        "min_support": read_support,
        "kinds": read_kinds,
        "cuts": lambda told: read_cuts(told, read_kinds(given["kinds"])),
    }
    parameters: dict[str, Any] = {}
    for name in NAMES:
        value = given[name]
        if name in readers:
            value = readers[name](value)
        elif isinstance(value, str):
            value = str(value)  # an option of a choice is a text to the estimator
        parameters[name] = value
    return parameters


def read_support(text: str) -> float | int:
    """A share, or where it is written without a point a number of rows."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise ParamError(f"--min-support is {text!r}; it must be a number.") from None


def read_pseudocounts(told: list[str]) -> Any:
    """One number for all labels, or numbers by label."""
    if len(told) == 1 and "=" not in told[0]:
        return _number(told[0], "--pseudocounts")
    return {
        label: _number(value, "--pseudocounts")
        for label, value in named_values(told, "--pseudocounts")
    }


def by_label(pseudocounts: Mapping[str, float], y: Any) -> dict[Any, float]:
    """Pseudocounts by the labels of a table, which options can only spell: 1 for "1"."""
    from elseif.cli.tables import find_label

    labels = y.cat.categories.tolist()
    found: dict[Any, float] = {}
    for name, value in pseudocounts.items():
        label = find_label(name, labels, "--pseudocounts")
        if label in found:
            raise ParamError(f"--pseudocounts: the label {label!r} is told twice.")
        found[label] = value
    return found


def read_weights(told: list[str]) -> dict[str, float] | None:
    """Weights by name."""
    pairs = named_values(told, "--antecedent-weights")
    return {name: _number(value, "--antecedent-weights") for name, value in pairs} or None


def read_kinds(told: list[str]) -> dict[str, Any] | None:
    """Kinds by column: one of their names, or categories in their order."""
    return {
        name: value.split(",") if "," in value else value
        for name, value in named_values(told, "--kinds")
    } or None


def read_cuts(told: list[str], kinds: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Cut points by column: numbers, dates or categories, or the name of a method."""
    as_written = {name for name, kind in (kinds or {}).items() if isinstance(kind, list)}
    cuts: dict[str, Any] = {}
    for name, value in named_values(told, "--cuts"):
        if value in set(Cutting):
            cuts[name] = value
        elif name in as_written:
            cuts[name] = value.split(",")
        else:
            cuts[name] = [_as_number(part) for part in value.split(",")]
    return cuts or None


def read_antecedents(path: Path | None) -> list[Any] | None:
    """Antecedents from a JSON file: a list of lists of columns or [column, operator, value]."""
    if path is None:
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParamError(f"--antecedents: {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ParamError(f"--antecedents: {path.name} is not JSON: {error}.") from error
    except RecursionError:
        raise ParamError(f"--antecedents: {path.name} has too many lists within lists.") from None
    if not isinstance(told, list) or not all(isinstance(one, list) for one in told):
        raise ParamError(
            f"--antecedents: {path.name} must be a list of antecedents, each a list of conditions "
            'such as ["smoker", ["age", ">", 60]].'
        )
    return [tuple(tuple(c) if isinstance(c, list) else c for c in one) for one in told]


def named_values(told: list[str], option: str) -> list[tuple[str, str]]:
    """NAME=VALUE, where a name may hold a sign of equality itself: the last one counts."""
    pairs: list[tuple[str, str]] = []
    for text in told:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            raise ParamError(f"{option} is {text!r}; it must be NAME=VALUE.")
        if any(name == other for other, _ in pairs):
            raise ParamError(f"{option}: {name!r} is told twice.")
        pairs.append((name, value))
    return pairs


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParamError(f"{option}: {text!r} is not a number.") from None


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
