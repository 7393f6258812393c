"""A model as the server knows it: answers to cases, as plain data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from elseif.antecedents.named_levels import known_levels
from elseif.checks import nearest_name
from elseif.errors import DataError, ElseifError
from elseif.explaining.cells import list_conditions
from elseif.explaining.unknown_values import possibilities
from elseif.export.disclosed import disclosed
from elseif.export.model_file import read_model
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import Rule, RuleList
from elseif.showing.list_text import shown_labels
from elseif.tables.columns import Kind
from elseif.tables.origin import SYNTHETIC

LEVEL = 0.95
MOST_OPEN = 50  # cases with values that are not known, in one request
LARGEST = 1e15  # of a number; whatever is beyond is no measurement
Case = Mapping[str, Any]
Answer = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A fitted model with a name, and a digest that says which version answered.

    Attributes
    ----------
    name : str
        The name in addresses and answers.
    model : FittedModel
        The model.
    sha256 : str
        Checksum of the model file, which calculators show too; empty for a model without one.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.serving import ServedModel
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> served = ServedModel("titanic", clf.model_)
    >>> served.prepare()
    >>> answer = served.answers([{"class": "3rd", "sex": "female", "age": "adult"}])[0]
    >>> answer["rule"], answer["predicted"]
    (2, 'died')
    >>> served.answers([{"class": "1st"}])[0]["ask"]
    ['age', 'sex']
    >>> served.kind("class").value, served.category_type("class")
    ('category', 'text')
    >>> served.description()["outcome"]
    'survival'
    >>> served.explain({"class": "3rd", "sex": "female", "age": "adult"})["text"].splitlines()[0]
    'Probability of survived: 44% (95% credible interval 38% to 51%)'
    """

    name: str
    model: FittedModel
    sha256: str = ""

    @cached_property
    def rule_list(self) -> RuleList:
        """The list that answers."""
        return self.model.chosen_list()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that the list asks for."""
        return tuple(list_conditions(self.rule_list))

    @cached_property
    def explained_columns(self) -> tuple[str, ...]:
        """The columns that an explanation needs: it says what other lists predict too."""
        if self.model.posterior is None:
            return self.columns
        in_pool = {condition.column for condition in self.model.pool.conditions}
        return tuple(name for name in self.rule_list.metadata.kinds if name in in_pool)

    @cached_property
    def levels(self) -> Mapping[str, tuple[Any, ...]]:
        """The levels of columns whose levels are all known."""
        return known_levels(self.model.fit_report.columns)

    def kind(self, column: str) -> Kind:
        """The kind of a column.

        Parameters
        ----------
        column : str
            Its name.

        Returns
        -------
        Kind
            Boolean, numeric, date, category or ordered.
        """
        return self.rule_list.metadata.kinds[column]

    def category_type(self, column: str) -> str:
        """What the categories of a column are.

        Parameters
        ----------
        column : str
            Its name.

        Returns
        -------
        str
            "text", "number" or "boolean".
        """
        report = self.model.column(column)
        return (report.levels_hold if report else None) or "text"

    def answers(self, cases: Sequence[Case]) -> list[Answer]:
        """The line of the list that applies to each case, with its probabilities.

        Parameters
        ----------
        cases : sequence of dict
            Values by column. None is a missing value; a column that is left out is not known, and
            the answer then has all lines that could apply.

        Returns
        -------
        list of dict
            In the order of the cases.
        """
        cases = [self._checked(case) for case in cases]
        whole = [i for i, case in enumerate(cases) if all(name in case for name in self.columns)]
        n_open = len(cases) - len(whole)
        if n_open > MOST_OPEN:
            raise DataError(
                f"{n_open:,} cases lack columns that the list uses; a request may have at most "
                f"{MOST_OPEN} of these, because each needs a search over all possible values."
            )
        answers: list[Answer | None] = [None] * len(cases)
        for i, answer in zip(whole, self._of_known([cases[i] for i in whole]), strict=True):
            answers[i] = answer
        return [
            answer if answer is not None else self._of_unknown(cases[i])
            for i, answer in enumerate(answers)
        ]

    def _checked(self, case: Case) -> Case:
        """A case whose columns the model has, with values that they can hold."""
        known = self.rule_list.metadata.kinds
        for name in case:
            if name not in known:  # a misspelt one would be taken for one that is not known
                near = nearest_name(name, known)
                hint = f" Did you mean {near!r}?" if near else ""
                raise DataError(f"The model has no column {name[:100]!r}.{hint}")
        return {
            name: _checked(value, name, known[name], self.category_type(name))
            for name, value in case.items()
        }

    def _of_known(self, cases: Sequence[Case]) -> list[Answer]:
        """Answers for cases whose values are all known: one table for all of them."""
        if not cases:
            return []
        if not self.columns:
            return [self._line(len(self.rule_list.rules) - 1)] * len(cases)
        table = pd.DataFrame(
            {name: pd.Series([case[name] for case in cases], dtype=object) for name in self.columns}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of values never seen: no condition holds
            captured = self.rule_list.captured_by(table)
        return [self._line(int(line)) for line in captured]

    def _of_unknown(self, case: Case) -> Answer:
        """The answer where values are not known: one line all the same, or what could apply."""
        known = {name: case[name] for name in self.columns if name in case}
        open_answer = possibilities(self.rule_list, known, self.levels)
        if open_answer.is_decided:
            return self._line(open_answer.places[0])
        labels = self.rule_list.metadata.label_names
        return {
            "rule": None,
            "possible_rules": [line + 1 for line in open_answer.places],
            "probabilities": [
                {"label": label, "lowest": low, "highest": high}
                for label, low, high in zip(labels, open_answer.low, open_answer.high, strict=True)
            ],
            "ask": list(open_answer.questions),
        }

    def _line(self, line: int) -> Answer:
        return self._lines[line]

    @cached_property
    def _lines(self) -> list[Answer]:
        return [self._answer_of(line, rule) for line, rule in enumerate(self.rule_list.rules)]

    def _answer_of(self, line: int, rule: Rule) -> Answer:
        labels, classes = self.rule_list.metadata.label_names, self.rule_list.classes
        best = int(rule.probabilities.argmax())
        return {
            "rule": line + 1,
            "condition": rule.text or "else",
            "probabilities": [
                {
                    "label": label,
                    "probability": float(rule.probabilities[i]),
                    "interval": [float(end) for end in rule.interval(classes[i], LEVEL)],
                }
                for i, label in enumerate(labels)
            ],
            "predicted": labels[best],
        }

    def explain(self, case: Case) -> dict[str, Any]:
        """Why the list answers as it does for one case, and what would change it.

        Parameters
        ----------
        case : dict
            Values of all columns that lists of the model ask for.

        Returns
        -------
        dict
            The explanation as plain data, and as text.
        """
        known = self._checked(case)
        absent = [name for name in self.explained_columns if name not in known]
        if absent:
            raise DataError(
                f"The case has no column {absent[0]!r}, which an explanation needs. Give its "
                "value, or null if it is missing."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            explanation = self.model.explain(known, level=LEVEL)
        text = explanation.to_text()
        if self.model.is_synthetic:
            text = f"{SYNTHETIC}\n\n{text}"
        return {"explanation": explanation.to_dict(), "text": text}

    def prepare(self) -> None:
        """Explain a case without values, so that no request waits for code to be compiled."""
        with suppress(ElseifError):
            self.explain(dict.fromkeys(self.explained_columns))

    @property
    def identity(self) -> dict[str, Any]:
        """Which model answers, and whether it was learnt from synthetic patients."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "synthetic": self.model.is_synthetic,
        }

    def description(self) -> dict[str, Any]:
        """What the model predicts, from what, and how it reads.

        Returns
        -------
        dict
            Name, digest, outcome, labels, columns and the list as text.
        """
        metadata = self.rule_list.metadata
        return {
            **self.identity,
            "outcome": metadata.outcome,
            "labels": list(metadata.label_names),
            "shown_labels": [metadata.label_names[i] for i in shown_labels(self.rule_list)],
            "n": self.model.n,
            "edited": self.model.edited is not None,
            "recalibrated": self.model.recalibrated is not None,
            "columns": [
                {
                    "name": name,
                    "kind": self.kind(name).value,
                    "levels": [str(level) for level in self.levels.get(name, ())] or None,
                }
                for name in self.columns
            ],
            "rule_list": self.rule_list.to_text(),
        }


