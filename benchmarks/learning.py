"""How long it takes to learn the prior's parameters on ordinary tables, and what is learnt.

    python benchmarks/learning.py --tables wine breast_cancer

CPU seconds of the search alone, before the fit with what it has found.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

from public_tables import public_tables
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.sampler import learning

NAMES = ("expected_length", "expected_cardinality", "pseudocounts")
TABLES = ("wine", "breast_cancer")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--names", nargs="+", default=NAMES, help="what is learnt together")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments or [])
    search, seconds, rounds = learning._learn_by_chains, [0.0], [0]
    sample = learning.sample

    def timed(*given: Any) -> learning.Search:
        begin = time.process_time()
        result = search(*given)
        seconds[0] = time.process_time() - begin
        return result

    def counted(*given: Any) -> Any:
        rounds[0] += 1
        return sample(*given)

    learning._learn_by_chains, learning.sample = timed, counted
    for table in public_tables(names=options.tables):
        X, y = table.load()
        rounds[0] = 0
        settings: dict[str, Any] = dict.fromkeys(options.names, "learn")
        clf = BayesianRuleListClassifier(
            n_iter=2_000, random_state=options.seed, n_jobs=1, **settings
        )
        with warnings.catch_warnings():  # of the short fit that follows
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(X, y)
        note = next(n for n in clf.fit_report_.notes if n.startswith("Learnt"))
        print(f"{table.name}: {rounds[0]} rounds, {seconds[0]:.1f} CPU s. {note}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
