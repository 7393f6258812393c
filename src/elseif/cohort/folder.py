"""A cohort in a folder: parts as they arrive, a manifest last, continued if interrupted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.cohort.definition import CohortDefinition
from elseif.cohort.part_files import (
    check_seal,
    read_json,
    read_parquet,
    write_json,
    write_parquet,
)
from elseif.cohort.parts import (
    STREAM_COLUMNS,
    Cells,
    ExtractedPart,
    kind_of,
    part_from_table,
    stream_names,
)
from elseif.cohort.table_catalogue import as_now
from elseif.errors import DatabaseError, DataError, FileExistsAlreadyError
from elseif.files.folders import make_folder, make_private_folder, try_folder
from elseif.files.locks import LOCK
from elseif.files.sealed import checksum
from elseif.files.temporary import is_temporary

if TYPE_CHECKING:
    import pandas as pd

    from elseif.cohort.cohort import Cohort

PLAN, MANIFEST, CATALOGUE = "plan.json", "manifest.json", "catalogue.parquet"
FORMAT = "elseif cohort"
VERSION, VERSION_OF_FEATURES = 2, 3  # the second where features, criteria or outcomes are given
VERSIONS = (VERSION, VERSION_OF_FEATURES)


def check_folder(folder: Path) -> None:
    """Try whether the folder can be made and written to, before any long work."""
    if not folder.exists():  # nothing is left behind by what fails later on
        try_folder(next(path for path in folder.absolute().parents if path.exists()))
        return
    make_folder(folder)
    names = {path.name for path in folder.iterdir()}
    if not names & {PLAN, MANIFEST} and any(n != LOCK and not is_temporary(n) for n in names):
        raise FileExistsAlreadyError(
            f"{folder} contains other files but no cohort. Give the name of a new folder."
        )


@contextlib.contextmanager
def private_folder(folder: Path) -> Iterator[None]:
    """Create a folder readable only by its owner; remove a new one that stays empty."""
    is_new = not folder.exists()
    make_private_folder(folder)
    try:
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it holds something
                folder.rmdir()


class PartsInFolder:
    """Parts that are written to a folder as they come."""

    def __init__(self, folder: Path, definition: CohortDefinition) -> None:
        self.folder, self._streams = folder, stream_names(definition)
        self._version = version_of(definition)
        self.spans: list[tuple[int, int]] = []
        self.issues: list[tuple[str, int, int]] = []
        self._found: list[ExtractedPart] | None = None

    def begin(
        self,
        prints: Mapping[str, str],
        spans: Sequence[tuple[int, int]],
        issues: Sequence[tuple[str, int, int]],
    ) -> None:
        """Record what is to be done, or read what was recorded before."""
        plan = {"format": FORMAT, "version": self._version, "prints": dict(prints)}
        write_json(self.folder / PLAN, {**plan, "spans": spans, "holes": issues})
        self.spans, self.issues = list(spans), list(issues)

    def resume(self, prints: Mapping[str, str]) -> bool:
        """Take up an extraction that was begun; False if none was."""
        path = self.folder / PLAN
        if not path.exists():
            return False
        plan = read_json(path)
        check_prints(self.folder, plan, prints)
        check_seal(path, plan)
        self.spans = [(int(begin), int(end)) for begin, end in plan["spans"]]
        self.issues = [(str(what), int(n), int(m)) for what, n, m in plan["holes"]]
        return True

    def is_done(self, number: int) -> bool:
        """Whether a range has been written before, and whole."""
        path = self._receipt(number)
        if not path.exists():
            return False
        with contextlib.suppress(DataError, KeyError, TypeError):
            receipt = read_json(path)
            check_seal(path, receipt)
            check_files(self.folder, receipt["files"])
            return True
        path.unlink(missing_ok=True)
        return False

    def add(self, number: int, part: ExtractedPart, streams: Mapping[str, Iterable[Any]]) -> None:
        """Write a range: its members and the cells of each stream, then a receipt."""
        files = [write_parquet(self._persons(number), [part.as_table()])]
        for stream in self._streams:
            path = self._stream(stream, number)
            files.append(write_parquet(path, streams[stream], _schema(stream)))
        receipt = {
            "files": files,
            "counts": list(part.counts),
            "on_index_date": part.on_index_date,
            "lost_outcomes": part.lost_outcomes,
        }
        write_json(self._receipt(number), receipt)

    def parts(self) -> list[ExtractedPart]:
        """Every part, in order; available once all are done."""
        if self._found is None:
            self._found = []
            for number in range(len(self.spans)):
                receipt, table = self.receipt(number), read_parquet(self._persons(number))
                self._found.append(part_from_table(table, receipt))
        return self._found

    def cells(self, stream: str) -> Iterator[Cells]:
        """For each range, who (person ids) has what (concept ids, units, values) of a stream."""
        for number in range(len(self.spans)):
            table = read_parquet(self._stream(stream, number))
            yield {name: table[name].to_numpy() for name in STREAM_COLUMNS[kind_of(stream)]}

    def receipt(self, number: int) -> dict[str, Any]:
        """The receipt of a finished range."""
        return read_json(self._receipt(number))

    def discard(self) -> None:
        """Remove everything written: an extraction without members must not be continued."""
        numbers = range(len(self.spans))
        parts = [path for n in numbers for path in (self._persons(n), self._receipt(n))]
        pairs = [self._stream(stream, n) for n in numbers for stream in self._streams]
        for path in (self.folder / PLAN, *parts, *pairs):
            path.unlink(missing_ok=True)

    def finish(
        self,
        cohort: Cohort,
        catalogue: pd.DataFrame,
        facts: Mapping[str, Any],
        prints: Mapping[str, str],
    ) -> None:
        """Write the manifest, which makes the folder a cohort, and clear away the notes."""
        import pyarrow as pa

        table = pa.Table.from_pandas(catalogue, preserve_index=False)
        written = write_parquet(self.folder / CATALOGUE, [table])
        receipts = [self.receipt(number) for number in range(len(self.spans))]
        manifest = {
            "format": FORMAT,
            "version": self._version,
            "definition": cohort.definition.as_dict(),
            **facts,
            "n_persons": len(cohort),
            "n_outcomes": int(cohort.outcome.sum()),
            **_outcome_counts(cohort),
            "n_features": int(cohort.features.shape[1]),
            "warnings": list(cohort.warnings),
            "attrition": cohort.attrition.to_dict("records"),
            "holes": cohort.quality_issues.to_dict("records"),
            "catalogue": written,
            "ranges": receipts,
            "base_holes": self.issues,
            "prints": dict(prints),
        }
        write_json(self.folder / MANIFEST, manifest)
        for path in (self.folder / PLAN, *map(self._receipt, range(len(self.spans)))):
            path.unlink(missing_ok=True)

    def _persons(self, number: int) -> Path:
        return self.folder / f"persons-{number:05}.parquet"

    def _stream(self, stream: str, number: int) -> Path:
        return self.folder / f"{stream}-{number:05}.parquet"

    def _receipt(self, number: int) -> Path:
        return self.folder / f"range-{number:05}.json"


class PartsOfManifest(PartsInFolder):
    """Parts of a cohort that is complete."""

    def __init__(self, folder: Path, definition: CohortDefinition, receipts: Sequence[Any]) -> None:
        super().__init__(folder, definition)
        self._receipts = list(receipts)
        self.spans = [(0, 0)] * len(self._receipts)

    def receipt(self, number: int) -> dict[str, Any]:
        return dict(self._receipts[number])


def read_folder(folder: Path) -> Cohort:
    """The cohort in a folder; DataError if it is unfinished, changed or no cohort."""
    from elseif.cohort.cohort import Noticed, assemble
    from elseif.cohort.definition_file import definition_from

    manifest = read_manifest(folder)
    try:
        definition = definition_from(manifest["definition"], MANIFEST)
        check_files(folder, [manifest["catalogue"]])
        for receipt in manifest["ranges"]:
            check_files(folder, receipt["files"])
        parts = PartsOfManifest(folder, definition, manifest["ranges"])
        catalogue = as_now(read_parquet(folder / CATALOGUE).to_pandas())
        cohort = assemble(
            definition,
            parts,
            catalogue,
            manifest["concept_sets"],
            Noticed(
                manifest["base_holes"],
                tuple(map(str, manifest["lacking"])),
                tuple(map(str, manifest["source"]["names"])),
            ),
        )
        expected = (manifest["n_persons"], manifest["n_features"], manifest["n_outcomes"])
    except DataError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise DataError(f"{folder / MANIFEST} is damaged: {error}. Extract once more.") from error
    except DatabaseError as error:  # ids without a place, which here no database is to blame for
        raise DataError(f"{folder}: the parts do not fit together. Extract once more.") from error
    sizes = (len(cohort), cohort.features.shape[1], int(cohort.outcome.sum()))
    if sizes != expected or int(cohort.attrition["persons"].iloc[-1]) != len(cohort):
        raise DataError(f"{folder}: the parts are not those that the manifest counts.")
    return cohort


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a cohort that is complete."""
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}.")
    if not (folder / MANIFEST).exists():
        begun = (folder / PLAN).exists()
        why = "an extraction that has not ended; run it again to the end" if begun else "no cohort"
        raise DataError(f"{folder} holds {why}: it has no {MANIFEST}.")
    manifest = read_json(folder / MANIFEST)
    if manifest.get("format") != FORMAT:
        raise DataError(f"{folder / MANIFEST} is not the manifest of a cohort.")
    if manifest.get("version") not in VERSIONS:
        raise DataError(
            f"{folder}: the cohort is of format {manifest.get('version')!r}; this release of "
            f"elseif reads {' and '.join(map(str, VERSIONS))}. Extract it once more into a new "
            "folder."
        )
    check_seal(folder / MANIFEST, manifest)
    return manifest


