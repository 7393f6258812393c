"""The kernels serve where neither the package's folder nor the user's can be written."""

import types
from pathlib import Path

from elseif import kernels


def test_kernels_are_imported_where_nothing_can_be_cached() -> None:
    """Numba refuses to cache what comes from no file: the kernels then go without."""
    copy = types.ModuleType("uncached_kernels")
    exec(compile(Path(kernels.__file__).read_text(), "<uncached>", "exec"), vars(copy))
    assert copy.is_possible(copy.ADD, 0, 1)
