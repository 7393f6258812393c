"""Databases that are not what they should be, and names that mean harm."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from elseif.cohort import connect, extract
from elseif.errors import DatabaseError, ElseifError, ParamError
from tests.cohort import handmade as made
from tests.cohort.comparing import features_of
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import DuckDBEngine, Engine, PostgresServer, SparkEngine, write_duckdb
from tests.cohort.rows import COLUMNS, Tables

HOSTILE = [
    "cdm; DROP TABLE person",
    'cdm"; DROP TABLE cdm.person; --',
    "cdm.person",
    "cdm'",
    "cdm`",
    "cdm person",
    "1cdm",
    "",
    "cdm\n",
    "cdm\x00",
    "ｃｄｍ",
    "c" * 64,
    "../cdm",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_duckdb(tmp_path / "omop.duckdb", made.TABLES)


def change(path: Path, statements: Sequence[str]) -> None:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.fault(
    "74",
    "a schema such as `cdm; DROP TABLE person`",
    "`ParamError` before anything is sent; names of letters, digits, `_` and `$` are quoted",
)
def test_hostile_schema(engine: Engine) -> None:
    """Refused with a sentence before anything runs; the tables are all there afterwards."""
    engine.load(made.TABLES)
    for name in HOSTILE:
        with pytest.raises(ParamError, match="schema"), engine.connect(name) as database:
            extract(database, HANDMADE)
    with engine.connect() as database:
        assert len(extract(database, HANDMADE).person_ids) == 17


@pytest.mark.fault(
    "77",
    "missing tables or columns, duplicate persons, an empty cohort",
    "`DatabaseError` that names everything missing, the number of duplicates, or the "
    "step that excluded everybody",
)
@pytest.mark.parametrize("name", ["select", "MixedCase", "a$b", "_", "order", "c" * 63])
def test_odd_schema(duckdb_engine: DuckDBEngine, postgres: PostgresServer, name: str) -> None:
    """Names that only work when they are quoted."""
    for one in (duckdb_engine, postgres):
        one.load(made.TABLES, name)
        with one.connect(name) as database:
            assert len(extract(database, HANDMADE).person_ids) == 17


def test_hostile_concept_names(engine: Engine) -> None:
    """Whatever the vocabulary says is a name and nothing else."""
    names = {
        made.WARFARIN: "'); DROP TABLE cdm.person; --",
        made.DIGOXIN: 'a "quoted" {name} %s \\ $1 <script>alert(1)</script>',
        made.DIABETES: " two\nlines\tand a tab",
        made.ESSENTIAL: "Übergröße 心房颤动 🫀",
        made.COUGH: "age",
        made.ASPIRIN: "sex",
    }
    concepts = [(concept, names.get(concept, name)) for concept, name in made.CONCEPTS]
    tables = Tables(
        made.PERSONS, made.PERIODS, made.CONDITIONS, made.DRUGS, concepts, made.ANCESTORS
    )
    engine.load(tables)
    with engine.connect() as database:
        cohort = extract(database, HANDMADE)
    features = features_of(cohort)
    assert features[1] == {names[made.WARFARIN]}
    assert features[10] == {names[made.DIGOXIN]}
    assert features[30] == {"two lines and a tab"}  # names are lines
    assert names[made.ESSENTIAL] in features[29]
    table = cohort.table()
    assert len(set(table.columns)) == len(table.columns)  # a concept is called age, another sex
    assert list(table.frame.columns) == ["age", "sex"]


@pytest.mark.parametrize(
    "tables", [["drug_exposure"], ["concept_ancestor", "observation_period"], list(COLUMNS)]
)
def test_missing_tables(path: Path, tables: list[str]) -> None:
    change(path, [f"DROP TABLE cdm.{table}" for table in tables])
    with pytest.raises(DatabaseError) as caught, connect(str(path), "cdm") as database:
        extract(database, HANDMADE)
    text = str(caught.value)
    assert all(table in text for table in tables)
    present = set(COLUMNS) - set(tables)
    assert not any(f"cdm.{table}" in text for table in present)


def test_missing_columns(path: Path) -> None:
    """All that are missing are named at once."""
    change(
        path,
        [
            "ALTER TABLE cdm.person DROP COLUMN year_of_birth",
            "ALTER TABLE cdm.drug_exposure DROP COLUMN drug_exposure_start_date",
            "DROP TABLE cdm.concept",
        ],
    )
    with pytest.raises(DatabaseError) as caught, connect(str(path), "cdm") as database:
        extract(database, HANDMADE)
    for name in ("year_of_birth", "drug_exposure_start_date", "concept"):
        assert name in str(caught.value)


def test_schema_that_is_not_there(sql_engine: Engine) -> None:
    sql_engine.load(made.TABLES)
    with (
        pytest.raises(DatabaseError, match="elsewhere"),
        sql_engine.connect("elsewhere") as database,
    ):
        extract(database, HANDMADE)


def test_empty_cohort(sql_engine: Engine, tmp_path: Path) -> None:
    """The attrition says where everybody went."""
    late = [(person, made.d("2015-06-01"), end) for person, _, end in made.PERIODS]
    tables = Tables(made.PERSONS, late, made.CONDITIONS, made.DRUGS, made.CONCEPTS, made.ANCESTORS)
    sql_engine.load(tables)
    folder = tmp_path / "cohort"
    with pytest.raises(DatabaseError) as caught, sql_engine.connect() as database:
        extract(database, HANDMADE, folder=folder)
    text = str(caught.value)
    assert "30" in text  # persons with the index condition, all of whom were removed
    assert "365" in text
    assert not list(tmp_path.rglob("*manifest*"))


@pytest.mark.filterwarnings("ignore:The table concept_ancestor of .* has no row:UserWarning")
def test_empty_tables(sql_engine: Engine) -> None:
    sql_engine.load(Tables([], [], [], [], [], []))
    with pytest.raises(DatabaseError), sql_engine.connect() as database:
        extract(database, HANDMADE)


def test_duplicate_persons(sql_engine: Engine) -> None:
    """Two rows for one person would double whatever is counted."""
    twice = [*made.PERSONS, made.PERSONS[0], made.PERSONS[3], (1, made.MALE, 1901)]
    tables = Tables(twice, made.PERIODS, made.CONDITIONS, made.DRUGS, made.CONCEPTS, made.ANCESTORS)
    sql_engine.load(tables)
    with pytest.raises(DatabaseError, match=r"\b3 rows.*person_id"):  # noqa: SIM117
        with sql_engine.connect() as database:
            extract(database, HANDMADE)


def test_nothing_in_the_concept_table(duckdb_engine: DuckDBEngine) -> None:
    tables = Tables(made.PERSONS, made.PERIODS, made.CONDITIONS, made.DRUGS, [], made.ANCESTORS)
    duckdb_engine.load(tables)
    with duckdb_engine.connect() as database:
        cohort = extract(database, HANDMADE)
    assert all(
        name == f"concept {concept}"
        for name, concept in cohort.catalogue[["name", "concept_id"]].itertuples(index=False)
    )


def test_nothing_in_the_ancestor_table(duckdb_engine: DuckDBEngine) -> None:
    """Without descendants persons would be missed, and nobody would be told."""
    tables = Tables(made.PERSONS, made.PERIODS, made.CONDITIONS, made.DRUGS, made.CONCEPTS, [])
    duckdb_engine.load(tables)
    with (
        duckdb_engine.connect() as database,
        pytest.warns(UserWarning, match=r"concept_ancestor .* descendants are missed"),
    ):
        cohort = extract(database, HANDMADE)
    n_in_groups = sum(len(row[5]) for row in made.ANSWER.values())
    assert 0 < cohort.groups.to_numpy().sum() < n_in_groups


def test_records_without_dates_concepts_or_persons(engine: Engine) -> None:
    """What has no date, concept or person cannot be placed, and changes nobody."""
    early, late = made.d("2010-01-01"), made.d("2018-12-31")
    tables = Tables(
        made.PERSONS,
        [*made.PERIODS, (2, None, late), (2, early, None), (None, early, late)],
        [*made.CONDITIONS, (5, made.AF, None), (5, None, early), (None, made.AF, early)],
        [*made.DRUGS, (5, made.WARFARIN, None), (5, None, early), (None, made.WARFARIN, early)],
        made.CONCEPTS,
        made.ANCESTORS,
    )
    engine.load(tables)
    with engine.connect() as database:
        cohort = extract(database, HANDMADE)
    assert [int(person) for person in cohort.person_ids] == list(made.ANSWER)
    assert features_of(cohort) == {person: row[4] for person, row in made.ANSWER.items()}


FAR = "DATE '5874897-12-31'"  # the last that PostgreSQL has
PERIOD = "observation_period_id, person_id, observation_period_start_date"
UNFIT = {
    "a period's end": ("observation_period", f"SELECT {PERIOD}, {FAR} observation_period_end_date"),
    "a text": (
        "observation_period",
        f"SELECT {PERIOD}, CAST('soon' AS text) observation_period_end_date",
    ),
    "a diagnosis": (
        "condition_occurrence",
        "SELECT condition_occurrence_id, person_id, condition_concept_id, "
        f"{FAR} condition_start_date",
    ),
}


@pytest.mark.parametrize("what", UNFIT)
def test_dates_that_cannot_be(sql_engine: Engine, what: str) -> None:
    """A sentence that says what dates may be and where to look, not the engine's own words."""
    sql_engine.load(made.TABLES)
    table, select = UNFIT[what]
    statements = [
        f"ALTER TABLE cdm.{table} RENAME TO old",
        f"CREATE VIEW cdm.{table} AS {select} FROM cdm.old",
    ]
    if isinstance(sql_engine, PostgresServer):
        with sql_engine.owner() as owner:
            for statement in [*statements, f"GRANT SELECT ON cdm.{table} TO reader"]:
                owner.execute(statement)
    else:
        change(sql_engine.path, statements)
    with sql_engine.connect() as database:
        if what == "a period's end" and database.kind == "postgresql":
            assert len(extract(database, HANDMADE)) > 0  # it compares such dates
            return
        with pytest.raises(DatabaseError) as caught:
            extract(database, HANDMADE)
    value = "'soon', which" if what == "a text" else "'5874897-12-31', which"
    if what == "a diagnosis" and database.kind == "postgresql":
        value = "a value that"  # its driver does not say
    text = str(caught.value)
    assert f"holds {value} cannot be read as a date" in text
    assert "years 1 to 9999" in text
    assert "observation_period" in text
    assert "Error" not in text


