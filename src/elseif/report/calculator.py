"""The calculator: a page that asks for one case and shows the line that applies to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from elseif import __version__
from elseif.checks import did_you_mean
from elseif.errors import ParamError, ParamTypeError
from elseif.export.disclosed import disclosed, disclosed_list
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import RuleList
from elseif.report.calculator_model import (
    LEVEL,
    ShownModel,
    over_lists,
)
from elseif.report.calculator_questions import ask, range_ends
from elseif.report.page import render_page
from elseif.showing.list_text import shown_labels as shown_labels
from elseif.tables.origin import SYNTHETIC, says_so
from elseif.visible import show_name

_ESTIMATE = (
    "The estimate describes past cases that the same line applies to; it does not replace "
    "judgement."
)
NOTE = f"Decision support, not a decision. {_ESTIMATE}"
MEDICAL_NOTE = f"Decision support, not a medical device. {_ESTIMATE}"  # of patients' records
MOST_MODELS = 20


def calculator_page(
    model: Any,
    title: str | None = None,
    units: Mapping[str, str] | None = None,
    questions: Mapping[str, str] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    note: str | None = None,
    min_cell: int | None = None,
    X: Any = None,
    about: Mapping[str, str] | None = None,
) -> str:
    """Write a calculator: one self-contained HTML page that gives the list's answer for one case.

    Parameters
    ----------
    model : BayesianRuleListClassifier, FittedModel or RuleList, or a dict of these
        The list, or a model that contains it. The models of a dict, by name, are shown on one page,
        which asks for each column once.
    title : str, default=None
        Title of the page.
    units, questions, ranges : dict, default=None
        By column: the unit of a number, how to ask for a value, and the expected range. By default,
        units and questions come from the model's labels file, and ranges from the training data.
    note : str, default=None
        The note at the foot of the page and in print. By default, the page says that it supports a
        decision and, for a cohort of patients, that it is not a medical device.
    min_cell : int, default=None
        Round every number of people to multiples of this; risks are computed from rounded counts.
    X : table, default=None
        The training rows. If they are given and the model has its posterior, the page shows a
        second interval for every line, which also covers what the other lists predict for the
        people on it. For several models, a dict of tables by the same names.
    about : dict, default=None
        What users should know, by heading: when to use the calculator, for whom, the source of the
        data. A heading "AUC", "Population" or "Outcome" replaces the page's own text.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import calculator_page
    >>> page = calculator_page(clf, title="Who survived?", questions={"sex": "Sex"})
    >>> "Who survived?" in page
    True
    >>> "over all lists" in calculator_page(clf, X=X)
    True
    >>> women = X["sex"] == "female"
    >>> clf_women = BayesianRuleListClassifier(random_state=0).fit(X[women], y[women])
    >>> both = calculator_page(
    ...     {"Everybody": clf, "Women": clf_women}, about={"When to use": "At sea, in 1912."}
    ... )
    >>> "Everybody" in both and "Women" in both
    True
    """
    if title is not None and not isinstance(title, str):
        raise ParamTypeError(
            f"title must be text, not {type(title).__name__}; rows are given as X=X."
        )
    shown_models = _shown_models(model, X, min_cell)
    wording: dict[str, Mapping[str, Any]] = {
        "units": units or {},
        "questions": questions or {},
        "ranges": ranges or {},
    }
    _check_columns(shown_models, wording)
    asked = ask([(each.name, each.columns) for each in shown_models], wording)
    facts = [_facts(each, about or {}) for each in shown_models]
    parts = [each.data(asked) for each in shown_models]
    for part, known in zip(parts, facts, strict=True):
        part["brief"] = _brief(known, part["hash"])
    is_synthetic = any(each.model.is_synthetic for each in shown_models)
    title = says_so(_title(shown_models) if title is None else title, is_synthetic)
    if note is None:
        note = MEDICAL_NOTE if any(each.model.is_of_patients for each in shown_models) else NOTE
    if is_synthetic and SYNTHETIC not in note:
        note = f"{SYNTHETIC} {note}"
    level = f"{100 * LEVEL:g}%"
    form_data = [question.data() for question in asked]
    data = {
        "title": show_name(title),
        "level": level,
        "version": __version__,
        "note": note,
        "form": _form_key(form_data),
        "questions": form_data,
        "models": parts,
    }
    context = {
        "title": title,
        "note": note,
        "questions": asked,
        "models": [{**part, "facts": fact} for part, fact in zip(parts, facts, strict=True)],
        "notes": {k: v for k, v in (about or {}).items() if k not in facts[0]},
        "level": level,
        "stands_in": any(each.model.predict_with == "posterior" for each in shown_models),
        "roundings": list(
            dict.fromkeys(
                each.model.metadata.rounding.sentence
                for each in shown_models
                if each.model.metadata.rounding is not None
            )
        ),
        "has_over_lists": any(each.over_lists is not None for each in shown_models),
        "version": __version__,
    }
    return render_page("calculator.html", context, data)


def _shown_models(model: Any, X: Any, min_cell: int | None) -> list[ShownModel]:
    """The model, or several by name, each with the data that may be shown."""
    if not isinstance(model, Mapping) or not model:
        return [_shown_model("", model, X, min_cell)]
    if len(model) > MOST_MODELS:
        raise ParamError(f"model has {len(model)} models; a page shows at most {MOST_MODELS}.")
    if X is not None and not (isinstance(X, Mapping) and set(X) <= set(model)):
        raise ParamError("X must be a dict of tables by the names of the models, as model is.")
    tables = X or {}
    return [_shown_model(str(k), m, tables.get(k), min_cell) for k, m in model.items()]


def _shown_model(name: str, model: Any, X: Any, min_cell: int | None) -> ShownModel:
    is_list = isinstance(model, RuleList)
    if isinstance(model, RuleList):
        model = FittedModel.of_list(disclosed_list(model, min_cell))
    model = disclosed(model, min_cell)
    return ShownModel(name, model, not is_list, over_lists(model, X))


def _title(models: Sequence[ShownModel]) -> str:
    events = [each.rule_list.metadata.probability_of(p) for each in models for p in each.places]
    outcomes = {each.outcome for each in models if len(each.places) > 1}
    if len(models) == 1 and len(events) > 1 and None not in outcomes:
        return f"Probability of each {outcomes.pop()}"
    return f"Probability of {events[0]}" if len(set(events)) == 1 else "Calculator"


def _facts(model: ShownModel, about: Mapping[str, str]) -> dict[str, str]:
    """Facts about a model, in the user's own words if given."""
    known = model.facts()
    facts = {heading: str(about.get(heading, text)) for heading, text in known.items()}
    if "AUC" in about:
        facts.setdefault("AUC", str(about["AUC"]))
    return facts


def _brief(facts: Mapping[str, str], model_hash: str) -> str:
    """A model in one line, for texts that are copied."""
    parts = [facts["Population"], *(f"AUC {facts['AUC']}" for _ in range("AUC" in facts))]
    return "; ".join([*parts, *([f"model {model_hash}"] if model_hash else [])])


def _form_key(questions: Sequence[Mapping[str, Any]]) -> str:
    """A key of the questions, so that a link made with others is not read as one of these."""
    asked = [[q["name"], q["kind"], q["options"]] for q in questions]
    return hashlib.sha256(json.dumps(asked).encode("ascii")).hexdigest()[:8]


def _check_columns(models: Sequence[ShownModel], wording: Mapping[str, Mapping[str, Any]]) -> None:
    known = {name: kind for each in models for name, kind in each.model.metadata.kinds.items()}
    for what, by_column in wording.items():
        for name in by_column:
            if name not in known:
                raise ParamError(
                    f"{what}: the model has no column {name!r}; {did_you_mean(name, known)}"
                )
    for name, bounds in wording["ranges"].items():
        range_ends(name, known[name], bounds)
