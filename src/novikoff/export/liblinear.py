"""Models as the text files of LIBLINEAR."""

from __future__ import annotations

import io
import math
import os
from array import array
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from novikoff._atomic import replacing
from novikoff._wide_array import narrowed, occurring
from novikoff.data.source import is_path
from novikoff.errors import file_error, input_error, quote, quote_first
from novikoff.record import RunRecord
from novikoff.svm import LinearClassifier
from novikoff.theory.geometry import Floats

from .base import ExportFormat, record_of
from .linear_model import LinearModel, is_worth_cutting, linear_model

CLASSIFIERS = (
    *("L2R_LR", "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "MCSVM_CS"),
    *("L1R_L2LOSS_SVC", "L1R_LR", "L2R_LR_DUAL"),
)
MAX_INT = 2**31 - 1  # labels and counts of LIBLINEAR are C's int
MAX_COLUMNS = 50_000_000  # of a model that is written, which has a line for each: 100 MB or more of text
BLOCK_LINES = 1 << 16  # lines of zeros that are written at a time
MAX_QUOTED = 40  # characters of a bad line that an error message shows


class LiblinearFormat(ExportFormat):
    """The text that LIBLINEAR's ``train`` writes and ``predict`` reads."""

    name = "liblinear"
    suffixes = (".model", ".txt")
    can_read = True

    def write(self, record: RunRecord, path: str | os.PathLike[str]) -> None:
        model = linear_model(record)
        if model.has_pairs:
            message = "LIBLINEAR's files have one weight vector per class, but this model has one per pair of classes"
            raise input_error(record.learner, f'{message}. Fit with multi_class="ovr" or "crammer_singer".')
        labels, order = np.array(_integers(record.learner, model.classes)), model.tie_order()
        is_binary = len(labels) == 2
        order = order[::-1] if is_binary else order  # a score of 0 goes to the second label, a tie to the first
        columns, width = _columns(record.learner, model)
        table = np.column_stack([narrowed(model.coef, columns), model.intercept])
        is_negated = is_binary and order[0] == 0
        header = {
            "solver_type": _solver(record, model),
            "nr_class": len(labels),
            "label": " ".join(map(str, labels[order].tolist())),
            "nr_feature": width,
            "bias": 1,
        }
        with replacing(path) as file:
            file.write("".join(f"{key} {value}\n" for key, value in header.items()).encode() + b"w\n")
            written = (-table if is_negated else table if is_binary else table[order]).T
            file.writelines(_lines(np.append(columns, width), written, -0.0 if is_negated else 0.0))

    def recognizes(self, beginning: bytes) -> bool:
        return beginning.startswith(b"solver_type ")

    def read(self, path: str | os.PathLike[str]) -> LinearClassifier:
        return from_liblinear(path)


LIBLINEAR = LiblinearFormat()


def to_liblinear(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as the text that LIBLINEAR's ``predict`` reads.

    The labels must be integers. Ties are decided there as here: ``predict`` takes the first of several labels with
    equal scores, so the labels are written in the order of their frequency. Of two labels it takes the first where the
    score is above 0 and the second one otherwise; so the less frequent class is written first, and the weights are
    negated if it is the negative one. ``from_liblinear`` reads the same weights back, bit for bit.

    A joint machine (``multi_class="crammer_singer"``) is written as LIBLINEAR's solver -s 4. The format has one weight
    vector per class, so a model of pairs of classes (``multi_class="ovo"``) is refused.

    The format has a line for every column, also for those without a weight, and no place for their names. If there are
    at least 256 columns and more than half of them come after the last one with a weight, the file ends there, and the
    model that is read back has fewer columns; ``predict`` ignores features that a model does not have.

    The weights of a model that was fitted to a table are for encoded rows: standardised numbers, and one column per
    category or word. The file does not hold the encoder; ``to_json`` writes it, and the encoder itself is
    ``novikoff.load(path)[0]``.

    Parameters
    ----------
    model : classifier
        A fitted linear classifier of novikoff.
    path : str or path-like
        The file, which is written completely or not at all.

    Raises
    ------
    InvalidInputError
        If the model is not linear or has one weight vector per pair of classes, if its labels are not integers, or if
        the file would need more than 50,000,000 lines.
    FileError
        If the file cannot be written.

    See Also
    --------
    from_liblinear : Read such a file.

    Examples
    --------
    >>> import tempfile
    >>> import novikoff as nk
    >>> model = nk.LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], [-1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.export.to_liblinear(model, f"{folder}/model.txt")
    ...     same = nk.export.from_liblinear(f"{folder}/model.txt")
    >>> bool((same.coef_ == model.coef_).all())
    True
    """
    LIBLINEAR.write(record_of("to_liblinear", model, path), path)


def _solver(record: RunRecord, model: LinearModel) -> str:
    """Return LIBLINEAR's name of the solver of such a model."""
    if model.strategy.is_joint:
        return "MCSVM_CS"
    return "L2R_L2LOSS_SVC_DUAL" if record.parameters.get("loss") == "squared_hinge" else "L2R_L1LOSS_SVC_DUAL"


def _columns(where: str, model: LinearModel) -> tuple[NDArray[np.int64], int]:
    """Return the columns with a weight other than +0, and the number of all columns of the file.

    It ends with the last column that has a weight, if these are less than half of many columns.
    """
    width = model.coef.shape[1]
    last = int(occurring(model.coef).max(initial=0)) + 1
    width = last if is_worth_cutting(last, width) else width
    if width > MAX_COLUMNS:
        message = (
            f"LIBLINEAR's files have a line for every column, and {width:,} are too many; {MAX_COLUMNS:,} are possible"
        )
        raise input_error(where, f"{message}. JSON and ONNX files hold only the columns that have a weight.")
    columns = model.written_columns()
    return columns[columns < width], width


def _lines(places: NDArray[np.int64], table: Floats, zero: float) -> Iterator[bytes]:
    """Yield the lines of the weights, given the numbers and the weights of lines that are not all ``zero``."""
    line = "%.17g " * table.shape[1] + "\n"
    empty_line, done = (line % ((zero,) * table.shape[1])).encode(), 0
    for place, weights in zip(places.tolist(), table, strict=True):
        for first in range(done, place, BLOCK_LINES):
            yield empty_line * min(BLOCK_LINES, place - first)
        yield (line % tuple(weights.tolist())).encode()
        done = place + 1


def _integers(where: str, classes: NDArray[Any]) -> list[int]:
    whole = classes.dtype.kind == "i" or (classes.dtype.kind == "f" and bool(np.all(classes == np.floor(classes))))
    if not whole or np.abs(classes.astype(np.float64)).max() > MAX_INT:
        found = quote_first(classes.tolist())
        message = f"LIBLINEAR needs classes that are integers of at most {MAX_INT}, and the classes ({found}) are not."
        raise input_error(where, message)
    return [int(label) for label in classes.tolist()]


def from_liblinear(path: str | os.PathLike[str]) -> LinearClassifier:
    r"""Read a model that LIBLINEAR's ``train`` wrote with one of its classifiers, -s 0 to 7.

    The model predicts what LIBLINEAR's ``predict`` does, except for ties, which L1-regularised models have for rows in
    which they use no feature: here a score of exactly 0 goes to the last of ``classes_``, there to the second label of
    the file; of classes with equal scores, the first of ``classes_`` wins here, the first label of the file there.

    Parameters
    ----------
    path : str or path-like
        A model file of LIBLINEAR.

    Returns
    -------
    LinearClassifier
        A classifier that predicts. It has no certificate: LIBLINEAR's files do not say how good the weights are.

    Raises
    ------
    InvalidInputError
        If a line is not as LIBLINEAR writes it; the message has its number.
    FileError
        If the file cannot be read.

    See Also
    --------
    to_liblinear : Write such a file.

    Examples
    --------
    >>> import tempfile
    >>> import novikoff as nk
    >>> text = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n0.5 \n-2 \n"
    >>> with tempfile.NamedTemporaryFile("w+", suffix=".model") as file:
    ...     print(text, end="", file=file, flush=True)
    ...     model = nk.export.from_liblinear(file.name)
    >>> model.classes_, model.coef_
    (array([-1,  1]), array([[ 0.5, -2. ]]))
    """
    if not is_path(path):
        raise input_error("from_liblinear", f"path must be a str or a path, but it is {quote(path)}.")
    try:
        with open(path, "rb") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        raise file_error(str(path), error) from None
    return _ModelText(os.fsdecode(path), text).model()


class _ModelText:
    """The lines of a model file, read one after the other."""

    KEYS = ("solver_type", "nr_class", "label", "nr_feature", "bias")

    def __init__(self, name: str, text: bytes) -> None:
        self.name, self.line = name, 0
        self.is_complete = text.endswith(b"\n")
        self.lines = (line.removesuffix(b"\n") for line in io.BytesIO(text))  # not a list, which takes more memory

    def refuse(self, expected: str, found: str | bytes) -> NoReturn:
        """Say what is wrong with the line that was read last; bytes are quoted."""
        if isinstance(found, bytes):
            found = ascii(found.decode("utf-8", "backslashreplace")[:MAX_QUOTED])
        raise input_error(f"{self.name}, line {self.line}", f"expected {expected}, but found {found}.")

    def next_line(self, expected: str) -> bytes:
        """Return the next line."""
        self.line += 1
        line = next(self.lines, None)
        if line is None:
            self.refuse(expected, "the end of the file")
        return line

    def model(self) -> LinearClassifier:
        """Read all lines and return the model."""
        header = dict(self._header())
        solver, labels, features = header["solver_type"], header["label"], header["nr_feature"]
        bias: float = header["bias"]
        has_one_column = len(labels) == 2 and solver != "MCSVM_CS"
        table = self._table(features + (bias >= 0), 1 if has_one_column else len(labels))
        coef = table[:features].T
        with np.errstate(over="ignore"):
            intercept = bias * table[features] if bias >= 0 else np.zeros(len(coef))
        if not np.all(np.isfinite(intercept)):
            self.refuse("a bias and a weight whose product is finite", "a larger product")
        if len(labels) == 2:  # Crammer and Singer's method has two columns of weights, of which the first is used
            sign = 1.0 if labels[0] > labels[1] else -1.0
            return LinearClassifier.of(sign * coef[:1], sign * intercept[:1], sorted(labels))
        order = np.argsort(labels)
        return LinearClassifier.of(coef[order], intercept[order], sorted(labels))

    def _header(self) -> Iterator[tuple[str, Any]]:
        """Yield names and values up to the line "w"; the number of classes must come before their labels."""
        known: dict[str, Any] = {}
        while True:
            expected = f"a line that begins with {', '.join(self.KEYS)} or w"
            line = self.next_line(expected)
            words = line.split()
            key = words[0].decode("latin-1") if words else ""
            if key == "w" and len(words) == 1:
                break
            if key not in self.KEYS:
                self.refuse(expected, line)
            if key in known:
                self.refuse(f"one line of {key}", "a second one")
            known[key] = getattr(self, f"_{key}")(words[1:], line, known)
            yield key, known[key]
        for key in self.KEYS:
            if key not in known:
                self.refuse(f"a line of {key} before the weights", "none")

    def _solver_type(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> str:
        solver = words[0].decode("latin-1") if len(words) == 1 else ""
        if solver not in CLASSIFIERS:
            self.refuse("the model of a classifier, of one of LIBLINEAR's solvers 0 to 7", line)
        return solver

    def _nr_class(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> int:
        return self._integer(words, line, "at least two classes", 2)

    def _nr_feature(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> int:
        return self._integer(words, line, "at least one feature", 1)

    def _label(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> list[int]:
        count = known.get("nr_class")
        if count is None:
            self.refuse("nr_class before the labels", line)
        expected = f"{count} different labels, which are integers of at most {MAX_INT}"
        labels = [self._integer([word], line, expected, -MAX_INT - 1) for word in words]
        if len(labels) != count or len(set(labels)) != count:
            self.refuse(expected, line)
        return labels

    def _bias(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> float:
        return self._floats(words, line, 1)[0]

    def _integer(self, words: list[bytes], line: bytes, expected: str, at_least: int) -> int:
        digits = words[0].lstrip(b"+-") if len(words) == 1 else b""
        if not digits.isdigit() or len(digits) > 10 or len(words[0]) - len(digits) > 1:
            self.refuse(expected, line)
        if not at_least <= int(words[0]) <= MAX_INT:
            self.refuse(expected, line)
        return int(words[0])

    def _floats(self, words: list[bytes], line: bytes, count: int) -> list[float]:
        expected = f"{count} finite {'numbers' if count > 1 else 'number'}"
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            self.refuse(expected, line)
        if len(numbers) != count or not all(map(math.isfinite, numbers)) or b"_" in line:
            self.refuse(expected, line)
        return numbers

    def _table(self, rows: int, columns: int) -> Floats:
        """Return the weights: one line per feature, and one for the bias. Memory grows with the lines read."""
        numbers = array("d")
        for done in range(rows):
            line = self.next_line(f"{rows} lines of weights, after {done} of them")
            numbers.extend(self._floats(line.split(None, columns), line, columns))
        if not self.is_complete:
            self.refuse("a line break at the end of the file", "none")
        for line in self.lines:
            self.line += 1
            if line.strip():
                self.refuse(f"{rows} lines of weights and nothing after them", line)
        return np.frombuffer(numbers, dtype=np.float64).reshape(rows, columns)
