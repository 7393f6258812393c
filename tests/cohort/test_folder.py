"""Cohorts in folders: the same however they are stored, and refused when they are not whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from elseif.cohort import Cohort, Database, connect, extract, load_definition, read_cohort
from elseif.cohort.part_files import ROWS_A_GROUP, write_json, write_parquet
from elseif.errors import DataError, ElseifError, FileExistsAlreadyError, ParamError, ResourceError
from elseif.progress import Progress
from tests.cohort.extracting import N_PERSONS, make_database

STROKE = load_definition("stroke")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_database(tmp_path_factory.mktemp("omop") / "omop.duckdb")


@pytest.fixture(scope="module")
def database(path: Path) -> Iterator[Database]:
    with connect(path, "cdm") as database:
        yield database


@pytest.fixture(scope="module")
def whole(database: Database) -> Cohort:
    return extract(database, "stroke")


@pytest.fixture(scope="module")
def original(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cohorts") / "cohort"
    extract(database, STROKE, folder=folder, persons_a_batch=15)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy of a cohort in a folder, to be done with as one likes."""
    return Path(shutil.copytree(original, tmp_path / "cohort"))


def assert_same(result: Cohort, expected: Cohort) -> None:
    for name in ("person_ids", "index_dates", "outcome", "age", "sex"):
        left, right = getattr(result, name), getattr(expected, name)
        assert left.dtype == right.dtype, name
        assert np.array_equal(left, right), name
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(result.features, part), getattr(expected.features, part))
    for name in ("catalogue", "groups", "attrition", "quality_issues"):
        pd.testing.assert_frame_equal(getattr(result, name), getattr(expected, name))
    assert result.definition == expected.definition


def test_the_cohort(whole: Cohort) -> None:
    """What the little database must give, in every form that a cohort has."""
    assert len(whole) == N_PERSONS
    assert whole.catalogue["name"].tolist() == ["Heart failure", "Aspirin", "concept 8001"]
    assert whole.features.toarray().sum(axis=0).tolist() == [20, 8, 5]
    assert whole.outcome.sum() == 10
    assert whole.age[0] == 2012 - 1931
    assert sorted(set(whole.sex)) == ["female", "male", "unknown"]
    assert whole.groups["heart_failure"].sum() == 20
    assert whole.groups.drop(columns="heart_failure").to_numpy().sum() == 0
    assert whole.labels().name == "stroke"
    assert whole.labels().dtype == bool
    assert whole.table().shape == (N_PERSONS, 5)
    assert whole.table().columns[:3] == ["age", "sex", "Heart failure"]
    assert list(whole.score_table().columns) == ["age", "sex", *STROKE.groups]
    assert whole.cuts == {"age": [50.0, 60.0, 70.0, 80.0]}
    assert repr(whole) == ("<Cohort stroke: 40 persons, 3 drugs and conditions, 25.0% with stroke>")
    issues = whole.quality_issues.set_index("what")
    assert issues.loc["conditions without a concept (none, or 0)"].tolist() == [5, 5]
    assert issues.loc["members' features that the table concept lacks"].tolist() == [5, 5]


def test_a_folder_holds_the_same(original: Path, folder: Path, whole: Cohort) -> None:
    """However many ranges there were; and nobody else may look into it."""
    assert original.stat().st_mode & 0o077 == 0
    assert len(list(folder.glob("persons-*.parquet"))) > 2
    assert_same(read_cohort(folder), whole)
    assert not list(folder.glob("range-*")) + list(folder.glob("plan*"))


@pytest.mark.parametrize("persons_a_batch", [12, 39])
def test_any_number_of_ranges(database: Database, whole: Cohort, persons_a_batch: int) -> None:
    """The cohort does not depend on how it is read."""
    assert_same(extract(database, STROKE, persons_a_batch=persons_a_batch), whole)


def test_a_whole_folder_is_not_extracted_again(folder: Path, database: Database) -> None:
    """It is read, and nothing in it is touched."""
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    said = []

    class Listener(Progress):
        def note(self, message: str) -> None:
            said.append(message)

    extract(database, STROKE, folder=folder, progress=Listener())
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    assert said == [f"{folder} already contains the whole cohort."]


