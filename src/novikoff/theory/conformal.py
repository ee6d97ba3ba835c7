"""What is proven about the errors of adaptive conformal sets, and a replay of them, docs/theory.md T1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted

from .geometry import Floats
from .verification import Check, Verification

NOT_COUNTED = -1  # the size of a set that could not have the label


@dataclass(frozen=True, eq=False)
class SetOutcomes:
    """The predictions and the sets of some rows, each made before the row was learned.

    Parameters
    ----------
    predictions : ndarray
        The predicted labels.
    sizes : ndarray of int
        The number of labels of each set; -1 if it is not counted.
    errors : ndarray of bool
        Which of the counted sets lack the label.
    """

    predictions: NDArray[Any]
    sizes: NDArray[np.int64]
    errors: NDArray[np.bool_]


@dataclass(frozen=True)
class SetCertificate:
    """The errors of adaptive conformal sets, and how far their share can be from the rate that was asked for.

    A set errs if it lacks the label. The bound holds for every sequence of examples, whatever the scores: it is a
    statement about the mean over all rounds, not about single examples or groups of them.

    Parameters
    ----------
    error_rate : float
        The error rate that was asked for.
    step : float
        How far an error moves the level.
    start : float
        The first level.
    rounds : int
        Number of sets whose label was seen.
    errors : int
        Number of those that lacked it.
    empty : int
        Number of sets without a label.
    single : int
        Number of sets of one label.
    labels : int
        Number of labels in all sets together.

    Attributes
    ----------
    bound : float
        The bound on |error_share - error_rate|, rounded up; infinite before the first round.
    error_share : float
        Fraction of sets that lacked the label.
    mean_size : float
        Mean number of labels of a set.

    References
    ----------
    Gibbs and Candes (2021), Adaptive conformal inference under distribution shift.

    Examples
    --------
    >>> from novikoff.theory.conformal import SetCertificate
    >>> found = SetCertificate(0.1, 0.05, 0.1, rounds=1000, errors=104, empty=0, single=950, labels=1050)
    >>> found.error_share, round(found.bound, 4), bool(found.verify())
    (0.104, 0.0181, True)
    """

    error_rate: float
    step: float
    start: float
    rounds: int
    errors: int
    empty: int
    single: int
    labels: int

    @property
    def error_share(self) -> float:
        """Fraction of sets that lacked the label."""
        return self.errors / max(1, self.rounds)

    @property
    def mean_size(self) -> float:
        """Mean number of labels of a set."""
        return self.labels / max(1, self.rounds)

    @property
    def single_share(self) -> float:
        """Fraction of sets of one label."""
        return self.single / max(1, self.rounds)

    @property
    def empty_share(self) -> float:
        """Fraction of sets without a label."""
        return self.empty / max(1, self.rounds)

    @property
    def several_share(self) -> float:
        """Fraction of sets of two or more labels."""
        return self.several / max(1, self.rounds)

    @property
    def several(self) -> int:
        """Number of sets of two or more labels."""
        return self.rounds - self.empty - self.single

    @property
    def bound(self) -> float:
        """The bound on |error_share - error_rate|, rounded up; infinite before the first round."""
        if self.rounds == 0:
            return math.inf
        exact = self._exact_bound()
        return math.nextafter(float(exact), math.inf) if exact <= Fraction(10) ** 300 else math.inf

    def _exact_bound(self) -> Fraction:
        rate, step, start = Fraction(self.error_rate), Fraction(self.step), Fraction(self.start)
        return max(start + step * (1 - rate), 1 - start + step * rate) / (step * self.rounds)

    def after(self, sizes: NDArray[np.int64], errors: NDArray[np.bool_]) -> SetCertificate:
        """Return the counts after some more sets.

        Parameters
        ----------
        sizes : ndarray of int
            The number of labels of each set; -1 if it is not counted.
        errors : ndarray of bool
            Which of the counted sets lack the label.

        Returns
        -------
        SetCertificate
            Further counts, with the same parameters.
        """
        counted_sizes = sizes[sizes != NOT_COUNTED]
        return replace(
            self,
            rounds=self.rounds + len(counted_sizes),
            errors=self.errors + int(errors.sum()),
            empty=self.empty + int((counted_sizes == 0).sum()),
            single=self.single + int((counted_sizes == 1).sum()),
            labels=self.labels + int(counted_sizes.sum()),
        )

    def claims(self) -> list[tuple[str, str]]:
        """Return the claims in words.

        Returns
        -------
        list of tuple of str
            Names and values.
        """
        if self.rounds == 0:
            return [("sets", "no set whose label was seen")]
        share = f"{self.errors:,} of {counted(self.rounds, 'set')} lack the label: {self.error_share:.6g}"
        promise = f"{self.error_rate:g} +- {self.bound:.6g} for every sequence of examples"
        return [("set errors", share), ("promised", promise)]

    def verify(self, nonconformity: Any = None, window: int | None = None) -> Verification:
        """Check the claims in exact arithmetic.

        Parameters
        ----------
        nonconformity : array-like of shape (rounds,), default=None
            How little the label of each round conformed, in their order: ``AdaptiveSets.nonconformity_one`` before it
            was learned. The sets are then replayed, and their errors counted.
        window : int, default=None
            The number of latest rounds that each set was compared with. It is needed for a replay.

        Returns
        -------
        Verification
            True if all claims that were recomputed hold.
        """
        possible = 0 <= self.errors <= self.rounds and 0 <= self.empty <= self.errors
        possible = possible and self.single >= 0 and self.several >= 0 and self.labels >= self.single + 2 * self.several
        found = f"{self.errors} errors and {self.empty} empty sets in {self.rounds} rounds"
        checks = [Check("counts", "holds" if possible else "fails", found)]
        if self.rounds:
            distance = abs(Fraction(self.errors, self.rounds) - Fraction(self.error_rate))
            holds = distance <= self._exact_bound()
            detail = f"claimed at most {self.bound:.6g} from {self.error_rate:g}, found {float(distance):.6g}"
            checks.append(Check("error share", "holds" if holds else "fails", detail))
        if nonconformity is not None:
            values = np.asarray(nonconformity, dtype=np.float64)
            errors = replayed_errors(values, self.error_rate, self.step, self.start, window)
            is_same = len(errors) == self.rounds and int(errors.sum()) == self.errors
            detail = f"claimed {self.errors} in {self.rounds} rounds, found {errors.sum()} in {len(errors)}"
            checks.append(Check("replayed errors", "holds" if is_same else "fails", detail))
        return Verification(tuple(checks))


@dataclass(frozen=True)
class SetState:
    """All that adaptive sets have learned; model files hold it.

    Parameters
    ----------
    certificate : SetCertificate
        The parameters and counts.
    window : int
        The number of latest rounds that a set is compared with.
    skipped : int
        Number of examples without a set that could have the label.
    recent : tuple of float
        How little the labels of the latest rounds conformed, the oldest first.
    """

    certificate: SetCertificate
    window: int
    skipped: int
    recent: tuple[float, ...]


def replayed_errors(
    nonconformity: Floats | Sequence[float], rate: float, step: float, start: float, window: int | None = None
) -> NDArray[np.bool_]:
    """Return which sets lack the label, given how little the label of each round conforms.

    The level moves as in T1, in fractions. With n rounds to compare with, at most ``window``, a set for the level a has
    the labels whose nonconformity is at most the k-th smallest one of these rounds, k = ceil((1 - a)(n + 1)): all
    labels for k > n, and none for k < 1.

    Parameters
    ----------
    nonconformity : array-like of shape (rounds,)
        The numbers of the labels, in the order of the rounds.
    rate : float
        The error rate that was asked for.
    step : float
        How far an error moves the level.
    start : float
        The first level.
    window : int, default=None
        The number of latest rounds that a set is compared with; None for all.
    """
    values = np.asarray(nonconformity, dtype=np.float64)
    errors = np.zeros(len(values), dtype=bool)
    level, up, down = Fraction(start), Fraction(step) * Fraction(rate), Fraction(step)
    for t, value in enumerate(values.tolist()):
        recent = values[0 if window is None else max(0, t - window) : t]
        k = math.ceil((1 - level) * (len(recent) + 1))
        if k <= len(recent):
            errors[t] = k < 1 or value > np.partition(recent, k - 1)[k - 1]
        level += up - down if errors[t] else up
    return errors
