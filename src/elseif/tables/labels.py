"""Labels and weights of the observations, checked and coded."""

from __future__ import annotations

import decimal
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.bits.packing import ROWS_AT_ONCE, code_type
from elseif.errors import DataError, DataTypeError, LabelOrderWarning, ParamError
from elseif.tables.families import family, is_missing
from elseif.tables.values import unmasked
from elseif.tables.weights import scaled_to_effective_size

# weights that are not multiples of 2^-12 are rounded to this many significant binary digits
WEIGHT_BITS = 12
MOST_BITS = 62  # of what the weights add up to, in units
# where log Gamma has digits enough: a millionth of a nat at the upper end
PSEUDOCOUNTS = (1e-100, 1e9)
# no and yes in some languages, in this order
YES_OR_NO = (
    ["false", "true"], ["no", "yes"], ["n", "y"], ["nein", "ja"], ["nee", "ja"], ["nej", "ja"],
    ["nei", "ja"], ["n", "j"], ["non", "oui"], ["no", "si"], ["no", "sí"],
    ["no", "sì"], ["não", "sim"],
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Labels:
    """Observations' labels as codes into classes, in the order of the rows kept."""

    classes: np.ndarray
    codes: np.ndarray  # int (rows,): -1 where the label is missing or the weight 0
    weights: np.ndarray  # int (rows,): whole numbers of units; one number, repeated, if all are 1
    unit: float
    n_dropped: int  # rows left out for want of a label
    # int64 (rows,): of groups that an engine counted, how many rows each is; weights are their sums
    repeats: np.ndarray | None = None

    def n_rows_of(self, chosen: np.ndarray) -> int:
        """How many rows those chosen by an array of booleans are."""
        return int(np.count_nonzero(chosen) if self.repeats is None else self.repeats[chosen].sum())

    def n_rows_by_label(self) -> np.ndarray:
        """How many rows have each label."""
        known = self.codes >= 0
        repeats = None if self.repeats is None else self.repeats[known]
        counts = np.bincount(self.codes[known], weights=repeats, minlength=len(self.classes))
        return counts.astype(np.int64)

    @property
    def count_once(self) -> bool:
        """Whether every row counts once, so that a single number represents all weights."""
        return self.weights.strides == (0,) and bool(np.all(self.weights[:1] == 1))


def label_array(y: Any) -> np.ndarray:
    """Labels as an array; dates and durations to the microsecond, as Python can show them."""
    array = _label_array(y)
    if array.dtype.kind in "mM" and np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as"):
        return array.astype(f"{array.dtype.kind}8[us]")
    return array


def _label_array(y: Any) -> np.ndarray:
    """Labels as an array; a list that mixes text with anything else is not made all text."""
    if hasattr(y, "to_numpy") and not hasattr(y, "to_pylist"):  # pyarrow's wants no copy
        return np.asarray(y.to_numpy())
    if isinstance(y, np.ma.MaskedArray):
        # as objects: whole numbers together with missing ones would become floats
        y = unmasked(y.astype(object) if np.ma.is_masked(y) else y)
    try:
        array = np.asarray(y)
        if array.dtype.kind not in "US" or isinstance(y, np.ndarray):
            return array
        each = np.array(y, dtype=object)
    except (TypeError, ValueError) as error:
        raise DataError(f"y cannot be read as one label per observation: {error}.") from error
    return array if len({family(v) for v in each.ravel()}) == 1 else each


def name_of(y: Any) -> str | None:
    """The name of a data frame's column."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def category_order(y: Any) -> list[Any] | None:
    """The order of y's categories, when it is categorical.

    A Categorical of polars has none: its categories are in the order in which the process met them.
    """
    if getattr(y, "ndim", 1) != 1:
        return None
    dtype = getattr(y, "dtype", None)
    if type(dtype).__module__.split(".")[0] == "polars" and type(dtype).__name__ == "Categorical":
        return None
    categories = getattr(dtype, "categories", None)
    if categories is None:
        categories = getattr(y, "categories", None)
    return None if categories is None else list(categories)


def without_a_doubt(labels: Sequence[str]) -> list[str] | None:
    """Two labels with the event last, if one of them means yes and the other no."""
    orders = (list(labels), list(reversed(labels)))
    return next((order for order in orders if [each.lower() for each in order] in YES_OR_NO), None)


def event_note(classes: np.ndarray, order: Sequence[Any] | None, in_engine: bool) -> str | None:
    """A note if the label whose probability is shown was chosen by sort order alone."""
    if order is not None or len(classes) != 2 or not all(isinstance(c, str) for c in classes):
        return None
    other, event = (f"{str(label)!r:.80}" for label in classes)
    is_reversed = [str(label).lower() for label in reversed(classes)] in YES_OR_NO
    how = (
        f"a column that is true where the label is {other}"
        if in_engine
        # y == other would keep the name of y, and the list would call the other label by it
        else f"pandas.Categorical(y, [{event}, {other}])"
    )
    note = (
        f"Probabilities are those of {event}, the second of the two labels in alphabetical order. "
        f"For those of {other} instead, fit {how}."
    )
    if is_reversed:  # nobody wants the probability of "no"
        warnings.warn(note, LabelOrderWarning, stacklevel=2)
    return note


def known_labels(y: np.ndarray) -> np.ndarray:
    """The labels by which to distinguish classes from measurements.

    Objects must be of one type; of numbers among them only the fractions are returned,
    for a number may be too large for an array.
    """
    missing = missing_labels(y)
    known = y[~missing] if missing.any() else y
    if known.dtype.kind == "V":
        raise DataTypeError(f"Unknown label type: y is of dtype {y.dtype}. Give one column.")
    if known.dtype.kind != "O":
        return known
    families = {family(v) for v in known}
    if "complex number" in families:
        raise DataTypeError("Unknown label type: y holds complex numbers.")
    if len(families) > 1 and families != {"boolean", "number"}:
        raise DataError(f"y mixes labels of different types: {_clash(known)}. Make them one type.")
    if families <= {"boolean", "number"}:
        return np.array([float(v % 1) for v in known])  # whole or not is all that is asked
    return known if families == {"text"} else known[:0]


def shown_label(label: Any) -> str:
    """A label as Python writes it, without NumPy's name around it."""
    if isinstance(label, np.generic) and label.dtype.kind not in "mM":
        return repr(label.item())
    return str(label) if isinstance(label, np.generic) else repr(label)


def read_labels(
    y: np.ndarray,
    sample_weight: np.ndarray | None,
    drop_missing: bool,
    order: list[Any] | None,
    effective: bool = False,
    repeats: np.ndarray | None = None,
) -> Labels:
    """Codes, classes and whole weights from one label per observation.

    Where ``effective``, weights are scaled to add up to Kish's effective sample size. Each label
    may stand for several rows.
    """
    missing = missing_labels(y)
    if missing.any() and not drop_missing:
        rows = np.flatnonzero(missing)
        shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
        raise DataError(
            f"Input y contains NaN or infinity: {len(rows)} missing (rows {shown}). Fill them in, "
            "or leave these rows out by missing_y='drop'."
        )
    weights, unit = whole_weights(sample_weight, len(y))
    used = ~missing
    if effective and sample_weight is not None:
        weights, unit = whole_weights(scaled_to_effective_size(weights * unit, used), len(y))
    if sample_weight is not None:
        used &= weights > 0
    if not used.any():
        raise DataError("No observation is left: every label is missing or every weight is 0.")
    all_used = bool(used.all())
    classes, known_codes = _classes(y if all_used else y[used], order)
    if len(classes) < 2:
        n = used.sum() if repeats is None else repeats.sum()
        raise DataError(
            f"y holds one class only, {shown_label(classes[0])}, in all {int(n)} "
            "observations; a classifier needs at least two."
        )
    if all_used:
        return Labels(classes, known_codes, weights, unit, 0)
    codes = np.full(len(y), -1, dtype=known_codes.dtype)
    codes[used] = known_codes
    return Labels(classes, codes, _least_room(weights) * used, unit, int(missing.sum()))


def missing_labels(y: np.ndarray) -> np.ndarray:
    """Which labels are missing or infinite."""
    if y.dtype.kind == "f":
        return ~np.isfinite(y)
    if y.dtype.kind == "O":
        return np.fromiter(map(_is_no_label, y), dtype=bool, count=len(y))
    if y.dtype.kind in "mM":
        return np.isnat(y)
    return np.zeros(len(y), dtype=bool)


def _is_no_label(value: Any) -> bool:
    if isinstance(value, (str, bool, int)):  # what most labels are
        return False
    if isinstance(value, (float, np.floating)):
        return not np.isfinite(value)
    if isinstance(value, decimal.Decimal):
        return not value.is_finite()
    return is_missing(value)


def _classes(y: np.ndarray, order: list[Any] | None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct labels, sorted or in the order of their categories, and codes into them."""
    if order is not None:
        if y.dtype.kind in "mM":  # as numbers, which is what tolist makes of them
            order = np.array(order, dtype=y.dtype).tolist()
        present = {v for some in _parts(y) for v in some.tolist()}
        levels = [level for level in order if level in present]
        position = {level: i for i, level in enumerate(levels)}
        classes = np.empty(len(levels), dtype=y.dtype)
        classes[:] = levels
        return classes, _coded(y, len(levels), lambda some: [position[v] for v in some.tolist()])
    try:
        classes = np.unique(np.concatenate([np.unique(some) for some in _parts(y)]))
    except TypeError:
        clash = _clash(y)
        raise DataError(
            f"y mixes labels of different types: {clash}. Make them one type."
        ) from None
    if y.dtype.kind == "O":
        types = set(map(type, y))
        if len(types) > 1 and not all(issubclass(t, (int, float, bool)) for t in types):
            raise DataError(f"y mixes labels of different types: {_clash(y)}. Make them one type.")
    return classes, _coded(y, len(classes), lambda some: np.searchsorted(classes, some))


def _parts(y: np.ndarray) -> Iterator[np.ndarray]:
    """Labels, some at a time: to sort or list all of a hundred million takes gigabytes."""
    for start in range(0, len(y), ROWS_AT_ONCE):
        yield y[start : start + ROWS_AT_ONCE]


def _coded(y: np.ndarray, n_classes: int, code: Callable[[np.ndarray], Any]) -> np.ndarray:
    """Codes of labels in the smallest integers that hold them."""
    codes = np.empty(len(y), dtype=code_type(n_classes))
    for codes_here, labels_here in zip(_parts(codes), _parts(y), strict=True):
        codes_here[:] = code(labels_here)
    return codes


def _clash(y: np.ndarray) -> str:
    """Labels that look the same but differ in type, or one example of each type."""
    by_text: dict[str, dict[type, Any]] = {}
    for v in y.tolist():
        by_text.setdefault(str(v), {})[type(v)] = v
    clashing = [twins for twins in by_text.values() if len(twins) > 1]
    examples = clashing[0] if clashing else {type(v): v for v in y.tolist()}
    return " and ".join(f"{v!r} ({t.__name__})" for t, v in examples.items())


def whole_weights(
    sample_weight: np.ndarray | None, n: int, repeats: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Weights as whole numbers of a unit: exact for integers and multiples of 1/4096.

    Others are each rounded to one part in 4,096 of itself, however large their neighbours are.
    Each may stand for several rows.
    """
    if sample_weight is None:
        return np.broadcast_to(np.int64(1), (n,)), 1.0
    weights = _weight_numbers(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise DataError(
            f"sample_weight.shape == {weights.shape}, expected ({n},): one weight per observation."
        )
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any() and repeats is not None:
        raise DataError(
            f"sample_weight must be finite and not negative; {int(repeats[bad].sum()):,} are not, "
            f"such as {weights[bad][0]}."
        )
    if bad.any():
        rows = np.flatnonzero(bad)
        shown = ", ".join(map(str, rows[:5]))
        raise DataError(
            f"sample_weight must be finite and not negative; {len(rows)} are not (rows {shown}), "
            f"the first is {weights[rows[0]]}."
        )
    if not weights.any():
        raise DataError("sample_weight: every weight is zero; at least one observation must count.")
    for bits in range(WEIGHT_BITS + 1):
        scaled = np.ldexp(weights, bits)
        if np.all(scaled == np.floor(scaled)):
            break
    else:
        scaled, bits = _in_fine_units(weights, repeats)
    if (scaled if repeats is None else scaled * repeats).sum() >= 2.0**MOST_BITS:
        raise DataError(
            f"sample_weight: the weights add up to more than can be counted (2^{MOST_BITS})."
        )
    return _least_room(scaled), float(np.ldexp(1.0, -bits))


def _in_fine_units(
    weights: np.ndarray, repeats: np.ndarray | None = None
) -> tuple[np.ndarray, int]:
    """Weights rounded to significant digits, in the largest unit 2^-bits that keeps them all."""
    mantissas, exponents = np.frexp(weights)
    rounded = np.ldexp(np.rint(np.ldexp(mantissas, WEIGHT_BITS)), exponents - WEIGHT_BITS)
    smallest = int(exponents[weights > 0].min())
    total = rounded.sum() if repeats is None else (rounded * repeats).sum()
    room = MOST_BITS - 1 - int(np.frexp(total)[1])
    bits = min(WEIGHT_BITS - smallest, room)
    scaled = np.rint(np.ldexp(rounded, bits))
    # less than a unit counts as one, so that no label vanishes: harmless if it is small
    lost = (scaled == 0) & (weights > 0)
    if lost.any() and bits < WEIGHT_BITS:
        raise DataError(
            f"sample_weight: {weights.max():g} and {weights[lost].min():g} are too far apart to "
            "be counted together. Leave out the observations that hardly count, or scale the "
            "weights so that they are numbers of observations."
        )
    return np.maximum(scaled, lost), bits


def _least_room(weights: np.ndarray) -> np.ndarray:
    """Whole weights in the smallest integers that hold them."""
    return weights.astype(code_type(int(weights.max(initial=0)) + 1), copy=False)


def _weight_numbers(sample_weight: Any) -> np.ndarray:
    """Weights as floats; texts and durations are not numbers, even if they look like one."""
    try:
        given = np.asarray(unmasked(sample_weight))
        mixed = given.dtype.kind in "USO"
        others = [v for v in given.flat if not _may_be_number(v)] if mixed else []
        if others or given.dtype.kind not in "biufO":
            raise TypeError(f"found {shown_label(others[0]) if others else given.dtype}")
        return given.astype(np.float64)
    except OverflowError:
        raise DataError(
            "sample_weight holds a number that is too large for a 64-bit float."
        ) from None
    except (TypeError, ValueError) as error:
        raise DataTypeError(
            f"sample_weight must hold one number per observation: {error}."
        ) from error


def _may_be_number(value: Any) -> bool:
    """Whether an object is a number, or missing, which is said elsewhere."""
    return is_missing(value) or family(value) in ("number", "boolean")


def read_pseudocounts(pseudocounts: Any, classes: np.ndarray) -> np.ndarray:
    """alpha for each label: from a number, a sequence in the order of classes, or a dict."""
    known = classes.tolist()
    shown = ", ".join(map(repr, known))
    if isinstance(pseudocounts, Mapping):
        unknown = [label for label in pseudocounts if label not in known]
        missing = [label for label in known if label not in pseudocounts]
        if unknown or missing:
            which = f"{unknown[0]!r} is not a class" if unknown else f"{missing[0]!r} has none"
            raise ParamError(
                f"pseudocounts needs {len(known)} values, one per class [{shown}]; {which}."
            )
        pseudocounts = [pseudocounts[label] for label in known]
    try:
        given = np.asarray(pseudocounts, dtype=object)
        # text is not a number, even where it spells one, and neither is a yes or a no
        no_number = [family(v) != "number" for v in given.flat]
        values = np.where(no_number, np.nan, given.ravel())
        values = values.astype(np.float64).reshape(given.shape)
    except (TypeError, ValueError, OverflowError):
        values = np.array(np.nan)
    if values.ndim == 0:
        values = np.full(len(known), float(values))
    if values.shape != (len(known),):
        raise ParamError(
            f"pseudocounts needs {len(known)} values, one per class [{shown}], "
            f"or one number for all; got {pseudocounts!r}."
        )
    least, most = PSEUDOCOUNTS
    if not np.all((values >= least) & (values <= most)):
        raise ParamError(
            f"pseudocounts must be positive, from {least:g} to {most:g}: beyond, the posterior "
            f"cannot be computed. Got {pseudocounts!r:.200}."
        )
    return values


def label_place(label: Any, classes: np.ndarray) -> int:
    """The position of a label in classes."""
    for position, known in enumerate(classes):
        if known is label or known == label:
            return position
    shown = ", ".join(repr(c) for c in classes.tolist())
    raise ParamError(f"{label!r} is not a label; the labels are {shown}.")
