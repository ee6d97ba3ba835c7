"""What all certificates share: how they are read, written and shown, and what data must be to be judged at all."""

from __future__ import annotations

import dataclasses
import html
import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._json import plain

from .generalization import Generalization
from .geometry import Floats, blocks
from .verification import Check

ROUNDING = 1e-9  # relative; sums of a long run differ in their last digits from the same sums made anew
OTHER_DATA = "these are not the data, or not the order of the rows, that the model was trained on"


class Certificate(ABC):
    """The contract of all certificates: a frozen dataclass whose claims anyone can check against the data.

    A new kind is one module with a subclass and one line in the registry ``CERTIFICATES``. The model file, ``verify``,
    the plots, the report and the command line use these methods and properties, and nothing else.
    """

    def to_json(self) -> str:
        """All fields as JSON, arrays as lists, infinities as null."""
        fields: dict[str, Any] = dataclasses.asdict(self)  # type: ignore[call-overload]  # every subclass is a dataclass
        return json.dumps(plain({"kind": type(self).__name__, **fields}))

    @property
    def generalization(self) -> Generalization | None:
        """What is known of new examples, with its hypothesis; None where nothing can be said."""
        return None

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """The claims in words, for tables."""

    def _repr_html_(self) -> str:
        left = 'style="text-align: left"'  # notebooks have it on the right, which is for numbers
        rows = "".join(
            f'<tr><th scope="row" {left}>{html.escape(name)}</th><td {left}>{html.escape(value)}</td></tr>'
            for name, value in self.facts()
        )
        return f"<table><caption {left}>{type(self).__name__}</caption>{rows}</table>"

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}: " + "; ".join(f"{k} {v}" for k, v in self.facts())


@dataclass(frozen=True)
class Duals:
    """The weights a_i >= 0 of a combination v = sum a_i y_i u_i: row numbers and their weights, the rest being 0."""

    rows: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, dense: Floats) -> Duals:
        """Keep the entries that are not 0."""
        rows = np.flatnonzero(dense)
        return cls(rows, dense[rows])

    def dense(self, rows: int) -> Floats:
        """All weights of a data set of this many rows."""
        full = np.zeros(rows)
        within = self.rows < rows
        full[self.rows[within]] = self.weights[within]
        return full


def below(number: float) -> str:
    """Six digits of a number, or a little less: what is at least the number is at least what they say."""
    return _shown(number, ROUND_FLOOR)


def above(number: float) -> str:
    """Six digits of a number, or a little more."""
    return _shown(number, ROUND_CEILING)


def _shown(number: float, rounding: str) -> str:
    if not math.isfinite(number):
        return f"{number:g}"
    return f"{float(Context(prec=6, rounding=rounding).create_decimal(Decimal(number))):.6g}"


def listed(found: Any) -> list[Any]:
    """One a question: a model of two classes has one certificate, of more a list; one that claims nothing has none."""
    return [] if found is None else found if isinstance(found, list) else [found]


def misfit(X: Any, y: Any, sample_weight: Any, columns: int) -> Check | None:
    """Say why no model of this many columns can be judged on the data, if their shape or their values show it."""
    if X.ndim != 2:
        return Check("data", "fails", f"a table of two dimensions is needed, not one of shape {X.shape}")
    rows = X.shape[0]
    if sample_weight is not None and np.shape(sample_weight) not in ((), (rows,)):
        return Check("data", "fails", f"{rows} rows, but weights of shape {np.shape(sample_weight)}")
    if np.size(y) != rows:
        return Check("data", "fails", f"{rows} rows, but {np.size(y)} labels")
    if X.shape[1] != columns:
        return Check("data", "fails", f"the model has {columns} features, the data {X.shape[1]}")
    if not all(np.all(np.isfinite(block.data if sp.issparse(block) else block)) for _, block in blocks(X)):
        return Check("data", "fails", "NaN or infinity among the values")
    return None