def test_texts_that_are_no_dates_in_spark(spark: SparkEngine) -> None:
    spark.load(made.TABLES)
    rows = spark.session.table("cdm.observation_period").selectExpr(
        "person_id", "observation_period_start_date", "'soon' observation_period_end_date"
    )
    rows.write.saveAsTable("cdm.texts")
    spark.session.sql("DROP TABLE cdm.observation_period")
    spark.session.sql("ALTER TABLE cdm.texts RENAME TO cdm.observation_period")
    with (
        spark.connect() as database,
        pytest.raises(DatabaseError, match="holds 'soon', which cannot be read as a date"),
    ):
        extract(database, HANDMADE)


def test_file_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "nothing.duckdb"
    for address in (str(missing), f"duckdb:///{missing}"):
        with pytest.raises(ElseifError, match=r"nothing\.duckdb"):
            connect(address, "cdm")
    assert not missing.exists()  # a reader makes no databases


def test_file_is_damaged(path: Path, tmp_path: Path) -> None:
    for name, content in (
        ("empty", b""),
        ("text", b"person_id,year_of_birth\n1,1945\n" * 500),
        ("cut", path.read_bytes()[:5000]),
        ("zeroed", b"\0" * 20_000),
    ):
        damaged = tmp_path / f"{name}.duckdb"
        damaged.write_bytes(content)
        with (
            pytest.raises(DatabaseError, match=rf"{name}\.duckdb"),
            connect(str(damaged), "cdm") as database,
        ):
            extract(database, HANDMADE)
        assert damaged.read_bytes() == content


