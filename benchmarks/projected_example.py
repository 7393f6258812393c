"""The worked example of docs/projection.md: deaths after a heart attack, in scikit-survival."""

from __future__ import annotations

import warnings

from sksurv.datasets import load_whas500

from elseif import BayesianRuleListClassifier


def main() -> None:
    X, survival = load_whas500()
    y = survival["fstat"]  # whether the patient died during follow-up
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = BayesianRuleListClassifier(random_state=0, max_iter=200_000).fit(X, y)
        path = clf.project(X, y, max_length=8)
    print(clf.rule_list_)
    print()
    print(path)
    print()
    print(path[4])


if __name__ == "__main__":
    main()