def test_another_definition_is_refused(folder: Path, database: Database) -> None:
    """Whatever differs, and also while the extraction is unfinished."""
    other = replace(STROKE, age_cuts=(50, 60))
    with pytest.raises(FileExistsAlreadyError, match="by another definition"):
        extract(database, other, folder=folder)
    (folder / "manifest.json").rename(folder / "plan.json")
    with pytest.raises(FileExistsAlreadyError, match="by another definition"):
        extract(database, other, folder=folder)


def test_another_database_is_refused(folder: Path, tmp_path: Path) -> None:
    """One of another name, and one of the same name that has changed."""
    with (
        connect(make_database(tmp_path / "other.duckdb"), "cdm") as other,
        pytest.raises(FileExistsAlreadyError, match="from another database or schema"),
    ):
        extract(other, STROKE, folder=folder)
    changed = make_database(tmp_path / "omop.duckdb")
    with duckdb.connect(str(changed)) as connection:
        connection.execute("INSERT INTO cdm.person VALUES (99, 8507, 1950)")
    with (
        connect(changed, "cdm") as other,
        pytest.raises(FileExistsAlreadyError, match="before it changed"),
    ):
        extract(other, STROKE, folder=folder)


@pytest.mark.parametrize("is_finished", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO cdm.drug_exposure VALUES (1, 8001, DATE '2011-01-01')",
        "INSERT INTO cdm.condition_occurrence VALUES (1, 443454, DATE '2012-06-02')",
        "DELETE FROM cdm.observation_period WHERE person_id = 1",
    ],
)
def test_a_database_with_other_records_is_refused(
    folder: Path, tmp_path: Path, change: str, is_finished: bool
) -> None:
    """As many persons, but other events: parts of before and after are not put together."""
    if not is_finished:
        _unfinish(folder)
    changed = make_database(tmp_path / "omop.duckdb")
    with duckdb.connect(str(changed)) as connection:
        connection.execute(change)
    with (
        connect(changed, "cdm") as other,
        pytest.raises(FileExistsAlreadyError, match="before it changed"),
    ):
        extract(other, STROKE, folder=folder)


