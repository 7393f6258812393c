"""Files of a cohort: rows as Parquet, notes and manifest as JSON, readable by their owner only."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from elseif.errors import DataError, ResourceError
from elseif.files.atomic import new_file
from elseif.files.sealed import checksum, is_sealed, sealed_text

ROWS_A_GROUP = 1 << 18


def write_parquet(path: Path, tables: Iterable[Any], schema: Any = None) -> dict[str, Any]:
    """Write rows as they come; the same rows make the same file however they arrive."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_rows, waiting = 0, []
    with new_file(path, force=True, private=True) as file, contextlib.ExitStack() as stack:
        writer = None
        for table in tables:
            schema = schema or table.schema
            waiting.append(table)
            n_rows += len(table)
            if sum(map(len, waiting)) >= ROWS_A_GROUP:
                whole = pa.concat_tables(waiting).combine_chunks()  # pages would follow them
                cut = len(whole) - len(whole) % ROWS_A_GROUP
                writer = writer or stack.enter_context(_parquet(pq, file, schema))
                writer.write_table(whole.slice(0, cut), row_group_size=ROWS_A_GROUP)
                waiting = [whole.slice(cut)]
        writer = writer or stack.enter_context(_parquet(pq, file, schema))
        rest = pa.concat_tables(waiting).combine_chunks() if waiting else schema.empty_table()
        writer.write_table(rest, row_group_size=ROWS_A_GROUP)
    return {"name": path.name, "rows": n_rows, "sha256": checksum(path)}


def _parquet(pq: Any, file: Any, schema: Any) -> Any:
    return pq.ParquetWriter(file, schema, compression="zstd")


def read_parquet(path: Path) -> Any:
    """A part of a cohort as an Arrow table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path.absolute(), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} is not a readable part of a cohort: {error}.") from error


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write notes or a manifest, with a checksum of its own."""
    with new_file(path, force=True, private=True) as file:
        file.write(sealed_text(content, indent=1).encode("ascii"))


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
    if not is_sealed(content):
        raise DataError(f"{path} was changed since it was written. Extract into a new folder.")
