"""Model files, and tables read as their model requires."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.cli.activity import activity
from elseif.cli.by_place import ByPlace
from elseif.cli.problems import say
from elseif.cli.tables import (
    Read,
    Wanted,
    check_column,
    read_labelled,
    read_table_file,
    select,
)
from elseif.errors import DataError, ModelFileError, ParamError

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel
    from elseif.tables.text_files import TextFormat


TABLES = (".csv", ".tsv", ".parquet")


def read(path: Path, labels: Path | None = None) -> FittedModel:
    """The model in a file, with the names in a labels file if one is given.

    No scikit-learn and no compiled code is loaded for it.
    """
    from elseif.export.model_file import known_by, read_model

    if path.suffix.lower() in TABLES and path.is_file() and not _begins_as_json(path):
        raise ModelFileError(
            f"{path.name} is a table, not a model file. The model comes first, then the table."
        )
    with activity(f"Reading {path.name}"):
        model = read_model(path)
    # in other words it is still the model of that file
    return model if labels is None else known_by(model.with_labels(labels), model.sha256)


def _begins_as_json(path: Path) -> bool:
    """Whether a file begins as a model does, whatever its name says."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def read_cases(
    model: FittedModel,
    path: Path,
    text: TextFormat,
    id_column: str | None = None,
    only_used: bool = False,
) -> tuple[Any, list[object]]:
    """A table to predict for, without its label where it has one; and the values of one column.

    Faults in columns that are not needed do not matter: those that the model does not have, or,
    with ``only_used``, those that its predictions do not use.
    """
    from elseif.tables.reading import read_table

    text, kept = _as_known(model, text), model.training.get("reading")
    needed: Collection[str] | None = model.feature_names
    if only_used:
        needed = model.columns_used() | model.columns_of_all_lists
    outcome = model.metadata.outcome
    if (by_place := _by_place(model, needed, [outcome])) is not None:
        rows = read_table_file(path, None, text, None, kept, by_place)
    else:
        rows = read_table_file(path, _kinds(model), text, needed, kept)
    names = list(rows.columns)
    ids: list[object] = []
    if id_column is not None:
        check_column(path, names, id_column, "--id")
        ids = ["" if value != value else value for value in rows[id_column].tolist()]
    if outcome in names and outcome not in (model.feature_names or ()):
        rows = select(rows, [name for name in names if name != outcome])
    with activity(f"Reading {path.name}"):
        return read_table(rows, allow_infinite=model.setting("infinite") == "outer"), ids


def read_again(
    model: FittedModel,
    path: Path,
    label: str | None,
    text: TextFormat,
    weight: str | None = None,
) -> Read:
    """A table with labels for a model: its features alone, its labels in their order."""
    label = label or model.metadata.outcome
    if label is None:
        raise ParamError("The model does not know the name of its label; say --label COLUMN.")
    classes = model.rule_list.classes.tolist()
    kinds = {} if model.feature_names is None else _kinds(model)
    if all(isinstance(each, str) for each in classes):
        kinds[label] = "category"
    rows = read_labelled(
        path,
        Wanted(
            label=label,
            weight=weight,
            drop=[],
            classes=classes,
            features=model.feature_names,
            by_place=_by_place(model, None, [label, weight]),
            kinds=kinds,
            missing_y=model.setting("missing_y"),
            text=_as_known(model, text),
            kept=model.training.get("reading", {}),
        ),
    )
    with activity(f"Reading {path.name}"):
        return replace(rows, X=model.read_training(rows.X))  # once, whatever is made of it


def is_training_table(model: FittedModel, read: Read) -> bool:
    """Whether a table is the very one of fit, as far as the model can tell."""
    if model.training["fingerprint"] is None:
        return True
    return model.was_trained_on(read.X, read.y, read.weights)


def check_training_table(model: FittedModel, read: Read, model_path: Path, table: Path) -> None:
    """Note if a report would mix two tables; refuse a table that lacks one of the labels."""
    present = set(read.y.cat.categories[read.y.cat.codes.unique()[read.y.cat.codes.unique() >= 0]])
    absent = [label for label in model.rule_list.classes.tolist() if label not in present]
    if absent:
        raise DataError(f"{table.name} has no row of the label {absent[0]!r}, which the list has.")
    if not is_training_table(model, read):
        say(
            f"note: {table.name} is not the table that {model_path.name} was learnt from (other "
            "rows, another order, or weights left out). The list and its counts stay as they are "
            f"in the model; people, folds and measures are of {table.name}, to which the folds' "
            f"lists are fitted. To evaluate the list itself on {table.name}, give the training "
            f"table and --holdout {table.name}."
        )


def _by_place(
    model: FittedModel, needed: Collection[str] | None, left_out: Collection[str | None]
) -> ByPlace | None:
    """What a model knows of columns that have no names; None where they have."""
    if model.feature_names is not None:
        return None
    names = [column.name for column in model.fit_report.columns]
    return ByPlace(names, _kinds(model), needed, left_out)


def _as_known(model: FittedModel, text: TextFormat) -> TextFormat:
    """A format with what a model knows of dates, and of levels such as "None".

    An empty field is a level only where no value was missing in fit.
    """
    levels = {
        column.name: [each for each in column.levels if each != "" or column.n_missing == 0]
        for column in model.fit_report.columns
        if column.levels_hold in (None, "text")
    }
    return replace(text, date_orders=model.date_orders, levels=levels)


def _kinds(model: FittedModel) -> dict[str, str]:
    """Columns of a text file that the model knows as texts, even "1" and "true", or as dates."""
    from elseif.tables.columns import Kind

    kinds: dict[str, str] = {}
    for column in model.fit_report.columns:
        if column.kind is Kind.DATE and column.excluded is None:
            kinds[column.name] = "date"
        elif column.kind in (Kind.CATEGORY, Kind.ORDERED) and column.levels_hold in (None, "text"):
            kinds[column.name] = "category"
    return kinds
