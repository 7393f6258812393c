"""Every setting of the estimator, declared once: group, default, help and allowed values.

The estimator's checks and the options of ``elseif fit`` are generated from this table; tests hold
the estimator's signature and docstring to it. Nothing heavy is imported: ``--help`` is quick.
"""

from __future__ import annotations

import copy
import difflib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from numbers import Integral
from typing import TYPE_CHECKING, Any, ParamSpec

from elseif.checks import (
    check_count,
    check_flag,
    check_number,
    check_one_of,
    check_positive,
    check_share,
    did_you_mean,
    is_number,
)
from elseif.errors import ParamError, ParamTypeError

if TYPE_CHECKING:
    import numpy as np

P = ParamSpec("P")

MOST_ITERATIONS = 10**15  # years on any machine
MOST_RULES = 100  # of a projected list, which is there to be read
LEARN = "learn"  # in place of a number of the prior: the one of highest evidence
LEARNABLE = ("expected_length", "expected_cardinality", "pseudocounts")
MOST_QUANTILES = 1_000  # a column gives two conditions for each
FORMER_KERNELS = ("informed", "adaptive")  # of earlier versions, whose saved models keep the name


class SettingGroup(StrEnum):
    """The group of a setting, in the order of --help."""

    LEARN = "What to learn"
    CONDITIONS = "Which conditions"
    SAMPLE = "How to sample"
    LIMITS = "Limits"


class SettingKind:
    """The allowed values of a setting; the base class allows everything, because fit checks it."""

    def check(self, name: str, value: Any) -> None:
        """Raise unless the value is allowed."""


class Positive(SettingKind):
    """A finite number above 0."""

    def check(self, name: str, value: Any) -> None:
        check_positive(name, value)


class PositiveOrNone(SettingKind):
    """A finite number above 0, or None."""

    def check(self, name: str, value: Any) -> None:
        if value is not None:
            check_positive(name, value)


class PositiveOrLearn(Positive):
    """A finite number above 0, or "learn": what makes the labels most probable."""

    def check(self, name: str, value: Any) -> None:
        if isinstance(value, str) and value != LEARN:
            raise ParamTypeError(f"{name} is {value!r}; it must be a number above 0 or {LEARN!r}.")
        if value != LEARN:
            super().check(name, value)


@dataclass(frozen=True)
class Count(SettingKind):
    """A whole number within bounds."""

    at_least: int = 1
    at_most: int | None = None
    or_none: bool = False

    def check(self, name: str, value: Any) -> None:
        if not (self.or_none and value is None):
            check_count(name, value, self.at_least, self.at_most)


class ShareOrNone(SettingKind):
    """A number between 0 and 1, or None."""

    def check(self, name: str, value: Any) -> None:
        if value is not None:
            check_share(name, value)


class Flag(SettingKind):
    """True or False."""

    def check(self, name: str, value: Any) -> None:
        check_flag(name, value)


@dataclass(frozen=True)
class Choice(SettingKind):
    """One of a few words."""

    allowed: tuple[str, ...]

    def check(self, name: str, value: Any) -> None:
        check_one_of(name, value, self.allowed)


class Support(SettingKind):
    """A share of the observations (float) or a number of them (int)."""

    def check(self, name: str, value: Any) -> None:
        check_number(name, value)
        if isinstance(value, Integral):
            if int(value) < 1:
                raise ParamError(
                    f"{name} is {value!r}; a whole number counts observations and must be "
                    "1 or more. A fraction of them lies between 0 and 1."
                )
        elif not 0 < value <= 1:
            raise ParamError(
                f"{name} is {value!r}; a fraction of the observations lies between 0 and 1, "
                "such as 0.1 for 10 percent. A number of them is an int."
            )


class Jobs(SettingKind):
    """A number of threads as joblib counts them."""

    def check(self, name: str, value: Any) -> None:
        if value is None:
            return
        if not is_number(value, Integral):
            raise ParamTypeError(f"{name} is {value!r}; it must be a whole number or None.")
        if value == 0:
            raise ParamError(f"{name} is 0; it must be 1 or more, or negative: -1 for all cores.")


