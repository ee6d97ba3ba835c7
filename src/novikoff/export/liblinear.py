"""Models as the text of LIBLINEAR, and back."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from novikoff._atomic import replacing
from novikoff.data.source import is_path
from novikoff.errors import invalid, unreadable
from novikoff.svm import LinearClassifier
from novikoff.theory.geometry import Floats

from ._weights import Weights

CLASSIFIERS = (
    *("L2R_LR", "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "MCSVM_CS"),
    *("L1R_L2LOSS_SVC", "L1R_LR", "L2R_LR_DUAL"),
)
MOST_INT = 2**31 - 1  # labels and counts of LIBLINEAR are C's int
MOST_SHOWN = 40  # characters of a bad line


def to_liblinear(model: Any, path: Any) -> None:
    """Write a model as the text that LIBLINEAR's ``predict`` reads.

    The labels must be integers. For two classes ``predict`` takes the first label where the score is above 0 and the
    second one otherwise; so the negative class is written first and the weights are negated, and a score of 0 goes to
    the positive class there as it does here. ``from_liblinear`` reads the same weights back, bit for bit.

    Parameters
    ----------
    model : a fitted linear classifier
    path : where to write it, as a whole or not at all

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
    where = "to_liblinear"
    weights = Weights.of(where, model, path)
    labels = _integers(where, weights.classes)
    table = np.column_stack([weights.coef, weights.intercept]).T
    squared = getattr(model, "loss", "hinge") == "squared_hinge"
    header = {
        "solver_type": "L2R_L2LOSS_SVC_DUAL" if squared else "L2R_L1LOSS_SVC_DUAL",
        "nr_class": len(labels),
        "label": " ".join(map(str, labels)),
        "nr_feature": weights.coef.shape[1],
        "bias": 1,
    }
    row = "%.17g " * table.shape[1] + "\n"
    with replacing(where, path) as file:
        file.write("".join(f"{key} {value}\n" for key, value in header.items()).encode() + b"w\n")
        for numbers in -table if len(labels) == 2 else table:
            file.write((row % tuple(numbers.tolist())).encode())


def _integers(where: str, classes: NDArray[Any]) -> list[int]:
    whole = classes.dtype.kind == "i" or (classes.dtype.kind == "f" and bool(np.all(classes == np.floor(classes))))
    if not whole or np.abs(classes.astype(np.float64)).max() > MOST_INT:
        need = f"Classes that are integers of at most {MOST_INT}, as LIBLINEAR's are."
        raise invalid(where, need, repr(classes.tolist()[:5]))
    return [int(label) for label in classes.tolist()]


