"""The edited list's document: a round trip to the letter, and refusals in words."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.errors import DataError, ParamError
from elseif.report.edited_list import FORMAT, VERSION, antecedent_document, read_edited_list

CONDITIONS = (
    Condition("smoker", "is true"),
    Condition("smoker", "is false"),
    Condition("ldl", "is missing"),
    Condition("age", ">", 60.0),
    Condition("age", "between", (0.1 + 0.2, np.float64(1e300))),
    Condition("x", "<=", 1e-320),
    Condition("code", "=", np.int64(2**62 + 1)),
    Condition("code", "in", (1, 2, 3)),
    Condition("day", "<", np.datetime64("2020-02-29T12:30:00.000001")),
    Condition("nyha", "<=", "II", ("I", "II", "III")),
    Condition("</script>\n\u202e", "!=", "a & b", ("a & b", "c")),
)


def saved(folder: Path, text: str) -> Path:
    path = folder / "list.json"
    path.write_text(text, encoding="utf-8")
    return path


def document(antecedents: list[Any], **changes: Any) -> str:
    return json.dumps(
        {"format": "elseif edited list", "version": 1, "antecedents": antecedents, **changes}
    )


def test_round_trip(tmp_path: Path) -> None:
    """Values of every type come back equal, numbers to the last bit."""
    antecedents = [Antecedent([condition]) for condition in CONDITIONS]
    antecedents.append(Antecedent(CONDITIONS[:4]))
    documents = [json.loads(antecedent_document(antecedent)) for antecedent in antecedents]
    result = read_edited_list(saved(tmp_path, document(documents)))
    for antecedent, expected in zip(result, antecedents, strict=True):
        assert [c.sort_key() for c in antecedent] == [c.sort_key() for c in expected]
        assert [c.order for c in antecedent] == [c.order for c in expected]
        assert antecedent.name == expected.name
    assert read_edited_list(saved(tmp_path, document([]))) == []


def test_dates_of_any_type_are_dates() -> None:
    """Python's own dates are written as dates."""
    document = antecedent_document(Antecedent([Condition("day", "<", datetime.date(2020, 1, 1))]))
    assert json.loads(document)[0]["value"] == {"date": "2020-01-01T00:00:00.000000"}


def condition(**changes: Any) -> list[Any]:
    return [[{"column": "age", "operator": ">", "value": 60, **changes}]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not an edited list"),
        ("[" * 100_000, "is not an edited list"),
        ("[]", "is not an edited list"),
        (document([], format="elseif model"), "is not an edited list"),
        (document([], version=2), "has version 2; this elseif reads 1"),
        (document(7), "contains no list of antecedents"),  # type: ignore[arg-type]
        (document([[]]), "rule 1: a rule is a list of one or more conditions"),
        (document([["age"]]), "rule 1: a condition has column, operator, order, value"),
        (document(condition(extra=1)), "and nothing else"),
        (document(condition(column=3)), "a column's name is text, not 3"),
        (document(condition(operator="~")), "'~' is not an operator"),
        (document(condition(operator=["="])), "is not an operator"),
        (document(condition(order=3)), "the order of categories is a list"),
        (document(condition(value=None)), "'>' cannot have the value None"),
        (document(condition(operator="in")), "'in' cannot have the value 60"),
        (document(condition(operator="is true")), "'is true' cannot have the value 60"),
        (document(condition(operator="between", value={"tuple": [1]})), "needs two values, not 1"),
        (document(condition(value={"date": "yesterday"})), "'yesterday' is not a date"),
        (document(condition(value={"date": 5})), "5 is not a date"),
        (document(condition(value={"call": "x"})), "cannot be the value of a condition"),
        (document(condition() * 2), "has the rule 'age > 60' twice"),
    ],
)
def test_refusals(text: str, says: str, tmp_path: Path) -> None:
    """A damaged or doctored file is refused, with what is wrong and where."""
    with pytest.raises(DataError) as caught:
        read_edited_list(saved(tmp_path, text))
    assert says in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absent, too large, or of another encoding."""
    with pytest.raises(DataError, match=r"absent\.json: there is no such file"):
        read_edited_list(tmp_path / "absent.json")
    path = tmp_path / "list.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="is not an edited list"):
        read_edited_list(path)
    monkeypatch.setattr("elseif.report.edited_list.LARGEST", 1)
    with pytest.raises(DataError, match="has 2 bytes"):
        read_edited_list(path)


def test_values_that_no_file_holds() -> None:
    """An object is not turned into text behind one's back."""
    with pytest.raises(ParamError, match="cannot be stored in a file"):
        antecedent_document(Antecedent([Condition("x", "=", object())]))


@pytest.mark.parametrize("value", ["1" + "0" * 400, "1e999", "NaN"])
def test_numbers_that_no_column_holds(value: str, tmp_path: Path) -> None:
    path = tmp_path / "edited.json"
    condition = f'{{"column": "age", "operator": ">", "value": {value}, "order": null}}'
    path.write_text(
        f'{{"format": "{FORMAT}", "version": {VERSION}, "antecedents": [[{condition}]]}}'
    )
    with pytest.raises(DataError, match="is not an edited list"):
        read_edited_list(path)
