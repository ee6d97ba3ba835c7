"""Model files, and rows in the form that a model needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from novikoff._counts import counted
from novikoff._verify import ENCODER_ON_TRUST
from novikoff.data.batch import Batch
from novikoff.data.encoding.encoder import MISSING_COLUMNS
from novikoff.data.reading import Reading, fitting
from novikoff.errors import input_error, quote
from novikoff.persistence import model_file
from novikoff.theory.verification import Check

from ._output import Line, as_options, print_message

PLAIN = ("", "comma-separated, header", "tab-separated, header")  # text that needs no note about how it was read
IN_NOTES = ("delimiter", "encoding", "format", "quote", "target")  # options that notes advise
MAX_NAMES = 5  # of columns in an error message


def load_model(path: str) -> tuple[Any, Reading]:
    """Return the model of a file, and how its data became rows."""
    model = model_file.load_learner(path)
    return model, reading_of(path, model)


def reading_of(path: str, model: Any, allow_unlearned: bool = False) -> Reading:
    """Return how the data of a model from a file became rows; refuse a model that cannot predict."""
    name = type(model).__name__
    if not hasattr(model, "predict"):
        raise input_error(path, f"{name} holds one model for each C, and one model is needed. Fit LinearSVM instead.")
    if not (allow_unlearned or (hasattr(model, "classes_") and hasattr(model, "n_features_in_"))):
        raise input_error(path, f"this {name} has not learned from any example with a label.")
    reading = getattr(model, "reading_", None)
    if reading is None and hasattr(model, "feature_names_in_"):  # fitted to a data frame
        names = tuple(map(str, model.feature_names_in_))
        reading = Reading(features=names, names=names)
    return reading or Reading()


def check_missing_columns(reading: Reading, asked: str) -> str:
    """Return a value of ``--missing-columns`` that a model can use; "error" leaves it to the encoder of the model."""
    if asked not in MISSING_COLUMNS:
        raise input_error("--missing-columns", f"error or impute is needed, not {quote(asked)}.")
    if asked == "impute" and reading.encoding is None and reading.running is None:
        raise input_error("--missing-columns", "the model does not encode tables. Leave this out.")
    own = reading.encoder_parameters().get("missing_columns", "error")
    return str(own) if asked == "error" else asked


def read_rows(
    where: str,
    model: Any,
    reading: Reading,
    data: str,
    opening: dict[str, Any],
    keep_columns: bool = False,
    quiet: bool = False,
) -> Batch:
    """Return rows, labels and weights of DATA; columns that the model does not know are dropped or kept."""
    batch = reading.read(where, data, **opening)
    print_notes(batch, quiet)
    _check_kind(where, reading, batch)
    if keep_columns and batch.X.shape[1] > model.n_features_in_:
        return batch
    X = match_columns(where, model.n_features_in_, reading, batch, quiet)
    return Batch(X, batch.y, batch.weights, **vars(batch))


def read_learned(
    where: str, model: Any, reading: Reading, data: str, opening: dict[str, Any], quiet: bool = False
) -> tuple[Batch, list[Check]]:
    """Return the rows of DATA as the model learned from them, and what is known of the encoder of a table."""
    if reading.running is not None:
        batch, same = reading.as_learned(where, data, **opening)
        print_notes(batch, quiet)
        X = batch.X
        if X.shape[1] < model.n_features_in_:
            X = fitting(where, X, model.n_features_in_)[0]
        detail = f"means, scales and columns after the last row are {'' if same else 'not '}those of DATA"
        check = Check("encoder", "holds" if same else "fails", detail)
        return Batch(X, batch.y, batch.weights, **vars(batch)), [check]
    batch = read_rows(where, model, reading, data, opening, keep_columns=True, quiet=quiet)
    return batch, [] if reading.encoding is None else [ENCODER_ON_TRUST]


def target_lines(target: str | None, choice: str = "", rivals: Sequence[str] = ()) -> list[Line]:
    """Return the line that names the column of the labels, and says why it was taken; nothing without a table."""
    if target is None:
        return []
    why = [choice, *[f"{', '.join(rivals)} may be labels, too"] * bool(rivals), "--target NAME chooses another"]
    return [("target", f"{target} ({'; '.join(why)})" if choice else target)]


def target_result(target: str | None, choice: str = "", rivals: Sequence[str] = ()) -> dict[str, Any]:
    """Return the same for JSON."""
    return {"target": target, "target_choice": choice or None, "target_rivals": list(rivals)} if target else {}


def print_notes(batch: Batch, quiet: bool = False) -> None:
    """Print how DATA was read, and what is unusual about it."""
    if not quiet:
        read_as = [f"read as {batch.read_as}"] * (batch.read_as not in PLAIN)
        for line in [*read_as, *batch.notes]:
            print_message(f"note: {as_options(line, IN_NOTES)}")


def match_columns(where: str, width: int, reading: Reading, batch: Batch, quiet: bool = False) -> Any:
    """Return rows with as many columns as the model has, with a note if some are dropped; tables must match exactly."""
    _check_kind(where, reading, batch)
    if batch.columns is None and (reading.encoding is not None or reading.running is not None):
        raise input_error(where, "the model encodes tables, but DATA is not a table. Use the table itself.")
    if reading.column_names is not None and batch.columns is None:
        _check_numbers(where, reading.column_names)
        if not quiet:
            print_message(
                "note: the model's columns have names, and those of DATA have not; they are matched by number"
            )
    if batch.columns is not None and batch.X.shape[1] != width:
        raise input_error(
            where, f"DATA has {counted(batch.X.shape[1], 'feature')}, but the model was fitted to {width}."
        )
    X, dropped = fitting(where, batch.X, width)
    if dropped and not quiet:
        print_message(f"note: ignoring {counted(dropped, 'column')} beyond the model's {width:,}")
    return X


def _check_kind(where: str, reading: Reading, batch: Batch) -> None:
    """Refuse a table if the model was fitted to numbered columns: it is not known which column is which."""
    if batch.columns is not None and reading.features is None:
        names = list(batch.columns)
        columns = ", ".join([*names[:MAX_NAMES], *["..."] * (len(names) > MAX_NAMES)])
        wrong = f"the model knows its columns by number, but DATA is a table (columns {columns})."
        raise input_error(where, f"{wrong} Use svmlight; 'novikoff convert' makes it of a table.")


class NumberNames(Sequence[str]):
    """The numbers of columns as their names, which are made when they are needed: there may be 2^31 of them."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> NumberNames: ...
    def __getitem__(self, place: int | slice) -> str | NumberNames:
        found = self._numbers[place]
        return NumberNames(found) if isinstance(found, range) else str(found)


def feature_names(model: Any, reading: Reading) -> Sequence[str]:
    """Return the names of a model's columns, or their numbers in the file."""
    names = getattr(model, "feature_names_in_", None)
    return column_names(reading, model.n_features_in_) if names is None else [str(name) for name in names]


def column_names(reading: Reading, count: int) -> Sequence[str]:
    """Return the names of columns of rows, or their numbers in the file."""
    if reading.column_names is not None and len(reading.column_names) == count:
        return list(reading.column_names)
    first = reading.index_base if reading.features is None else 0
    return NumberNames(range(first, first + count))


def _check_numbers(where: str, names: Sequence[str]) -> None:
    """Refuse numbered columns for a model whose columns are called by other numbers, as a server calls svmlight's."""
    if all(name.isdecimal() for name in names):
        numbers = list(map(int, names))
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            wrong = "the model's columns are in another order than those of DATA: it knows them by numbers as names."
            raise input_error(where, f"{wrong} Use predict_one or learn_one of the model in Python.")
