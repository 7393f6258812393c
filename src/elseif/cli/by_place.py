"""Text files for models whose columns have no names: columns are matched by position."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elseif.tables.text_files import TextFormat


@dataclass(frozen=True)
class ByPlace:
    """What a model knows of its columns, for a file that may name them differently."""

    names: Sequence[str]  # the model's own, in the order of the table: x0, x1, ...
    kinds: Mapping[str, str] = field(default_factory=dict)
    needed: Collection[str] | None = None  # None for all
    left_out: Collection[str | None] = ()  # columns of the file that are no features

    def in_words_of(
        self, path: Path, how: TextFormat
    ) -> tuple[dict[str, str], TextFormat, set[str] | None]:
        """Kinds, format and needed columns, by the names that the file has.

        Where it has another number of columns nothing is known of them.
        """
        from elseif.tables.text_files import column_names

        of_file = column_names(path, how)
        features = [name for name in of_file if name not in self.left_out]
        if len(features) != len(self.names):
            return {}, replace(how, date_orders={}, levels={}), None
        named = dict(zip(self.names, features, strict=True))
        kinds = {named[name]: kind for name, kind in self.kinds.items()}
        orders = {named[name]: order for name, order in how.date_orders.items()}
        levels = {named.get(name, name): known for name, known in how.levels.items()}
        needed = None
        if self.needed is not None:
            needed = {named[name] for name in self.needed} | (set(of_file) - set(features))
        return kinds, replace(how, date_orders=orders, levels=levels), needed
