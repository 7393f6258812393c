"""Fits of public tables with default settings, kept as files: questions about them are cheap.

A fit is made once for each table, fold and seed; whoever asks for it again, from whichever script,
gets the file's. Files are in .bench/fits, which is not part of the repository. Delete them after a
change of the sampler:

    python benchmarks/kept_fits.py --role tune --seconds 600      # make what is not there yet
    python benchmarks/kept_fits.py --small                        # tables below 1,500 rows
    python benchmarks/kept_fits.py --show                         # convergence and steadiness
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from public_tables import SMALL, PublicTable, public_tables
from sklearn.model_selection import StratifiedKFold

from elseif import BayesianRuleListClassifier

FITS = Path(__file__).resolve().parent.parent / ".bench" / "fits"
N_FOLDS = 3
LARGE = 20_000  # of more rows than these, one fold is fitted


@dataclass(frozen=True)
class Fold:
    """Training and test rows of a table; labels are 0, 1, ..."""

    table: PublicTable
    number: int
    X: pd.DataFrame
    y: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    split: int = 0  # which way the rows were shuffled into folds

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.y) + len(self.y_test)


@dataclass(frozen=True)
class Fit:
    """A fitted classifier, and the CPU seconds that it took."""

    model: BayesianRuleListClassifier
    seconds: float


def folds_of(table: PublicTable, n_folds: int = N_FOLDS, split: int = 0) -> Iterator[Fold]:
    """The first folds of three, or one of a very large table; each split shuffles anew."""
    X, y = table.load()
    codes = np.unique(y.to_numpy(), return_inverse=True)[1]
    splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=split).split(X, codes)
    for number, (train, test) in enumerate(splits):
        if number >= (1 if len(codes) > LARGE else n_folds):
            return
        X_train, X_test = (X.iloc[rows].reset_index(drop=True) for rows in (train, test))
        yield Fold(table, number, X_train, codes[train], X_test, codes[test], split)


def is_kept(table: PublicTable, fold: int, seed: int = 0, split: int = 0) -> bool:
    """Whether there is a file."""
    return _path(table.name, fold, seed, split).exists()


def default_fit(fold: Fold, seed: int = 0) -> Fit:
    """The kept fit of a fold with default settings, made where there is none."""
    path = _path(fold.table.name, fold.number, seed, fold.split)
    if path.exists():
        return Fit(*pickle.loads(path.read_bytes()))
    model = BayesianRuleListClassifier(random_state=seed, n_jobs=1)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(fold.X, fold.y)
    fit = Fit(model, time.process_time() - start)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(pickle.dumps((fit.model, fit.seconds)))
    unfinished.replace(path)
    return fit


def _path(table: str, fold: int, seed: int, split: int) -> Path:
    shuffled = f"-split{split}" if split else ""
    return FITS / f"{table}-{fold}-{seed}{shuffled}.pickle"


def show() -> None:
    """How many of the kept fits converged, and how much two seeds differ."""
    ends: dict[str, list[str]] = {}
    same: dict[str, bool] = {}
    point: list[float] = []
    posterior: list[float] = []
    seconds = []
    for table in public_tables():
        if not is_kept(table, 0):
            continue
        for fold in folds_of(table):
            seeds = [seed for seed in range(2) if is_kept(table, fold.number, seed)]
            fits = [default_fit(fold, seed) for seed in seeds]
            seconds += [fit.seconds for fit in fits]
            for fit in fits:
                ends.setdefault(table.name, []).append(fit.model.convergence_.status)
            if len(fits) < 2:
                continue
            same[table.name] = str(fits[0].model.rule_list_) == str(fits[1].model.rule_list_)
            for way, differences in (("point", point), ("posterior", posterior)):
                one, two = (
                    fit.model.set_params(predict_with=way).predict_proba(fold.X_test)
                    for fit in fits
                )
                differences.append(float(np.abs(one - two).mean()))
    fits_of_all = [end for some in ends.values() for end in some]
    unsure = {name: some.count("not converged") for name, some in ends.items()}
    print(
        f"{len(ends)} tables, {len(fits_of_all)} fits: "
        f"{sum(unsure.values())} not converged ({sum(unsure.values()) / len(fits_of_all):.1%}), on "
        f"{', '.join(f'{name} ({n} of {len(ends[name])})' for name, n in unsure.items() if n)}; "
        f"median {np.median(seconds):.1f} CPU seconds, longest {max(seconds):.0f}"
    )
    if not same:
        return
    print(
        f"two seeds: the same list on {sum(same.values())} of {len(same)} tables (others on "
        f"{', '.join(name for name, equal in same.items() if not equal) or 'none'}); predictions "
        f"differ by {np.mean(point):.4f} (point estimate, most {max(point):.3f}) and "
        f"{np.mean(posterior):.4f} (posterior, most {max(posterior):.4f}) on average over rows"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--role", choices=("tune", "judge"))
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--small", action="store_true", help=f"only tables below {SMALL:,} rows")
    parser.add_argument("--folds", type=int, default=N_FOLDS)
    parser.add_argument("--seeds", type=int, default=2, help="of the first fold; others have one")
    parser.add_argument("--seconds", type=float, default=600, help="after which no fit begins")
    parser.add_argument("--show", action="store_true", help="tell about what there is")
    options = parser.parse_args(arguments or [])
    if options.show:
        show()
        return
    end = time.monotonic() + options.seconds
    for table in public_tables(options.role, options.tables):
        if options.small and len(table.load()[1]) >= SMALL:
            continue
        for fold in folds_of(table, options.folds):
            for seed in range(options.seeds if fold.number == 0 else 1):
                if is_kept(table, fold.number, seed):
                    continue
                if time.monotonic() > end:
                    return
                fit = default_fit(fold, seed)
                status = fit.model.convergence_.status
                print(
                    f"{table.name}, fold {fold.number}, seed {seed}: {len(fold.y):,} rows, "
                    f"{len(fit.model.pool_):,} antecedents, {status}, {fit.seconds:.1f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
