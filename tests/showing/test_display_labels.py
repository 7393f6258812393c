"""A labels file: names, units and words in everything that people read, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import elseif
from elseif import BayesianRuleListClassifier
from elseif.antecedents import Antecedent
from elseif.antecedents.display_labels import DisplayLabels
from elseif.antecedents.labels_file import read_display_labels
from elseif.conditions import Condition
from elseif.conditions.condition import TRUE
from elseif.errors import ParamError, ParamTypeError
from elseif.export.disclosed import disclosed
from elseif.export.formats import FORMATS
from elseif.labelling import labels_template
from elseif.report import calculator_page, explorer_page, report_page, summarise
from elseif.showing.wrapping import OPERATORS, display_width, wrap

LABELS = """
outcome: {name: thirty-day death, event: died, no_event: survived}
columns:
  k_val: {name: Potassium, unit: mmol/L, question: 'What is the potassium?'}
  sex_cd: {name: Sex, levels: {0: women, 1: men}}
  smk: {levels: {true: smokers, false: never smoked}}
  adm_dt: Admission
conditions:
  smk and sex_cd = 1: Men who smoke
"""


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, pd.Series]:
    """Columns of every kind, some missing values, an identifier."""
    rng = np.random.default_rng(5)
    n = 600
    X = pd.DataFrame(
        {
            "case_id": [f"case {i}" for i in range(n)],
            "k_val": np.where(rng.random(n) < 0.1, np.nan, rng.normal(4, 1, n).round(1)),
            "sex_cd": pd.Categorical(rng.choice(["0", "1"], n)),
            "smk": rng.random(n) < 0.4,
            "stage": pd.Categorical(
                rng.choice(["I", "II", "III"], n), categories=["I", "II", "III"], ordered=True
            ),
            "adm_dt": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
        }
    )
    high = (X["sex_cd"] == "1") & X["smk"]
    risk = np.where(high, 0.8, np.where(X["k_val"] <= 3, 0.6, 0.1))
    return X, pd.Series(rng.random(n) < risk, name="died30")


@pytest.fixture(scope="module")
def fitted(table: tuple[pd.DataFrame, pd.Series]) -> BayesianRuleListClassifier:
    """Two rules of antecedents of the user's, beside others."""
    own = [
        (("sex_cd", "=", "1"), "smk"),
        (("k_val", "<=", 3),),
        (("stage", ">=", "II"), ("k_val", ">", 3)),
        (("adm_dt", ">", "2021-01-01"),),
        (("smk", "is false"),),
    ]
    return BayesianRuleListClassifier(antecedents=own, random_state=0).fit(*table)


@pytest.fixture(scope="module")
def worded(
    fitted: BayesianRuleListClassifier, tmp_path_factory: pytest.TempPathFactory
) -> BayesianRuleListClassifier:
    """The same in the words of a file."""
    path = tmp_path_factory.mktemp("labels") / "labels.yaml"
    path.write_text(LABELS, encoding="utf-8")
    return fitted.with_labels(path)


def test_the_list_in_words(worded: BayesianRuleListClassifier) -> None:
    """Names, a unit, a name for two conditions, and the outcome once in the head."""
    lines = str(worded.rule_list_).splitlines()
    assert lines[0] == "Probability of thirty-day death (95% credible interval)"
    assert lines[1].startswith("if      Men who smoke")
    assert lines[2].startswith("else if Potassium ≤ 3 mmol/L")
    assert "died" not in str(worded.rule_list_)
    assert list(worded.rule_list_.to_frame()["antecedent"])[1] == "k_val <= 3"  # for programs


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition("k_val", "<=", 3.0), "Potassium ≤ 3 mmol/L"),
        (Condition("k_val", "between", (3.0, 4.5)), "3 < Potassium ≤ 4.5 mmol/L"),
        (Condition("k_val", "is missing"), "Potassium is missing"),
        (Condition("sex_cd", "=", "0"), "Sex = women"),
        (Condition("sex_cd", "!=", "0"), "Sex ≠ women"),
        (Condition("sex_cd", "in", ("0", "1")), "Sex in {women, men}"),
        (Condition("smk", "is true"), "smokers"),
        (Condition("smk", "is false"), "never smoked"),
        (Condition("adm_dt", ">", np.datetime64("2021-01-01")), "Admission > 2021-01-01"),
        (Condition("other", "is false"), "not other"),
    ],
)
def test_conditions_in_words(
    condition: Condition, words: str, worded: BayesianRuleListClassifier
) -> None:
    """Every operator."""
    assert worded.rule_list_.metadata.display.condition(condition) == words


