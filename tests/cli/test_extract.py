"""elseif extract: what it writes, prints and refuses."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from elseif.cli.problems import without_passwords
from elseif.cohort import connect, extract, load_definition, read_cohort
from tests.cli.conftest import Run
from tests.cohort.extracting import N_PERSONS, PASSWORD, make_database

PRINTED = """\
Stroke within a year of a first diagnosis of atrial fibrillation.
40 persons, 10 (25.0%) with stroke in days 1 to 365; 3 drugs and conditions
  recorded before.

Persons who
 40         have a record of atrial fibrillation, the first of which is the index date
 40         are in the table person
 40         have a year of birth that makes them 0 to 120 years old
 40         were observed on the index date
 40         were observed for 365 days before it
 40         were observed for 365 days after it

Data-quality issues (such records are left out):
  conditions without a concept (none, or 0): 5 records of 5 persons
  members' features that the table concept lacks: 5 records of 5 persons

Warnings:
  hypertension: recorded of nobody in the cohort before the index date, so false for
    everybody; scores that count it are too low.
  diabetes: recorded of nobody in the cohort before the index date, so false for everybody;
    scores that count it are too low.
  stroke_or_tia: recorded of nobody in the cohort before the index date, so false for
    everybody; scores that count it are too low.
  vascular_disease: recorded of nobody in the cohort before the index date, so false for
    everybody; scores that count it are too low.

Cohort: {out}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_database(tmp_path_factory.mktemp("omop") / "omop.duckdb")