class Seed(SettingKind):
    """A seed of 0 or more, a source of random numbers, or None."""

    def check(self, name: str, value: Any) -> None:
        is_source = type(value).__name__ in ("RandomState", "Generator")
        if not (value is None or is_source or is_number(value, Integral)):
            raise ParamTypeError(
                f"{name} is {value!r}; it must be a whole number, a RandomState, "
                "a Generator or None."
            )
        if is_number(value, Integral) and value < 0:
            raise ParamError(f"{name} is {value!r}; a seed is 0 or more.")


class FolderOrNone(SettingKind):
    """The name of a folder, or None."""

    def check(self, name: str, value: Any) -> None:
        if value is None:
            return
        if not isinstance(value, str | os.PathLike) or not os.fspath(value):
            raise ParamTypeError(f"{name} is {value!r}; it must be the name of a folder or None.")
        if "\0" in str(value):
            raise ParamError(f"{name} is {value!r}, which is not a valid folder name.")


class Weights(SettingKind):
    """Positive weights by name, or None."""

    def check(self, name: str, value: Any) -> None:
        if value is not None:
            from elseif.antecedents.own_antecedents import check_weights

            check_weights(value)


@dataclass(frozen=True)
class Setting:
    """One setting: its name in Python (``--min-support`` for ``min_support``), and what it is."""

    name: str
    group: SettingGroup
    default: Any
    kind: SettingKind
    help: str  # for --help; the estimator's docstring says more


_PREDICTORS = ("point", "posterior", "map", "projected")
_L, _C, _S, _M = (
    SettingGroup.LEARN,
    SettingGroup.CONDITIONS,
    SettingGroup.SAMPLE,
    SettingGroup.LIMITS,
)