def _unfinish(folder: Path) -> None:
    """Make of a cohort an extraction that was interrupted after its first range."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").unlink()
    spans = [[1, 15], [16, 30], [31, 40]]
    plan = {"prints": manifest["prints"], "spans": spans, "holes": manifest["base_holes"]}
    write_json(folder / "plan.json", plan)
    write_json(folder / "range-00000.json", manifest["ranges"][0])


def test_other_files_are_left_alone(database: Database, tmp_path: Path) -> None:
    """A folder that holds something else is no place for a cohort, nor is a file."""
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(FileExistsAlreadyError, match="contains other files"):
        extract(database, STROKE, folder=tmp_path)
    with pytest.raises(ResourceError, match="Cannot write into"):
        extract(database, STROKE, folder=tmp_path / "letter.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_a_failure_leaves_no_folder(database: Database, tmp_path: Path) -> None:
    """Nobody has the condition: the folder is not even made."""
    with pytest.raises(ElseifError, match="Nobody in the DuckDB file"):
        extract(database, "heart_failure", folder=tmp_path / "cohort")
    assert not (tmp_path / "cohort").exists()


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("no manifest", "it has no manifest.json"),
        ("no part", "the part condition-00000.parquet is missing"),
        ("part", "the part persons-00000.parquet was changed"),
        ("catalogue", "the part catalogue.parquet was changed"),
        ("counts", "not those that the manifest counts"),
        ("path", "is not the name of a part"),
        ("version", "reads 2 and 3"),
        ("format", "is not the manifest of a cohort"),
        ("keys", "is damaged"),
        ("no ranges", "is damaged"),
        ("too many ranges", "is not a readable part"),
        ("great counts", "is damaged"),
        ("few counts", "is damaged"),
        ("other counts", "not those that the manifest counts"),
        ("holes", "is damaged"),
        ("definition", "is damaged"),
        ("edited", "was changed since it was written"),
        ("deep", "is not JSON"),
        ("json", "is not JSON"),
        ("list", "holds no keys"),
    ],
)
def test_damage_is_seen(folder: Path, damage: str, complaint: str) -> None:
    """Nothing that was lost or changed is read as a cohort."""
    manifest = json.loads((folder / "manifest.json").read_text())
    ranges = manifest["ranges"]
    if damage == "no manifest":
        (folder / "manifest.json").unlink()
    elif damage == "no part":
        (folder / "condition-00000.parquet").unlink()
    elif damage in ("part", "catalogue"):
        file = folder / ("catalogue.parquet" if damage == "catalogue" else "persons-00000.parquet")
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    else:
        changes = {
            "counts": {"n_persons": 41},
            "path": {"catalogue": {"name": "../catalogue.parquet", "sha256": ""}},
            "version": {"version": 4},
            "format": {"format": "elseif model"},
            "keys": {"ranges": None},
            "no ranges": {"ranges": []},
            "too many ranges": {"ranges": [*ranges, ranges[0]]},
            "great counts": {"ranges": [{**r, "counts": [10**30] * 6} for r in ranges]},
            "few counts": {"ranges": [{**r, "counts": [1]} for r in ranges]},
            "other counts": {"ranges": [{**r, "counts": [0] * 6} for r in ranges]},
            "holes": {"base_holes": [["a", "b", "c"]]},
            "definition": {"definition": {**manifest["definition"], "age_cuts": "x"}},
        }
        text = json.dumps({**manifest, "definition": {}})
        texts = {"edited": text, "json": text[:-5], "list": "[]", "deep": "[" * 100_000}
        if damage in changes:  # by one who reckons the checksum, too
            write_json(folder / "manifest.json", {**manifest, **changes[damage]})
        else:
            (folder / "manifest.json").write_text(texts[damage])
    with pytest.raises(DataError) as caught:
        read_cohort(folder)
    assert complaint in str(caught.value)


def test_notes_that_were_edited(folder: Path, database: Database, whole: Cohort) -> None:
    """An unfinished extraction is continued by its own plan alone; a receipt is not believed."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").unlink()
    spans, issues = [[1, 100]], manifest["base_holes"]
    plan = {"prints": manifest["prints"], "spans": spans, "holes": issues}
    (folder / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(DataError, match=r"plan.json was changed since it was written"):
        extract(database, STROKE, folder=folder)
    write_json(folder / "plan.json", plan)
    (folder / "range-00000.json").write_text(json.dumps({**manifest["ranges"][0], "counts": [1]}))
    assert_same(extract(database, STROKE, folder=folder), whole)


def test_hidden_files_of_others_stay(database: Database, tmp_path: Path) -> None:
    """Only what an extraction has left behind is cleared away."""
    mine = tmp_path / ".persons-00000.parquet.elseif-tmp-0123abcd"
    theirs = tmp_path / ".notes.tmp-today"
    mine.touch()
    extract(database, STROKE, folder=tmp_path)
    assert not mine.exists()
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    theirs.touch()
    with pytest.raises(FileExistsAlreadyError, match="contains other files"):
        extract(database, STROKE, folder=tmp_path)
    assert theirs.exists()


def test_folders_that_are_none(tmp_path: Path) -> None:
    """No folder, and an empty one."""
    with pytest.raises(DataError, match="There is no folder"):
        read_cohort(tmp_path / "none")
    with pytest.raises(DataError, match="holds no cohort"):
        read_cohort(tmp_path)


def test_the_same_rows_make_the_same_file(tmp_path: Path) -> None:
    """Engines hand over rows in pieces of any size; the file does not show it."""
    numbers = np.arange(ROWS_A_GROUP * 2 + 5)
    table = pa.table({"a": numbers})
    cuts = [0, 3, ROWS_A_GROUP + 9, ROWS_A_GROUP * 2, len(numbers)]
    pieces = [table.slice(a, b - a) for a, b in pairwise(cuts)]
    one = write_parquet(tmp_path / "one.parquet", [table])
    many = write_parquet(tmp_path / "many.parquet", iter(pieces))
    assert one["sha256"] == many["sha256"]
    assert one["rows"] == many["rows"] == len(numbers)


def test_a_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """Neither a file nor a piece of one."""

    def rows() -> Iterator[pa.Table]:
        yield pa.table({"a": np.arange(ROWS_A_GROUP + 1)})
        raise DataError("gone")

    with pytest.raises(DataError, match="gone"):
        write_parquet(tmp_path / "one.parquet", rows())
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments(database: Database) -> None:
    """Each is refused with what is wanted."""
    with pytest.raises(ParamError, match="at least 1, not 0"):
        extract(database, STROKE, persons_a_batch=0)
    with pytest.raises(ParamError, match=r"whole number, not 1\.5"):
        extract(database, STROKE, persons_a_batch=1.5)  # type: ignore[arg-type]
    with pytest.raises(ParamError, match="reads a Database"):
        extract("omop.duckdb", STROKE)  # type: ignore[arg-type]
