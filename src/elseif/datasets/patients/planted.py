"""What was planted in a synthetic database, kept beside it and inside it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from elseif.errors import DataError

NOTICE = (
    "SYNTHETIC DATA, made by elseif.datasets.make_stroke_cdm. No record is of a real person, and "
    "nothing that is found in them says anything about people. The risk of stroke was drawn from "
    "a rule list with the risks of figure 4 of Letham, Rudin, McCormick and Madigan (2015)."
)


@dataclass(frozen=True)
class PlantedRule:
    """A rule of the list from which strokes were simulated.

    Attributes
    ----------
    antecedent : tuple[str, ...]
        Conditions as in the extracted table; empty for the default rule.
    paper : str
        The same rule in the words of the paper's figure 4.
    risk : float
        Probability of a stroke within a year.
    n_captured : int
        Qualifying patients captured by the rule.
    n_strokes : int
        How many of them have a stroke.

    Examples
    --------
    >>> from elseif.datasets import PlantedRule
    >>> PlantedRule(("Hemiplegia", "age > 60"), "hemiplegia and age > 60", 0.589, 33, 22).text
    'Hemiplegia and age > 60'
    """

    antecedent: tuple[str, ...]
    paper: str
    risk: float
    n_captured: int
    n_strokes: int

    @property
    def text(self) -> str:
        """The conditions joined, as the classifier writes an antecedent."""
        return " and ".join(self.antecedent)


@dataclass(frozen=True)
class PlantedStroke:
    """What was planted in a synthetic database: the rule list, the sizes and the seed.

    Attributes
    ----------
    rules : tuple[PlantedRule, ...]
        The rules in order, the default rule last.
    n_patients : int
        Patients who qualify for the cohort.
    n_concepts : int
        Drugs and conditions recorded before the index date of these patients.
    n_strokes : int
        Qualifying patients with a stroke within a year.
    persons : dict[str, int]
        Number of persons of each kind: qualifying, or why not.
    records : dict[str, int]
        Rows of each table.
    random_state : int
        The seed.
    schema : str
        Where in the database the tables are.
    notice : str
        Says that nobody in the database is real.

    Examples
    --------
    >>> from elseif.datasets import PlantedStroke, make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> PlantedStroke.from_json(planted.to_json()) == planted
    True
    """

    rules: tuple[PlantedRule, ...]
    n_patients: int
    n_concepts: int
    n_strokes: int
    persons: dict[str, int]
    records: dict[str, int]
    random_state: int
    schema: str
    notice: str = NOTICE

    def to_json(self) -> str:
        """Convert to a JSON document.

        Returns
        -------
        str
            The document.
        """
        return json.dumps(asdict(self), indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> PlantedStroke:
        """Read what ``to_json`` wrote.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        PlantedStroke
            The same facts.
        """
        try:
            stored: dict[str, Any] = json.loads(text)
            rules = tuple(
                PlantedRule(**{**rule, "antecedent": tuple(rule["antecedent"])})
                for rule in stored.pop("rules")
            )
            return cls(rules=rules, **stored)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(
                f"The text does not describe a planted rule list ({error}); it must be the JSON "
                "that make_stroke_cdm wrote beside its database."
            ) from None


def facts_path(database: str | Path) -> Path:
    """The file that says what was planted in a synthetic database.

    Parameters
    ----------
    database : str or path
        The database.

    Returns
    -------
    Path
        The file beside it.

    Examples
    --------
    >>> from elseif.datasets import facts_path
    >>> facts_path("patients.duckdb").name
    'patients.planted.json'
    """
    return Path(database).with_suffix(".planted.json")


def read_planted(database: str | Path) -> PlantedStroke:
    """Read what was planted in a database that ``make_stroke_cdm`` wrote.

    Parameters
    ----------
    database : str or path
        The database.

    Returns
    -------
    PlantedStroke
        The facts from the file beside it.

    Examples
    --------
    >>> from elseif.datasets import make_stroke_cdm, read_planted
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> read_planted("patients.duckdb") == planted
    True
    """
    return PlantedStroke.from_json(facts_path(database).read_text(encoding="utf-8"))