SETTINGS = (
    Setting(
        "expected_length", _L, 3, PositiveOrLearn(),
        "Prior mean of the number of rules, or learn.",
    ),
    Setting(
        "expected_cardinality", _L, 1, PositiveOrLearn(),
        "Prior mean of the number of conditions in a rule, or learn.",
    ),
    Setting(
        "pseudocounts", _L, 1, SettingKind(),
        "Prior count of every label in every rule, or learn; or, repeated for each label, "
        "LABEL=NUMBER.",
    ),
    Setting(
        "min_support", _C, 0.1, Support(),
        "Fraction (0.1) or number (30) of rows that an antecedent must cover.",
    ),
    Setting("max_cardinality", _C, 2, Count(), "Maximum number of conditions in an antecedent."),
    Setting(
        "antecedents", _L, None, SettingKind(),
        "JSON file of your own antecedents instead of mined ones, such as "
        '[["smoker", ["age", ">", 60]], [["sex", "=", "male"]]].',
    ),
    Setting(
        "antecedent_weights", _L, None, Weights(),
        "Prior weight of a column, condition or antecedent; may be repeated.",
    ),
    Setting(
        "kernel", _S, "auto", Choice(("auto", "exact", "tempered", "paper")),
        "How lists are drawn: auto is exact for small pools, and tempered for larger ones.",
    ),
    Setting("n_chains", _S, 4, Count(), "Independent chains."),
    Setting(
        "n_iter", _S, None, Count(at_most=MOST_ITERATIONS, or_none=True),
        "Iterations of each chain; by default, until the chains converge.",
    ),
    Setting(
        "max_iter", _M, 2_000_000, Count(at_most=MOST_ITERATIONS),
        "Maximum number of iterations of each chain if --n-iter is not given.",
    ),
    Setting(
        "max_time", _M, None, PositiveOrNone(),
        "Approximate time limit for the chains, in seconds; the result says if it ended the run.",
    ),
    Setting(
        "predict_with", _L, "point", Choice(_PREDICTORS),
        "What to predict with: the point estimate, the whole posterior, the most probable "
        "list, or the list whose lines best reproduce the posterior's predictions.",
    ),
    Setting(
        "max_length", _L, None, Count(at_least=0, at_most=MOST_RULES, or_none=True),
        "Maximum number of rules of the projected list; by default, that of the point estimate.",
    ),
    Setting(
        "random_state", _S, None, Seed(),
        "Seed; the same seed gives the same list for any --n-jobs.",
    ),
    Setting("n_jobs", _S, None, Jobs(), "Threads that run chains; -1 for all cores."),
    Setting("verbose", _S, False, Flag(), "Show progress on standard error."),
    Setting(
        "kinds", _C, None, SettingKind(),
        "Kind of a column: boolean, numeric, category, ordered, date, or dmy or mdy for dates with "
        "the day or the month first; or its categories in order, such as stage=I,II,III. May be "
        "repeated.",
    ),
    Setting(
        "cuts", _C, None, SettingKind(),
        "Cut points of a column, such as age=50,60,70, or how to find them: quantiles, mdl or "
        "evidence. "
        "May be repeated.",
    ),
    Setting(
        "cutting", _C, "quantiles", Choice(("quantiles", "mdl", "evidence")),
        "How other numeric and date columns are cut.",
    ),
    Setting(
        "n_quantiles", _C, 4, Count(at_least=2, at_most=MOST_QUANTILES),
        "Number of parts into which quantiles cut a column.",
    ),
    Setting(
        "disjoint_bins", _C, False, Flag(),
        "Cut into disjoint bins instead of overlapping thresholds.",
    ),
    Setting("negations", _C, False, Flag(), "Also make conditions such as 'not smoker'."),
    Setting(
        "group_rare", _C, None, ShareOrNone(),
        "Categories rarer than this fraction of the rows share one condition.",
    ),
    Setting(
        "missing", _C, "own_level", Choice(("own_level", "error")),
        "Missing values: a level of their own ('is missing'), or an error.",
    ),
    Setting(
        "missing_y", _C, "error", Choice(("error", "drop")),
        "Rows without a label: stop, or drop them.",
    ),
    Setting(
        "weight_scaling", _C, "none", Choice(("none", "effective")),
        "Weights: as they are, or scaled to Kish's effective sample size (survey weights).",
    ),
    Setting(
        "infinite", _C, "error", Choice(("error", "outer")),
        "Infinite numbers: stop, or treat them as the largest and smallest values.",
    ),
    Setting(
        "support_in", _C, "all", Choice(("all", "any_class")),
        "Measure the support among all rows, or among those of any one label.",
    ),
    Setting(
        "merge_equivalents", _C, False, Flag(),
        "Keep only the simplest of the antecedents that cover the same rows.",
    ),
    Setting(
        "max_correlation", _C, None, ShareOrNone(),
        "Of antecedents whose covers correlate more than this, keep the most readable.",
    ),
    Setting(
        "empty_pool", _C, "error", Choice(("error", "default_rule")),
        "If no antecedent is frequent: stop, or fit the default rule only.",
    ),
    Setting(
        "max_antecedents", _M, 2_500, Count(),
        "Larger pools are screened down to this size, by evidence.",
    ),
    Setting("max_memory", _M, 4e9, Positive(), "Maximum memory for packed covers, in bytes."),
    Setting(
        "checkpoint", _S, None, FolderOrNone(),
        "Folder for checkpoints, from which an interrupted fit is resumed.",
    ),
    Setting(
        "n_shards", _M, None, Count(or_none=True),
        "Number of shards in which the workers of a Dask cluster hold the rows of a Dask table.",
    ),
)  # fmt: skip
BY_NAME = {setting.name: setting for setting in SETTINGS}
# settings of how a fit is run, which no model keeps
NOT_KEPT = ("checkpoint", "n_shards")
# settings that may change when a fit is continued: no draw depends on them
RUN_ONLY = ("n_jobs", "verbose", "predict_with", "max_length", "max_memory", "max_time", *NOT_KEPT)
CHOICES = {s.name: s.kind.allowed for s in SETTINGS if isinstance(s.kind, Choice)}