def test_a_name_for_some_of_the_conditions(worded: BayesianRuleListClassifier) -> None:
    """In whatever order the file has them, and within a longer antecedent."""
    three = Antecedent(
        [
            Condition("k_val", ">", 3),
            Condition("smk", "is true"),
            Condition("sex_cd", "=", "1"),
        ]
    )
    display = worded.rule_list_.metadata.display
    assert display.text(three) == "Potassium > 3 mmol/L and Men who smoke"


def test_everything_that_people_read(
    worded: BayesianRuleListClassifier, table: tuple[pd.DataFrame, pd.Series]
) -> None:
    """No text, page or figure shows a name of the table; of both, the words are there."""
    X, _ = table
    model = worded.model_
    shown = {
        "text": str(worded.rule_list_),
        "html": worded._repr_html_(),
        "inclusion": repr(worded.posterior_.inclusion()),
        "posterior": worded.posterior_._repr_html_(),
        "explanation": str(worded.explain(X, 1)),
        "markdown": elseif.export_model(model, "markdown"),
        "latex": elseif.export_model(model, "latex"),
        "figure": " ".join(
            t.get_text() for t in worded.rule_list_.plot().axes[0].get_yticklabels()
        ),
    }
    for name, text in shown.items():
        assert "Men who smoke" in text, name
        for column in ("k_val", "sex_cd", "adm_dt"):
            assert column not in text.replace(r"\_", "_"), (name, column)


def test_pages_in_words(
    worded: BayesianRuleListClassifier, table: tuple[pd.DataFrame, pd.Series]
) -> None:
    """The calculator asks the question; report and explorer have the names."""
    X, y = table
    calculator = calculator_page(worded)
    assert "What is the potassium?" in calculator
    assert "≤ 3 mmol/L" in calculator
    report = report_page(summarise(worded, X, y, folds=2, subgroups=["sex_cd", "smk"]))
    for words in ("Men who smoke", "Potassium (mmol/L)", "never smoked", "women", "Admission"):
        assert words in report, words
    page = report.split('<script type="application/json"')[0].split("Settings", 1)[0]
    assert "k_val" not in page
    assert "Men who smoke" in explorer_page(worded, X, y)


@pytest.mark.parametrize("to", [name for name, f in FORMATS.items() if not f.shows_labels])
def test_programs_keep_the_names(
    to: str, fitted: BayesianRuleListClassifier, worded: BayesianRuleListClassifier
) -> None:
    """What a program reads is the same with and without labels."""
    assert elseif.export_model(worded, to) == elseif.export_model(fitted, to)


def test_predictions_and_explanations_as_data(
    fitted: BayesianRuleListClassifier,
    worded: BayesianRuleListClassifier,
    table: tuple[pd.DataFrame, pd.Series],
) -> None:
    """Labels change no number, and no name of a column in data."""
    X, _ = table
    assert (worded.predict_proba(X) == fitted.predict_proba(X)).all()
    content = worded.explain(X, 0).to_dict()
    assert {check["column"] for check in content["fired"]["conditions"]} <= set(X.columns)
    assert "display" not in content


