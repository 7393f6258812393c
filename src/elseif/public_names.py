"""Public names of a package, loaded when they are first used.

The public names of a package are declared only in its stub, ``__init__.pyi``: type checkers and
editors read it as it is, and the program reads from it which module a name is in.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

# __getattr__, __dir__ and __all__
Hooks = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def lazy_names(package: str, file: str) -> Hooks:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package that loads its stub's names.

    ``package`` and ``file`` are its ``__name__`` and ``__file__``; the stub lies beside the file.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8"))
    homes = {
        alias.name: line.module
        for line in stub.body
        if isinstance(line, ast.ImportFrom) and line.module
        for alias in line.names
    }

    def load(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: sorted(homes), list(homes)
