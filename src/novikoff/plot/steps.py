"""Larger margin, fewer updates: the perceptron on data of several margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff._estimators import clone
from novikoff._validation import check_integer
from novikoff.errors import input_error
from novikoff.online import Perceptron
from novikoff.theory.geometry import Floats, Matrix

from ._display import Display, axes, plain_log_ticks
from ._legend import add_legend
from .palette import MUTED, NEGATIVE, POSITIVE

MARGINS = tuple(np.geomspace(0.02, 0.5, 9).round(3).tolist())


@dataclass(kw_only=True, repr=False)
class StepsDisplay(Display):
    """Number of updates that a perceptron makes on separable data, against their margin, and the bound (R/gamma)^2.

    Each run is on new rows of length 1. Their distance from a plane is exactly gamma, so R = 1 and the margin is gamma.

    Use ``from_margins`` to create a display.

    Parameters
    ----------
    margins : ndarray of shape (n_margins,)
        The margins gamma, ascending.
    updates : ndarray of int64, of shape (n_margins, repeats)
        The number of updates of each run.
    bounds : ndarray of shape (n_margins,)
        The largest possible number of updates.
    name : str
        The class of the learner.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    See Also
    --------
    TraceDisplay : The proof of the bound along one run.

    Examples
    --------
    >>> from novikoff.plot import StepsDisplay
    >>> display = StepsDisplay.measure([0.1, 0.4])  # from_margins also draws it
    >>> display.bounds.round(2), bool((display.updates.T <= display.bounds).all())
    (array([100.  ,   6.25]), True)
    """

    margins: Floats
    updates: NDArray[np.int64]
    bounds: Floats
    name: str

    @classmethod
    def from_margins(
        cls,
        margins: ArrayLike = MARGINS,
        *,
        learner: Any = None,
        n_samples: int = 500,
        n_features: int = 20,
        repeats: int = 5,
        random_state: int = 0,
        ax: Any = None,
    ) -> Self:
        """Learn rows of several margins and draw the number of updates.

        Parameters
        ----------
        margins : array-like of shape (n_margins,), default=9 numbers from 0.02 to 0.5
            The margins gamma, between 0 and 1.
        learner : estimator, default=None
            A perceptron or margin perceptron. By default ``Perceptron(fit_intercept=False, max_iter=100_000)``.
        n_samples : int, default=500
            Number of rows.
        n_features : int, default=20
            Number of columns, at least 2.
        repeats : int, default=5
            Number of runs for each margin.
        random_state : int, default=0
            Seed of the rows.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        StepsDisplay
            The display.
        """
        found = cls.measure(
            margins,
            learner=learner,
            n_samples=n_samples,
            n_features=n_features,
            repeats=repeats,
            random_state=random_state,
        )
        return found.plot(ax=ax)

    @classmethod
    def measure(
        cls,
        margins: ArrayLike = MARGINS,
        *,
        learner: Any = None,
        n_samples: int = 500,
        n_features: int = 20,
        repeats: int = 5,
        random_state: int = 0,
    ) -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        margins : array-like of shape (n_margins,), default=9 numbers from 0.02 to 0.5
            The margins gamma, between 0 and 1.
        learner : estimator, default=None
            A perceptron or margin perceptron. By default ``Perceptron(fit_intercept=False, max_iter=100_000)``.
        n_samples : int, default=500
            Number of rows.
        n_features : int, default=20
            Number of columns, at least 2.
        repeats : int, default=5
            Number of runs for each margin.
        random_state : int, default=0
            Seed of the rows.

        Returns
        -------
        StepsDisplay
            The display.
        """
        where = cls.__name__
        gammas = np.unique(np.asarray(margins, dtype=np.float64))
        if len(gammas) == 0 or not (gammas[0] > 0 and gammas[-1] < 1):
            raise input_error(where, "margins must be numbers between 0 and 1, because the rows have length 1.")
        for name, value, least in (("n_samples", n_samples, 2), ("n_features", n_features, 2), ("repeats", repeats, 1)):
            check_integer(where, name, value, at_least=least)
        model = Perceptron(fit_intercept=False, max_iter=100_000) if learner is None else learner
        rng = np.random.default_rng(random_state)
        updates, bounds = np.zeros((len(gammas), repeats), dtype=np.int64), np.zeros(len(gammas))
        for place, gamma in enumerate(gammas.tolist()):
            for run in range(repeats):
                fitted = clone(model).fit(*rows_with_margin(rng, gamma, n_samples, n_features))
                updates[place, run], bounds[place] = _updates(where, fitted, gamma)
        return cls(margins=gammas, updates=updates, bounds=bounds, name=type(model).__name__)

    def _summary(self) -> str:
        runs = f"{self.updates.size:,} runs of {self.name}"
        return f"{runs}, {self.updates.min():,} to {self.updates.max():,} updates"

    def _draw(self, ax: Any) -> Any:
        ax = axes(type(self).__name__, ax)
        shown = np.isfinite(self.bounds)
        if shown.any():
            label = r"bound $(R/\gamma)^2$" if np.allclose(self.bounds * self.margins**2, 1) else "bound"
            look: dict[str, Any] = {"color": NEGATIVE, "lw": 1.5, "ls": "--", "label": label}
            ax.plot(self.margins[shown], self.bounds[shown], **look, **_marker("v", int(shown.sum())))
        repeats = self.updates.shape[1]
        ax.plot(
            np.repeat(self.margins, repeats), self.updates.ravel(), "o", color=MUTED, ms=3.5, alpha=0.6, label="runs"
        )
        look = {"color": POSITIVE, "lw": 2, "label": f"median of {repeats}"}
        ax.plot(self.margins, np.median(self.updates, axis=1), **look, **_marker("D", len(self.margins)))
        ax.set(
            xscale="log", yscale="log", xlabel=r"margin $\gamma$ (rows of length 1)", ylabel=f"updates of {self.name}"
        )
        plain_log_ticks(ax.xaxis)
        add_legend(ax)
        return ax


def _marker(shape: str, points: int) -> dict[str, Any]:
    """Return the look of a line of so many points, which one point needs to be seen."""
    return {"marker": shape, "markersize": 7} if points == 1 else {}


def _updates(where: str, fitted: Any, gamma: float) -> tuple[int, float]:
    """Return the number of updates of a fitted learner, and the largest possible one."""
    record = getattr(fitted, "record_", None)
    run = None if record is None else record.problems[0].run
    if run is None or not run.rule.implementation().adds_examples:
        raise input_error(where, f"{type(fitted).__name__} does not add examples to its weights. Use a perceptron.")
    certificate = fitted.certificate_
    return int(certificate.updates), run.rule.implementation().update_bound(certificate.radius, gamma)


def rows_with_margin(rng: np.random.Generator, gamma: float, n_samples: int, n_features: int) -> tuple[Matrix, Floats]:
    """Return random rows of length 1 at the distance gamma from the plane x_0 = 0, and their labels -1 and +1."""
    y = np.resize([1.0, -1.0], n_samples)
    across = rng.normal(size=(n_samples, n_features - 1))
    across *= np.sqrt(1 - gamma * gamma) / np.linalg.norm(across, axis=1, keepdims=True)
    return np.column_stack([gamma * y, across]), y
