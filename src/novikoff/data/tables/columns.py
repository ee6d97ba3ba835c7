"""The roles of the columns of a table (labels, weights, features), and what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff._validation import check_choice
from novikoff.data.hashing import Hashing
from novikoff.errors import input_error, quote

from .packages import library

LABEL_NAMES = ("y", "label", "target")
STRING_TYPES = ("string", "large_string", "string_view")
MAX_LISTED = 30  # column names in an error message
SAME_FEATURE = {"boolean": "number", "text": "string"}  # kinds that give the same features


class Columns:
    """The roles and kinds of the columns of a table, from which ``encoding.Encoder`` makes rows.

    Parameters
    ----------
    where : str
        The function that the user called, for errors about options.
    name : str
        What error messages call the table.
    schema : pyarrow.Schema
        Schema of the table, or of the first of several that must agree.
    target : str, False or None
        The column of labels; None looks for the one called y, label or target, False means that there is none.
    features : sequence of str or None
        The feature columns in order; None takes all that are neither target nor weight.
    weight : str or None
        The column of weights.
    text : str, sequence of str or None
        The columns of text; they are features, whether or not ``features`` lists them.
    missing : {"error", "zero", "indicator"}
        What a missing value means.
    hashing : Hashing or None
        How keys become columns.

    Attributes
    ----------
    needed : list of str
        The columns that are read: the features, the target, the weight.
    kinds : dict
        What each of them holds: number, boolean, string or text.
    types : dict
        The Arrow types that the columns of a text file are parsed as.
    numbers, strings, text : list of str
        The features by kind; booleans are numbers.
    feature_names : tuple of str or None
        The names of the columns of a dense matrix, None where rows are hashed.
    dtype : type
        Type of a dense matrix.
    """

    def __init__(
        self,
        where: str,
        name: str,
        schema: Any,
        *,
        target: str | bool | None,
        features: Sequence[str] | None,
        weight: str | None,
        text: str | Sequence[str] | None,
        missing: str,
        hashing: Hashing | None,
    ) -> None:
        self.arrow = library(where, "pyarrow")
        self.where, self.name = where, name
        self.missing = check_choice(where, "missing", missing, ("error", "zero", "indicator"))
        self.hashing = Hashing() if hashing is None else hashing
        if not isinstance(self.hashing, Hashing):
            raise input_error(where, f"hashing must be a Hashing, but it is {quote(hashing)}.")
        names = list(schema.names)
        self._refuse_duplicates(self.name, names)
        self.target = self._target(names, target)
        self.weight = None if weight is None else self._known("weight", weight, names)
        self.text = [self._known("text", name, names) for name in _as_list(where, "text", text)]
        self.features = self._features(names, features)
        self.takes_all = features is None
        self.needed = [*self.features, *(name for name in (self.target, self.weight) if name is not None)]
        self.kinds = {name: self._kind(schema.field(name)) for name in self.needed}
        self.types = {name: self._type(schema.field(name)) for name in self.needed}
        self.numbers = [name for name in self.features if self.kinds[name] in ("number", "boolean")]
        self.strings = [name for name in self.features if self.kinds[name] == "string"]
        single = all(str(schema.field(name).type) == "float" for name in self.features)
        self.dtype: type[np.floating[Any]] = np.float32 if single else np.float64
        self.feature_names: tuple[str, ...] | None = None
        if len(self.numbers) == len(self.features):
            marks = [f"{name}=missing" for name in self.numbers if missing == "indicator"]
            self.feature_names = (*self.numbers, *marks)

    def _target(self, names: list[str], target: str | bool | None) -> str | None:
        if target is False:
            return None
        if target is not None:
            return self._known("target", target, names)
        found = [name for name in names if name in LABEL_NAMES]
        if len(found) == 1:
            return found[0]
        count = "no column" if not found else "more than one column"
        remedy = "Use target= to name the column of labels, or target=False if there is none."
        message = f"{count} is called y, label or target. {remedy} The columns are {_listed(names)}."
        raise input_error(self.name, message)

    def _features(self, names: list[str], features: Sequence[str] | None) -> list[str]:
        taken = {self.target: "target", self.weight: "weight"}
        if self.weight is not None and self.weight == self.target:
            raise input_error(self.name, f"column {self.target!r} cannot be both target and weight.")
        if features is None:
            chosen = [name for name in names if name not in taken]
        else:
            chosen = [self._known("features", name, names) for name in _as_list(self.where, "features", features)]
            chosen += [name for name in self.text if name not in chosen]
        if len(set(chosen)) < len(chosen):
            raise input_error(self.where, f"features lists column {_first_duplicate(chosen)!r} twice.")
        for name in [*chosen, *self.text]:
            if name in taken:
                raise input_error(self.name, f"column {name!r} cannot be both a feature and the {taken[name]}.")
        if not chosen:
            raise input_error(self.name, f"there is no column left for the features. The columns are {_listed(names)}.")
        return chosen

    def _known(self, role: str, name: Any, names: list[str]) -> str:
        if isinstance(name, str) and name in names:
            return name
        message = f"there is no column {quote(name)}, which {role}= names. The columns are {_listed(names)}."
        raise input_error(self.name, message)

    def _refuse_duplicates(self, table: str, names: list[str]) -> None:
        if len(set(names)) < len(names):
            twice = _first_duplicate(names)
            called = f"are called {quote(twice)}" if twice else "have an empty name"
            raise input_error(table, f"two columns {called}. Rename one of them, or select columns with SQL.")

    def _kind(self, field: Any) -> str:
        kind = kind_of(self.arrow, field.type)
        if field.name in self.text:
            role, expected = "text", "strings"
            kind = "text" if kind == "string" or str(field.type) == "null" else None
        elif field.name == self.weight:
            role, expected = "weights", "numbers"
            kind = kind if kind == "number" else None
        else:
            role = "labels" if field.name == self.target else "features"
            expected = "numbers, strings or booleans"
            kind = self._kind_of_feature(field.type) if role == "features" else kind
        if kind is None:
            remedy = " Cast it in SQL, or leave it out with features=." if role == "features" else ""
            message = f"column {field.name!r} of {role} must hold {expected}, but it holds {field.type}.{remedy}"
            raise input_error(self.name, message)
        return kind

    def _kind_of_feature(self, type_: Any) -> str | None:
        """Return the kind of a feature column. Categories are strings, also if their values are numbers."""
        kind = kind_of(self.arrow, type_)
        return "string" if kind is not None and self.arrow.types.is_dictionary(type_) else kind

    def _type(self, field: Any) -> Any:
        kind = self.kinds[field.name]
        if kind == "boolean":
            return self.arrow.bool_()
        if kind != "number":
            return self.arrow.string()
        # Features become floats in any case; parsed as such, a 1 in the first rows does not rule out a later 1.5.
        whole = field.name == self.target and self.arrow.types.is_integer(field.type)
        return self.arrow.int64() if whole else self.arrow.float64()

    def check(self, name: str, schema: Any) -> None:
        """Refuse a further table that differs from the first in its columns, or in what they hold."""
        self._refuse_duplicates(name, schema.names)
        self.check_names(name, schema.names)
        for column in self.needed:
            type_ = schema.field(column).type
            first = self.kinds[column]
            here = self._kind_of_feature(type_) if column in self.features else kind_of(self.arrow, type_)
            same = SAME_FEATURE.get(first, first) == SAME_FEATURE.get(here or "", here)
            same = first == here if column == self.target else same
            if not same and str(type_) != "null":
                raise input_error(name, f"column {column!r} holds {type_}, but {first}s in {self.name}.")

    def check_names(self, name: str, names: Sequence[str]) -> None:
        """Refuse a further table that lacks a column, or has another one where all columns are features."""
        lacking = [column for column in self.needed if column not in names]
        if lacking:
            message = f"there is no column {lacking[0]!r}, but {self.name} has one. The columns are {_listed(names)}."
            raise input_error(name, message)
        further = [column for column in names if column not in self.needed]
        if further and self.takes_all:
            message = f"column {further[0]!r} is not in {self.name}. Use features= to list the columns to read."
            raise input_error(name, message)


def kind_of(arrow: Any, type_: Any) -> str | None:
    """Return what an Arrow type holds: number, boolean or string; None if it cannot become a feature."""
    types = arrow.types
    if types.is_dictionary(type_):
        return kind_of(arrow, type_.value_type)
    if str(type_) in STRING_TYPES:
        return "string"
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_null(type_):
        return "number"
    return None


def _as_list(where: str, role: str, names: Any) -> list[Any]:
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Sequence) and not isinstance(names, bytes):
        return list(names)
    raise input_error(where, f"{role} must be a list of column names, but it is {quote(names)}.")


def _first_duplicate(names: Sequence[str]) -> str:
    return next(name for i, name in enumerate(names) if name in names[:i])


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(quote(name) for name in names[:MAX_LISTED]) or "missing"
    return listed + f" and {len(names) - MAX_LISTED} more" * (len(names) > MAX_LISTED)
