"""What a report measured, in calculators that are written with it or after it."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from elseif.report.out_of_sample import performance
from tests.cli.conftest import QUICK, Run


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("performance") / "t.csv"
    lines = [
        f"{i % 50},{i % 3},{['low', 'mid', 'high'][(i % 50 > 25) + (i % 7 == 3)]}"
        for i in range(300)
    ]
    path.write_text("age,ward,risk\n" + "\n".join(lines) + "\n")
    return path


def auc_of(page: Path) -> str | None:
    match = re.search(r"<dt>AUC</dt><dd>(.*?)</dd>", page.read_text(encoding="utf-8"))
    return None if match is None else html.unescape(match[1])


def test_a_calculator_tells_the_auc_of_its_report(
    elseif: Run, folder: Path, tmp_path: Path
) -> None:
    model, rows = folder / "titanic.json", folder / "titanic.csv"
    report, together, later = (tmp_path / name for name in ("r.html", "c.html", "later.html"))
    ended = elseif("report", model, rows, "--folds", "2", "--out", report, "--calculator", together)
    assert ended.code == 0, ended.err
    auc = auc_of(together)
    assert auc is not None
    assert re.fullmatch(r"0\.\d\d \(.*\), out of sample, 2-fold cross-validation", auc)
    assert 'href="c.html"' in report.read_text(encoding="utf-8")
    made = ["export", model, "--to", "calculator", "--out", later, "--force"]
    assert elseif(*made).code == 0
    assert auc_of(later) != auc
    assert elseif(*made, "--report", report).code == 0
    assert auc_of(later) == auc
    assert elseif(*made, "--report", report, "--about", "AUC=0.5, by hand").code == 0
    assert auc_of(later) == "0.5, by hand"
    # of another model, of no report, and where it has no place
    refused = elseif("export", folder / "mixed.json", "--to", "calculator", "--report", report)
    assert (refused.code, "another list" in refused.err) == (3, True)
    refused = elseif(*made, "--report", together)
    assert (refused.code, "is not a report made by elseif" in refused.err) == (3, True)
    refused = elseif(*made, "--report", tmp_path / "none.html")
    assert (refused.code, "there is no such file" in " ".join(refused.err.split())) == (2, True)
    refused = elseif("export", model, "--to", "sql", "--report", report)
    assert (refused.code, "--to calculator" in refused.err) == (2, True)


def test_one_of_three_labels(elseif: Run, table: Path) -> None:
    """Without --positive all probabilities are printed, with it those of one."""
    fit = ["fit", table, "--label", "risk", *QUICK]
    every, one = elseif(*fit), elseif(*fit, "--positive", "high")
    assert every.code == one.code == 0, one.err
    assert every.out.startswith("Probability of each label")
    assert one.out.startswith("Probability of high ")
    assert "without --positive" in " ".join(one.out.split())
    refused = elseif(*fit, "--positive", "hihg")
    assert "Did you mean 'high'?" in refused.err


def test_a_calculator_of_three_labels_says_what_of(
    elseif: Run, table: Path, tmp_path: Path
) -> None:
    """The title and the facts name the outcome, and the AUC of each label is the report's."""
    page = tmp_path / "c.html"
    fit = ["fit", table, "--label", "risk", "--calculator", page, "--report", tmp_path / "r.html"]
    ended = elseif(*fit, *QUICK)
    assert ended.code == 0, ended.err
    content = page.read_text(encoding="utf-8")
    assert "<title>Probability of each risk</title>" in content
    assert re.search(r"<dt>Outcome</dt><dd>risk: high in ", content)
    auc = auc_of(page)
    assert auc is not None
    each = r"{} [01]\.\d\d \(.*?\)"
    pattern = ", ".join(each.format(label) for label in ("high", "low", "mid"))
    assert re.fullmatch(rf"{pattern}, out of sample, 5-fold cross-validation", auc), auc


def test_yes_and_no_in_other_languages(elseif: Run, table: Path) -> None:
    """The outcome has the column's name, as with yes and no."""
    german = table.with_name("german.csv")
    rows = table.read_text().splitlines()[1:]
    lines = [f"{row.rsplit(',', 1)[0]},{'nein' if row.endswith('low') else 'ja'}" for row in rows]
    german.write_text("age,ward,Rückfall\n" + "\n".join(lines) + "\n", encoding="utf-8")
    ended = elseif("fit", german, "--label", "rückfall", *QUICK)
    assert "did you mean 'Rückfall'?" in ended.err
    for told, outcome in ([], "Rückfall "), (["ja"], "Rückfall "), (["nein"], "nein "):
        positive = ["--positive", *told] if told else []
        ended = elseif("fit", german, "--label", "Rückfall", *positive, *QUICK)
        assert ended.out.startswith(f"Probability of {outcome}"), ended
        assert "--positive" not in ended.err


@pytest.mark.parametrize(
    ("labels", "predicts", "is_told"),
    [
        (["a", "b"], "point", True),
        (["a", "b", "c"], "point", False),
        (["a", "b"], "posterior", False),
    ],
)
def test_what_is_not_of_one_list_and_event_is_not_told(
    labels: list[str], predicts: str, is_told: bool
) -> None:
    auc = {"value": 0.7, "low": 0.6, "high": 0.8}
    result = {
        "about": {"labels": labels, "predicts": predicts},
        "validation": {"n_folds": 5, "discrimination": {"auc": auc}},
    }
    assert bool(performance(result)) == is_told