def from_liblinear(path: Any) -> LinearClassifier:
    r"""Read a model that LIBLINEAR's ``train`` wrote with one of its classifiers, -s 0 to 7.

    It predicts what LIBLINEAR's ``predict`` does, but for ties, which L1-regularised models have for rows in which they
    use no feature: a score of exactly 0 goes to the last of ``classes_`` here, and there to the second label of the
    file; of classes with equal scores, the first of ``classes_`` wins here, and there the first label of the file.

    Parameters
    ----------
    path : a model file. Whatever in it is not as LIBLINEAR writes it is refused with its line.

    Returns
    -------
    LinearClassifier
        A classifier that predicts. It has no certificate: LIBLINEAR's files do not say how good the weights are.

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
    where = "from_liblinear"
    if not is_path(path):
        raise invalid(where, "The path of a file.", repr(path))
    try:
        with open(path, "rb") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        raise unreadable(where, str(path), error) from None
    return _ModelText(where, os.fsdecode(path), text).model()


class _ModelText:
    """The lines of a model, read one after the other."""

    KEYS = ("solver_type", "nr_class", "label", "nr_feature", "bias")

    def __init__(self, where: str, name: str, text: bytes) -> None:
        self.where, self.name, self.line = where, name, 0
        self.ends = text.endswith(b"\n")
        self.lines = iter(text.split(b"\n")[:-1] if self.ends else text.split(b"\n"))

    def refuse(self, need: str, got: Any) -> NoReturn:
        """Say what is wrong with the line that was read last."""
        shown = got if isinstance(got, str) else ascii(got.decode("utf-8", "backslashreplace")[:MOST_SHOWN])
        raise invalid(self.where, need, f"{shown} at {self.name}:{self.line}")

    def next_line(self, need: str) -> bytes:
        self.line += 1
        line = next(self.lines, None)
        if line is None:
            self.refuse(need, "the end of the file")
        return line

    def model(self) -> LinearClassifier:
        """All of it."""
        header = dict(self._header())
        solver, labels, features = header["solver_type"], header["label"], header["nr_feature"]
        bias: float = header["bias"]
        one = len(labels) == 2 and solver != "MCSVM_CS"
        table = self._table(features + (bias >= 0), 1 if one else len(labels))
        coef = table[:features].T
        with np.errstate(over="ignore"):
            intercept = bias * table[features] if bias >= 0 else np.zeros(len(coef))
        if not np.all(np.isfinite(intercept)):
            self.refuse("A bias and its weight whose product is finite.", "a larger one")
        if len(labels) == 2:  # of two weights that Crammer and Singer's method has, the first one is used
            sign = 1.0 if labels[0] > labels[1] else -1.0
            return LinearClassifier.of(sign * coef[:1], sign * intercept[:1], sorted(labels))
        order = np.argsort(labels)
        return LinearClassifier.of(coef[order], intercept[order], sorted(labels))

    def _header(self) -> Iterator[tuple[str, Any]]:
        """Pairs of a name and what it says, up to the line "w"; the number of classes comes before their labels."""
        known: dict[str, Any] = {}
        while True:
            need = f"A line that begins with {', '.join(self.KEYS)} or w."
            line = self.next_line(need)
            words = line.split()
            key = words[0].decode("latin-1") if words else ""
            if key == "w" and len(words) == 1:
                break
            if key not in self.KEYS:
                self.refuse(need, line)
            if key in known:
                self.refuse(f"One line of {key}.", "a second one")
            known[key] = getattr(self, f"_{key}")(words[1:], line, known)
            yield key, known[key]
        for key in self.KEYS:
            if key not in known:
                self.refuse(f"A line of {key} before the weights.", "none")

    def _solver_type(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> str:
        solver = words[0].decode("latin-1") if len(words) == 1 else ""
        if solver not in CLASSIFIERS:
            self.refuse("The model of a classifier, of one of LIBLINEAR's solvers 0 to 7.", line)
        return solver

    def _nr_class(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> int:
        return self._integer(words, line, "At least two classes.", 2)

    def _nr_feature(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> int:
        return self._integer(words, line, "At least one feature.", 1)

    def _label(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> list[int]:
        count = known.get("nr_class")
        if count is None:
            self.refuse("nr_class before the labels.", line)
        need = f"{count} different labels, which are integers of at most {MOST_INT}."
        labels = [self._integer([word], line, need, -MOST_INT - 1) for word in words]
        if len(labels) != count or len(set(labels)) != count:
            self.refuse(need, line)
        return labels

    def _bias(self, words: list[bytes], line: bytes, known: dict[str, Any]) -> float:
        return self._floats(words, line, 1)[0]

    def _integer(self, words: list[bytes], line: bytes, need: str, least: int) -> int:
        digits = words[0].lstrip(b"+-") if len(words) == 1 else b""
        if not digits.isdigit() or len(digits) > 10 or len(words[0]) - len(digits) > 1:
            self.refuse(need, line)
        if not least <= int(words[0]) <= MOST_INT:
            self.refuse(need, line)
        return int(words[0])

    def _floats(self, words: list[bytes], line: bytes, count: int) -> list[float]:
        need = f"{count} finite {'numbers' if count > 1 else 'number'}."
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            self.refuse(need, line)
        if len(numbers) != count or not all(map(math.isfinite, numbers)) or b"_" in line:
            self.refuse(need, line)
        return numbers

    def _table(self, rows: int, columns: int) -> Floats:
        """The weights, a line a feature and one for the bias; no more room is taken than the file has numbers."""
        numbers = array("d")
        for done in range(rows):
            line = self.next_line(f"{rows} lines of weights, of which {done} are there.")
            numbers.extend(self._floats(line.split(), line, columns))
        if not self.ends:
            self.refuse("A file that ends with a whole line.", "a line without its end")
        for line in self.lines:
            self.line += 1
            if line.strip():
                self.refuse(f"{rows} lines of weights, and nothing behind them.", line)
        return np.frombuffer(numbers, dtype=np.float64).reshape(rows, columns)
