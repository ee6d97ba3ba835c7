"""The hard margin on partitioned data, by a working set.

Let W be some of the rows. The largest margin of all rows is at most that of W, because a plane that separates all rows
separates W at least as well. So the dual variables of W, which prove an upper bound for W, prove the same bound for all
rows. The margin of the plane of W over all rows, measured in the partitions with bounds on rounding errors, is a lower
bound. Rows with a smaller margin than those of W are added to W until both bounds meet. If no row has a smaller margin,
the plane has the same margin over all rows as over W, and the certificate of W is that of all rows. If W is not
separable, neither are all rows, and the witness of W proves it.  docs/theory.md E7.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._estimators import ConvergenceWarning
from novikoff._validation import check_number
from novikoff._wide_array import changed, stacked
from novikoff.errors import NotSeparableError
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.hulls import HullCertificate

from .plan import Fit
from .plane_margins import Margins, Plane, measured
from .working_rows import Frame, Opened, open_working_set, rows_to_add

FIRST_TOL = 0.05  # the tolerance on the first working set
GAP_SHARE = 0.1  # of the gap over all rows that the next solution on a working set may have
TOL_SHARE = 0.5  # of the tolerance that the last solution on a working set may use; the rest is for other rows
NEAR_ONE = 1e-12  # the smallest y f(x) may differ from 1 by this much
COMFORT = 1 + 2.0**-50  # rows of a margin so close to the bound are measured again by ``verify``, and so are gathered


@dataclass(frozen=True)
class Bounded:
    """A plane for one binary problem, with bounds for all rows.

    Parameters
    ----------
    certificate : HullCertificate
        The certificate on the working set.
    plane : Plane
        The plane, which may be moved from that of the working set.
    lower : float
        A lower bound on its margin over all rows.
    """

    certificate: HullCertificate
    plane: Plane
    lower: float

    @property
    def upper(self) -> float:
        """The upper bound on the margin of any plane."""
        return self.certificate.margin_upper_bound

    @property
    def gap(self) -> float:
        """The relative distance of the bounds."""
        return replace(self.certificate, margin_lower_bound=self.lower).relative_gap

    def is_within(self, tol: float) -> bool:
        """Return whether the plane separates all rows, and the bounds are this close."""
        return self.lower > 0 and self.gap <= tol


def fit_hard_margin(fit: Fit) -> Warning | None:
    """Fit a ``HardMarginSVM``: a plan."""
    model, where = fit.model, fit.where
    classes, counts = fit.survey.classes(where)
    tol = check_number(where, "tol", model.tol, above=0, at_most=1)
    frame = Frame.of(fit.survey, classes)
    search = _Search(fit, frame, classes, tol, open_working_set(fit.rounds, fit.survey, frame))
    found = search.run()
    _set_attributes(model, search, found, counts)
    return _warning(where, [bounded for bounded in found if not bounded.is_within(tol)], search)


class _Search:
    """The rounds of one fit.

    Attributes
    ----------
    solved : HardMarginSVM or None
        The estimator that was last fitted to a working set, and ``numbers`` are the numbers of its rows.
    steps : ndarray of int64
        The steps of the solver, for each binary problem.
    """

    def __init__(self, fit: Fit, frame: Frame, classes: NDArray[Any], tol: float, opened: Opened) -> None:
        self._fit, self._frame, self._classes, self.tol, self.opened = fit, frame, classes, tol, opened
        self._working, self._begin = opened.working, time.perf_counter()
        self._inner_tol = max(TOL_SHARE * tol, FIRST_TOL)
        problems = 1 if len(frame.classes) == 2 else len(frame.classes)
        self._most = rows_to_add(frame.columns, 2 * problems * fit.rounds.count)
        self.solved: Any = None
        self.numbers = opened.working.numbers
        self.steps = np.zeros(problems, dtype=np.int64)

    def run(self) -> list[Bounded]:
        """Enlarge the working set until the bounds of all problems meet, or no row contradicts them."""
        number = 0
        while True:
            number += 1
            certificates = self._solve()
            margins = self._measure([self._plane(certificate) for certificate in certificates])
            found = [self._bounded(c, margins, k) for k, c in enumerate(certificates)]
            self._say(number, found)
            is_last = self._inner_tol == TOL_SHARE * self.tol and not len(margins.working)
            if is_last or self._is_over or all(bounded.is_within(self.tol) for bounded in found):
                moved = self._moved(found, margins)
                if is_last or self._is_over or all(bounded.is_within(self.tol) for bounded in moved):
                    return [max(pair, key=lambda bounded: bounded.lower) for pair in zip(moved, found, strict=True)]
            self._working = (self._working + margins.working).in_order()
            self._tighten(found, bool(len(margins.working)))

    def _solve(self) -> list[HullCertificate]:
        """Fit the estimator to the working set."""
        model, working = self._fit.model, self._working
        left = {"tol": self._inner_tol, "max_iter": model.max_iter, "max_time": model.max_time}
        if self.solved is not None:  # which has checked the parameters
            left["max_iter"] = max(1, int(model.max_iter - self.steps.max()))
            left["max_time"] = None if model.max_time is None else max(1e-9, model.max_time - self._seconds)
        solver = type(model)(**{**model.get_params(deep=False), **left})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                solver.fit(working.X, self._classes[working.codes])
            except NotSeparableError as error:
                witness = error.witness
                raise NotSeparableError(str(error), Duals(working.numbers[witness.rows], witness.weights)) from None
        self.solved, self.numbers = solver, working.numbers
        certificates = solver.certificate_ if isinstance(solver.certificate_, list) else [solver.certificate_]
        self.steps += [certificate.iterations for certificate in certificates]
        return certificates

    def _plane(self, certificate: HullCertificate) -> Plane:
        """Return the plane of a working set; rows whose margin may be below that of the set contradict it."""
        weights, bias = certificate.plane()
        positive = self._frame.classes.index(certificate.model.positive)
        plane, lower = Plane(weights, bias, positive), certificate.margin_lower_bound
        if not math.isfinite(lower):
            return plane
        norm = plane.squared_norm(certificate.intercept == "penalized").root()
        limit = (Enclosure.exactly(Fraction(lower)) * norm).outer_high()
        return replace(plane, limit=limit * COMFORT if limit > 0 else limit / COMFORT)

    def _measure(self, planes: list[Plane]) -> Margins:
        fit = self._fit
        return measured(fit.rounds, self._frame, planes, self._most, fit.survey.is_sparse)

    def _bounded(self, certificate: HullCertificate, margins: Margins, place: int) -> Bounded:
        """Return the bounds of a plane of the working set over all rows."""
        plane = self._plane(certificate)
        if not margins.wanted[place]:
            return Bounded(certificate, plane, certificate.margin_lower_bound)
        return Bounded(certificate, plane, _lower_bound(certificate, plane, margins, place))

    def _moved(self, found: list[Bounded], margins: Margins) -> list[Bounded]:
        """Return the planes in the middle between the nearest rows, where the smallest y f(x) is 1.

        A plane that no row contradicts is there already.
        """
        moves = [
            _in_the_middle(bounded, *margins.sides[k].tolist()) if margins.wanted[k] else None
            for k, bounded in enumerate(found)
        ]
        if not any(moves):
            return found
        planes = [move or bounded.plane for move, bounded in zip(moves, found, strict=True)]
        measured_again = self._measure([replace(plane, limit=-math.inf) for plane in planes])
        return [
            Bounded(bounded.certificate, move, _lower_bound(bounded.certificate, move, measured_again, k))
            if move
            else bounded
            for k, (bounded, move) in enumerate(zip(found, moves, strict=True))
        ]

    def _tighten(self, found: list[Bounded], has_new_rows: bool) -> None:
        """Choose the tolerance of the next solution: a part of the gap, and the last one if no row is new."""
        gaps = [bounded.gap for bounded in found if not bounded.is_within(self.tol)]
        wanted = GAP_SHARE * min(gaps, default=0.0) if has_new_rows else 0.0
        self._inner_tol = max(TOL_SHARE * self.tol, min(self._inner_tol, wanted))

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._begin

    @property
    def _is_over(self) -> bool:
        model = self._fit.model
        return bool(self.steps.max() >= model.max_iter) or (
            model.max_time is not None and self._seconds >= model.max_time
        )

    def _say(self, number: int, found: list[Bounded]) -> None:
        widest = max(found, key=lambda bounded: bounded.gap)
        gap = min(max(widest.gap, self.tol), 1.0)
        fraction = abs(math.log(gap) / math.log(self.tol)) if self.tol < 1 else 1.0
        self._fit.say(
            f"round {number}: margin at least {widest.lower:.4g}, at most {widest.upper:.4g}, "
            f"{counted(len(self._working), 'row')} gathered",
            fraction,
        )


def _lower_bound(certificate: HullCertificate, plane: Plane, margins: Margins, place: int) -> float:
    """Return a lower bound on the margin of a plane, which ``verify`` confirms."""
    norm = plane.squared_norm(certificate.intercept == "penalized")
    if norm.high == 0:
        return -math.inf
    return min((margins.smallest(place) / norm.root()).stated_low(), certificate.margin_upper_bound)


def _in_the_middle(bounded: Bounded, positive: float, negative: float) -> Plane | None:
    """Return a plane that is moved and scaled, given its smallest y f(x) of both sides; None if it is so already."""
    plane, bias, smallest = bounded.plane, bounded.plane.bias, min(positive, negative)
    if bounded.certificate.intercept == "free":
        bias, smallest = bias + (negative - positive) / 2, (negative + positive) / 2
    is_there = abs(smallest - 1) <= NEAR_ONE and abs(bias - plane.bias) <= NEAR_ONE
    if is_there or not 0 < smallest < math.inf:
        return None
    return replace(plane, weights=changed(plane.weights, lambda w: w / smallest), bias=bias / smallest)


def _set_attributes(model: Any, search: _Search, found: list[Bounded], counts: Any) -> None:
    """Set the fitted attributes: those of the working set, with the bounds and row numbers of all partitions."""
    held = vars(model)
    for name in [name for name in held if name.endswith("_") and not name.startswith("_")]:
        del held[name]
    fitted = {name: value for name, value in vars(search.solved).items() if name.endswith("_")}
    held.update({name: value for name, value in fitted.items() if not name.startswith("_")})
    certificates = [_certificate(search, bounded, int(search.steps[k])) for k, bounded in enumerate(found)]
    margins = tuple(certificate.margin_lower_bound for certificate in certificates)
    planes = [certificate.plane() for certificate in certificates]
    model.class_count_ = counts
    model.certificate_ = certificates if len(certificates) > 1 else certificates[0]
    model.margin_ = margins if len(margins) > 1 else margins[0]
    model.coef_, model.intercept_ = stacked([w for w, _ in planes]), np.array([b for _, b in planes])
    model.n_iter_ = int(search.steps.max())
    model.support_ = search.numbers[model.support_]


def _certificate(search: _Search, bounded: Bounded, steps: int) -> HullCertificate:
    """Return the certificate for all rows."""
    own, duals = bounded.certificate, bounded.certificate.model.duals
    is_penalized = own.intercept == "penalized"
    root = (search.opened.squared_radius + Enclosure.exactly(int(is_penalized))).root()
    assert isinstance(root.low, Fraction)
    assert isinstance(root.high, Fraction)
    middle = (root.low + root.high) / 2
    return replace(
        own,
        margin_lower_bound=bounded.lower,
        examples=search.opened.examples,
        tol=search.tol,
        iterations=steps,
        radius=Enclosure(root.low, middle).outer_high(),
        model=replace(
            own.model,
            weights=bounded.plane.weights,
            bias=bounded.plane.bias,
            duals=Duals(search.numbers[duals.rows], duals.weights),
        ),
    )


def _warning(where: str, wide: list[Bounded], search: _Search) -> ConvergenceWarning | None:
    """Return the warning about the bounds that are farthest apart, if some are farther apart than ``tol``."""
    if not wide:
        return None
    widest = max(wide, key=lambda bounded: bounded.gap)
    return ConvergenceWarning(
        f"{where}: after {counted(int(search.steps.max()), 'step')} the margin is at least {widest.lower:.8g} and "
        f"the largest margin at most {widest.upper:.8g}, which is farther apart than tol={search.tol:g}. "
        "Increase max_iter or tol, or scale the columns of X."
    )
