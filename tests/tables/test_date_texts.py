"""Dates as people write them, in files and in data frames, in fit and afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.errors import DataError, ParamError
from elseif.evaluation import cross_validate
from elseif.report import summarise
from elseif.tables import TextFormat, read_file
from elseif.tables.date_texts import is_spelt_as_date, parse_date

DAYS = [date(2015, 1, 1) + timedelta(days=int(d)) for d in np.arange(300) * 5]
LATE = [day > date(2017, 7, 1) for day in DAYS]


def written(pattern: str) -> list[str]:
    return [day.strftime(pattern) for day in DAYS]


def csv_of(dates: list[str], folder: Path, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(
        "seen;late\n" + "".join(f"{d};{int(y)}\n" for d, y in zip(dates, LATE, strict=True))
    )
    return path


PATTERNS = {
    "year first": "%Y-%m-%d",
    "year first, slashes": "%Y/%m/%d",
    "day first, points": "%d.%m.%Y",
    "day first, slashes": "%d/%m/%Y",
    "day first, dashes": "%d-%m-%Y",
    "month first": "%m/%d/%Y",
    "with a time": "%d.%m.%Y 00:00",
    "with half days": "%m/%d/%Y 12:00:00 AM",
    "SAS": "%d%b%Y",
    "Oracle": "%d-%b-%Y",
    "month in letters": "%B %d, %Y",
}


@pytest.mark.parametrize("name", PATTERNS)
def test_read_from_a_file(name: str, tmp_path: Path) -> None:
    table = read_file(csv_of(written(PATTERNS[name]), tmp_path))
    assert table["seen"].dt.date.tolist() == DAYS


@pytest.mark.parametrize("name", PATTERNS)
def test_read_from_a_data_frame_that_is_told(name: str) -> None:
    """The same list as of dates; and the same predictions for texts as for dates."""
    texts = pd.DataFrame({"seen": written(PATTERNS[name])})
    dates = pd.DataFrame({"seen": pd.to_datetime(DAYS)})
    clf = BayesianRuleListClassifier(random_state=0, n_iter=2000, kinds={"seen": "date"})
    by_text, by_date = clf.fit(texts, LATE).rule_list_.to_text(), clf.predict_proba(dates)
    assert by_text == clf.fit(dates, LATE).rule_list_.to_text()
    np.testing.assert_array_equal(by_date, clf.predict_proba(dates))


def few(*texts: str) -> pd.DataFrame:
    return pd.DataFrame({"seen": list(texts)})


@pytest.mark.parametrize("order", ["dmy", "mdy"])
def test_an_order_that_is_told(order: str) -> None:
    """By kinds in Python; folds of a report keep an order that their own rows do not show."""
    pattern = {"dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y"}[order]
    ambiguous = [day for day in DAYS if day.day <= 12]
    y = [day > date(2017, 3, 1) for day in ambiguous]
    texts = few(*(day.strftime(pattern) for day in ambiguous))
    clf = BayesianRuleListClassifier(random_state=0, n_iter=2000, kinds={"seen": "date"})
    with pytest.raises(DataError, match=r"kinds=\{'seen': 'dmy'\} or kinds=\{'seen': 'mdy'\}"):
        clf.fit(texts, y)
    clf.set_params(kinds={"seen": order}).fit(texts, y)
    dates = few(*(day.isoformat() for day in ambiguous))
    np.testing.assert_array_equal(clf.predict_proba(texts), clf.predict_proba(dates))
    cross_validate(clf, texts, pd.Series(y, name="late"), folds=2)


def test_folds_of_a_report_keep_the_order_of_the_whole_table() -> None:
    """One row shows it, and is in one fold only."""
    days = [day for day in DAYS if day.day <= 12]
    days[0] = date(2015, 1, 31)
    texts = few(*(day.strftime("%d/%m/%Y") for day in days))
    y = pd.Series([day > date(2017, 3, 1) for day in days], name="late")
    clf = BayesianRuleListClassifier(random_state=0, n_iter=2000, kinds={"seen": "date"})
    assert summarise(clf.fit(texts, y), texts, y, folds=2).validation is not None


REFUSED: dict[str, tuple[list[str], dict[str, Any], tuple[str, ...]]] = {
    "nothing shows": (["03/04/2021", "01/02/2021"], {}, ("'03/04/2021'", "date_format='dmy'")),
    "both orders": (["31/12/2021", "12/31/2021"], {}, ("line 3", "'12/31/2021'", "the day first")),
    "told otherwise": (["31/12/2021"] * 2, {"date_format": "mdy"}, ("line 2", "the month first")),
    "no such day": (["31.02.2021", "01.02.2021"], {}, ("line 2", "'31.02.2021'")),
    "no century": (["31.12.21", "01.02.22"], {}, ("line 2", "date_format='%d.%m.%y'")),
    "no century, month first": (["1/2/21", "12/31/21"], {}, ("date_format='%m/%d/%y'",)),
    "a word": (["31.12.2021", "01.02.2021", "later"], {}, ("line 4", "na_values='later'")),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_do(name: str, tmp_path: Path) -> None:
    texts, given, words = REFUSED[name]
    path = tmp_path / "t.csv"
    path.write_text("seen,n\n" + "".join(f"{text},1\n" for text in texts))
    with pytest.raises(DataError) as refusal:
        read_file(path, text=TextFormat(**given))
    for word in ("'seen'", *words):
        assert word in str(refusal.value)
    read_file(path, kinds={"seen": "category"})  # which is always possible


@pytest.mark.parametrize(
    ("texts", "told", "first"),
    [
        (["31.12.21", "01.02.22"], {"date_format": "%d.%m.%y"}, "2021-12-31"),
        (["03/04/2021", "01/02/2021"], {"date_format": "mdy"}, "2021-03-04"),
        (["03/04/2021", "01/02/2021"], {"date_orders": {"seen": "mdy"}}, "2021-03-04"),
        (["05/05/2021", "07/07/2021"], {}, "2021-05-05"),
        (["12.31.2021", "01.02.2021"], {}, "2021-12-31"),
        (["31.12.2021", "."], {}, "2021-12-31"),
        (["2021-12-31T23:30:00-02:00", "2021-12-31T23:30:00Z"], {}, "2022-01-01"),
    ],
)  # fmt: skip
def test_read_right(texts: list[str], told: dict[str, Any], first: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("seen,n\n" + "".join(f"{text},1\n" for text in texts))
    assert str(read_file(path, text=TextFormat(**told))["seen"][0].date()) == first


def test_one_column_shows_the_order_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("born,seen\n03/04/1950,31/12/2020\n01/02/1960,30/11/2020\n")
    assert read_file(path)["born"].dt.month.tolist() == [4, 2]
    path.write_text("born,seen,left\n03/04/1950,31/12/2020,12/31/2020\n")
    with pytest.raises(DataError, match="'born'"):  # two columns show two orders
        read_file(path)


def test_versions_and_other_numbers_with_points_are_no_dates(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("version,ward\n1.2.3,3/4\n10.20.30,5/6\n")
    with pytest.raises(DataError, match="among numbers"):
        read_file(path)
    assert read_file(path, kinds={"version": "category"})["ward"].tolist() == ["3/4", "5/6"]


@pytest.mark.parametrize("wrong", ["dym", "day first", ""])
def test_a_format_that_cannot_be(wrong: str) -> None:
    with pytest.raises(ParamError, match="'dmy'"):
        TextFormat(date_format=wrong)


def test_text_that_is_dates_is_noticed_in_a_data_frame() -> None:
    X = few(*written("%d.%m.%Y"))
    with pytest.warns(UserWarning, match=r"are dates. Set kinds=\{'seen': 'date'\}"):
        BayesianRuleListClassifier(random_state=0, n_iter=2000, empty_pool="default_rule").fit(
            X, LATE
        )


@pytest.mark.parametrize("to", [lambda X: X, pd.DataFrame.to_numpy, lambda X: X.astype("category")])
def test_every_container(to: Callable[[pd.DataFrame], Any]) -> None:
    X = to(few(*written("%m/%d/%Y")))
    name = "x0" if isinstance(X, np.ndarray) else "seen"
    clf = BayesianRuleListClassifier(
        random_state=0, n_iter=2000, kinds={name: "date"}, cuts={name: ["2016-01-01", "2017-08-01"]}
    ).fit(X, LATE)
    assert clf.model_.date_orders == {name: "mdy"}
    assert clf.score(X, LATE) > 0.95


@pytest.mark.parametrize(
    "text", ["2021", "2021-13", "12:30", "31.12", "31/12/21", "now", "1/2/3/2021"]
)
def test_what_is_no_date(text: str) -> None:
    assert not is_spelt_as_date(text)


@pytest.mark.parametrize("text", ["31/31/2021", "12/31/2021 13:00 PM", "30 Feb 2021", "x"])
def test_what_is_spelt_as_one_and_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_date(text, "mdy")
