"""Pages: Jinja2 templates with everything inlined, under a strict Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from elseif.conditions.condition import quantity_text
from elseif.errors import ParamError, install
from elseif.report.names import (
    AFTER_UNDERSCORE,
    HYPHENATED,
    WITH_UNDERSCORES,
    shown,
    spelt_out,
    unbroken,
)

if TYPE_CHECKING:
    from jinja2 import Environment

ENDS_ITS_ELEMENT = re.compile(r"</(script|style)|<!--", re.IGNORECASE)


def render_page(
    template: str, context: Mapping[str, Any], data: Mapping[str, Any] | None = None
) -> str:
    """A whole HTML document from a template that extends ``page.html``.

    The template names its ``styles`` and ``scripts``, files of the same folder, by ``set``;
    their hashes are all that the page's policy lets run. ``data`` is embedded as JSON in
    the element ``data``.
    """
    embedded = None if data is None else json_for_script(data)
    return page_environment().get_template(template).render({**context, "embedded_data": embedded})


def json_for_script(data: Any) -> str:
    """JSON that cannot end the script element it stands in, nor start a comment."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def content_security_policy(
    styles: Iterable[str], scripts: Iterable[str], images: bool = False
) -> str:
    """Nothing from anywhere but the inline styles and scripts of these texts."""
    parts = ["default-src 'none'"]
    for directive, texts in (("style-src", styles), ("script-src", scripts)):
        hashes = [_source_hash(text) for text in texts]
        if hashes:
            parts.append(f"{directive} {' '.join(hashes)}")
    if images:
        parts.append("img-src data:")
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script of the templates' folder."""
    text = (files("elseif.report") / "templates" / name).read_text(encoding="utf-8")
    text = text.replace("\r\n", "\n")  # browsers do, before they hash
    if ENDS_ITS_ELEMENT.search(text):
        raise ParamError(f"The template {name!r} would end the element that it is inlined in.")
    return text


@cache
def page_environment() -> Environment:
    """Where templates are found, with what they may call; made when it is first needed."""
    try:
        import jinja2
    except ImportError:
        raise ParamError(f"Pages need Jinja2: {install('report')}.") from None
    from markupsafe import Markup

    def policy(styles: Iterable[str], scripts: Iterable[str], images: bool = False) -> str:
        return content_security_policy(map(asset, styles), map(asset, scripts), images)

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("elseif.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def marked(text: str, words: re.Pattern[str], mark: Callable[[str], Markup]) -> Markup:
        """Text in which some words are marked."""
        marked_words = map(mark, words.findall(text))
        pairs = zip(words.split(text), [*marked_words, ""], strict=True)
        return Markup("").join(part for pair in pairs for part in pair)

    def breakable(name: str) -> Markup:
        """A name that is broken only where no line has room for it, and then at an underscore."""
        parts = Markup("<wbr>").join(AFTER_UNDERSCORE.split(name))
        return Markup('<span class="word">{}</span>').format(parts)

    def whole(text: str) -> Markup:
        """Text whose lines are not broken within a date or a number, nor at will within a name."""
        nowrap = Markup('<span class="nowrap">{}</span>').format
        parts = [marked(part, WITH_UNDERSCORES, breakable) for part in HYPHENATED.split(text)]
        kept = [*map(nowrap, HYPHENATED.findall(text)), ""]
        return Markup("").join(part for pair in zip(parts, kept, strict=True) for part in pair)

    def quantities(texts: Sequence[str]) -> list[str]:
        """Numbers of one column, their thousands set apart alike."""
        values = [float(text) for text in texts]
        return [quantity_text(value, *values) for value in values]

    environment.globals.update(policy=policy, asset=lambda name: Markup(asset(name)))
    environment.filters.update(
        shown=shown,
        spelt_out=spelt_out,
        unbroken=unbroken,
        whole=whole,
        quantities=quantities,
        as_data=lambda text: Markup(text),
    )
    return environment
