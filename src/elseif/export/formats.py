"""Every format that a model can be said in."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elseif.errors import ParamError
from elseif.export.disclosed import disclosed
from elseif.export.javascript_code import to_javascript
from elseif.export.latex import to_latex
from elseif.export.markdown import to_markdown
from elseif.export.model_file import model_text
from elseif.export.onnx_graph import to_onnx
from elseif.export.plain_text import to_text
from elseif.export.pmml import to_pmml
from elseif.export.python_code import to_python
from elseif.export.sql import to_sql
from elseif.files.atomic import check_writable, write_atomically
from elseif.fitted_model import as_model


@dataclass(frozen=True)
class Format:
    """How a model is written, and how such a file's name ends."""

    suffix: str
    write: Callable[..., str | bytes]


def _json(model: Any, posterior: str | None = "lists") -> str:
    """The model file."""
    return model_text(as_model(model), posterior)


FORMATS = {
    "json": Format(".json", _json),
    "text": Format(".txt", to_text),
    "markdown": Format(".md", to_markdown),
    "latex": Format(".tex", to_latex),
    "sql": Format(".sql", to_sql),
    "pmml": Format(".pmml", to_pmml),
    "onnx": Format(".onnx", to_onnx),
    "python": Format(".py", to_python),
    "javascript": Format(".js", to_javascript),
}


def export_model(
    model: Any, to: str, *, min_cell: int | None = None, **options: Any
) -> str | bytes:
    """A model, or a fitted classifier, in another format; ONNX is bytes, all else is text.

    Parameters
    ----------
    model : BayesianRuleListClassifier or Model
        What to write.
    to : str
        The format.
    min_cell : int or None
        Round every number of people to multiples of this; probabilities follow from the
        rounded counts.
    **options
        Options of the format.

    Returns
    -------
    str or bytes
        The content of a file.
    """
    if to not in FORMATS:
        raise ParamError(f"to is {to!r}; it must be one of {', '.join(map(repr, FORMATS))}.")
    known = list(inspect.signature(FORMATS[to].write).parameters)[1:]
    for name in options:
        if name not in known:
            raise ParamError(f"{to} has no option {name!r}; its options are {', '.join(known)}.")
    return FORMATS[to].write(disclosed(model, min_cell), **options)


def export_file(
    model: Any, to: str, path: str | os.PathLike[str], force: bool = False, **options: Any
) -> Path:
    """export_model into a file, written whole or not at all."""
    check_writable(path, force)
    return write_atomically(path, export_model(model, to, **options), force)
