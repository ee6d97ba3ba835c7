"""Names and labels that examples bring to a model.

A request is read while the model learns others, and it may be refused after that. So reading leaves the tables of names
and labels as they are, and collects what they lack. The writer thread gives it columns and codes when the examples are
learned, and adds it to the tables only if the learner has accepted them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.errors import InvalidInputError, quote

from .examples import NEW_CODE, NEW_COLUMN, Examples
from .version import label_text

KINDS = {str: "strings", int: "integers", bool: "true and false"}


class Unfit(InvalidInputError):
    """Names or labels of examples that do not fit those of the model. The message is not a whole sentence."""


def refusal(error: InvalidInputError) -> str:
    """Return a sentence about the examples of a document that a model refuses."""
    if isinstance(error, Unfit):
        return f"The examples cannot be used: {error}."
    return f"The learner refuses the examples: {error}"


def line_refusal(error: InvalidInputError) -> tuple[str, str]:
    """Return the code and the sentence of a line that a model refuses: those of the reader if it does not fit."""
    if isinstance(error, Unfit):
        return "bad_line", f"The line cannot be used: {error}."
    return "bad_example", f"The learner refuses the example: {error}"


class Additions:
    """Names and labels that examples bring to a model.

    Parameters
    ----------
    names, labels : NameTable, LabelTable
        The tables of the model.
    known : mapping
        The codes of the labels.
    max_names, max_classes : int
        Limits of the model.

    Attributes
    ----------
    names, labels : list
        What is to be added to the tables.
    first_name : int
        The column of the first of these names.
    """

    def __init__(
        self,
        names: _core.NameTable,
        labels: _core.LabelTable,
        known: dict[Any, int],
        max_names: int,
        max_classes: int,
    ) -> None:
        self._name_table, self._label_table = names, labels
        self._codes, self._limits = known, (max_names, max_classes)
        self.first_name = len(names)
        self.names: list[str] = []
        self.labels: list[Any] = []
        self._new_codes: dict[Any, int] = {}

    def settle(self, examples: Examples) -> None:
        """Give new names of examples their columns, and new labels their codes.

        Raises
        ------
        Unfit
            If the model would have too many names or labels, or labels of several kinds.
        """
        if examples.new_names is not None:
            known = self._name_table.columns_of(examples.new_names)
            examples.columns = _settled(examples.columns, examples.new_names, NEW_COLUMN, self._columns_for(known))
            examples.new_names = None
        if examples.new_labels is not None:
            examples.codes = _settled(examples.codes, examples.new_labels, NEW_CODE, self._code_for)
            examples.new_labels = None

    def accept(self) -> None:
        """Add the new names and labels to the tables."""
        if self.names:
            self._name_table.add(self.names)
        if self.labels:
            self._label_table.add(self.labels)

    def _columns_for(self, known: NDArray[np.int32]) -> Callable[[int, Any], int]:
        columns: dict[str, int] = {}
        first, limit = self.first_name, self._limits[0]

        def column(place: int, name: Any) -> int:
            if known[place] >= 0:
                return int(known[place])
            found = columns.get(name)
            if found is None:
                found = columns[name] = first + len(self.names)
                if found >= limit:
                    raise Unfit(f"the model would have more than {limit} feature names (setting max_names)")
                self.names.append(name)
            return found

        return column

    def _code_for(self, place: int, label: Any) -> int:
        first = next(iter(self._codes or self._new_codes), label)
        if type(first) is not type(label):
            raise Unfit(f"label {_quoted(label)} does not fit the labels of this model, which are {KINDS[type(first)]}")
        found = self._codes.get(label, self._new_codes.get(label))
        if found is not None:
            return found
        known, limit = len(self._codes) + len(self.labels), self._limits[1]
        if known >= limit:
            words = f"would be one more than the {limit} labels that a model may have (setting max_classes)"
            raise Unfit(f"label {_quoted(label)} {words}")
        both = isinstance(label, bool) and known == 0  # learners know both as soon as they see one of them
        for code, own in enumerate([label, not label] if both else [label], known):
            self._new_codes[own] = code
            self.labels.append(own)
        return known


def _quoted(label: Any) -> str:
    """Return a label as the reader quotes it."""
    return quote(label if isinstance(label, str) else label_text(label))


def _settled(
    values: NDArray[np.int32], new: Sequence[Any], first: int, number_of: Callable[[int, Any], int]
) -> NDArray[np.int32]:
    """Return columns or codes with numbers instead of the places of new names or labels, in order of these places."""
    is_new = values <= first
    numbers = np.zeros(len(new), dtype=np.int32)
    for place in np.unique(first - values[is_new]).tolist():
        numbers[place] = number_of(place, new[place])
    settled = values.copy()
    settled[is_new] = numbers[first - values[is_new]]
    return settled
