"""Files of a cohort: written whole or not at all, with checksums."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from elseif.errors import DataError, ElseifError, ResourceError

ROWS_A_GROUP = 1 << 18
BYTES_AT_ONCE = 1 << 20
SEAL = "sha256"  # of the rest of a file of notes or a manifest
# what an interrupted program of ours leaves behind, and no other hidden file
_TEMPORARY = re.compile(r"\.[a-z]+(-\d+)?\.(json|parquet)\.tmp-[0-9a-f]{8}")


def write_parquet(path: Path, tables: Iterable[Any], schema: Any = None) -> dict[str, Any]:
    """Write rows as they come; the same rows make the same file however they arrive."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Arrow takes a relative name such as "s3:/folder" for an address
    temporary = _temporary(path.absolute())
    n_rows, waiting = 0, []
    writer = None
    try:
        for table in tables:
            schema = schema or table.schema
            waiting.append(table)
            n_rows += len(table)
            if sum(map(len, waiting)) >= ROWS_A_GROUP:
                whole = pa.concat_tables(waiting)
                cut = len(whole) - len(whole) % ROWS_A_GROUP
                writer = writer or pq.ParquetWriter(temporary, schema, compression="zstd")
                writer.write_table(whole.slice(0, cut), row_group_size=ROWS_A_GROUP)
                waiting = [whole.slice(cut)]
        writer = writer or pq.ParquetWriter(temporary, schema, compression="zstd")
        rest = pa.concat_tables(waiting) if waiting else schema.empty_table()
        writer.write_table(rest, row_group_size=ROWS_A_GROUP)
        writer.close()
        _rename(temporary, path)
    except ElseifError:  # what the rows come from may fail, too
        raise
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if writer is not None:
            with contextlib.suppress(OSError):
                writer.close()
        temporary.unlink(missing_ok=True)
    return {"name": path.name, "rows": n_rows, "sha256": checksum(path)}


def read_json(path: Path) -> dict[str, Any]:
    """A file of notes or a manifest."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is damaged: it is not JSON.") from error
    if not isinstance(content, dict):
        raise DataError(f"{path} is damaged: it holds no keys and values.")
    return content


def check_seal(path: Path, content: Mapping[str, Any]) -> None:
    """Refuse notes or a manifest that somebody has changed since they were written."""
    if content.get(SEAL) != _seal(content):
        raise DataError(f"{path} was changed since it was written. Extract into a new folder.")


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write notes or a manifest, with a checksum of its own."""
    temporary = _temporary(path)
    sealed = {**content, SEAL: _seal(content)}
    try:
        temporary.write_text(json.dumps(sealed, indent=1) + "\n", encoding="utf-8")
        _rename(temporary, path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _seal(content: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in content.items() if key != SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode("ascii")).hexdigest()


def _rename(temporary: Path, path: Path) -> None:
    """Give a file its name once all of it is on the disk."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _unwritable(path: Path, error: OSError) -> ResourceError:
    return ResourceError(f"{path} could not be written: {error.strerror or error}.")


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp-{secrets.token_hex(4)}")


def is_temporary(path: Path) -> bool:
    """Whether a file is what an interrupted program left behind."""
    return _TEMPORARY.fullmatch(path.name) is not None


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(BYTES_AT_ONCE):
            total.update(chunk)
    return total.hexdigest()


def read_parquet(path: Path) -> Any:
    """A part of a cohort as an Arrow table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path.absolute(), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} is not a readable part of a cohort: {error}.") from error
