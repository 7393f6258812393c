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
    """A line of the list that the strokes were drawn from."""

    antecedent: tuple[str, ...]  # conditions in the words of the extracted table; () for "else"
    paper: str  # the same line in the words of the paper's figure 4
    risk: float  # of a stroke within a year
    n_captured: int  # qualifying patients for whom it is the first line that is true
    n_strokes: int  # of those

    @property
    def text(self) -> str:
        """The conditions joined, as the classifier writes an antecedent."""
        return " and ".join(self.antecedent)


@dataclass(frozen=True)
class PlantedStroke:
    """The truth about a synthetic database: the list, the sizes and the seed."""

    rules: tuple[PlantedRule, ...]  # in order, the default rule last
    n_patients: int  # who qualify
    n_concepts: int  # drugs and conditions recorded before the index date of those
    n_strokes: int  # qualifying patients with a stroke within a year
    persons: dict[str, int]  # how many of each kind, qualifying or why not
    records: dict[str, int]  # rows of each table
    random_state: int
    schema: str
    notice: str = NOTICE

    def to_json(self) -> str:
        """As a JSON document."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> PlantedStroke:
        """From what ``to_json`` wrote."""
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
    """Where the facts about a synthetic database are kept beside it."""
    return Path(database).with_suffix(".planted.json")


def read_planted(database: str | Path) -> PlantedStroke:
    """What was planted in a database that ``make_stroke_cdm`` wrote, from the file beside it."""
    return PlantedStroke.from_json(facts_path(database).read_text(encoding="utf-8"))
