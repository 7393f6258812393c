"""All export formats."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elseif.errors import ParamError
from elseif.export.cql import to_cql
from elseif.export.disclosed import disclosed
from elseif.export.dmn import to_dmn
from elseif.export.fhir import to_fhir
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
    """How a model is written, how such a file's name ends, and what it is for."""

    suffix: str
    write: Callable[..., str | bytes]
    predicts: bool = False  # run by a program, which gets the line and its probabilities
    shows_labels: bool = True  # display labels appear in it; otherwise only names of columns
    is_binary: bool = False


def _json(model: Any, posterior: str | None = "lists") -> str:
    """The model file."""
    return model_text(as_model(model), posterior)


FORMATS = {
    "json": Format(".json", _json),
    "text": Format(".txt", to_text),
    "markdown": Format(".md", to_markdown),
    "latex": Format(".tex", to_latex),
    "sql": Format(".sql", to_sql, predicts=True, shows_labels=False),
    "pmml": Format(".pmml", to_pmml, predicts=True, shows_labels=False),
    "onnx": Format(".onnx", to_onnx, predicts=True, shows_labels=False, is_binary=True),
    "dmn": Format(".dmn", to_dmn, predicts=True),
    "cql": Format(".cql", to_cql, predicts=True),
    "fhir": Format(".fhir.json", to_fhir, predicts=True),
    "python": Format(".py", to_python, predicts=True, shows_labels=False),
    "javascript": Format(".js", to_javascript, predicts=True, shows_labels=False),
}


def export_model(
    model: Any, to: str, *, min_cell: int | None = None, labels: Any = None, **options: Any
) -> str | bytes:
    """Write a model in another format.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        What to write.
    to : str
        The format: "json", "sql", "pmml", "onnx", "dmn", "cql", "fhir", "python", "javascript",
        "markdown", "latex" or "text".
    min_cell : int, default=None
        Round every number of people to multiples of this; probabilities are computed from the
        rounded counts.
    labels : str, path or dict, default=None
        A labels file, or its contents, for formats that people read; the others keep the names of
        the columns.
    **options
        Options of the format, such as ``dialect`` for SQL; see docs/exports.md.

    Returns
    -------
    str or bytes
        The content of a file; bytes for ONNX.

    Examples
    --------
    >>> import elseif
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> print(elseif.export_model(clf, "text").splitlines()[0])
    Probability of survived (95% credible interval)
    """
    if to not in FORMATS:
        raise ParamError(f"to is {to!r}; it must be one of {', '.join(map(repr, FORMATS))}.")
    known = list(inspect.signature(FORMATS[to].write).parameters)[1:]
    for name in options:
        if name not in known:
            raise ParamError(f"{to} has no option {name!r}; its options are {', '.join(known)}.")
    if labels is not None:
        model = as_model(model).with_labels(labels)
    return FORMATS[to].write(disclosed(model, min_cell), **options)


def export_file(
    model: Any, to: str, path: str | os.PathLike[str], force: bool = False, **options: Any
) -> Path:
    """Write a model in another format into a file.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        What to write.
    to : str
        The format, as in `export_model`.
    path : str or path
        The file. It is written as a whole or not at all.
    force : bool, default=False
        Replace a file that exists.
    **options
        ``min_cell``, ``labels`` and options of the format, as in `export_model`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.export import export_file
    >>> export_file(clf, "markdown", "titanic.md").name
    'titanic.md'
    """
    check_writable(path, force)
    return write_atomically(path, export_model(model, to, **options), force)
