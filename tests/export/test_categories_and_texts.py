"""Hostile categories in every language, and what people read: Markdown, LaTeX, plain text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from elseif import export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.errors import ParamError
from elseif.export.latex import BREAK, LATEX, OPERATORS, PACKAGES, latex_escaped
from elseif.export.markdown import markdown_escaped
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.tables.columns import Kind
from elseif.visible import show_name
from tests.export.running import (
    assert_agree,
    rows,
    run_duckdb,
    run_javascript,
    run_onnx,
    run_pmml,
    run_python,
    run_sqlite,
)
from tests.export.tables import HOSTILE, TWINS, every_operator, model_of

CATEGORIES = (
    *HOSTILE,
    *TWINS,
    "",
    " padded ",
    "null",
    "NaN",
    "true",
    "1",
    "tab\tand\nline\r\nends",
    "'single' \"double\" \\ backslash\\",
    "&amp; &#10; ]]> <![CDATA[",
    "www.example.org @someone :smile: $x^2$ *b* _i_ ~~s~~ [a](b) ![c](d)",
    "--,, ?` !` << >> ''",
)


def hostile_model() -> FittedModel:
    """One rule a category."""
    kinds = {"text": Kind.CATEGORY}
    antecedents = [Antecedent([Condition("text", "=", c)]) for c in CATEGORIES]
    antecedents.append(Antecedent([Condition("text", "is missing")]))
    counts = np.random.default_rng(0).integers(0, 100, (len(antecedents) + 1, 2))
    metadata = ModelMetadata(np.array(["no", "yes"], dtype=object), np.ones(2), kinds)
    model = model_of(every_operator())
    report = ColumnReport("text", Kind.CATEGORY, levels=CATEGORIES)
    rule_list = make_rule_list(antecedents, counts, metadata)
    return replace(
        model,
        rule_list=rule_list,
        map_rule_list=rule_list,
        fit_report=replace(model.fit_report, columns=(report,)),
        feature_names=["text"],
        n_features=1,
        training={
            **model.training,
            "n": float(counts.sum()),
            "label_counts": counts.sum(axis=0).astype(float).tolist(),
        },
    )


@pytest.mark.fault(
    "26-31, 80",
    "hostile names and missing values in exports",
    "the same prediction as in Python in every language that can be run; names that a "
    "format cannot represent, and rules on an infinite category, are an `ExportError`; a "
    "model file with an infinite label is refused",
)
def test_hostile_categories(tmp_path: Path) -> None:
    """Every category fires its own rule in every language, and a missing one its own."""
    model = hostile_model()
    X = pd.DataFrame({"text": pd.Series([*CATEGORIES, None, "unseen"], dtype=object)})
    lines = model.rule_list.captured_by(X)
    np.testing.assert_array_equal(lines, np.arange(len(X)))
    assert_agree(run_python(model, rows(X)), model, X)
    assert_agree(run_javascript(model, rows(X), tmp_path), model, X)
    assert_agree(run_duckdb(model, X), model, X)
    assert_agree(run_sqlite(model, X), model, X)
    assert_agree(run_onnx(model, X, missing_text="(missing)"), model, X)
    assert_agree(run_pmml(model, X, tmp_path), model, X)


class _Text(HTMLParser):
    """The cells of a table, and every tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def test_markdown_shows_names_as_they_are() -> None:
    """Rendered, each cell reads as the plain text does; nothing became a tag or a link."""
    model = hostile_model()
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser = _Text()
    parser.feed(reader.render(str(export_model(model, "markdown"))))
    assert parser.tags == {"table", "thead", "tbody", "tr", "th", "td", "p"}
    shown = parser.cells[4:][1::4]
    wanted = [show_name(rule.antecedent.name) for rule in model.rule_list.rules]
    assert [s.strip() for s in shown[:-1]] == [w.strip() for w in wanted[:-1]]
    assert len(shown) == len(wanted)


def test_markdown_keeps_addresses_and_mentions_quiet() -> None:
    """What some renderers make links, people or pictures of is escaped."""
    assert markdown_escaped("http://x.org") == r"http\://x.org"
    assert markdown_escaped("www.x.org") == r"www\.x.org"
    assert markdown_escaped("a@b.c") == r"a\@b.c"
    assert markdown_escaped("a | b \\ c") == r"a \| b \\ c"
    assert markdown_escaped(" a  b ") == "&#32;a &#32;b&#32;"
    assert markdown_escaped(":smile: <b> [a](b) &amp; _i_") == r"\:smile: \<b> \[a](b) \&amp; \_i\_"


