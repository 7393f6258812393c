"""A program that prints digests of the draws of short chains: compiled, or as plain Python."""

from __future__ import annotations

import dataclasses
import hashlib
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.sampler.chain import Chain, Room
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.move_mix import KERNELS
from tests.sampler.cases import CASES

N_ITER = 600


def digest(arrays: object) -> str:
    """Of the bytes of some arrays."""
    result = hashlib.sha256()
    for array in arrays:
        result.update(np.ascontiguousarray(array).tobytes())
    return result.hexdigest()


def main() -> None:
    """Chains whose room grows, in dense, lazy and weighted problems; whole fits; an exact sum."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ConvergenceWarning)
    for kernel in KERNELS:
        for name in ("six-antecedents", "three-labels-lazy", "three-weighted", "one-cardinality"):
            seed = np.random.SeedSequence(3)
            room = Room(capacity=1, n_runs=7, n_items=2)
            runs = Chain(CASES[name].compiled, KERNELS[kernel], seed, room=room).run(N_ITER)
            fields = [getattr(runs, field.name) for field in dataclasses.fields(runs)]
            print(kernel, name, len(runs.n_draws), digest(fields))
        X, y = load_titanic("paper")
        clf = BayesianRuleListClassifier(
            kernel=kernel, n_iter=N_ITER, n_chains=1, max_cardinality=3, random_state=0
        ).fit(X, y)
        lists = clf.posterior_.distinct
        draws = [chain.n_draws for chain in clf.posterior_.chains]
        counts = [lists.items, lists.label_counts, lists.log_posterior]
        print(kernel, "titanic", len(clf.pool_), len(lists), digest([*counts, *draws]))
    summed = ExactSum.of(CASES["six-antecedents"].problem).summaries()
    print("exact sum", digest([summed.length_probabilities, summed.inclusion]))


if __name__ == "__main__":
    main()
