"""The roles of the columns of a table: labels, weights, features."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from typing import Any

from novikoff.errors import did_you_mean, input_error, quote

from .block import KINDS

LABEL_NAMES = ("y", "label", "target", "class")  # in any case
USUAL_WORDS = """
labels classes species survived outcome diagnosis churn churned default spam is_spam fraud is_fraud attrition response
approved income sentiment verdict
"""
USUAL_NAMES = frozenset(USUAL_WORDS.split())  # of labels, where no column has one of LABEL_NAMES
POSITIONS = {"first": "1", "last": "-1"}
NUMBERS = re.compile(r"(-?[0-9]{1,9})(?:-(-?[0-9]{1,9}))?")
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
        The column of labels, as ``find_columns`` finds it. None looks for the one called y, label, target or class,
        then for one with another usual name, and then takes the last or the first one if its values can be labels;
        False means that there is none.
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
    label_like : mapping of str to bool, default={}
        The columns that have values, and whether these can be labels; empty if the values are not known.
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
    choice : str
        Why the target was taken: "by its name", "last column" or "first column"; empty if the user named it.
    rivals : list of str
        Further columns with names that labels often have, if the user did not name the target.
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
        label_like: Mapping[str, bool] | None = None,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self.where, self.name, self._schema = where, name, schema
        self._positions = known is None  # those of another table say nothing about this one
        names = list(schema)
        self.weight = None if weight is None else self._one("weight", weight)
        self.counts = self._found("counts", counts)
        self.text = self._found("text", text)
        excluded = set(self._found("exclude", exclude))
        listed = None if features is None else self._found("features", features)
        taken = {self.weight, *self.counts, *self.text, *excluded, *(listed or ())}
        self.choice, self.rivals = "", list[str]()
        self.target = self._target(names, taken, target, label_like or {})
        self.absent: list[str] = []
        if known is None:
            self.features = self._features(names, listed, excluded)
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

    def _target(
        self, names: list[str], taken: set[str | None], target: Any, label_like: Mapping[str, bool]
    ) -> str | None:
        if target is False:
            return None
        if target is not None:
            return self._one("target", target)
        free = [name for name in names if name not in taken]
        first = [name for name in free if name.lower() in LABEL_NAMES]
        usual = [name for name in free if name.lower() in USUAL_NAMES and label_like.get(name, True)]
        by_name = first or usual
        if len(by_name) == 1:
            self.choice, self.rivals = "by its name", [name for name in usual if name not in by_name]
            return by_name[0]
        unnamed = {f"x{i}" for i, name in enumerate(names, 1) if name == f"x{i}"}
        no_header = len(unnamed) == len(names)
        filled = [name for name in free if name in label_like and (no_header or name not in unnamed)]
        if filled and not by_name and label_like[filled[-1]]:
            self.choice = "last column"
            return filled[-1]
        if filled and no_header and label_like[filled[0]]:
            self.choice = "first column"
            return filled[0]
        plausible = by_name or [name for name in free if label_like.get(name)]
        count = "more than one column" if first else "no column"
        wrong = f"{count} is called y, label, target or class."
        if no_header:
            wrong = "the table has no header, and neither its last nor its first column looks like labels."
        if plausible:
            likely = f"These could be labels: {_listed(plausible)}. Use target={quote(plausible[-1])}, for example."
            raise input_error(self.name, f"{wrong} {likely}")
        remedy = 'Use target= to name the column of labels, or target="last".'
        raise input_error(self.name, f"{wrong} {remedy} The columns are {_listed(names)}.")

    def _found(self, role: str, given: Any) -> list[str]:
        if given is None:
            return []
        return find_columns(self.where, self.name, role, given, self._schema, self._positions)

    def _one(self, role: str, given: Any) -> str:
        found = self._found(role, given)
        if len(found) != 1:
            raise input_error(self.name, f"{role}= must name one column, but it names {_listed(found)}.")
        return found[0]

    def _features(self, names: list[str], listed: list[str] | None, excluded: set[str]) -> list[str]:
        taken = {self.target: "target", self.weight: "weight"} | dict.fromkeys(self.counts, "count")
        if self.weight is not None and self.weight == self.target:
            raise input_error(self.name, f"column {quote(self.target)} cannot be both target and weight.")
        if listed is None:
            chosen = [name for name in names if name not in taken and name not in excluded]
        else:
            known = set(listed)
            chosen = listed + [name for name in self.text if name not in known]
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


def find_columns(
    where: str, table: str, role: str, given: Any, names: Collection[str], positions: bool = True
) -> list[str]:
    """Return the columns that an option names.

    Each entry is the name of a column; or a number from 1, or from -1 at the end; "first" or "last"; a range of numbers
    such as 3-7; or several of these with commas between them. An entry that is exactly a name is that column.

    Parameters
    ----------
    where, table : str
        What error messages call the function and the table.
    role : str
        The option.
    given : str, int or sequence of these
        The entries.
    names : collection of str
        The columns of the table.
    positions : bool, default=True
        Whether entries may be other than names.
    """
    entries = [given] if isinstance(given, str | Integral) else given
    if not isinstance(entries, Sequence) or isinstance(entries, bytes):
        raise input_error(where, f"{role} must be a list of column names, but it is {quote(given)}.")
    ordered, found = list(names), list[str]()
    names = set(names) if isinstance(names, list | tuple) else names
    for entry in entries:
        is_text = isinstance(entry, str) or (isinstance(entry, Integral) and not isinstance(entry, bool))
        text = str(entry) if is_text else ""
        for part in [text] if text in names or not positions else map(str.strip, text.split(",")):
            chosen = [part] if part in names else _at(part, ordered) if positions else []
            if not chosen:
                wrong = f"there is no column {quote(part if is_text else entry)}, which {role}= names."
                raise input_error(table, f"{wrong}{did_you_mean(part, ordered)} The columns are {_listed(ordered)}.")
            found += chosen
    return found


def _at(text: str, names: list[str]) -> list[str]:
    """Return the columns at a position, or at a range of positions; none if it is not one."""
    if (match := NUMBERS.fullmatch(POSITIONS.get(text, text))) is None:
        return []
    first, last = (int(end) + (len(names) + 1) * (int(end) < 0) for end in (match[1], match[2] or match[1]))
    return names[first - 1 : last] if 1 <= first <= last <= len(names) else []


def _first_duplicate(names: Sequence[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(quote(name) for name in names[:MAX_LISTED]) or "missing"
    return listed + f" and {len(names) - MAX_LISTED} more" * (len(names) > MAX_LISTED)