def check_begun(folder: Path, wanted: Mapping[str, str]) -> bool:
    """Whether an extraction is there, finished or not; refused if it is of something else."""
    is_there = False
    for name in (MANIFEST, PLAN):
        if (folder / name).exists():
            check_prints(folder, read_json(folder / name), wanted)
            is_there = True
    return is_there


def check_prints(folder: Path, content: Mapping[str, Any], wanted: Mapping[str, str]) -> None:
    """Refuse a folder that belongs to something else."""
    prints = content.get("prints")
    if not isinstance(prints, Mapping):
        raise DataError(f"{folder} is damaged: it does not say what it is an extraction of.")
    for key, what in (
        ("definition", "by another definition"),
        ("source", "from another database or schema"),
        ("state", "from this database as it was before it changed"),
        ("records", "from this database as it was before it changed"),
    ):
        if key in wanted and prints.get(key) != wanted[key]:
            raise FileExistsAlreadyError(
                f"{folder} holds an extraction {what}. Give another folder, or remove it."
            )


def check_files(folder: Path, files: Sequence[Mapping[str, Any]]) -> None:
    """Compare files with their checksums; their names must be plain, since others wrote them."""
    for file in files:
        name = str(file["name"])
        if Path(name).name != name or name.startswith("."):
            raise DataError(f"{folder}: {name!r:.80} is not the name of a part.")
        path = folder / name
        if not path.is_file():
            raise DataError(f"{folder}: the part {name} is missing. Extract once more.")
        if checksum(path) != file["sha256"]:
            raise DataError(f"{folder}: the part {name} was changed. Extract once more.")


def version_of(definition: CohortDefinition) -> int:
    """The format of a folder: releases that know no features refuse one that has them."""
    plain = {"features", "inclusion", "outcomes", "first_after_days"}.isdisjoint
    is_plain = plain(definition.as_dict()) and definition.event_domains == definition.plain_domains
    return VERSION if is_plain and not definition.cohort_ids else VERSION_OF_FEATURES


def _outcome_counts(cohort: Cohort) -> dict[str, Any]:
    """How many have each of the further outcomes."""
    counts = {name: int(has.sum()) for name, has in cohort.more_outcomes.items()}
    return {"n_more_outcomes": counts} if counts else {}


def _schema(stream: str) -> Any:
    import pyarrow as pa

    columns = STREAM_COLUMNS[kind_of(stream)]
    return pa.schema([(c, pa.float64() if c == "value" else pa.int64()) for c in columns])
