"""Features: records of a domain in a window, as recorded or rolled up, and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elseif.cohort.concepts import EVENT_DOMAINS, ConceptSet
from elseif.cohort.value_checks import (
    ANY_TIME_BEFORE,
    LARGEST_ID,
    Window,
    as_tuple,
    check_choice,
    check_whole,
    read_window,
    window_as_data,
)
from elseif.errors import ParamError, ParamTypeError

VALUES = ("recorded", "count", "distinct", "total", "last")
GROUPS, INGREDIENT = "groups", "ingredient"
# concept_class_id of what drugs are rolled up to
CLASSES: Mapping[str, str] = {
    INGREDIENT: "Ingredient",
    "atc1": "ATC 1st",
    "atc2": "ATC 2nd",
    "atc3": "ATC 3rd",
    "atc4": "ATC 4th",
    "atc5": "ATC 5th",
}
ROLLUPS = (GROUPS, *CLASSES)
WITH_VALUES = ("measurement", "observation")  # domains whose records have numbers
MOST_LEVELS = 100
MOST_RECORDS = 1_000

# Analyses of OHDSI's FeatureExtraction (3.14, inst/csv/PrespecAnalyses.csv): the number of the
# first window of each kind. The windows are any time, 365, 180 and 30 days before.
WINDOWS: tuple[Window, ...] = ((None, -1), (-365, -1), (-180, -1), (-30, -1))
RECORDED = {
    "condition": 101,
    "drug": 301,
    "procedure": 501,
    "device": 601,
    "measurement": 701,
    "observation": 801,
}
ROLLED_UP = {"condition": 209, "drug": 409}  # ConditionGroupEra, DrugGroupEra
LAST_VALUE = {"measurement": 705, "observation": 809}
# these begin with the window of 365 days
DISTINCT = {"condition": 905, "drug": 908, "procedure": 911, "measurement": 914, "observation": 917}
TOTAL = {"visit": 920}
COUNT = {"visit": 923}


@dataclass(frozen=True)
class Ancestors:
    """Roll-up to the concepts at one level of a hierarchy.

    Parameters
    ----------
    below : int
        The concept at the top, such as 441840, Clinical finding.
    level : int
        How far below it, by ``min_levels_of_separation``.

    Examples
    --------
    >>> from elseif.cohort import Ancestors
    >>> Ancestors(441840, 3).level
    3
    """

    below: int
    level: int

    def __post_init__(self) -> None:
        check_whole("rollup: below", self.below, 1, LARGEST_ID)
        check_whole("rollup: level", self.level, 1, MOST_LEVELS)


@dataclass(frozen=True)
class Feature:
    """Columns made from the records of a domain before the index date.

    Parameters
    ----------
    domain : str
        "condition", "device", "drug", "measurement", "observation", "procedure" or "visit".
    window : tuple[int | None, int]
        First and last day from the index date, such as (-365, -1); "any" for any time before.
    value : str
        "recorded", whether a concept was recorded; "count", how often; "last", its last value;
        or, as one column for the whole domain, "distinct", how many different concepts, and
        "total", how many records.
    rollup : str or Ancestors, default=None
        What recorded concepts are rolled up to: "ingredient", "atc1" to "atc5", ``Ancestors`` at a
        level, or "groups", the definition's own.
    at_least : tuple[int, ...]
        For "recorded": one column for each number of records.
    concepts : ConceptSet, default=None
        The only concepts to read; by default all.

    Examples
    --------
    >>> from elseif.cohort import Feature
    >>> Feature("drug", window=(-365, -1), rollup="ingredient").keys
    ('ingredient, -365 to -1',)
    """

    domain: str
    window: Window = ANY_TIME_BEFORE
    value: str = "recorded"
    rollup: str | Ancestors | None = None
    at_least: tuple[int, ...] = (1,)
    concepts: ConceptSet | None = None

    def __post_init__(self) -> None:
        check_choice("features: domain", self.domain, EVENT_DOMAINS)
        where = f"features: {self.domain}"
        object.__setattr__(self, "window", read_window(f"{where}: window", self.window))
        check_choice(f"{where}: value", self.value, VALUES)
        self._check_rollup(where)
        self._check_at_least(where)
        if self.value == "last" and self.domain not in WITH_VALUES:
            raise ParamError(
                f"{where}: value: last is for {' and '.join(WITH_VALUES)}, whose records have "
                "numbers."
            )
        if self.concepts is not None and not isinstance(self.concepts, ConceptSet):
            raise ParamTypeError(f"{where}: concepts must be a ConceptSet.")

    @property
    def is_number(self) -> bool:
        """Whether its columns are numbers."""
        return self.value != "recorded"

    @property
    def is_of_domain(self) -> bool:
        """Whether it is one column for the whole domain."""
        return self.value in ("distinct", "total")

    @property
    def is_plain(self) -> bool:
        """Whether it is what ``domains`` asks for: concepts as recorded, at any time before."""
        return self == Feature(self.domain)

    @property
    def counts(self) -> bool:
        """Whether records must be counted."""
        return self.value == "count" or self.at_least != (1,)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that distinguish its columns from those of other features, by threshold."""
        return tuple(self.key(n) for n in self.at_least)

    def key(self, at_least: int = 1) -> str:
        """The key of the columns of one threshold.

        Parameters
        ----------
        at_least : int
            The threshold.

        Returns
        -------
        str
            What ``catalogue["feature"]`` says of them.

        Examples
        --------
        >>> from elseif.cohort import Feature
        >>> Feature("condition", at_least=(1, 2)).key(2)
        'at least 2, any'
        """
        rollup = [self._rollup_key()] if self.rollup is not None else []
        value = [self.value] if self.is_number else []
        value += [f"at least {at_least}"] if at_least > 1 else []
        first, last = self.window
        window = "any" if self.window == ANY_TIME_BEFORE else f"{first or 'any'} to {last}"
        return ", ".join([*rollup, *value, window])

    def suffix(self, at_least: int = 1) -> str:
        """The suffix to a concept's name in the name of a column.

        Parameters
        ----------
        at_least : int
            The threshold.

        Returns
        -------
        str
            Text with window, roll-up and value.

        Examples
        --------
        >>> from elseif.cohort import Feature
        >>> Feature("drug", window=(-30, -1), rollup="ingredient").suffix()
        ' (ingredient), last 30 days'
        """
        rolled = ""
        if isinstance(self.rollup, str) and self.rollup in CLASSES:
            rolled = f" ({'ingredient' if self.rollup == INGREDIENT else CLASSES[self.rollup]})"
        elif isinstance(self.rollup, Ancestors):
            rolled = " (group)"
        what = {"count": ", number of records", "last": ", last value"}.get(self.value, "")
        what += f", at least {at_least} records" if at_least > 1 else ""
        first, last = self.window
        if self.window == ANY_TIME_BEFORE:
            when = ""
        elif last == -1:
            when = f", last {-(first or 0)} days"
        else:
            when = f", days {'any' if first is None else first} to {last}"
        return f"{rolled}{what}{when}"

    @property
    def domain_name(self) -> str:
        """The name of the single column for a whole domain, without its window."""
        of = {
            "condition": "conditions",
            "device": "devices",
            "drug": "drugs",
            "measurement": "measurements",
            "observation": "observations",
            "procedure": "procedures",
            "visit": "visits",
        }[self.domain]
        if self.value == "total":
            return f"number of records of {of}"
        kind = f" {self.suffix().split(',')[0].strip(' ()')}s" if self.rollup is not None else ""
        return f"number of different{kind or f' {of}'}"

    def covariate_id(self, concept_id: int, unit: int = 0, at_least: int = 1) -> int:
        """The covariate id of a column in OHDSI's FeatureExtraction.

        Parameters
        ----------
        concept_id : int
            The column's concept.
        unit : int
            For "last", the concept of the unit.
        at_least : int
            The threshold.

        Returns
        -------
        int
            The id; 0 if FeatureExtraction has no such covariate.

        Examples
        --------
        >>> from elseif.cohort import Feature
        >>> Feature("condition", window=(-365, -1)).covariate_id(313217)
        313217102
        """
        if self.window not in WINDOWS or at_least > 1:
            return 0
        window = WINDOWS.index(self.window)
        if self.is_of_domain:
            firsts = DISTINCT if self.value == "distinct" else TOTAL
            is_rolled = self.rollup == INGREDIENT if self.domain == "drug" else self.rollup is None
            first = firsts.get(self.domain, 0) if is_rolled or self.value == "total" else 0
            return 1000 + first + window - 1 if first and window else 0
        if not concept_id:
            return 0
        if self.value == "count":
            first = COUNT.get(self.domain, 0) if self.rollup is None else 0
            return concept_id * 1000 + first + window - 1 if first and window else 0
        if self.value == "last":
            return concept_id * 1_000_000 + unit % 1000 * 1000 + LAST_VALUE[self.domain] + window
        firsts = RECORDED if self.rollup is None else ROLLED_UP
        first = firsts.get(self.domain, 0)
        return concept_id * 1000 + first + window if first else 0

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The domain, and what differs from the defaults.

        Examples
        --------
        >>> from elseif.cohort import Feature
        >>> Feature("visit", value="count").as_dict()
        {'domain': 'visit', 'window': 'any', 'value': 'count'}
        """
        entries: dict[str, Any] = {"domain": self.domain, "window": window_as_data(self.window)}
        if self.value != "recorded":
            entries["value"] = self.value
        if isinstance(self.rollup, Ancestors):
            entries["rollup"] = {"below": self.rollup.below, "level": self.rollup.level}
        elif self.rollup is not None:
            entries["rollup"] = self.rollup
        if self.at_least != (1,):
            entries["at_least"] = list(self.at_least)
        if self.concepts is not None:
            plain = self.concepts.as_dict()
            entries |= {key: plain[key] for key in ("include", "exclude")}
        return entries

    def _rollup_key(self) -> str:
        if isinstance(self.rollup, Ancestors):
            return f"level {self.rollup.level} below {self.rollup.below}"
        return str(self.rollup)

    def _check_rollup(self, where: str) -> None:
        if self.rollup is None:
            return
        if not isinstance(self.rollup, Ancestors):
            check_choice(f"{where}: rollup", self.rollup, ROLLUPS)
        if self.rollup in CLASSES and self.domain != "drug":
            raise ParamError(f"{where}: rollup: {self.rollup} is for drugs.")
        if self.value == "last" or self.value == "total":
            raise ParamError(f"{where}: value: {self.value} has no rollup.")
        if self.rollup == GROUPS and self.value == "distinct":
            raise ParamError(f"{where}: value: distinct counts concepts, not groups.")

    def _check_at_least(self, where: str) -> None:
        given = self.at_least
        numbers = (given,) if isinstance(given, int) else as_tuple(f"{where}: at_least", given)
        for n in numbers:
            check_whole(f"{where}: at_least", n, 1, MOST_RECORDS)
        if not numbers or sorted(set(numbers)) != list(numbers):
            raise ParamError(f"{where}: at_least must increase, which {list(numbers)} does not.")
        if self.is_number and numbers != (1,):
            raise ParamError(f"{where}: at_least goes with value: recorded, not {self.value}.")
        object.__setattr__(self, "at_least", numbers)
