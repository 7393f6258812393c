"""How long the search for the projected list takes, beside the fit that it follows."""

from __future__ import annotations

import time
import warnings

from problems import stroke_shaped

from elseif import BayesianRuleListClassifier, SparseTable
from elseif.projection.project import problem_of_draft, project_problem

N_FEATURES = 240  # the popular ones: rarer ones are in no antecedent
SHAPES = (12_586, 100_000)


def main() -> None:
    print(f"{'rows':>8}{'pool':>7}{'rules':>7}{'fit, s':>9}{'search, CPU s':>15}")
    for n in SHAPES:
        drawn = stroke_shaped(n, N_FEATURES)
        X = SparseTable(drawn.X, drawn.names)
        clf = BayesianRuleListClassifier(random_state=0, n_iter=20_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            clf.fit(X, drawn.y)
            fitted = time.perf_counter() - start
            draft = clf.edit(X, drawn.y)
        problem, length = problem_of_draft(draft), len(clf.rule_list_)
        if n == SHAPES[0]:
            project_problem(problem, clf.posterior_, clf.rule_list_, 1)  # compiles
        start = time.process_time()  # in this process alone, whatever else the machine does
        project_problem(problem, clf.posterior_, clf.rule_list_, length)
        searched = time.process_time() - start
        print(f"{n:8,}{len(clf.pool_):7,}{length:7}{fitted:9.1f}{searched:15.1f}", flush=True)


if __name__ == "__main__":
    main()
