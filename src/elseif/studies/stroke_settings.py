"""Settings of the stroke study."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from elseif.errors import ParamError
from elseif.studies.nafld import NAME as NAFLD
from elseif.studies.running import ComparisonSettings

PAPER_SIZE = 12_586
DEFINITION = "stroke"  # the one that the paper and the synthetic database are about


SCHEMAS = ("schema", "vocabulary_schema", "results_schema")


@dataclass(frozen=True)
class StrokeSettings(ComparisonSettings):
    """How the stroke study is run; without a database, on synthetic patients.

    The database "nafld" is made from R's nafld data, which are about real people.
    """

    database: str | None = None  # may hold credentials: never shown
    schema: str | None = None
    vocabulary_schema: str | None = None
    results_schema: str | None = None
    definition: str = DEFINITION  # a name, or a file
    patients: int = PAPER_SIZE  # of the synthetic database

    def check(self) -> None:
        """Refuse contradictory settings before any work is done."""
        for name in SCHEMAS:
            if getattr(self, name) is None:
                continue
            option = f"--{name.replace('_', '-')}"
            if self.database is None:
                raise ParamError(
                    f"{option} goes with --database; the synthetic database has its own."
                )
            if self.is_nafld:
                raise ParamError(f"{option} goes with a database of yours; nafld has its own.")
        if self.database is None and self.time_at_risk is not None:
            raise ParamError(
                "--time-at-risk needs --database: the synthetic patients are observed for a year."
            )
        if self.database is None and self.definition != DEFINITION:
            raise ParamError(
                f"The synthetic database is about {DEFINITION} alone; --definition "
                f"{self.definition} needs --database."
            )
        if self.database is not None and self.patients != PAPER_SIZE:
            raise ParamError("--patients is the size of the synthetic database; leave it out.")
        if self.only and self.skip:
            raise ParamError("Give --only or --skip, not both.")

    @property
    def is_nafld(self) -> bool:
        """Whether the patients are those of R's nafld data."""
        return self.database == NAFLD

    @property
    def is_stroke_of_nafld(self) -> bool:
        """Whether their question is the paper's, too."""
        return self.is_nafld and self.definition == DEFINITION

    def command(self) -> str:
        """The command that makes this study again, without credentials."""
        words = ["elseif", "study", "stroke", "--out", str(self.out)]
        if self.database is not None:
            words += ["--database", NAFLD if self.is_nafld else "URL"]
        for name, default in (*((name, None) for name in SCHEMAS), ("definition", DEFINITION),
                              ("time_at_risk", None), ("folds", 5), ("seed", 0),
                              ("patients", PAPER_SIZE)):  # fmt: skip
            if (value := getattr(self, name)) != default:
                words += [f"--{name.replace('_', '-')}", str(value)]
        for name in ("only", "skip"):
            if getattr(self, name):
                words += [f"--{name}", ",".join(getattr(self, name))]
        return shlex.join(words)