def serve_file(
    path: str | os.PathLike[str], name: str | None = None, min_cell: int | None = None
) -> ServedModel:
    """Read a model file to be served.

    Parameters
    ----------
    path : str or path
        The model file.
    name : str, default=None
        The name in addresses; without it, the file's own.
    min_cell : int, default=None
        Round every number of people to multiples of this; risks are computed from rounded counts.

    Returns
    -------
    ServedModel
        The model.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier, save_model
    >>> from elseif.datasets import load_titanic
    >>> from elseif.serving import serve_file
    >>> X, y = load_titanic(split="paper")
    >>> _ = save_model(BayesianRuleListClassifier(random_state=0).fit(X, y), "titanic.json")
    >>> served = serve_file("titanic.json")
    >>> served.name, len(served.sha256)
    ('titanic', 64)
    """
    path = Path(path)
    model = read_model(path)
    return ServedModel(name or path.stem, disclosed(model, min_cell), model.sha256 or "")


def _checked(value: Any, name: str, kind: Kind, category: str) -> Any:
    """A value of a JSON document that a column of this kind can hold.

    Stricter than tables of text are read: a program that sends "80" for a number has a mistake.
    """
    if value is None:
        return None
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise DataError(
            f"The value of {name!r} has an unpaired surrogate, which is not valid Unicode."
        )
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    beyond = f" from {-LARGEST:g} to {LARGEST:g}" if is_number and abs(value) > LARGEST else ""
    is_number = is_number and not beyond
    if kind is Kind.NUMERIC:
        fits, wanted = is_number, f"a number{beyond}"
    elif kind is Kind.BOOLEAN:
        if isinstance(value, bool) or (is_number and value in (0, 1)):
            return bool(value)
        fits, wanted = False, "true or false"
    elif kind is Kind.DATE:
        fits, wanted = isinstance(value, str), "a date such as '2026-01-31'"
    elif category == "number":
        fits, wanted = is_number, "a number that is one of its categories"
    elif category == "boolean":
        fits, wanted = isinstance(value, bool), "true or false"
    else:
        fits, wanted = isinstance(value, str), "one of its categories, as text"
    if fits:
        return value
    named = {"list": "a list", "dict": "an object"}
    shown = named.get(type(value).__name__) or repr(value)[:100]
    raise DataError(f"The value of {name!r} is {shown}; it must be {wanted}, or null if missing.")