def without_learn(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Settings with defaults instead of "learn", and the names of those to be learnt."""
    names = [s.name for s in SETTINGS if _is_learn(settings.get(s.name)) and s.name in LEARNABLE]
    return {**settings, **{name: BY_NAME[name].default for name in names}}, names


def _is_learn(value: Any) -> bool:
    return isinstance(value, str) and value == LEARN


def check_parameters(estimator: Any) -> None:
    """Raise for the first setting of an estimator that is not allowed."""
    for setting in SETTINGS:
        setting.kind.check(setting.name, getattr(estimator, setting.name))


def check_saved_settings(settings: Mapping[str, Any]) -> None:
    """Raise for the first setting that no fitted model can have.

    The kernel may be one that new fits no longer support.
    """
    refuse_unknown("BayesianRuleListClassifier", settings, BY_NAME)
    for name, value in settings.items():
        if not (name == "kernel" and value in FORMER_KERNELS):
            check_choice(name, value)


# what other libraries call a parameter, where the spelling differs too much
OTHERWISE_CALLED = {
    "max_rules": "expected_length",
    "n_rules": "expected_length",
    "listlengthprior": "expected_length",
    "listwidthprior": "expected_cardinality",
    "maxcardinality": "max_cardinality",
    "minsupport": "min_support",
    "alpha": "pseudocounts",
    "seed": "random_state",
    "n_iterations": "n_iter",
    "niter": "n_iter",
}
# what deliberately has no parameter, and what to do instead
NO_PARAMETER = {
    "class_weight": "It would change the probabilities of every line. If errors have different "
    "costs, choose another threshold on the probability.",
}


def refuse_unknown(estimator: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise for the first name that is not a parameter, with the most similar names."""
    for name in names:
        if name not in known:
            meant = OTHERWISE_CALLED.get(name, "")
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            near = [meant] if meant in known else near
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            hint = f" {NO_PARAMETER[name]}" if name in NO_PARAMETER else hint
            raise ParamTypeError(f"{estimator} has no parameter {name!r}.{hint}")


def suggesting_names(init: Callable[P, None]) -> Callable[P, None]:
    """A constructor whose error for a misspelt name suggests similar ones."""

    @wraps(init)  # through which scikit-learn sees the constructor's own signature
    def checked(*args: P.args, **settings: P.kwargs) -> None:
        refuse_unknown(type(args[0]).__name__, settings, BY_NAME)
        init(*args, **settings)

    return checked


def check_choice(name: str, value: Any) -> None:
    """Raise unless a value is allowed for a setting."""
    BY_NAME[name].kind.check(name, value)


def check_cuts(cuts: Any, names: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """Cut points, or the name of a cutting method, by column."""
    if cuts is None:
        return {}
    if not isinstance(cuts, Mapping):
        raise ParamTypeError(f"cuts must be a dict by column, not {cuts!r}.")
    for name, given in cuts.items():
        if name not in names:
            raise ParamError(f"cuts: the table has no column {name!r}; {did_you_mean(name, names)}")
        if isinstance(given, str):
            check_one_of(f"cuts[{name!r}]", given, CHOICES["cutting"])
    return cuts


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """One seed per fit, from any ``random_state``; no global state is read."""
    import numpy as np

    check_choice("random_state", random_state)
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**31, size=4).tolist())
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4).tolist())
    return np.random.SeedSequence(int(random_state))


def settings_of(classifier: Any) -> dict[str, Any]:
    """A copy of a classifier's settings, unaffected by later changes."""
    names = [setting.name for setting in SETTINGS if setting.name not in NOT_KEPT]
    settings = {name: getattr(classifier, name) for name in names}
    return {
        name: copy.deepcopy(value)
        if isinstance(value, dict | list) or hasattr(value, "shape")
        else value
        for name, value in settings.items()
    }