def test_the_model_file_keeps_them(
    worded: BayesianRuleListClassifier, fitted: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """And one without labels has none."""
    again = elseif.load_model(elseif.save_model(worded, tmp_path / "m.json"))
    assert str(again.rule_list_) == str(worded.rule_list_)
    assert again.model_.metadata.display == worded.model_.metadata.display
    plain = elseif.save_model(fitted, tmp_path / "plain.json")
    assert '"labels": {\n' not in plain.read_text(encoding="utf-8").split('"table"')[0]


@pytest.mark.filterwarnings("ignore:labels. conditions")
def test_a_minimum_cell_leaves_out_levels_that_no_rule_names(
    fitted: BayesianRuleListClassifier,
) -> None:
    """A name for a category of few people would tell that there are some."""
    named = fitted.with_labels(LABELS_OF_LEVELS)
    display = disclosed(named, 10).metadata.display
    assert display.columns["sex_cd"].levels == {"1": "men"}
    assert list(display.conditions) == []


LABELS_OF_LEVELS: dict[str, Any] = {
    "columns": {"sex_cd": {"levels": {"0": "women", "1": "men"}}},
    "conditions": {"smk is missing": "not asked"},
}


@pytest.mark.filterwarnings("ignore:labels. conditions")
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"column": {}}, r"unknown key 'column'; did you mean 'columns'\?"),
        ({"columns": {"k_vall": "K"}}, r"no column 'k_vall'; did you mean 'k_val'\?"),
        ({"columns": {"k_val": {"units": "mg"}}}, r"columns: k_val has .*'units'.*'unit'\?"),
        ({"columns": {"sex_cd": {"unit": "mg"}}}, "unit is for numbers"),
        ({"columns": {"k_val": {"levels": {"3": "x"}}}}, "levels are for categories"),
        ({"columns": {"stage": {"levels": {"IV": "x"}}}}, "the column has no 'IV'"),
        ({"columns": {"stage": {"levels": {"I": "II"}}}}, "both be shown as 'II'"),
        ({"columns": {"k_val": "smk"}}, "both be shown as 'smk'"),
        ({"columns": {"k_val": 3}}, "must be keys and values"),
        ({"columns": {"k_val": {"name": 3}}}, "must be text"),
        ({"columns": {"k_val": "K" * 201}}, "201 characters"),
        ({"outcome": {"labels": {"maybe": "x"}}}, "the model has no 'maybe'"),
        ({"outcome": {"event": "x", "no_event": "x"}}, "both 'x'"),
        ({"conditions": {"smok": "Smokers"}}, "about no column of the model"),
        ([1], "must be a YAML file or a dict"),
    ],
)
def test_refusals(labels: Any, message: str, fitted: BayesianRuleListClassifier) -> None:
    """What cannot be meant is refused by name, with the nearest one."""
    with pytest.raises((ParamError, ParamTypeError), match=message):
        fitted.with_labels(labels)


@pytest.mark.parametrize("answer", ["yes", "Ja", "present"])
def test_an_answer_is_not_a_condition(answer: str) -> None:
    """ "male" says what is true; "yes" does not say to what."""
    display = read_display_labels({"columns": {"smoker": {"levels": {"true": answer}}}})
    assert display.condition(Condition("smoker", TRUE)) == f"smoker = {answer}"
    display = read_display_labels({"columns": {"sex": {"levels": {"true": "male"}}}})
    assert display.condition(Condition("sex", TRUE)) == "male"


def test_a_condition_that_no_rule_has(fitted: BayesianRuleListClassifier) -> None:
    """Another fit may have it, so it is noted and not refused."""
    with pytest.warns(UserWarning, match=r"'k_val <= 33'; did you mean 'k_val <= 3'\?"):
        fitted.with_labels({"conditions": {"k_val ≤ 33": "Low"}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns: &a {x: *a}", "references"),
        ("columns: {x: a, x: b}", "occurs twice"),
        ("columns: !!python/object/apply:os.system [ls]", "not readable as YAML"),
        ("columns: [", "not readable as YAML"),
        ("- a", "must be keys and values"),
        ("a" * 1_000_001, "bytes"),
    ],
)
def test_files_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    """Nothing in a file is run, and nothing in it grows."""
    path = tmp_path / "labels.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((ParamError, ParamTypeError), match=message):
        read_display_labels(path)


