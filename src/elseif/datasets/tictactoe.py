"""Every board on which a game of tic-tac-toe can end, and whether X won."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "centre", "right")
LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8),
    (0, 3, 6), (1, 4, 7), (2, 5, 8),
    (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def load_tictactoe() -> tuple[pd.DataFrame, pd.Series[bool]]:
    """The 958 final boards of tic-tac-toe when X begins, found by playing every game.

    Returns
    -------
    X : DataFrame
        27 boolean columns such as "X top left", "O middle centre" and "empty bottom right".
    y : Series of bool
        Whether X won.

    Examples
    --------
    >>> from elseif.datasets import load_tictactoe
    >>> X, y = load_tictactoe()
    >>> X.shape, int(y.sum())
    ((958, 27), 626)
    """
    import pandas as pd

    boards = sorted(_final_boards())
    columns = {
        f"{name} {row} {column}": [board[3 * r + c] == mark for board in boards]
        for mark, name in (("x", "X"), ("o", "O"), (" ", "empty"))
        for r, row in enumerate(ROWS)
        for c, column in enumerate(COLUMNS)
    }
    return pd.DataFrame(columns), pd.Series([_won(b, "x") for b in boards], name="X won")


def _final_boards() -> set[str]:
    final: set[str] = set()
    seen: set[str] = set()
    waiting = [" " * 9]
    while waiting:
        board = waiting.pop()
        if board in seen:
            continue
        seen.add(board)
        if _won(board, "x") or _won(board, "o") or " " not in board:
            final.add(board)
            continue
        mark = "x" if board.count("x") == board.count("o") else "o"
        waiting += [board[:i] + mark + board[i + 1 :] for i in range(9) if board[i] == " "]
    return final


def _won(board: str, mark: str) -> bool:
    return any(all(board[i] == mark for i in line) for line in LINES)
