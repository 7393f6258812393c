"""A report's out-of-sample performance, for a calculator of the same list."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.errors import DataError
from elseif.fitted_model import FittedModel
from elseif.report.wording import estimate, how_validated

if TYPE_CHECKING:
    from elseif.report.summary import Summary

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def performance(summary: Summary | Mapping[str, Any]) -> dict[str, str]:
    """A description of how well a list predicts, for the argument ``about`` of a calculator.

    Parameters
    ----------
    summary : Summary or dict
        A report's numbers, or what ``to_dict`` gave of them.

    Returns
    -------
    dict of str to str
        The AUC; with three or more labels, that of each. Empty if the numbers are not those of the
        list that a calculator shows, such as those of an average over lists.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.report import calculator_page, performance, summarise
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> about = performance(summarise(clf, X, y, folds=2))
    >>> list(about), about["AUC"] in calculator_page(clf, about=about)
    (['AUC'], True)
    """
    content = summary if isinstance(summary, Mapping) else summary.to_dict()
    about, validation = content["about"], content["validation"]
    if about["predicts"] == "posterior":
        return {}
    if len(about["labels"]) > 2:
        rows = validation.get("by_label") or []
        of_each = [(f"{row['name']} ", row["auc"]) for row in rows]
    else:
        of_each = [("", validation["discrimination"]["auc"])]
    if not of_each or any(auc["value"] is None for _, auc in of_each):
        return {}
    measured = ", ".join(name + estimate(auc, 2) for name, auc in of_each)
    return {"AUC": f"{measured}, {how_validated(validation)}"}


def performance_in_report(path: Path, model: FittedModel) -> dict[str, str]:
    """The performance that an earlier report on the same model states, by heading."""
    try:
        data = _DATA.search(path.read_text(encoding="utf-8"))
        content = json.loads(data[1]) if data is not None else {}
    except (UnicodeDecodeError, ValueError):
        content = {}
    if "validation" not in content or "discrimination" not in (content["validation"] or {}):
        raise DataError(f"{path.name} is not a report made by elseif.")
    if not _is_of(content, model):
        raise DataError(
            f"{path.name} is a report on another list, or on another training table. Give the "
            "report on this model."
        )
    return performance(content)


def _is_of(content: Mapping[str, Any], model: FittedModel) -> bool:
    rules = model.chosen_list().rules
    lines, own = content["lines"], model.training.get("fingerprint")
    stated = content["about"]["fingerprint"]
    same_data = own is not None and stated == str(own)
    if own is not None and stated is not None and not same_data:
        return False
    if [line["condition"] for line in lines[:-1]] == [rule.text for rule in rules[:-1]]:
        return True
    # in the words of a labels file the same list reads otherwise, but captures the same people
    return same_data and [line["n"] for line in lines] == [float(rule.n) for rule in rules]
