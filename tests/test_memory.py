"""What large work will take is estimated, and refused where there is not as much memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, memory
from elseif.errors import ResourceError
from elseif.progress import Progress
from elseif.projection.target import bytes_of_target, make_target
from elseif.report import report_data
from elseif.report.report_memory import bytes_of_report
from elseif.report.summary import summarise
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.restricted_sum import bytes_of_check, check_restricted
from elseif.sampler.sampling_memory import bytes_of_sampling
from elseif.sampling_mixin import CHAINS
from elseif.tables import read_file, text_files
from elseif.tables.text_files import bytes_of_parquet

pytestmark = pytest.mark.filterwarnings("ignore:The chains have not converged")
N_ROWS = 200_000


@pytest.fixture(scope="module")
def fitted() -> BayesianRuleListClassifier:
    """Rows that hardly repeat, so that nothing is merged."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((N_ROWS, 20)) < 0.3).rename(columns="f{}".format)
    how = {"kernel": "tempered", "n_iter": 60, "n_chains": 1, "max_cardinality": 1}
    return BayesianRuleListClassifier(random_state=0, **how).fit(X, rng.integers(0, 2, N_ROWS))


def peak_of(work: Callable[[], Any]) -> int:
    """Most bytes that were allocated at a time, beyond those of before."""
    tracemalloc.start()
    try:
        result = work()
        peak = tracemalloc.get_traced_memory()[1]
        del result
        return peak
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kernel", KERNELS)
def test_chains_take_what_was_estimated(kernel: str, fitted: BayesianRuleListClassifier) -> None:
    problem = getattr(fitted, CHAINS).problem
    how = SamplerSettings(kernel, 3, 4000, n_jobs=1)  # enough for draws to be compared with a sum
    seed = np.random.SeedSequence(0)
    estimated = bytes_of_sampling(problem, KERNELS[kernel], 3)
    assert estimated / 3 < peak_of(lambda: sample(problem, how, seed, Progress())) < 1.5 * estimated


@pytest.mark.parametrize(("n_columns", "n_rows"), [(19, 2_000), (25, 2_000), (700, 60_000)])
def test_a_comparison_takes_what_was_estimated(n_columns: int, n_rows: int) -> None:
    """With a sum over the whole pool or a part of it, and with ascents that copy many covers."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((n_rows, n_columns)) < 0.5).rename(columns="f{}".format)
    y = (rng.random(n_rows) < 0.2 + 0.6 * X["f1"]).astype(int)
    how = {"kernel": "tempered", "n_iter": 60, "n_chains": 1, "max_cardinality": 1}
    clf = BayesianRuleListClassifier(random_state=0, **how).fit(X, y)
    problem, settings = getattr(clf, CHAINS).problem, SamplerSettings("tempered", 1, 2000)
    draws = sample(problem, settings, np.random.SeedSequence(0), Progress()).chains
    starts = [(1, 2), (3, 4)]
    peak = peak_of(lambda: check_restricted(draws, problem, (), starts))
    assert bytes_of_check(problem) / 3 < peak < 1.5 * bytes_of_check(problem)


def test_a_projection_takes_what_was_estimated(fitted: BayesianRuleListClassifier) -> None:
    problem = getattr(fitted, CHAINS).problem
    estimated = bytes_of_target(problem, problem.pool_size)
    peak = peak_of(lambda: make_target(problem, fitted.posterior_))
    assert estimated / 3 < peak < 1.5 * estimated


def test_a_projection_is_refused_before_sampling(
    fitted: BayesianRuleListClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which may take hours."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((20_000, 20)) < 0.3).rename(columns="f{}".format)
    problem = getattr(fitted, CHAINS).problem
    estimated = bytes_of_target(problem, problem.pool_size) * len(X) // N_ROWS
    monkeypatch.setattr(memory, "available_memory", lambda: estimated / 2)
    monkeypatch.setattr("elseif.sampler.chains.sample", None)  # which is not reached
    clf = BayesianRuleListClassifier(predict_with="projected", max_cardinality=1, n_chains=1)
    with pytest.raises(ResourceError, match="Projecting the posterior would take"):
        clf.fit(X, rng.integers(0, 2, len(X)))


def test_parquet_takes_what_was_estimated(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.random(50_000), "b": rng.integers(0, 9, 50_000)})
    table["c"] = [f"{number:.6f}" for number in table["a"]]
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    estimated = bytes_of_parquet(pa.parquet.ParquetFile(path))
    assert estimated / 2 < read_file(path).nbytes < 1.5 * estimated


@pytest.mark.fault(57, "chains, a projection or a Parquet file larger than the memory there is",
                   "`ResourceError` before allocation, with a setting that is enough")  # fmt: skip
def test_too_large_is_said_with_what_would_do(
    fitted: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = getattr(fitted, CHAINS).problem
    two = bytes_of_sampling(problem, KERNELS["tempered"], 2)
    settings, seed = SamplerSettings("tempered", 4, 100), np.random.SeedSequence(0)

    def available(n_bytes: float) -> None:
        meminfo = tmp_path / "meminfo"
        meminfo.write_text(f"MemTotal: 1 kB\nMemAvailable:   {int(n_bytes / 1024) + 1} kB\n")
        monkeypatch.setattr(memory, "MEMINFO", meminfo)
        monkeypatch.setattr(memory, "CGROUP_ROOT", tmp_path)

    available(two)
    with pytest.raises(ResourceError, match=r"Sampling 4 chains would take .* Set n_chains=2\."):
        sample(problem, settings, seed, Progress())
    assert len(sample(problem, SamplerSettings("tempered", 2, 100), seed, Progress()).chains) == 2
    available(1_000)
    with pytest.raises(ResourceError, match="kernel='paper'"):
        sample(problem, settings, seed, Progress())
    with pytest.raises(ResourceError, match="Projecting the posterior would take"):
        make_target(problem, fitted.posterior_)
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": np.arange(9_000)}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ResourceError, match="ParquetTable"):
        read_file(tmp_path / "t.parquet")


@pytest.mark.filterwarnings("ignore")
def test_a_report_takes_what_was_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each row more, and it is refused before the folds are run where that is too much."""
    rng, peaks, estimates = np.random.default_rng(0), [], []
    for n_rows in (15_000, 45_000):
        X = pd.DataFrame(rng.random((n_rows, 6))).rename(columns="x{}".format)
        y = pd.Series(rng.integers(0, 2, n_rows), name="y")
        how = {"kernel": "paper", "n_iter": 60, "n_chains": 1, "max_cardinality": 1}
        fitted = BayesianRuleListClassifier(random_state=0, **how).fit(X, y)
        table = fitted.model_.read_training(X)
        estimates.append(bytes_of_report(X, table, 2))
        peaks.append(peak_of(lambda f=fitted, X=X, y=y: summarise(f, X, y, folds=2)))
    grown, estimated = peaks[1] - peaks[0], estimates[1] - estimates[0]
    assert estimated / 3 < grown < 1.5 * estimated
    monkeypatch.setattr(memory, "available_memory", lambda: estimates[1] / 2)
    monkeypatch.setattr(report_data, "cross_validate", None)  # which is not reached
    with pytest.raises(ResourceError, match=r"A report with folds on 45,000 rows .* held-out"):
        summarise(fitted, X, y, folds=2)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("place", [".", "job", "slice/job"])
