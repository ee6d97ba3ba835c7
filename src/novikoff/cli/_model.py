"""A model file and the rows to hold against it."""

from __future__ import annotations

from typing import Any

from novikoff.data.batch import Batch
from novikoff.data.reading import Reading, fitting
from novikoff.errors import invalid
from novikoff.persistence import model_file

from ._output import say


def loaded(path: str, to_go_on: bool = False) -> tuple[Any, Reading]:
    """The model of a file, and how its data became rows; only a stream may go on from one that has met no label."""
    model = model_file.load(path)
    if not hasattr(model, "predict"):
        raise invalid("load", "One model.", f"{path}, a {type(model).__name__}, which has one for each C")
    if not (to_go_on or (hasattr(model, "classes_") and hasattr(model, "n_features_in_"))):
        raise invalid("load", "A model that has met a label.", f"{path}, a {type(model).__name__} that has not")
    reading = getattr(model, "reading_", None)
    if reading is None and hasattr(model, "feature_names_in_"):  # of a data frame
        names = tuple(map(str, model.feature_names_in_))
        reading = Reading(features=names, names=names)
    return model, reading or Reading()


def rows_for(
    where: str, model: Any, reading: Reading, data: str, opening: dict[str, Any], whole: bool = False
) -> tuple[Any, Any, Any]:
    """Rows, labels and weights of DATA, as wide as the model wants them; if they must be whole, never narrower."""
    batch = reading.read(where, data, **opening)
    _check_kind(where, reading, batch)
    too_wide = batch.X.shape[1] > model.n_features_in_
    return batch.X if whole and too_wide else fitted(where, model, reading, batch), batch.y, batch.weights


def fitted(where: str, model: Any, reading: Reading, batch: Batch, quiet: bool = False) -> Any:
    """Rows as wide as the model wants them; says if columns are left out. Those of a table must be the model's."""
    width = model.n_features_in_
    _check_kind(where, reading, batch)
    if reading.names is not None and batch.columns is None and not quiet:
        say("note: the model learned from columns with names; those of DATA are taken by their numbers")
    if batch.columns is not None and batch.X.shape[1] != width:
        raise invalid(where, f"Rows of {width} features, as the model learned from.", f"{batch.X.shape[1]}")
    X, left_out = fitting(where, batch.X, width)
    if left_out and not quiet:
        say(f"note: {left_out:,} columns beyond the model's {model.n_features_in_:,} are left out")
    return X


def _check_kind(where: str, reading: Reading, batch: Batch) -> None:
    """Refuse a table where the model learned from numbered columns: its columns could be any of them."""
    if batch.columns is not None and reading.features is None:
        need = "svmlight or a cache: the model knows its columns by number (novikoff convert makes one of a table)."
        raise invalid(where, need, f"a table with the columns {', '.join(list(batch.columns)[:5])}")


def names_of(model: Any, reading: Reading) -> list[str]:
    """What the columns of a model are called: their names, or their numbers in the file."""
    names = getattr(model, "feature_names_in_", None)
    return column_names(reading, model.n_features_in_) if names is None else [str(name) for name in names]


def column_names(reading: Reading, count: int) -> list[str]:
    """What the columns of rows are called: their names, or their numbers in the file."""
    if reading.names is not None and len(reading.names) == count:
        return list(reading.names)
    first = reading.index_base if reading.features is None else 0
    return [str(first + column) for column in range(count)]
