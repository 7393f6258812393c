"""Chains and folds on the back ends of joblib: the same draws wherever they run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

from elseif import BayesianRuleListClassifier
from elseif.evaluation import cross_validate
from elseif.parallel import across_workers, is_lost_worker, works_here
from elseif.progress import Progress, Report
from elseif.sampler import chain_workers
from elseif.sampler.chain import Chain, Room
from elseif.sampler.chain_snapshot import from_arrays
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.snapshot_checks import check_snapshot
from tests.sampler.cases import CASES
from tests.sampler.killing import digest
from tests.tables.fitting import random_frame

pytestmark = [
    pytest.mark.filterwarnings("ignore:The chains have not converged"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of workers that are ended
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of their libraries
]
# Ray is 240 MB, and not among what is installed for tests
WITH_RAY = [pytest.param("ray", marks=pytest.mark.slow)] if find_spec("ray") else []
X, Y = random_frame(n_rows=400, n_columns=12, seed=3)


def fit(**settings: Any) -> BayesianRuleListClassifier:
    given = {"kernel": "tempered", "n_chains": 2, "n_iter": 20_000, "random_state": 5, **settings}
    return BayesianRuleListClassifier(**given).fit(X, Y)


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    """A cluster of two processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def ray() -> Iterator[None]:
    """A Ray cluster of two processes on this machine."""
    import ray as found
    from ray.util.joblib import register_ray

    register_ray()
    found.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    found.shutdown()


@contextmanager
def back_end(name: str, request: pytest.FixtureRequest) -> Iterator[None]:
    if name in ("dask", "ray"):
        request.getfixturevalue(name)
    with joblib.parallel_config(backend=name, n_jobs=2):
        yield


@pytest.fixture(scope="module")
def expected() -> tuple[str, str]:
    """Digests of a fit in threads, and of the folds of a cross-validation."""
    folds = cross_validate(BayesianRuleListClassifier(max_cardinality=1), X, Y, folds=2)
    return digest(fit(), X), folds.probabilities.tobytes().hex()


@pytest.mark.fault(55, "n_jobs and back ends of joblib: threads, processes, a Dask cluster",
                   "the same draws")  # fmt: skip
@pytest.mark.parametrize("name", ["threading", "loky", "dask", *WITH_RAY])
def test_draws_are_the_same_on_any_back_end(
    name: str, expected: tuple[str, str], request: pytest.FixtureRequest
) -> None:
    with back_end(name, request):
        assert works_here() == (name == "threading")
        assert digest(fit(), X) == expected[0]
        classifier = BayesianRuleListClassifier(max_cardinality=1)
        folds = cross_validate(classifier, X, Y, folds=2)
    assert folds.probabilities.tobytes().hex() == expected[1]


class Killing(Progress):
    """Kills a worker when the chains have come back for the first time."""

    def __init__(self, workers: Any) -> None:
        self.workers, self.n_reports, self.killed = workers, 0, 0

    @contextmanager
    def stage(self, what: str, total: int) -> Iterator[Report]:
        def report(done: int) -> None:
            self.n_reports += 1
            if not self.killed:
                self.killed = self.workers()
                os.kill(self.killed, signal.SIGKILL)

        yield report


def sampled(progress: Progress) -> list[np.ndarray]:
    how = SamplerSettings("tempered", 2, 60_000, n_jobs=2)
    problem = CASES["six-antecedents"].problem
    result = sample(problem, how, np.random.SeedSequence(8), progress)
    return [part for chain in result.chains for part in vars(chain).values()]


@pytest.mark.fault(54, "a worker process that is killed, or runs out of memory",
                   "its work is repeated, up to three times, then `ResourceError`")  # fmt: skip
@pytest.mark.parametrize("name", ["loky", "dask"])
def test_a_worker_that_dies_is_replaced(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_workers, "FIRST_STRETCH", 0.05)

    def workers() -> int:
        if name == "loky":
            return next(iter(get_reusable_executor(reuse=True)._processes))
        return next(iter(request.getfixturevalue("dask").run(os.getpid).values()))

    whole = sampled(Progress())
    with back_end(name, request):
        progress = Killing(workers)
        runs = sampled(progress)
    assert progress.killed
    assert progress.n_reports > 1
    for mine, theirs in zip(runs, whole, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def die_once(path: str, value: int) -> int:
    """Ends its process, unless it was here before."""
    if value == 1 and not os.path.exists(path):
        open(path, "w").close()
        os._exit(1)
    return value**2


def test_tasks_of_a_worker_that_dies_are_done_again(tmp_path: Any) -> None:
    with joblib.parallel_config(backend="loky", n_jobs=2):
        tasks = [(str(tmp_path / "died"), k) for k in range(4)]
        assert list(across_workers(die_once, tasks)) == [0, 1, 4, 9]


def test_an_error_of_the_work_is_no_lost_worker() -> None:
    assert not is_lost_worker(ValueError("n_iter"))
    with joblib.parallel_config(backend="loky", n_jobs=2), pytest.raises(TypeError):
        list(across_workers(die_once, [(1,), (2,)]))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_snapshot_is_the_chain(kernel: str) -> None:
    """Anywhere in its course, warm-up and kept half, and through plain arrays."""
    posed = CompiledProblem.of(CASES["six-antecedents"].problem)
    seed, n_iter = np.random.SeedSequence(3), 3_000
    whole = Chain(posed, KERNELS[kernel], seed).run(n_iter)
    rng = np.random.default_rng(0)
    chain = Chain(posed, KERNELS[kernel], seed)
    stops = sorted(rng.integers(1, n_iter, 12).tolist())

    def pause(running: Chain) -> None:
        if stops and running.n_done >= stops[0]:
            stops.pop(0)
            raise chain_workers.Paused

    while True:
        chain.at_pause = pause
        try:
            draws = chain.run(n_iter)
            break
        except chain_workers.Paused:
            snapshot = from_arrays(*chain.snapshot().to_arrays())
            check_snapshot(snapshot, posed, KERNELS[kernel], 0)
            chain = Chain.restored(posed, KERNELS[kernel], snapshot)
    assert len(stops) < 12
    for mine, theirs in zip(vars(draws).values(), vars(whole).values(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("kernel", KERNELS)
def test_runs_do_not_depend_on_pages(kernel: str) -> None:
    """Of any size; a run that is reached on another way has its pages elsewhere."""
    posed = CompiledProblem.of(CASES["six-antecedents"].problem)
    result = []
    for room in (Room(), Room(n_runs=7, n_items=64), Room(n_runs=50, n_items=90)):
        chain = Chain(posed, KERNELS[kernel], np.random.SeedSequence(3), room=room)
        result.append(chain.run(2_000))
    for other in result[1:]:
        for mine, theirs in zip(vars(other).values(), vars(result[0]).values(), strict=True):
            np.testing.assert_array_equal(mine, theirs)
