"""A margin together with the geometry that it was measured in.

The margin of (w, b) is min_i y_i f(x_i) divided by a length: |w| if the intercept is free, and |(w, b)| if it is the
weight of a constant feature, as it is for a perceptron. Rows may be scaled to unit length first, or have a private
feature each. These numbers differ by any factor, and a theorem is about one of them (docs/theory.md, H).
"""

from __future__ import annotations

import math
import numbers
from typing import Any, SupportsFloat

import numpy as np

from novikoff.errors import InvalidInputError, input_error, quote

from .geometry import INTERCEPTS, Geometry

MEASURED = {
    "free": "with a free intercept, as min y f(x) / |w|",
    "penalized": "with the intercept as the weight of a feature of 1, as min y v.u / |v| with u = (x, 1)",
    "none": "without an intercept, as min y w.x / |w|",
}


class Margin(float):
    """A margin that knows the geometry it was measured in. It is a float, and arithmetic with it gives plain floats.

    Whatever takes a margin, such as ``certificate_.bound`` or ``MarginPerceptron(margin=...)``, accepts plain numbers
    and margins of its own geometry, and refuses those of another one. So does the comparison of two margins by
    ``<``, ``<=``, ``>`` and ``>=``; margins of two geometries are never equal.

    Parameters
    ----------
    value : float
        The margin. Negative if a row is on the wrong side.
    intercept : {"free", "penalized", "none"}
        Whether the margin is min y (w.x + b) / |w| with any b ("free"), min y v.u / |v| with u = (x, 1) and v = (w, b)
        ("penalized"; this is the geometry of a perceptron with an intercept), or without an intercept ("none").
    normalize : bool, default=False
        Whether every u was scaled to unit length.
    slack_feature : float, default=0.0
        Value of a private feature of each row; 0 for none.
    scale : {"running"} or None, default=None
        Whether the columns were scaled by what the learner had seen.

    Attributes
    ----------
    intercept, normalize, slack_feature, scale : object
        As the parameters. They cannot be changed.

    See Also
    --------
    Geometry : How an online learner makes a vector of an example.

    Notes
    -----
    In JSON, in model files and in text a margin is its number; ``repr`` shows the geometry. Arithmetic and NumPy
    functions give plain numbers without a geometry, which are accepted everywhere.

    Examples
    --------
    >>> from novikoff import HardMarginSVM, Perceptron
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]], ["no", "no", "yes", "yes"]
    >>> margin = HardMarginSVM(penalized_intercept=True).fit(X, y).margin_
    >>> margin.intercept, round(margin, 3)
    ('penalized', 0.707)
    >>> learned = Perceptron().fit(X, y).certificate_
    >>> learned.mistakes <= learned.bound(margin)
    True
    """

    __slots__ = ("intercept", "normalize", "scale", "slack_feature")

    intercept: str
    normalize: bool
    slack_feature: float
    scale: str | None

    def __new__(
        cls,
        value: SupportsFloat,
        *,
        intercept: str,
        normalize: bool = False,
        slack_feature: float = 0.0,
        scale: str | None = None,
    ) -> Margin:
        """Return the margin of a geometry."""
        if intercept not in INTERCEPTS:
            raise input_error(
                "Margin", f'intercept must be "free", "penalized" or "none", but it is {quote(intercept)}.'
            )
        margin = super().__new__(cls, value)
        if math.isnan(margin):
            raise input_error("Margin", "the value must be a number, but it is NaN.")
        object.__setattr__(margin, "intercept", intercept)
        object.__setattr__(margin, "normalize", bool(normalize))
        object.__setattr__(margin, "slack_feature", float(slack_feature))
        object.__setattr__(margin, "scale", scale)
        return margin

    @classmethod
    def of(cls, value: SupportsFloat, geometry: Geometry) -> Margin:
        """Return the margin of vectors u of an online learner.

        Parameters
        ----------
        value : float
            The margin min y v.u / |v|.
        geometry : Geometry
            How an example becomes u. An intercept is the weight of a feature of 1, which is called "penalized" here.

        Returns
        -------
        Margin
            The margin.
        """
        return cls(
            value,
            intercept="penalized" if geometry.fit_intercept else "none",
            normalize=geometry.normalize,
            slack_feature=geometry.slack_feature,
            scale=geometry.scale,
        )

    def is_like(self, other: Margin) -> bool:
        """Return whether another margin has the same geometry.

        Parameters
        ----------
        other : Margin
            The other margin.

        Returns
        -------
        bool
            Whether they can be compared.
        """
        return _parts(self) == _parts(other)

    def measured(self) -> str:
        """Return how the margin was measured, in words.

        Returns
        -------
        str
            A phrase that follows "the margin was measured".
        """
        words = MEASURED[self.intercept]
        words += ", with columns that were scaled by what the learner had seen" if self.scale else ""
        words += ", after every u was scaled to unit length" if self.normalize else ""
        return words + (
            f", with a private feature of {self.slack_feature:g} for each row" if self.slack_feature else ""
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Margin cannot be changed, but {name} was to be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Margin cannot be changed, but {name} was to be deleted")

    def __reduce__(self) -> Any:
        return _restored, _parts(self, float(self))

    def __repr__(self) -> str:
        words = f"Margin({float(self)!r}, intercept={self.intercept!r}"
        words += f", scale={self.scale!r}" if self.scale else ""
        words += ", normalize=True" if self.normalize else ""
        return words + (f", slack_feature={self.slack_feature!r})" if self.slack_feature else ")")

    __str__ = float.__repr__
    __hash__ = float.__hash__

    def __eq__(self, other: object) -> bool:
        return float.__eq__(self, other) if not isinstance(other, Margin) or self.is_like(other) else False

    def __ne__(self, other: object) -> bool:
        return float.__ne__(self, other) if not isinstance(other, Margin) or self.is_like(other) else True

    def __lt__(self, other: float) -> bool:
        return float.__lt__(self, self._comparable(other))

    def __le__(self, other: float) -> bool:
        return float.__le__(self, self._comparable(other))

    def __gt__(self, other: float) -> bool:
        return float.__gt__(self, self._comparable(other))

    def __ge__(self, other: float) -> bool:
        return float.__ge__(self, self._comparable(other))

    def _comparable(self, other: float) -> float:
        """Return the other number, unless it is a margin of another geometry."""
        if isinstance(other, Margin) and not self.is_like(other):
            raise input_error(
                "Margin",
                f"one margin was measured {self.measured()}, the other {other.measured()}, so they cannot be compared. "
                "Measure both in the same way.",
            )
        return other


def _parts(margin: Margin, *value: float) -> tuple[Any, ...]:
    return (*value, margin.intercept, margin.normalize, margin.slack_feature, margin.scale)


def _restored(value: float, intercept: str, normalize: bool, slack_feature: float, scale: str | None = None) -> Margin:
    return Margin(value, intercept=intercept, normalize=normalize, slack_feature=slack_feature, scale=scale)


def margin_number(where: str, margin: Any, geometry: Geometry | None = None) -> float:
    """Return a margin that a caller was given as a float, unless it was measured in another geometry.

    Parameters
    ----------
    where : str
        The caller, for error messages.
    margin : float, Margin or array of one number
        The margin.
    geometry : Geometry, default=None
        The geometry of the examples that the caller means. If None, it is not known, except that it is one of
        vectors u: only a margin with a free intercept is refused.

    Returns
    -------
    float
        The number, which is not NaN.
    """
    if isinstance(margin, np.ndarray | list | tuple) and np.size(margin) == 1:
        margin = np.ravel(np.asarray(margin, dtype=object))[0]
    if isinstance(margin, list | tuple) or np.ndim(margin) > 0:
        found = f"there are {np.size(margin)}"
        raise input_error(where, f"margin must be one number, but {found}. Choose that of one class, or the smallest.")
    if isinstance(margin, bool) or not isinstance(margin, numbers.Real) or math.isnan(margin):
        raise input_error(where, f"margin must be a number, but it is {quote(margin)}.")
    if isinstance(margin, Margin):
        _check_geometry(where, margin, geometry)
    return float(margin)


def _check_geometry(where: str, margin: Margin, geometry: Geometry | None) -> None:
    """Refuse a margin that was not measured with the vectors u of a geometry."""
    if geometry is None:
        if margin.intercept == "free":
            raise _other_geometry(where, margin, Margin.of(0.0, Geometry()))
        return
    needed = Margin.of(0.0, geometry)
    if not margin.is_like(needed):
        raise _other_geometry(where, margin, needed)


def _other_geometry(where: str, margin: Margin, needed: Margin) -> InvalidInputError:
    reason = f"the margin was measured {margin.measured()}, but it must be measured {needed.measured()}."
    return input_error(where, f"{reason} Use {_remedy(needed)}.")


def _remedy(needed: Margin) -> str:
    """Return what has a margin of this geometry, in words."""
    has_intercept = needed.intercept == "penalized"
    if needed.scale:
        return f'margin_ of MarginPerceptron(scale="{needed.scale}"), fitted in the same way'
    if needed.slack_feature:
        machine = f"LinearSVM(C={1 / (2 * needed.slack_feature**2):g}, "
        machine += "penalized_intercept=True)" if has_intercept else "fit_intercept=False)"
        found = f"1 / sqrt(2 objective_) of {machine}"
        return (
            f"{found} for rows of unit length, as a plain number" if needed.normalize else f"{found}, as a plain number"
        )
    if needed.normalize:
        return f"margin_ of MarginPerceptron(normalize=True{'' if has_intercept else ', fit_intercept=False'})"
    return f"margin_ of HardMarginSVM({'penalized_intercept=True' if has_intercept else 'fit_intercept=False'})"
