"""The roles of the columns of a table: labels, weights, features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from novikoff.errors import input_error, quote

from .block import KINDS

LABEL_NAMES = ("y", "label", "target", "class")  # in any case
POSITIONS = {"first": 0, "last": -1}
MAX_LISTED = 30  # column names in an error message


class Columns:
    """The roles of the columns of a table, and the kinds as which they are read.

    Parameters
    ----------
    where : str
        The function that the user called, for errors about options.
    name : str
        What error messages call the table.
    schema : mapping of str to str
        The kind of each column, in the order of the table.
    target : str, int, False or None
        The column of labels: its name, its number from 1, "first" or "last". None looks for the one called y, label,
        target or class, and then takes ``guess``; False means that there is none.
    features : sequence of str or None
        The feature columns in order; None takes all that have no other role.
    exclude : str, sequence of str or None
        Columns that are not read.
    weight : str or None
        The column of weights.
    counts : sequence of str or None
        The columns of counts of successes and failures, instead of labels.
    text : str, sequence of str or None
        The columns of text; they are features, whether or not ``features`` lists them.
    guess : str, default=None
        The column that holds the labels if nothing else says so, for tables whose columns have no names.
    known : mapping of str to str, default=None
        The features of a model and their kinds, in place of ``features`` and ``text``. Those that the table lacks are
        in ``absent``.

    Attributes
    ----------
    features : list of str
        The feature columns.
    kinds : dict
        The kind as which each needed column is read. Labels are read as strings, see ``labels.Labels``.
    label_kind : str or None
        The kind of the labels in the table.
    absent : list of str
        The columns of ``known`` that the table does not have.
    """

    def __init__(
        self,
        where: str,
        name: str,
        schema: Mapping[str, str],
        *,
        target: str | int | None = None,
        features: Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        weight: str | None = None,
        counts: Sequence[str] | None = None,
        text: str | Sequence[str] | None = None,
        guess: str | None = None,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self.where, self.name, self._schema = where, name, schema
        self.is_guessed = False  # whether nothing but the values says which column holds the labels
        names = list(schema)
        self.target = self._target(names, target, guess)
        self.weight = None if weight is None else self._known("weight", weight, names)
        self.counts = [self._known("counts", column, names) for column in counts or ()]
        self.text = [self._known("text", column, names) for column in _as_list(where, "text", text)]
        excluded = {self._known("exclude", column, names) for column in _as_list(where, "exclude", exclude)}
        self.absent: list[str] = []
        if known is None:
            self.features = self._features(names, features, excluded)
            kinds = {column: schema[column] for column in self.features}
            kinds |= dict.fromkeys(self.text, "string")
        else:
            self.features = list(known)
            self.absent = [column for column in known if column not in schema]
            kinds = dict(known)
            if len(self.absent) == len(known):
                message = f"none of the columns of the model is in the table: {_listed(self.absent)}."
                raise input_error(name, f"{message} The columns are {_listed(names)}.")
        self.takes_all = features is None and known is None and not excluded
        self._check_kinds(kinds)
        self.label_kind = None if self.target is None else schema[self.target]
        self.kinds = {column: kind for column, kind in kinds.items() if known is None or column in schema}
        for role, columns in (("weights", [] if self.weight is None else [self.weight]), ("counts", self.counts)):
            for column in columns:
                if schema[column] != "number":
                    holds = f"but it holds {schema[column]}s"
                    raise input_error(name, f"column {quote(column)} of {role} must hold numbers, {holds}.")
                self.kinds[column] = "number"
        if self.target is not None:
            self._check_label_kind()
            self.kinds[self.target] = "string"

    def _check_kinds(self, kinds: Mapping[str, str]) -> None:
        for column, kind in kinds.items():
            if kind not in KINDS:
                expected = "numbers, strings, booleans or dates"
                remedy = f"Cast it in SQL, or leave it out with exclude={quote(column)}."
                message = f"column {quote(column)} of features must hold {expected}, but it holds {kind}. {remedy}"
                raise input_error(self.name, message)

    def _check_label_kind(self) -> None:
        if self.label_kind not in KINDS:
            expected = "numbers, strings or booleans"
            message = f"column {quote(self.target)} of labels must hold {expected}, but it holds {self.label_kind}."
            raise input_error(self.name, message)

    def _target(self, names: list[str], target: str | int | bool | None, guess: str | None) -> str | None:
        if target is False:
            return None
        if target is not None:
            return self._column_at(target, names) or self._known("target", target, names)
        found = [name for name in names if name.lower() in LABEL_NAMES]
        if len(found) == 1:
            return found[0]
        if not found and guess is not None:
            self.is_guessed = True
            return guess
        count = "no column" if not found else "more than one column"
        remedy = 'Use target= to name the column of labels, or target="last".'
        if names == [f"x{i}" for i in range(1, len(names) + 1)]:  # without a header
            remedy = 'Use target="last", target="first" or the number of the column of labels.'
            wrong = "the table has no header, and neither its last nor its first column looks like labels."
            raise input_error(self.name, f"{wrong} {remedy}")
        message = f"{count} is called y, label, target or class. {remedy} The columns are {_listed(names)}."
        raise input_error(self.name, message)

    @staticmethod
    def _column_at(target: Any, names: list[str]) -> str | None:
        """Return the column at a position, unless a column has that name."""
        if isinstance(target, str) and target in names:
            return target
        if isinstance(target, str) and target in POSITIONS:
            return names[POSITIONS[target]]
        digits = str(target) if isinstance(target, int | str) and not isinstance(target, bool) else ""
        if digits.isascii() and digits.isdigit() and 1 <= int(digits) <= len(names):
            return names[int(digits) - 1]
        return None

    def _features(self, names: list[str], features: Sequence[str] | None, excluded: set[str]) -> list[str]:
        taken = {self.target: "target", self.weight: "weight"} | dict.fromkeys(self.counts, "count")
        if self.weight is not None and self.weight == self.target:
            raise input_error(self.name, f"column {quote(self.target)} cannot be both target and weight.")
        if features is None:
            chosen = [name for name in names if name not in taken and name not in excluded]
        else:
            chosen = [self._known("features", name, names) for name in _as_list(self.where, "features", features)]
            listed = set(chosen)
            chosen += [name for name in self.text if name not in listed]
        if len(set(chosen)) < len(chosen):
            raise input_error(self.where, f"features lists column {quote(_first_duplicate(chosen))} twice.")
        for name in [*chosen, *self.text]:
            if name in taken:
                raise input_error(self.name, f"column {quote(name)} cannot be both a feature and the {taken[name]}.")
            if name in excluded:
                raise input_error(self.name, f"column {quote(name)} cannot be both a feature and excluded.")
        if not chosen:
            raise input_error(self.name, f"there is no column left for the features. The columns are {_listed(names)}.")
        return chosen

    def _known(self, role: str, name: Any, names: list[str]) -> str:
        if isinstance(name, str) and name in self._schema:
            return name
        message = f"there is no column {quote(name)}, which {role}= names. The columns are {_listed(names)}."
        raise input_error(self.name, message)

    def check_names(self, name: str, names: Sequence[str]) -> None:
        """Refuse a further table that lacks a column, or has another one where all columns are features."""
        known = set(names)
        lacking = [column for column in self.kinds if column not in known]
        if lacking:
            message = (
                f"there is no column {quote(lacking[0])}, but {self.name} has one. The columns are {_listed(names)}."
            )
            raise input_error(name, message)
        further = [column for column in names if column not in self.kinds]
        if further and self.takes_all:
            message = f"column {quote(further[0])} is not in {self.name}. Use features= to list the columns to read."
            raise input_error(name, message)


def _as_list(where: str, role: str, names: Any) -> list[Any]:
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Sequence) and not isinstance(names, bytes):
        return list(names)
    raise input_error(where, f"{role} must be a list of column names, but it is {quote(names)}.")


def _first_duplicate(names: Sequence[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(quote(name) for name in names[:MAX_LISTED]) or "missing"
    return listed + f" and {len(names) - MAX_LISTED} more" * (len(names) > MAX_LISTED)
