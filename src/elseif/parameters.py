"""Settings, the estimator's and others, checked: what, what was found, and what is allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from elseif.antecedents.expert import check_weights
from elseif.errors import ParamError, ParamTypeError

SCHEMA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,62}")
KERNEL_NAMES = ("auto", "exact", "tempered", "paper")
FORMER_KERNELS = ("informed", "adaptive")  # of earlier versions, whose saved models keep the name
PREDICTORS = ("point", "posterior", "map")
CHOICES = {
    "kernel": KERNEL_NAMES,
    "predict_with": PREDICTORS,
    "cutting": ("quantiles", "mdl"),
    "missing": ("own_level", "error"),
    "missing_y": ("error", "drop"),
    "infinite": ("error", "outer"),
    "support_in": ("all", "any_class"),
    "empty_pool": ("error", "default_rule"),
}


MOST_ITERATIONS = 10**15  # years of any machine
LARGEST_NUMBER = 1.7976931348623157e308  # of 64 bits
MOST_QUANTILES = 1000  # a column gives two conditions for each
FLAGS = ("disjoint_bins", "negations", "merge_equivalents", "verbose")


def check_parameters(estimator: Any, saved: bool = False) -> None:
    """Raise for the first setting of an estimator that cannot be.

    Parameters
    ----------
    estimator : BayesianRuleListClassifier
        Whose settings to check.
    saved : bool, default=False
        Whether they are a record of how a model was fitted: its kernel may be one that a new fit
        can no longer have.
    """
    for name in ("expected_length", "expected_cardinality", "max_memory"):
        check_positive(name, getattr(estimator, name))
    for name in ("max_cardinality", "n_chains", "max_antecedents"):
        check_count(name, getattr(estimator, name))
    for name in ("n_iter", "max_iter"):
        if name == "max_iter" or estimator.n_iter is not None:
            check_count(name, getattr(estimator, name), at_most=MOST_ITERATIONS)
    if estimator.group_rare is not None:
        check_share("group_rare", estimator.group_rare)
    check_count("n_quantiles", estimator.n_quantiles, at_least=2, at_most=MOST_QUANTILES)
    check_jobs(estimator.n_jobs)
    check_support(estimator.min_support)
    check_seed(estimator.random_state)
    check_weights(estimator.antecedent_weights)
    for name in FLAGS:
        check_flag(name, getattr(estimator, name))
    for name, allowed in CHOICES.items():
        if name == "kernel" and saved and estimator.kernel in FORMER_KERNELS:
            continue
        check_one_of(name, getattr(estimator, name), allowed)


def refuse_unknown(estimator: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Raise for the first name that is no setting, with the names nearest to it."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ParamTypeError(f"{estimator} has no parameter {name!r}.{hint}")


def check_positive(name: str, value: Any) -> None:
    """A finite number above 0."""
    _check_number(name, value)
    if not 0 < value <= LARGEST_NUMBER:
        raise ParamError(f"{name} is {_short(value)}; it must be finite and above 0.")


def check_count(name: str, value: Any, at_least: int = 1, at_most: int | None = None) -> None:
    """A whole number of 1 or more, and not beyond what can be."""
    if not is_number(value, Integral):
        raise ParamTypeError(f"{name} is {value!r}; it must be a whole number.")
    if int(value) < at_least:
        raise ParamError(f"{name} is {_short(value)}; it must be {at_least} or more.")
    if at_most is not None and int(value) > at_most:
        raise ParamError(f"{name} is {_short(value)}; it must be {at_most:,} or less.")


def check_share(name: str, value: Any) -> None:
    """A number between 0 and 1."""
    _check_number(name, value)
    if not 0 < value < 1:
        raise ParamError(f"{name} is {_short(value)}; it must be between 0 and 1.")


def is_number(value: Any, sort: type = Real) -> bool:
    """Whether a value is a number: to Python truth values, to NumPy durations are such too."""
    return isinstance(value, sort) and not isinstance(value, (bool, np.timedelta64))


def _check_number(name: str, value: Any) -> None:
    if not is_number(value):
        raise ParamTypeError(f"{name} is {value!r}; it must be a number.")


def _short(value: Any) -> str:
    """A number as it was written, unless it is one of very many digits."""
    return f"{value!r:.60}"


def check_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise ParamError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}.")


def check_flag(name: str, value: Any) -> None:
    """True or False; a word such as "no" would count as true."""
    if not isinstance(value, (bool, np.bool_, Integral)):
        raise ParamTypeError(f"{name} is {value!r}; it must be True or False.")


def check_schema(schema: Any) -> None:
    """The name of a schema that every database takes, whatever it is put into."""
    if not isinstance(schema, str):
        raise ParamTypeError(f"The name of a schema is a text, not a {type(schema).__name__}.")
    if not SCHEMA_NAME.fullmatch(schema):
        raise ParamError(
            f"{schema!r:.80} is no name of a schema: it must begin with a letter or an underscore "
            "and go on with letters, digits, _ or $, 63 characters at most."
        )


def check_predictor(estimator: Any) -> None:
    """What predicts must be there: a model may have been saved without its posterior."""
    check_one_of("predict_with", estimator.predict_with, PREDICTORS)
    if estimator.predict_with == "posterior" and not hasattr(estimator, "posterior_"):
        raise ParamError(
            "predict_with is 'posterior', but the model was saved without its posterior. "
            "Save it with posterior='lists', or predict with 'point' or 'map'."
        )


def check_jobs(n_jobs: Any) -> None:
    """A number of threads as joblib counts them."""
    if n_jobs is None:
        return
    if not is_number(n_jobs, Integral):
        raise ParamTypeError(f"n_jobs is {n_jobs!r}; it must be a whole number or None.")
    if n_jobs == 0:
        raise ParamError("n_jobs is 0; it must be 1 or more, or negative: -1 for all cores.")


def check_support(support: Any) -> None:
    """A share of the observations as a float, or a number of them as an int."""
    _check_number("min_support", support)
    if isinstance(support, Integral):
        if int(support) < 1:
            raise ParamError(
                f"min_support is {support!r}; a whole number counts observations and must be "
                "1 or more. A fraction of them lies between 0 and 1."
            )
    elif not 0 < support <= 1:
        raise ParamError(
            f"min_support is {support!r}; a fraction of the observations lies between 0 and 1, "
            "such as 0.1 for 10 percent. A number of them is an int."
        )


def check_cuts(cuts: Any, names: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """Cut points, or the name of a cutting method, by column."""
    if cuts is None:
        return {}
    if not isinstance(cuts, Mapping):
        raise ParamTypeError(f"cuts must be a dict by column, not {cuts!r}.")
    for name, told in cuts.items():
        if name not in names:
            raise ParamError(f"cuts: the table has no column {name!r}.")
        if isinstance(told, str):
            check_one_of(f"cuts[{name!r}]", told, CHOICES["cutting"])
    return cuts


def check_seed(random_state: Any) -> None:
    """A seed of 0 or more, a source of random numbers, or None."""
    sources = (np.random.RandomState, np.random.Generator, type(None))
    if not is_number(random_state, Integral) and not isinstance(random_state, sources):
        raise ParamTypeError(
            f"random_state is {random_state!r}; it must be a whole number, a RandomState, "
            "a Generator or None."
        )
    if isinstance(random_state, Integral) and random_state < 0:
        raise ParamError(f"random_state is {random_state!r}; a seed is 0 or more.")


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """One seed a fit, from whatever scikit-learn users pass; no global state is read."""
    check_seed(random_state)
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**31, size=4).tolist())
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4).tolist())
    return np.random.SeedSequence(int(random_state))
