"""What is compiled is kept on disk, as long as no source it came from has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import elseif
from elseif.compiled import jit

# a compiled function of one file, into which one of another file is compiled
CALLER = """
from elseif.compiled.jit import compiled
from elseif.compiled.sizes import inner

@compiled
def outer(x):
    return inner(x)
"""
INNER = """
from elseif.compiled.jit import inlined

@inlined
def inner(x):
    return x {what}
"""


def python(code: str, **environment: str) -> str:
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout.strip()


def test_importing_compiles_nothing() -> None:
    """Numba compiles at the first call of a function, never at import."""
    code = (
        "import sys\n"
        "from elseif import compiled\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "modules = [m for n, m in sys.modules.items() if n.startswith('elseif.compiled')]\n"
        "found = {d for m in modules for d in vars(m).values() if isinstance(d, Dispatcher)}\n"
        "print(len(found) > 5, sum(len(d.signatures) for d in found))"
    )
    assert python(code) == "True 0"


def test_no_cache_folder_is_no_obstacle() -> None:
    """Where Numba finds no folder that can be written, functions are compiled without a cache."""
    scope: dict[str, Any] = {"__name__": "nowhere"}
    exec("def double(x): return 2 * x", scope)  # of no file, beside which a cache could be
    assert jit.compiled(scope["double"])(4) == 8


def test_a_change_in_another_file_is_noticed(tmp_path: Path) -> None:
    """A cached function is compiled again when one that was compiled into it has changed."""
    package = tmp_path / "elseif" / "compiled"
    package.mkdir(parents=True)
    (tmp_path / "elseif" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    real = Path(elseif.__file__).parent
    for name in ("compiled/jit.py", "compiled/cache.py", "forking.py"):
        shutil.copy(real / name, tmp_path / "elseif" / name)
    (package / "caller.py").write_text(CALLER)
    code = (
        "from elseif.compiled.caller import outer\n"
        "print(outer(5), sum(outer.stats.cache_hits.values()))"
    )
    # Python's own bytecode is kept by size and whole seconds: both changes have the same size, and
    # may come within one second
    setting = {
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    answers = []
    for what in ("+ 1", "+ 1", "* 3", "* 3"):
        (package / "sizes.py").write_text(INNER.format(what=what))
        answers.append(python(code, **setting, NUMBA_DISABLE_JIT="0"))
    assert answers == ["6 0", "6 1", "15 0", "15 1"]
