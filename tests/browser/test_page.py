"""What every page promises: the policy holds, data come through, names stay harmless."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import pytest

from elseif.report import page as pages
from elseif.report.page import content_security_policy, json_for_script, render_page
from tests.browser.hostile import HOSTILE
from tests.browser.open_page import OpenPage

CHILD = """
{%- extends "page.html" -%}
{%- set styles = ["theme.css"] -%}
{%- set scripts = [] -%}
{% block body %}<main><p id="name" title="{{ name }}">{{ name }}</p>{{ extra | safe }}</main>
{% endblock %}
"""


@pytest.fixture
def with_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """A template beside the package's own."""
    environment = pages.page_environment()
    own = jinja2.DictLoader({"child.html": CHILD})
    loader = jinja2.ChoiceLoader([own, environment.loader])
    overlay = environment.overlay(loader=loader)
    monkeypatch.setattr(pages, "page_environment", lambda: overlay)


def write(folder: Path, **context: Any) -> Path:
    path = folder / "page.html"
    data = context.pop("data", None)
    text = render_page("child.html", {"title": "A page", "extra": "", **context}, data)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.usefixtures("with_child")
@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_data_come_through(name: str, open_page: OpenPage, tmp_path: Path) -> None:
    """Text, attribute and JSON in a script element hold the name as it is."""
    page = open_page(write(tmp_path, name=name, data={"name": name, "nested": [[name, 1.5]]}))
    # HTML itself turns a carriage return into a line feed, and drops U+0000
    written = name.replace("\r\n", "\n").replace("\r", "\n")
    assert page.evaluate("() => document.getElementById('name').textContent") == written
    assert page.evaluate("() => document.getElementById('name').title") == written
    data = page.evaluate("() => JSON.parse(document.getElementById('data').textContent)")
    assert data == {"name": name, "nested": [[name, 1.5]]}
    assert page.evaluate("() => document.querySelectorAll('main *').length") == 1


@pytest.mark.usefixtures("with_child")
@pytest.mark.parametrize(
    "extra",
    [
        "<script>window.bad = 1</script>",
        "<style>p { color: red }</style>",
        "<p style='color: red'>styled</p>",
        "<img src=x onerror='window.bad = 1'>",
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>",
    ],
)
def test_policy_stops_what_slips_through(extra: str, open_page: OpenPage, tmp_path: Path) -> None:
    """Even unescaped markup would not run, style or load: the policy is a second wall."""
    page = open_page(write(tmp_path, name="name", extra=extra))
    page.wait_for_function("() => window.violations.length > 0")
    assert page.evaluate("() => window.bad") is None
    assert page.evaluate("() => getComputedStyle(document.body).marginTop") == "0px"  # ours holds
    assert page.evaluate("() => window.violations.splice(0)")
    assert open_page.complaints  # which would fail any other test
    open_page.complaints.clear()


def test_json_cannot_leave_its_element() -> None:
    """No character of markup is left, and the data are the same when read."""
    data = {"</script><!-- &\u2028\u2029": ["<b>", "\ud800", 1e-320, None, True]}
    text = json_for_script(data)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == data
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_for_script({"x": float("nan")})


def test_policy_allows_nothing_but_hashes() -> None:
    """No unsafe words, no hosts."""
    policy = content_security_policy(["p {}"], ["1"], images=True)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "img-src data:" in policy
    assert "*" not in policy
