"""The answer of ``decide_quickly`` (quick.py), without the solvers that find it, which take long to import."""

from __future__ import annotations

from typing import NamedTuple

from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Floats

NEGLIGIBLE_MARGIN = 1e-9  # relative to the lengths of the rows; a smaller margin counts as none


class QuickVerdict(NamedTuple):
    """Whether a plane has all rows on its right side, and what shows it.

    Parameters
    ----------
    is_separable : bool or None
        True if such a plane was found. False if there is none, because rows balance exactly. None if neither was shown.
    direction : ndarray or None
        If True, the weights of the plane, and its intercept as the last entry if there is one; None if it is trivial.
    witness : Duals or None
        If False, rows and weights that add up to 1, for which the sum of a_i y_i u_i is 0 up to rounding. It is proven
        that the sum is exactly 0 for some positive weights of these rows.
    is_negligible : bool
        Whether no plane has a margin above ``NEGLIGIBLE_MARGIN`` times the length of the rows, up to rounding.
    """

    is_separable: bool | None
    direction: Floats | None = None
    witness: Duals | None = None
    is_negligible: bool = False


UNKNOWN = QuickVerdict(None)