@pytest.mark.parametrize(
    ("limit", "used", "cache", "expected"),
    [
        ("max", 5, 0, 2048.0),
        ("1500", 500, 0, 1000.0),
        ("1500", 1400, 300, 400.0),  # files that were read, which give way
        ("9000", 500, 0, 2048.0),
        ("100", 500, 0, 0.0),
    ],
)
def test_the_limit_of_a_container_counts(
    version: int,
    place: str,
    limit: str,
    used: int,
    cache: int,
    expected: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own, or that of a job or of what is around it, by either version of cgroups."""
    names = memory.FILES[version]
    folder = (tmp_path / "memory" if version == 1 else tmp_path) / place
    (folder / "within").mkdir(parents=True)
    stat = f"rss 1\n{names[2]} {cache}\n"
    for name, text in zip((*names[:2], "memory.stat"), (limit, used, stat), strict=True):
        (folder / name).write_text(str(text))
    (tmp_path / "info").write_text("MemAvailable: 2 kB\n")
    path = "/" if place == "." else f"/{place}/within"
    (tmp_path / "member").write_text(f"3:cpu:/x\n{'4:memory' if version == 1 else '0:'}:{path}\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "info")
    monkeypatch.setattr(memory, "CGROUP_ROOT", tmp_path)
    monkeypatch.setattr(memory, "MEMBERSHIP", tmp_path / "member")
    assert memory.available_memory() == expected
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(memory, "CGROUP_ROOT", tmp_path / "none")
    assert memory.available_memory() == float("inf")


def test_the_limit_of_the_address_space_counts() -> None:
    """That of ``ulimit -v``, which some machines set for everybody."""
    code = "from elseif.memory import available_memory; print(available_memory())"
    command = f"ulimit -v 4000000; exec {sys.executable} -c '{code}'"
    answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert 0 < float(answer.stdout) < 4_000_000 * 1024


def test_a_text_file_takes_what_was_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its first rows; and is refused after them where the rest would not fit."""
    rng, n_rows = np.random.default_rng(0), 60_000
    table = pd.DataFrame({"age": rng.integers(20, 90, n_rows), "value": rng.random(n_rows)})
    for name in ("a", "b", "c"):
        table[name] = rng.choice(["yes", "no"], n_rows)
    table.to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.setattr(text_files, "ROWS_AT_ONCE", 10_000)
    estimates: list[float] = []
    monkeypatch.setattr(
        text_files, "require_memory", lambda what, n_bytes, advice: estimates.append(n_bytes)
    )
    peak = peak_of(lambda: read_file(tmp_path / "rows.csv"))
    assert len(estimates) == 1
    assert peak / 2 < estimates[0] < 2 * peak
    monkeypatch.undo()
    monkeypatch.setattr(text_files, "ROWS_AT_ONCE", 10_000)
    monkeypatch.setattr(memory, "available_memory", lambda: estimates[0] / 2)
    with pytest.raises(ResourceError, match=r"Reading rows\.csv would take about .* Convert it to"):
        read_file(tmp_path / "rows.csv")