@pytest.mark.parametrize(
    "text",
    [
        "18 < age <= 60 and heart_rate > 90",
        "Training data: SHA-256 0fe2. Ratio 1:2, A & B; (40, 60] mmol/l",
        "city in {Aachen, Ulm}, #3, 50%, e.g. 2 > 1 - yes!",
    ],
)
def test_markdown_leaves_alone_what_is_no_mark_up(text: str) -> None:
    """It reads as text, and still renders as that."""
    assert markdown_escaped(text) == text
    parser = _Text()
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.feed(reader.render(f"| a |\n| --- |\n| {text} |"))
    assert parser.cells[1].strip() == text


def test_markdown_lines_up() -> None:
    """Cells stand below each other, so that the table can be read as text."""
    lines = str(export_model(model_of(every_operator()), "markdown")).split("\n\n")[0].splitlines()
    bars = {tuple(m.start() for m in re.finditer(r"(?<!\\)\|", line)) for line in lines}
    assert len(bars) == 1


def latex_text(source: str) -> str:
    """What LaTeX sets of a text of ours; an error for anything else than escapes of ours."""
    backwards = {escape: character for character, escape in LATEX.items()}
    source = source.replace(BREAK, "")
    pattern = re.compile(
        "|".join([*(re.escape(e) for e in sorted(backwards, key=len, reverse=True)), "{}", "--"])
    )
    source = re.sub(rf"(?<= )({'|'.join(map(re.escape, OPERATORS))})~", r"\1 ", source)
    source = source.replace(r"\%~interval", r"\% interval")
    bare = pattern.sub("", source)
    assert not set(bare) & set("\\{}$&#%_~^"), bare
    return pattern.sub(lambda m: {"{}": "", "--": "–"}.get(m[0]) or backwards.get(m[0], ""), source)


@pytest.mark.parametrize("text", [*CATEGORIES, "".join(map(chr, range(32, 127))) * 2])
def test_latex_escapes_everything(text: str) -> None:
    """Undone, the escapes give the text back; no special character is left bare."""
    assert latex_text(latex_escaped(show_name(text))) == show_name(text)


def test_latex_keeps_operators_and_values_together() -> None:
    """A line may end before a name or after a value."""
    made = latex_escaped("age <= 60 and city in {A, B} and c ≤ 3")
    assert made == r"age \textless{}=~60 and city in~\{A, B\} and c $\leq$~3"
    assert latex_text(made) == "age <= 60 and city in {A, B} and c ≤ 3"


def test_latex_breaks_long_names_at_their_joints() -> None:
    """Within a part of a name only where that is long."""
    made = latex_escaped("late_payments_last_24_months > 0")
    parts = ["late", "payments", "last", "24", "months"]
    assert made == rf"\_{BREAK}".join(parts) + r" \textgreater{}~0"
    assert latex_escaped("x" * 17) == BREAK.join(["x" * 8, "x" * 8, "x"])
    assert BREAK not in latex_escaped("loan_amount")


def test_latex_is_balanced() -> None:
    """Braces, environments and columns match on every line."""
    for model, lines_a_rule, name in (
        (hostile_model(), 1, "tabularx"),
        (model_of(every_operator(HOSTILE, labels=HOSTILE[:3])), 1 + 3, "longtable"),
    ):
        text = str(export_model(model, "latex", document=True))
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        assert lines[:2] == [r"\documentclass{article}", PACKAGES]
        assert re.findall(r"\\(begin|end)\{(\w+)\}", text) == [
            ("begin", "document"), ("begin", name), ("end", name), ("end", "document"),
        ]  # fmt: skip
        widths = lines[3].split("{@{}")[1].removesuffix("@{}}")
        columns = re.sub(r">\{[^}]*\}|(?<=p)\{[^}]*\}", "", widths)
        assert columns == ("lXpr" if name == "tabularx" else "lppr")
        body = [line for line in lines if line.endswith(r" \\")]
        for line in body:
            cells = re.split(r"(?<!\\) ?& ?", line.removesuffix(r" \\"))
            assert len(cells) == len(columns), line
            for cell in cells:
                latex_text(cell.removeprefix(r"\quad "))
        assert len(body) == lines_a_rule * len(model.rule_list.rules) + 1
    assert r"\documentclass" not in str(export_model(hostile_model(), "latex"))


def test_text_is_the_printed_list() -> None:
    """With what it is below it; width and level can be told."""
    model = model_of(every_operator())
    text = str(export_model(model, "text", level=0.9, width=80))
    assert text.startswith(model.rule_list.to_text(level=0.9, width=80) + "\n\n")
    with pytest.raises(ParamError, match="level"):
        export_model(model, "markdown", level=2)
    with pytest.raises(ParamError, match="level"):
        export_model(model, "latex", level=0)
