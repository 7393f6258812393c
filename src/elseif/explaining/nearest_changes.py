"""The nearest change: the fewest columns to change for another rule to apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from elseif.explaining.cells import Cell
from elseif.explaining.unknown_values import ListLogic, Part, Truth, fits
from elseif.tables.columns import Kind

MOST_WAYS = 2000  # considered among those with the same, smallest number of columns

Ways = Mapping[str, tuple[Cell, ...]]  # changed columns, and the cells they may go to


@dataclass(frozen=True)
class CellChange:
    """A column and the cells that its value would have to lie in.

    Where cells have an order, they are the nearest one and its neighbours, in that order.
    """

    column: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class CaseChange:
    """Changes of columns that together make the rule at a place apply."""

    place: int
    columns: tuple[CellChange, ...]


@dataclass(frozen=True, eq=False)
class _Search:
    """Ways to make one rule apply by changing a number of columns."""

    logic: ListLogic
    truths: Mapping[str, Truth]  # of the case as it is
    place: int
    n_columns: int

    def ways(self) -> Iterator[Ways]:
        target = self.logic.rules[self.place]
        must_change = [c for c, part in target.items() if not fits(self.truths[c], part)]
        changed = {column: self.elsewhere(column) for column in must_change}
        if len(changed) <= self.n_columns and all(changed.values()):
            yield from self._make_false(0, changed)

    def elsewhere(self, column: str) -> tuple[Cell, ...]:
        """Cells that another value of a column may lie in, with the rule still true there."""
        part = self.logic.rules[self.place].get(column, ())
        now = self.truths[column]
        return tuple(
            cell
            for cell in self.logic.cells[column]
            if not cell.is_missing and cell.truth != now and fits(cell.truth, part)
        )

    def _make_false(self, first: int, changed: Ways) -> Iterator[Ways]:
        """Ways to keep every earlier rule from applying."""
        for i in range(first, self.place):
            rule = self.logic.rules[i]
            if self._is_false(rule, changed):
                continue
            for column, part in rule.items():
                if column not in changed and len(changed) == self.n_columns:
                    continue
                # a column that was as it is may have kept earlier rules false: look again
                again = i + 1 if column in changed else 0
                cells = changed.get(column) or self.elsewhere(column)
                failing = tuple(cell for cell in cells if not fits(cell.truth, part))
                if failing:
                    yield from self._make_false(again, {**changed, column: failing})
            return
        yield changed

    def _is_false(self, rule: Mapping[str, Part], changed: Ways) -> bool:
        for column, part in rule.items():
            if column not in changed:
                if not fits(self.truths[column], part):
                    return True
            elif not any(fits(cell.truth, part) for cell in changed[column]):
                return True
        return False


def nearest_changes(
    logic: ListLogic,
    truths: Mapping[str, Truth],
    cell_of: Mapping[str, int | None],
    targets: Sequence[int],
) -> tuple[CaseChange, ...]:
    """Every smallest set of columns to change so that one of the target rules applies.

    ``cell_of`` is the number of the cell that each value lies in, None where it is in none.
    The number of columns is the smallest possible; the cells are the nearest found.
    """
    for n_columns in range(1, len(logic.columns) + 1):
        best: dict[tuple[int, frozenset[str]], tuple[int, Ways]] = {}
        for position in targets:
            search = _Search(logic, truths, position, n_columns)
            for ways in islice(search.ways(), MOST_WAYS):
                key = (position, frozenset(ways))
                distance = sum(
                    min(_steps(logic, cell_of, cell) for cell in w) for w in ways.values()
                )
                if key not in best or distance < best[key][0]:
                    best[key] = (distance, ways)
        if best:
            nearest_first = sorted(
                best.items(), key=lambda item: (item[1][0], item[0][0], sorted(item[0][1]))
            )
            return tuple(_change(logic, cell_of, key[0], ways) for key, (_, ways) in nearest_first)
    return ()


def _steps(logic: ListLogic, cell_of: Mapping[str, int | None], cell: Cell) -> int:
    """How many cells away a cell is, where cells have an order."""
    start = cell_of[cell.column]
    if cell.kind in (Kind.BOOLEAN, Kind.CATEGORY) or start is None:
        return 1
    return abs(logic.cells[cell.column].index(cell) - start)


def _change(
    logic: ListLogic, cell_of: Mapping[str, int | None], position: int, ways: Ways
) -> CaseChange:
    columns = []
    for column in logic.columns:  # in the order in which the list asks for them
        if column in ways:
            columns.append(CellChange(column, _nearest(logic, cell_of, ways[column])))
    return CaseChange(position, tuple(columns))


def _nearest(
    logic: ListLogic, cell_of: Mapping[str, int | None], cells: tuple[Cell, ...]
) -> tuple[Cell, ...]:
    """Unordered cells unchanged; of ordered cells, the nearest and its adjacent ones."""
    if cells[0].kind in (Kind.BOOLEAN, Kind.CATEGORY):
        return cells
    all_cells = logic.cells[cells[0].column]
    allowed = [cell in cells for cell in all_cells]
    nearest = min(cells, key=lambda cell: _steps(logic, cell_of, cell))
    first = last = all_cells.index(nearest)
    while first > 0 and allowed[first - 1]:
        first -= 1
    while allowed[last + 1]:  # the cell of missing values, the last, is never allowed
        last += 1
    return all_cells[first : last + 1]