def test_extract(elseif: Run, path: Path, tmp_path: Path) -> None:
    """The table of those who are left, the issues, and a folder that can be read."""
    out = tmp_path / "cohort"
    arguments = ["extract", "--database", f"duckdb://{path}", "--schema", "cdm", "--out", out]
    done = elseif(*arguments)
    assert done.code == 0
    assert done.err == (
        "elseif: note: Nobody in the cohort has a record of these groups before the index date: "
        "hypertension, diabetes, stroke_or_tia, vascular_disease. Scores that count them are too "
        "low.\n"
    )
    assert done.out == PRINTED.format(out=out)
    assert len(read_cohort(out)) == N_PERSONS
    again = elseif(*arguments, "--quiet")
    assert (again.code, again.out) == (0, done.out)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "needs --database"),
        (["--database", "{p}"], 2, "needs --out"),
        (["--database", "{p}", "--out", "{t}/c"], 6, "lacks person, observation_period,"),
        (["--database", "{p}", "--out", "{t}/c", "--schema", "nope"], 6, "schema nope, lacks"),
        (["--database", "{p}", "--out", "{t}/c", "--schema", "a;b"], 2, "not a valid schema name"),
        (["--database", "{t}/no.duckdb", "--out", "{t}/c"], 6, "does not exist"),
        (["--database", "{p}", "--out", "{p}", "--schema", "cdm"], 4, "Cannot write into"),
        (["--database", "{p}", "--out", "{t}/c", "--definition", "x"], 2, "is not a definition"),
        (["--database", "{p}", "--out", "{t}/c", "--persons-a-batch", "0"], 2, "persons-a-batch"),
        (
            ["--database", "{p}", "--schema", "cdm", "--out", "{t}/c", "--definition",
             "heart_failure"],
            6,
            "belongs to the cohort. Of its persons, step by step, 0 have a record of type 2",
        ),
        (["--database", f"mysql://a:{PASSWORD}@h/d", "--out", "{t}/c"], 2, "kind 'mysql'"),
        (["--database", "{p}", "--out", f"postgresql://a:{PASSWORD}@h/d"], 2, "name of a folder"),
        (["--database", f"postgresql://a:{PASSWORD}/@h/d", "--out", "{t}/c"], 2, "%2F"),
        (["--database", f"postgresql://a:{PASSWORD}@localhost:1/d", "--out", "{t}/c"], 6,
         "cannot be reached"),
        (["--database", "{p}", "--out", "{t}/c", f"postgresql://a:{PASSWORD}@h/d"], 2,
         "postgresql://***@h/d"),
        (["--database", "{p}", "--out", "{t}/c", "--definition", f"postgresql://a:{PASSWORD}@h/d"],
         2, "'postgresql://***@h/d' is not a definition"),
        (["--database", "{p}", "--out", "{t}/c", "--schema", f"postgresql://a:b {PASSWORD}@h/d"],
         2, "'postgresql://***@h/d' is not a valid schema name"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("debug", [False, True])
def test_refused(
    elseif: Run,
    path: Path,
    tmp_path: Path,
    arguments: list[str],
    code: int,
    said: str,
    debug: bool,
) -> None:
    """Every mistake has its sentence and its code; no password is seen; no folder is made."""
    filled = [argument.format(p=path, t=tmp_path) for argument in arguments]
    done = elseif("extract", *filled, *(["--debug"] if debug else []))
    assert done.code == code
    assert said in done.err
    assert PASSWORD not in done.err + done.out
    assert not (tmp_path / "c").exists()
    if not debug:
        assert done.err.count("\n") == 1


def test_records_of_nobody(elseif: Run, tmp_path: Path) -> None:
    """Records without a person_id are nobody's, and not those of 0 persons."""
    path = make_database(tmp_path / "omop.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "INSERT INTO cdm.drug_exposure VALUES (NULL, 8000, DATE '2011-01-01'), "
            "(NULL, 8001, DATE '2011-01-01'), (3, 8001, NULL)"
        )
    arguments = ["--database", path, "--schema", "cdm", "--out", tmp_path / "cohort"]
    printed = elseif("extract", *arguments).out
    assert "  drugs of nobody in person: 2 records without a person_id\n" in printed
    assert "  drugs without a start date: 1 record of 1 person\n" in printed


def test_help(elseif: Run) -> None:
    """It says what is read, and where a password goes."""
    text = " ".join(elseif("extract", "--help").out.split())
    for words in ("PGPASSWORD", "~/.pgpass", "only read", "YAML file", "as safe as the database"):
        assert words in text


@pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record:UserWarning")
def test_a_folder_whose_name_has_a_colon(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow would take a relative name such as run:/1 for an address."""
    monkeypatch.chdir(tmp_path)
    folder = Path("run:/1")
    with connect(path, "cdm") as source:
        extract(source, load_definition("stroke"), folder=folder)
    assert len(read_cohort(folder)) == N_PERSONS


def test_an_address_that_was_taken_for_a_path() -> None:
    """Of its two slashes one is left, and its password is hidden all the same."""
    shown = without_passwords(str(Path(f"postgresql://a:{PASSWORD}@h/d/part")))
    assert shown == "postgresql:/***@h/d/part"


@pytest.mark.parametrize(
    "advice", ["postgresql://USER:PASSWORD@HOST:PORT/NAME", "postgresql://USER@HOST:PORT/NAME"]
)
def test_advice_is_not_taken_for_a_secret(elseif: Run, tmp_path: Path, advice: str) -> None:
    """How an address is written stands in the error as it is, beside a hidden one."""
    unreadable = f"postgresql://a:{PASSWORD}/@h/d" if "PASSWORD" in advice else "nothing"
    done = elseif("extract", "--database", unreadable, "--out", tmp_path / "c")
    assert done.code == 2
    assert advice in done.err
    assert "***" not in done.err
    assert PASSWORD not in done.err
    assert without_passwords(f"'{advice}'") == f"'{advice}'"


@pytest.mark.parametrize("user", ["USER", "USER:x", "USER@HOST", "USER:PASSWORD"])
def test_a_user_called_user_has_secrets_too(user: str) -> None:
    shown = without_passwords(f"cannot open postgresql://{user}:{PASSWORD}@h/d")
    assert shown == "cannot open postgresql://***@h/d"
