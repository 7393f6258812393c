"""Inclusion criteria besides the index event: age, sex, year and earlier records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elseif.cohort.concepts import AnyOf, ConceptSet
from elseif.cohort.value_checks import (
    ANY_TIME_BEFORE,
    Window,
    as_tuple,
    check_flag,
    check_whole,
    read_choices,
    read_range,
    read_window,
    window_as_data,
    window_text,
)
from elseif.errors import ParamError, ParamTypeError

OLDEST = 120  # years; an older person is a mistake in the record
SEXES = ("female", "male", "unknown")
MOST_RECORDS = 1_000
Range = tuple[int | None, int | None]


@dataclass(frozen=True)
class PriorRecords:
    """Records before the index date that a person must have, or must not have.

    Parameters
    ----------
    records : ConceptSet or AnyOf
        What is looked for, and in which domains.
    window : tuple[int | None, int]
        First and last day relative to the index date; the last may be 0, the index date itself; or
        "any" for any time before it.
    at_least : int
        Minimum number of records.
    observed : bool
        Whether only records of the observation period around the index date count, as in ATLAS.

    Examples
    --------
    >>> from elseif.cohort import Concept, ConceptSet, PriorRecords
    >>> warfarin = ConceptSet("warfarin", (Concept(1310149, "warfarin"),), domain="drug")
    >>> PriorRecords(warfarin, window=(-365, -1)).text
    'warfarin in the 365 days before'
    """

    records: ConceptSet | AnyOf
    window: Window = ANY_TIME_BEFORE
    at_least: int = 1
    observed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.records, ConceptSet | AnyOf):
            raise ParamTypeError(
                f"PriorRecords: records must be a ConceptSet or AnyOf, not {self.records!r:.200}."
            )
        name = self.records.name
        object.__setattr__(self, "window", read_window(f"{name}: window", self.window, latest=0))
        check_whole(f"{name}: at_least", self.at_least, 1, MOST_RECORDS)
        check_flag(f"{name}: observed", self.observed)

    @property
    def text(self) -> str:
        """What is looked for, and when."""
        n = "" if self.at_least == 1 else f"at least {self.at_least:,} records of "
        return f"{n}{self.records.name} {window_text(self.window)}"

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The records, and what differs from the defaults.

        Examples
        --------
        >>> from elseif.cohort import Concept, ConceptSet, PriorRecords
        >>> warfarin = ConceptSet("warfarin", (Concept(1310149, "warfarin"),), domain="drug")
        >>> PriorRecords(warfarin, window=(-30, 0)).as_dict()["window"]
        [-30, 0]
        """
        return {
            **self.records.as_dict(),
            "window": window_as_data(self.window),
            **({} if self.at_least == 1 else {"at_least": self.at_least}),
            **({"observed": True} if self.observed else {}),
        }


@dataclass(frozen=True)
class Inclusion:
    """Who may be a member; every criterion is a step of the attrition.

    Parameters
    ----------
    age : tuple, default=None
        Minimum and maximum age in years on the index date; None for no limit.
    sex : tuple[str, ...], default=None
        "female", "male", "unknown", or several of them.
    index_year : tuple, default=None
        First and last year of the index date; None for no limit.
    prior : tuple[PriorRecords, ...]
        Records that a member must have.
    no_prior : tuple[PriorRecords, ...]
        Records that a member must not have.

    Examples
    --------
    >>> from elseif.cohort import Inclusion
    >>> Inclusion(age=(18, None), sex="female").as_dict()
    {'age': [18, None], 'sex': ['female']}
    """

    age: Range | None = None
    sex: tuple[str, ...] | None = None
    index_year: Range | None = None
    prior: tuple[PriorRecords, ...] = ()
    no_prior: tuple[PriorRecords, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "age", read_range("inclusion: age", self.age, 0, OLDEST))
        years = read_range("inclusion: index_year", self.index_year, 1, 9999)
        object.__setattr__(self, "index_year", years)
        if self.sex is not None:
            object.__setattr__(self, "sex", read_choices("inclusion: sex", self.sex, SEXES))
        for key in ("prior", "no_prior"):
            given = getattr(self, key)
            records = as_tuple(f"inclusion: {key}", given)
            for each in records:
                if not isinstance(each, PriorRecords):
                    raise ParamTypeError(
                        f"inclusion: {key} holds {each!r:.80}, which is not a PriorRecords."
                    )
            if len(set(records)) < len(records):
                raise ParamError(f"inclusion: {key} has the same criterion twice.")
            object.__setattr__(self, key, records)

    @property
    def records(self) -> dict[str, PriorRecords]:
        """Every criterion on records, by the name of its step."""
        criteria = {f"prior_{i}": each for i, each in enumerate(self.prior, 1)}
        return criteria | {f"no_prior_{i}": each for i, each in enumerate(self.no_prior, 1)}

    @property
    def steps(self) -> dict[str, str]:
        """The steps in order, each with its requirement."""
        texts = {}
        if self.age is not None:
            texts["included_age"] = f"were {_range_text(self.age)} years old"
        if self.sex is not None:
            texts["included_sex"] = f"are {' or '.join(self.sex)}"
        if self.index_year is not None:
            texts["included_year"] = f"had the index date {_years_text(self.index_year)}"
        for name, each in self.records.items():
            has = "had no" if name.startswith("no") and each.at_least == 1 else "had"
            has = "did not have" if name.startswith("no") and each.at_least > 1 else has
            of = "" if each.at_least > 1 else "record of "
            a = "a " if has == "had" and of else ""
            texts[name] = f"{has} {a}{of}{each.text} the index date"
        return texts

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The criteria that are set.

        Examples
        --------
        >>> from elseif.cohort import Inclusion
        >>> Inclusion(index_year=(2010, 2019)).as_dict()
        {'index_year': [2010, 2019]}
        """
        entries: dict[str, Any] = {}
        for key in ("age", "sex", "index_year"):
            if getattr(self, key) is not None:
                entries[key] = list(getattr(self, key))
        for key in ("prior", "no_prior"):
            if getattr(self, key):
                entries[key] = [each.as_dict() for each in getattr(self, key)]
        return entries


def _range_text(ends: Range) -> str:
    least, most = ends
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"


def _years_text(ends: Range) -> str:
    least, most = ends
    if least is None:
        return f"by the end of {most}"
    return f"in {least} or later" if most is None else f"in the years {least} to {most}"