def test_a_missing_file(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(ParamError, match=r"labels\.yaml: there is no such file"):
        read_display_labels(tmp_path / "labels.yaml")


def test_values_are_taken_as_they_are_written(tmp_path: Path) -> None:
    """Norway is not false, and 1.10 is not a number."""
    path = tmp_path / "labels.yaml"
    path.write_text("columns: {a: {levels: {no: Norway, 1.10: x, on: yes}}}\n", encoding="utf-8")
    levels = read_display_labels(path).columns["a"].levels
    assert levels == {"no": "Norway", "1.10": "x", "on": "yes"}


def test_an_empty_file(tmp_path: Path) -> None:
    """It says nothing."""
    path = tmp_path / "labels.yaml"
    path.write_text("# nothing yet\n", encoding="utf-8")
    assert not read_display_labels(path)


def test_the_template_changes_nothing(
    fitted: BayesianRuleListClassifier, worded: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """Read as it is, it words the list as before; filled in, it keeps what it has."""
    for classifier in (fitted, worded):
        path = tmp_path / "labels.yaml"
        path.write_text(labels_template(classifier.model_), encoding="utf-8")
        again = classifier.with_labels(path)
        assert str(again.rule_list_) == str(classifier.rule_list_)
        assert "case_id" not in path.read_text(encoding="utf-8")  # it was left out of the fit
    assert '"3"' not in labels_template(worded.model_)
    assert "Men who smoke" in labels_template(worded.model_)


HOSTILE = [
    "a: b", "# no", "- x", "{{ 7 }}", "<script>alert(1)</script>", "no", "null", "1e3", "%", "*",
    "\x1b[31mred", "é\u202eevil", " lead", "tab\there", "'q'", '"q"', "a\nb", "&x",
    "other ", "x" * 300,
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_in_the_template(name: str, tmp_path: Path) -> None:
    """Any column and level can be written, and is found again."""
    values = pd.Categorical([name, "other"] * 50)
    X = pd.DataFrame({name: values, "plain": [0.0, 1.0, 2.0, 3.0] * 25})
    y = np.array([name + "!", "z", "z", "z", "z"] * 20)
    classifier = BayesianRuleListClassifier(random_state=0, max_cardinality=1).fit(X, y)
    path = tmp_path / "labels.yaml"
    path.write_text(labels_template(classifier.model_), encoding="utf-8")
    labels = read_display_labels(path)
    assert name in labels.columns
    classifier.with_labels(path)
    shown = classifier.with_labels({"columns": {name: {"name": f"{name[:99]}<b>&"}}})
    assert "<b>" not in shown.rule_list_._repr_html_()
    assert "\x1b" not in str(shown.rule_list_)


WORDS = st.lists(
    st.text(st.characters(categories=("Ll", "Lo")), min_size=1, max_size=9), min_size=1, max_size=5
)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["=", "≤", ">"]), WORDS), max_size=4),
       st.integers(20, 100))  # fmt: skip
def test_lines_never_break_after_an_operator(
    conditions: list[tuple[list[str], str, list[str]]], width: int
) -> None:
    """No line ends with an operator, and none is wider than it may be."""
    texts = [f"{' '.join(a)} {op} {' '.join(b)}" for a, op, b in conditions]
    lines = wrap(texts, width)
    assert " ".join(lines).split() == " and ".join(texts).split()
    for line in lines:
        assert display_width(line) <= width
        assert line.split(" ")[-1] not in OPERATORS


def test_no_labels_at_all() -> None:
    """Nothing said is nothing changed."""
    assert not DisplayLabels()
    assert read_display_labels(None) == DisplayLabels()
