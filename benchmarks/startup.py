"""What starting costs: imports, --help, and compiling the kernels; CPU time of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from measuring import cpu_time_of_process

PYTHON = sys.executable
BASE = "import numpy, sklearn.base, sklearn.utils.multiclass, sklearn.utils.validation"
# both in one process, so that the large part does not drown the small one
BEYOND = """
import sys, time
{base}
begin = time.process_time()
{statement}
print(time.process_time() - begin)
"""
HELP = "import sys; sys.argv = ['elseif', '--help']; from elseif.cli.main import main; main()"
# mining, sampling with every kernel and both ways to predict, twice: the second is without
# what the first had to compile or load
FIRST_FIT = """
import json, sys, time, warnings
from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
import elseif.compiled, elseif.posterior.collect, elseif.sampler.chains
warnings.simplefilter("ignore")
X, y = load_titanic()
def work():
    begin = time.process_time()
    for kernel in ("paper", "tempered"):
        clf = BayesianRuleListClassifier(kernel=kernel, n_iter=1000, random_state=0).fit(X, y)
        for how in ("point", "posterior"):
            clf.set_params(predict_with=how).predict_proba(X[:10])
    return time.process_time() - begin
first, second = work(), min(work() for _ in range(3))
print(json.dumps([first, second]))
"""


def beyond_base(statement: str, repeats: int = 5) -> float:
    """CPU time of an import once NumPy and scikit-learn are there."""
    program = BEYOND.format(base=BASE, statement=statement)
    outputs = [
        subprocess.run([PYTHON, "-c", program], check=True, capture_output=True).stdout
        for _ in range(repeats)
    ]
    return min(map(float, outputs))


def first_fit(folder: str) -> float:
    """CPU time that the first fit takes beyond later ones, with a cache in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
    done = subprocess.run(
        [PYTHON, "-c", FIRST_FIT],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # that the kernels are being compiled
        text=True,
    )
    first, second = json.loads(done.stdout.splitlines()[-1])
    return float(first - second)


def show(what: str, seconds: float) -> None:
    print(f"  {what:<66}{seconds:>7.2f} s", flush=True)


def main() -> None:
    print("CPU time, the least of 5 processes for imports, of 3 for kernels")
    nothing = cpu_time_of_process([PYTHON, "-c", "pass"])
    base = cpu_time_of_process([PYTHON, "-c", BASE])
    show("Python alone", nothing)
    show("NumPy and the parts of scikit-learn in use", base)
    show("import elseif, beyond those", beyond_base("import elseif"))
    statement = "from elseif import BayesianRuleListClassifier"
    show(f"{statement}, beyond those", beyond_base(statement))
    show("elseif --help, all of it", cpu_time_of_process([PYTHON, "-c", HELP]))
    compiled = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            compiled.append(first_fit(folder))
            cached = min(first_fit(folder) for _ in range(3))
    show("kernels compiled, in an empty cache folder, once", min(compiled))
    show("the same, the slowest of 3", max(compiled))
    show("kernels loaded from the cache", cached)


if __name__ == "__main__":
    main()
