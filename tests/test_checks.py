"""What users meant by a name that is not there."""

from __future__ import annotations

import pytest

from elseif.checks import did_you_mean, nearest_name

NAMES = ["Sepsis within 30 d", "Age (years)", "BMI", "systolic_bp", "diastolic_bp", "stroke"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("stoke", "stroke"),
        ("STROKE", "stroke"),
        ("sepsis", "Sepsis within 30 d"),
        ("30 d", "Sepsis within 30 d"),
        ("age", "Age (years)"),
        ("bmi", "BMI"),
        ("systolic", "systolic_bp"),
        ("systolic bp", "systolic_bp"),
        ("stroke within a year of diagnosis", "stroke"),
        ("_bp", None),  # two have it
        ("x", None),
        ("weight", None),
        ("", None),
    ],
)
def test_nearest_name(name: str, meant: str | None) -> None:
    assert nearest_name(name, NAMES) == meant


def test_a_beginning_comes_before_what_is_spelt_somewhat_alike() -> None:
    names = ["MRN", "Admit Date", "Readmitted within 30 d"]
    assert nearest_name("readmitted", names) == "Readmitted within 30 d"


def test_did_you_mean_says_what_there_is_where_nothing_is_like_it() -> None:
    assert did_you_mean("sepsis", NAMES) == "did you mean 'Sepsis within 30 d'?"
    assert did_you_mean("weight", NAMES).startswith("there are 'Sepsis within 30 d', 'Age")
    assert did_you_mean("weight", []) == "there is none."


def test_a_text_of_a_megabyte_is_compared_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letter by letter that takes seconds, and a request to a server may hold one."""
    monkeypatch.setattr("difflib.get_close_matches", None)
    assert nearest_name("age" * 300_000, NAMES) is None
