"""Adaptive conformal sets of a stream, repeated in plain NumPy from its rows, docs/theory.md T1.

A label whose nonconformity is so close to the limit of a set that rounding may have decided about it is remembered:
from there on, the sets may differ.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from .conformal import SetCertificate, SetState
from .geometry import Floats
from .mixture_replay import Codes, RowScores
from .replay import with_doubt
from .verification import Check

MAX_FLOAT = float(np.finfo(np.float64).max)  # what an overflow counts as


@dataclass
class SetReplay:
    """The sets of a stream, repeated.

    Parameters
    ----------
    state : SetState
        What the sets have learned.
    tolerance : float
        By how much rounding may have changed a nonconformity.
    doubtful : int or None
        The first row on which rounding may have made a decision.
    """

    state: SetState
    tolerance: float
    doubtful: int | None

    def check(self, claimed: SetState) -> list[Check]:
        """Compare with what sets claim to have learned.

        Parameters
        ----------
        claimed : SetState
            What they claim.
        """
        own, found = claimed.certificate, self.state.certificate
        checks = []
        for name in ("rounds", "errors", "empty", "single", "labels"):
            checks.append(_equal(f"repeated {name}", getattr(own, name), getattr(found, name)))
        checks.append(_equal("repeated skipped", claimed.skipped, self.state.skipped))
        recent, again = np.array(claimed.recent), np.array(self.state.recent)
        same = len(recent) == len(again) and bool(np.all(np.abs(recent - again) <= 2 * self.tolerance))
        detail = f"the nonconformity of the latest {len(again)} labels is {'' if same else 'not '}as repeated"
        checks.append(Check("latest rounds", "holds" if same else "fails", detail))
        return with_doubt(checks, self.doubtful)


def _equal(claim: str, claimed: int, found: int) -> Check:
    return Check(claim, "holds" if claimed == found else "fails", f"claimed {claimed}, found {found}")


def replay_sets(
    scores: RowScores, codes: Codes, declared: bool, parameters: SetCertificate, window: int, first: int = 0
) -> SetReplay:
    """Repeat the sets of a stream.

    Parameters
    ----------
    scores : RowScores
        The scores of the labels for each row, before it was learned.
    codes : ndarray of int64
        The codes of the labels of the rows.
    declared : bool
        Whether all labels were known after the first row; otherwise, each since its own first row.
    parameters : SetCertificate
        The rate, the step and the first level.
    window : int
        The number of latest rounds that a set is compared with.
    first : int, default=0
        The row with which the sets began.

    Returns
    -------
    SetReplay
        What the sets have learned.
    """
    rate, step, level = (Fraction(own) for own in (parameters.error_rate, parameters.step, parameters.start))
    classes, rows = scores.values.shape
    sizes, errors, recent, ascending = [], [], list[float](), list[float]()
    doubtful, tolerance, skipped = rows if scores.doubtful is None else scores.doubtful, 0.0, 0
    seen = np.zeros(classes, dtype=bool)
    for t, code in enumerate(codes.tolist()):
        known = np.arange(classes) if declared and t else np.flatnonzero(seen)  # the first row makes the problems
        seen[code] = True
        if t < first:
            continue
        if len(known) < 2 or code not in known:
            skipped += 1
            continue
        values, errs = _nonconformity(scores.values[known, t], scores.tolerances[known, t])
        count = len(ascending)
        k = math.ceil((1 - level) * (count + 1))
        limit = math.inf if k > count else -math.inf if k < 1 else ascending[k - 1]
        if math.isfinite(limit) and not np.all(np.abs(values - limit) > errs + tolerance):
            doubtful = min(doubtful, t)
        own = float(values[int(np.searchsorted(known, code))])
        sizes.append(int((values <= limit).sum()))
        errors.append(own > limit)
        level += step * rate - (step if own > limit else 0)
        tolerance = max(tolerance, float(errs.max()))
        if count == window:
            del ascending[bisect_left(ascending, recent[-window])]
        recent.append(own)
        insort(ascending, own)
    none = replace(parameters, rounds=0, errors=0, empty=0, single=0, labels=0)
    counts = none.after(np.array(sizes, dtype=np.int64), np.array(errors, dtype=bool))
    state = SetState(counts, window, skipped, tuple(recent[-window:]))
    return SetReplay(state, tolerance, None if doubtful == rows else doubtful)


def _nonconformity(scores: Floats, tolerances: Floats) -> tuple[Floats, Floats]:
    """Return how little each of the known labels conforms, and by how much rounding may have changed it."""
    if len(scores) == 2:  # the score of the last one decides
        last = _finite(scores[1:])[0]
        return np.array([last, -last]), np.full(2, tolerances[1])
    with np.errstate(over="ignore", invalid="ignore"):
        clipped = _finite(scores)
        second, highest = np.sort(clipped)[-2:]
        values = _finite(np.where(clipped < highest, highest, second) - scores)
    return values, tolerances + tolerances.max() + 4 * np.finfo(np.float64).eps * np.abs(values)


def _finite(values: Floats) -> Floats:
    found: Floats = np.nan_to_num(values, nan=MAX_FLOAT, posinf=MAX_FLOAT, neginf=-MAX_FLOAT)
    return found
