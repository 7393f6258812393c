"""What the minimum cells of sites cost is told wherever their model goes, and on a page."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elseif.cli.main import run
from elseif.datasets import load_titanic
from elseif.errors import ModelFileError, ParamError
from elseif.export import export_model, read_model, save_model
from elseif.export.model_file import checksum
from elseif.federation import (
    Federated,
    count_site,
    federate,
    federation_page,
    make_plan,
    save_plan,
    save_site,
)
from elseif.report import calculator_page, report_page, summarise
from elseif.tables.federated import federation_sentences

SITES = ("North", "<b>South</b>", "East")


@cache
def titanic(min_cell: int | None = 10, leave_one_out: bool = True) -> Federated:
    X, y = load_titanic()
    plan = make_plan(X, y, name="three ports")
    sites = [
        count_site(plan, X[i::3], y[i::3], site=name, min_cell=min_cell)
        for i, name in enumerate(SITES)
    ]
    return federate(plan, sites, leave_one_out=leave_one_out, random_state=0)


def numbers_in(text: str) -> list[int]:
    return [int(n.replace(",", "")) for n in re.findall(r"\b\d[\d,]*\b", text)]


def test_the_model_file_holds_every_site(tmp_path: Path) -> None:
    fitted = titanic()
    model = read_model(save_model(fitted.classifier, tmp_path / "model.json"))
    assert model.federation == fitted.model.federation
    federation = model.federation
    assert [site["site"] for site in federation["sites"]] == list(SITES)
    for site, counts in zip(federation["sites"], fitted.sites, strict=True):
        assert site["shared"] == counts.n_shared.tolist()
        assert tuple(site["withheld"]) == counts.withheld
    X, _ = load_titanic()
    assert sum(map(sum, (s["shared"] for s in federation["sites"]))) + sum(
        federation["most_withheld"]
    ) == len(X)


def test_a_minimum_cell_of_the_model_keeps_that_people_are_missing(tmp_path: Path) -> None:
    fitted = titanic()
    path = save_model(fitted.classifier, tmp_path / "model.json", min_cell=10)
    model = read_model(path)
    assert all(s["shared"] is None and s["withheld"] is None for s in model.federation["sites"])
    most = fitted.model.federation["most_withheld"]
    assert all(n % 10 == 0 for n in model.federation["most_withheld"])
    assert np.abs(np.subtract(model.federation["most_withheld"], most)).max() <= 5
    learnt, withheld = federation_sentences(model.federation)
    assert "North" in learnt
    assert "(rounded), who are not in these counts" in withheld
    site_totals = {int(site.n_shared.sum()) for site in fitted.sites}
    assert not site_totals & set(numbers_in(learnt + withheld))
    again = read_model(save_model(model, tmp_path / "coarser.json", min_cell=20))
    assert all(n % 20 == 0 for n in again.federation["most_withheld"])


def test_sentences_of_sites_that_withhold_nobody() -> None:
    fitted = titanic(None, False)
    (only,) = federation_sentences(fitted.model.federation)
    assert "2,201 people" in only
    assert federation_sentences(None) == []
    rounded = replace(fitted.model).federation
    assert sum(rounded["most_withheld"]) == 0


def test_every_door_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fitted = titanic()
    save_model(fitted.classifier, tmp_path / "model.json")
    assert run(["show", str(tmp_path / "model.json")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 sites shared in place of rows" in shown
    assert "(minimum cell 10)" in shown
    model = read_model(tmp_path / "model.json")
    short = "people in small patterns were withheld"
    assert short in export_model(model, to="python")
    assert short in export_model(model, to="sql")
    assert short in calculator_page(model)
    X, y = load_titanic()
    page = report_page(summarise(model, X[::3], y[::3], folds=2))
    assert "withholds" in page
    assert "<b>South" not in page


def spoilt(document: dict[str, Any], change: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    change(made["federation"])
    made["sha256"] = checksum(made)
    return made


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f["sites"][0]["shared"].append(1), "each label of the plan needs a count"),
        (lambda f: f["sites"][0].update(shared=[100, 100]), "do not add up to those of the model"),
        (lambda f: f["sites"][0].update(shared=[1, 1]), "a count below its minimum cell"),
        (lambda f: f["sites"][0].update(shared=None), "are missing"),
        (lambda f: f["sites"][1].update(site="North"), "same name"),
        (lambda f: f["most_withheld"].__setitem__(0, 7), "do not add up"),
        (lambda f: f["sites"][0].update(min_cell=None), "withholds nobody"),
        (lambda f: f["sites"].clear(), "sites"),
    ],
)
def test_a_crafted_file_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    path = save_model(titanic().classifier, tmp_path / "model.json", posterior=None)
    path.write_text(json.dumps(spoilt(json.loads(path.read_text()), change)))
    with pytest.raises(ModelFileError, match=message):
        read_model(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f["sites"][0].update(shared=[300, 150]), "would reveal"),
        (lambda f: f["most_withheld"].__setitem__(0, 7), "not those withheld"),
    ],
)
def test_a_crafted_rounded_file_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    path = save_model(titanic().classifier, tmp_path / "model.json", None, min_cell=10)
    path.write_text(json.dumps(spoilt(json.loads(path.read_text()), change)))
    with pytest.raises(ModelFileError, match=message):
        read_model(path)


def test_the_page_has_every_line_at_every_site() -> None:
    fitted = titanic()
    page = federation_page(fitted, title="Ports")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    n_lines = len(fitted.model.rule_list.rules)
    assert len(data["lines"]) == 3 * n_lines
    assert page.count('<tr>\n<th scope="row"><bdi>North') == n_lines + 2
    assert "<b>South" not in page
    assert "of the events are missing" in page
    shared = sum(line["n"] for line in data["lines"])
    assert shared == sum(int(site.n_shared.sum()) for site in fitted.sites)
    assert "Not evaluated" in federation_page(titanic(None, False))
    assert "Nobody is withheld" in federation_page(titanic(None, False))


def test_sites_that_differ_are_named() -> None:
    X, y = load_titanic()
    plan = make_plan(X, y)
    y = np.array(y)
    odd = y.copy()
    odd[1::3] = np.where(y[1::3] == y[0], y[y != y[0]][0], y[0])  # every fate the other way round
    sites = [count_site(plan, X[i::3], odd[i::3], site=name) for i, name in enumerate("ABC")]
    page = federation_page(federate(plan, sites, random_state=0))
    assert re.search(r'class="headline">Risks differ at ', page)
    assert "No sign that risks differ" not in page


def test_the_program_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fitted = titanic()
    plan = str(save_plan(fitted.plan, tmp_path / "plan.json"))
    sites = [str(save_site(site, tmp_path / f"{i}.json")) for i, site in enumerate(fitted.sites)]
    out = tmp_path / "page.html"
    arguments = ["federate", plan, *sites, "--out", str(out), "--random-state", "0", "--quiet"]
    assert run([*arguments, "--title", "Ports"]) == 0
    assert "<h1><bdi>Ports" in out.read_text()
    assert run([*arguments, "--force", "--min-cell", "10"]) == 2
    assert "--out cannot be written" in capsys.readouterr().err
    assert run(["federate", plan, *sites, "--title", "Ports"]) == 2
    assert "--title goes with --out" in capsys.readouterr().err


def test_a_rounded_model_has_no_page(tmp_path: Path) -> None:
    fitted = titanic()
    rounded = read_model(save_model(fitted.classifier, tmp_path / "model.json", None, min_cell=10))
    classifier = copy.copy(fitted.classifier)
    classifier.model_ = rounded
    with pytest.raises(ParamError, match="exact counts"):
        federation_page(replace(fitted, classifier=classifier))
