"""Which columns of a table are labels, weights and features, and of which kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff._validation import check_choice
from novikoff.data.hashing import Hashing
from novikoff.errors import invalid

from .foreign import library

LABEL_NAMES = ("y", "label", "target")
STRINGS = ("string", "large_string", "string_view")
ALIKE = {"boolean": "number", "text": "string"}  # kinds that give the same features


class Columns:
    """Which columns of a table are what; ``encoding.Encoder`` makes rows of them.

    Parameters
    ----------
    where : the name that errors begin with
    schema : Arrow's schema of the table, or of the first of several that must agree
    target : the column of labels; None looks for the one called y, label or target, False means that there is none
    features : the feature columns in order; None takes all that are neither target nor weight
    weight : the column of weights, if any
    text : the columns that are texts; they are features, whether or not ``features`` lists them
    missing : "error", "zero" or "indicator"
    hashing : how keys become columns

    Attributes
    ----------
    needed : the columns that are read: the features, the target, the weight
    kinds : what each of them holds: number, boolean, string or text
    types : the Arrow types as which a text file's columns are parsed
    numbers, strings, text : the features by kind; booleans are numbers
    feature_names : the names of the columns of a dense matrix, None where rows are hashed
    dtype : of a dense matrix
    """

    def __init__(
        self,
        where: str,
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
        self.where = where
        self.missing = check_choice(where, "missing", missing, ("error", "zero", "indicator"))
        self.hashing = Hashing() if hashing is None else hashing
        if not isinstance(self.hashing, Hashing):
            raise invalid(where, "hashing = a Hashing.", repr(hashing))
        names = list(schema.names)
        self._refuse_twice("columns", names)
        self.target = self._target(names, target)
        self.weight = None if weight is None else self._known("weight", weight, names)
        self.text = [self._known("text", name, names) for name in _listed(where, "text", text)]
        self.features = self._features(names, features)
        self.takes_all = features is None
        self.needed = [*self.features, *(name for name in (self.target, self.weight) if name is not None)]
        self.kinds = {name: self._kind(schema.field(name)) for name in self.needed}
        self.types = {name: self._type(schema.field(name)) for name in self.needed}
        self.numbers = [name for name in self.features if ALIKE.get(self.kinds[name], self.kinds[name]) == "number"]
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
        need = (
            "A column of labels named by target= (False if there are none), "
            "or exactly one column called y, label or target."
        )
        raise invalid(self.where, need, f"the columns {_some(names)}")

    def _features(self, names: list[str], features: Sequence[str] | None) -> list[str]:
        taken = {self.target: "target", self.weight: "weight"}
        if self.weight is not None and self.weight == self.target:
            raise invalid(self.where, "Different columns for target= and weight=.", f"{self.target!r} for both")
        if features is None:
            chosen = [name for name in names if name not in taken]
        else:
            chosen = [self._known("features", name, names) for name in _listed(self.where, "features", features)]
            chosen += [name for name in self.text if name not in chosen]
        self._refuse_twice("features", chosen)
        for name in [*chosen, *self.text]:
            if name in taken:
                raise invalid(self.where, f"Features other than the {taken[name]}.", f"the column {name!r}")
        if not chosen:
            raise invalid(self.where, "At least one feature.", f"the columns {_some(names)}")
        return chosen

    def _known(self, role: str, name: Any, names: list[str]) -> str:
        if isinstance(name, str) and name in names:
            return name
        raise invalid(self.where, f"{role} = a column of the table, which has {_some(names)}.", repr(name))

    def _refuse_twice(self, role: str, names: list[str]) -> None:
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise invalid(self.where, f"Different {role}.", f"{twice!r} twice")

    def _kind(self, field: Any) -> str:
        kind = kind_of(self.arrow, field.type)
        if field.name in self.text:
            role, hold = "text", "strings"
            kind = "text" if kind == "string" or str(field.type) == "null" else None
        elif field.name == self.weight:
            role, hold = "weights", "numbers"
            kind = kind if kind == "number" else None
        else:
            role = "labels" if field.name == self.target else "features"
            hold = "numbers, strings or booleans"
            kind = self._kind_of_feature(field.type) if role == "features" else kind
        if kind is None:
            way = " (cast it in SQL, or leave it out with features=)" if role == "features" else ""
            raise invalid(self.where, f"{hold.capitalize()} in the column {field.name!r} of {role}{way}.", field.type)
        return kind

    def _kind_of_feature(self, type_: Any) -> str | None:
        """A category is a name, also where the names are numbers."""
        kind = kind_of(self.arrow, type_)
        return "string" if kind is not None and self.arrow.types.is_dictionary(type_) else kind

    def _type(self, field: Any) -> Any:
        kind = self.kinds[field.name]
        if kind == "boolean":
            return self.arrow.bool_()
        if kind != "number":
            return self.arrow.string()
        # Features become floats anyway: read as such, 1 at first and 1.5 later agree.
        whole = field.name == self.target and self.arrow.types.is_integer(field.type)
        return self.arrow.int64() if whole else self.arrow.float64()

    def check(self, name: str, schema: Any) -> None:
        """Refuse a further table that differs from the first in its columns, or in what they hold."""
        self._refuse_twice("columns", schema.names)
        self.check_names(name, schema.names)
        for column in self.needed:
            type_ = schema.field(column).type
            first = self.kinds[column]
            here = self._kind_of_feature(type_) if column in self.features else kind_of(self.arrow, type_)
            same = first == here if column == self.target else ALIKE.get(first, first) == ALIKE.get(here or "", here)
            if not same and str(type_) != "null":
                need = f"A column {column!r} that holds {first}s, as at first."
                raise invalid(self.where, need, f"{type_} in {name}")

    def check_names(self, name: str, names: Sequence[str]) -> None:
        """Refuse a further table that lacks a column, or has one more where all were to be features."""
        lacking = [column for column in self.needed if column not in names]
        if lacking:
            raise invalid(self.where, f"A column {lacking[0]!r}, as at first.", f"{name} with {_some(names)}")
        further = [column for column in names if column not in self.needed]
        if further and self.takes_all:
            need = "The same columns throughout, or features= that lists those to use."
            raise invalid(self.where, need, f"{name} with a further column {further[0]!r}")


def kind_of(arrow: Any, type_: Any) -> str | None:
    """What an Arrow type holds: number, boolean, string, or nothing that becomes a feature."""
    types = arrow.types
    if types.is_dictionary(type_):
        return kind_of(arrow, type_.value_type)
    if str(type_) in STRINGS:
        return "string"
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_null(type_):
        return "number"
    return None


def _listed(where: str, role: str, names: Any) -> list[Any]:
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Sequence) and not isinstance(names, bytes):
        return list(names)
    raise invalid(where, f"{role} = a list of column names.", repr(names))


def clipped(value: Any, most: int = 60) -> str:
    """A value as errors show it."""
    shown = repr(value) if isinstance(value, str | bytes) else str(value)
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


def _some(names: Sequence[str], most: int = 30) -> str:
    listed = ", ".join(clipped(name) for name in names[:most]) or "no columns"
    return listed + f" and {len(names) - most} more" * (len(names) > most)
