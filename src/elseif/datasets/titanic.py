"""Who survived the Titanic: R's data set, and the part of it the paper's authors fitted."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from elseif.errors import ParamError

if TYPE_CHECKING:
    import pandas as pd

GROUPS = (("female", "adult"), ("female", "child"), ("male", "adult"), ("male", "child"))

# (died, survived) by class, for the four groups in turn
ALL_PASSENGERS = {
    "1st": ((4, 140), (0, 1), (118, 57), (0, 5)),
    "2nd": ((13, 80), (0, 13), (154, 14), (0, 11)),
    "3rd": ((89, 76), (17, 14), (387, 75), (35, 13)),
    "crew": ((3, 20), (0, 0), (670, 192), (0, 0)),
}
# sorted rows would give folds of one class and one sex each
ORDER_SEED = 1912
PAPER_SPLIT = {
    "1st": ((4, 112), (0, 1), (92, 46), (0, 3)),
    "2nd": ((9, 62), (0, 12), (123, 13), (0, 9)),
    "3rd": ((75, 65), (15, 13), (303, 61), (25, 13)),
    "crew": ((3, 16), (0, 0), (530, 156), (0, 0)),
}


def load_titanic(split: str | None = None) -> tuple[pd.DataFrame, pd.Series[str]]:
    """Class, sex and age group of each person on the Titanic, and who survived.

    Rows are in a fixed random order, so that consecutive folds are alike.

    Parameters
    ----------
    split : {None, "all", "paper"}, default=None
        All 2,201 people of R's data set (None or "all"), or the 1,761 of them that the paper's
        authors trained on, which give its figure 1 ("paper").

    Returns
    -------
    X : DataFrame
        The categories "class", "sex" and "age".
    y : Series of str
        "died" or "survived".

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> X.shape, y.value_counts().to_dict()
    ((1761, 3), {'died': 1179, 'survived': 582})
    """
    import pandas as pd

    if split not in (None, "all", "paper"):
        raise ParamError(f"split is {split!r}; it must be None, 'all' or 'paper'.")
    counts = PAPER_SPLIT if split == "paper" else ALL_PASSENGERS
    rows = [
        (travel_class, sex, age, label)
        for travel_class, groups in counts.items()
        for (sex, age), numbers in zip(GROUPS, groups, strict=True)
        for label, n in zip(("died", "survived"), numbers, strict=True)
        for _ in range(n)
    ]
    random.Random(ORDER_SEED).shuffle(rows)
    frame = pd.DataFrame(rows, columns=["class", "sex", "age", "survival"])
    X = frame[["class", "sex", "age"]].astype("category")
    return X, frame["survival"]