def test_file_goes_away(path: Path) -> None:
    """Removed between two uses: a sentence, and no new file."""
    path.unlink()
    with pytest.raises(DatabaseError), connect(str(path), "cdm") as database:
        extract(database, HANDMADE)
    assert not path.exists()


def test_duckdb_file_is_only_read(path: Path, tmp_path: Path) -> None:
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    names = set(tmp_path.iterdir())
    with connect(str(path), "cdm") as database:
        extract(database, HANDMADE)
        with pytest.raises(duckdb.Error, match="read-only"):
            database.backend.raw_sql("CREATE TABLE cdm.mine AS SELECT 1 AS one")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert set(tmp_path.iterdir()) == names


def test_duckdb_file_is_open_already(path: Path) -> None:
    """Another reader in the same program is no hindrance; a writer is, and the sentence says so."""
    with duckdb.connect(str(path), read_only=True), connect(str(path), "cdm") as database:
        assert len(extract(database, HANDMADE).person_ids) == 17
    with (
        duckdb.connect(str(path)),
        pytest.raises(DatabaseError, match="open already in this program"),
        connect(str(path), "cdm"),
    ):
        pass


def test_duckdb_file_is_written_elsewhere(path: Path) -> None:
    """A file that another program writes to cannot be read meanwhile."""
    program = (
        f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(DatabaseError, match="open elsewhere for writing"):
            connect(str(path), "cdm")
        writer.communicate("\n")
