"""SQL dialects by their usual names."""

from __future__ import annotations

import re
from collections.abc import Collection

from elseif.checks import nearest_name
from elseif.errors import ParamError

# what others call a dialect, without blanks and signs
ALSO_CALLED = {
    "tsql": ("mssql", "sqlserver", "microsoftsqlserver", "microsoftsql", "synapse", "azuresql"),
    "postgres": ("postgresql", "pg", "psql", "pgsql"),
    "mysql": ("mariadb",),
    "sqlite": ("sqlite3", "sqliteextended"),
    "spark": ("sparksql", "pyspark", "hive"),
    "bigquery": ("bq", "googlebigquery"),
    "trino": ("presto", "athena"),
    "oracle": ("plsql", "oracledb"),
}


def check_dialect(dialect: str, known: Collection[str]) -> None:
    """Raise a ParamError for an unknown dialect, with the one that was probably meant."""
    if dialect in known:
        return
    folded = re.sub(r"[\W_]", "", str(dialect).lower())
    meant = next((name for name, others in ALSO_CALLED.items() if folded in others), None)
    if meant not in known:
        meant = nearest_name(str(dialect), known)
    hint = "" if meant is None else f" Did you mean {meant!r}?"
    raise ParamError(f"dialect is {dialect!r:.80}; it must be one of {', '.join(known)}.{hint}")
