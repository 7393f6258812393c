"""Model files as the verbs use them, and tables read as a model knows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.cli.problems import say
from elseif.cli.tables import Read, Wanted, read_labelled, read_table_file, select
from elseif.errors import DataError, ParamError

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel


def read(path: Path) -> FittedModel:
    """The model in a file; no scikit-learn and no compiled code is loaded for it."""
    from elseif.export.model_file import read_model

    return read_model(path)


def classifier_of(model: FittedModel, path: Path) -> Any:
    """A fitted classifier made of a model."""
    from elseif.export.model_file import to_classifier

    return to_classifier(model, path.name)


def read_cases(model: FittedModel, path: Path) -> Any:
    """A table to predict for: its label, where it has one, is set aside."""
    from elseif.tables.reading import read_table

    rows = read_table_file(path, _as_written(model))
    names = list(rows.columns)
    outcome = model.metadata.outcome
    if outcome in names and outcome not in (model.feature_names or ()):
        rows = select(rows, [name for name in names if name != outcome])
    return read_table(rows, allow_infinite=model.settings.get("infinite") == "outer")


def read_again(
    model: FittedModel, path: Path, label: str | None, weight: str | None = None
) -> Read:
    """A table with labels for a model: its features alone, its labels in their order."""
    label = label or model.metadata.outcome
    if label is None:
        raise ParamError("The model does not know the name of its label; say --label COLUMN.")
    classes = model.rule_list.classes.tolist()
    as_written = _as_written(model)
    if all(isinstance(each, str) for each in classes):
        as_written.add(label)
    return read_labelled(
        path,
        Wanted(
            label=label,
            weight=weight,
            drop=[],
            classes=classes,
            features=model.feature_names,
            as_written=as_written,
            missing_y=model.settings.get("missing_y", "error"),
        ),
    )


def is_training_table(model: FittedModel, read: Read) -> bool:
    """Whether a table is the very one of fit, as far as the model can tell."""
    if model.training["fingerprint"] is None:
        return True
    return model.was_trained_on(read.X, read.y, read.weights)


def check_training_table(model: FittedModel, read: Read, model_path: Path, table: Path) -> None:
    """Say so where a report would mix two tables; refuse one that lacks a label."""
    present = set(read.y.cat.categories[read.y.cat.codes.unique()[read.y.cat.codes.unique() >= 0]])
    absent = [label for label in model.rule_list.classes.tolist() if label not in present]
    if absent:
        raise DataError(f"{table.name} has no row of the label {absent[0]!r}, which the list has.")
    if not is_training_table(model, read):
        say(
            f"note: {table.name} is not the table that {model_path.name} was learnt from (other "
            "rows, another order, or weights left out). The list and its counts stay as they are "
            f"in the model; people, folds and measures are of {table.name}, to which the folds' "
            f"lists are fitted. To judge the list itself by {table.name}, give the training table "
            f"and --holdout {table.name}."
        )


def _as_written(model: FittedModel) -> set[str]:
    """Columns of a text file whose values the model knows as texts, even "1" and "true"."""
    return {
        column.name
        for column in model.fit_report.columns
        if column.kind.value in ("category", "ordered") and column.levels_hold in (None, "text")
    }
