"""The history of a model's counts, with a bounded number of points."""

from __future__ import annotations

from typing import Any, Self

from novikoff.errors import quote

MAX_POINTS = 400
MAX_PARTS, MIN_PART = 16, 32  # of a batch: points, and examples between them

Point = tuple[float, float, float, float]


class Curve:
    """Points of the whole history: examples, mistakes, and the mistakes of two baselines.

    Examples are divided into intervals of equal length, and the first point of each interval is kept. When there are
    too many, the length of the intervals is doubled. The kept points therefore depend only on the sequence of points
    that were added: a replay of the same batches gives the same curve, whether or not it was saved and restored in
    between. All counts are totals since the first example and never decrease.

    See Also
    --------
    novikoff.serve.page : draws these points.

    Examples
    --------
    >>> curve = Curve()
    >>> curve.add(10, 4, 5, 6)
    >>> curve.add(20, 5, 9, 12)
    >>> curve.points()
    [(10, 4, 5, 6), (20, 5, 9, 12)]
    """

    __slots__ = ("_kept", "_latest", "_next", "_step")

    def __init__(self) -> None:
        self._kept: list[Point] = []
        self._latest: Point | None = None
        self._step = 1.0  # length of an interval, in examples
        self._next = float("-inf")  # the next point with at least so many examples is kept

    def add(self, examples: float, mistakes: float, last_label_mistakes: float, majority_mistakes: float) -> None:
        """Add a point. The counts are totals after a batch.

        Parameters
        ----------
        examples : float
            Number of examples, or the sum of their weights.
        mistakes : float
            Mistakes of the model.
        last_label_mistakes : float
            Mistakes of predicting the label of the example before.
        majority_mistakes : float
            Mistakes of predicting the most frequent label so far.
        """
        self._latest = point = (examples, mistakes, last_label_mistakes, majority_mistakes)
        if examples >= self._next:
            self._keep(point)

    def ends(self, count: int) -> list[int]:
        """Return after how many examples of the next batch a point is due, and at its end."""
        parts = max(1, min(MAX_PARTS, int(count / max(self._step, MIN_PART))))
        return [count * part // parts for part in range(1, parts + 1)]

    def points(self) -> list[Point]:
        """Return the kept points and the latest one: at most ``MAX_POINTS``, in order.

        Another thread may add points meanwhile.
        """
        points = [*self._kept]
        latest = self._latest  # read after the kept points, so that it is not older than any of them
        if latest is not None and points[-1:] != [latest]:
            points.append(latest)
        return points

    def state(self) -> dict[str, Any]:
        """Return the state, made of what JSON can store."""
        return {
            "step": self._step,
            "kept": [list(point) for point in self._kept],
            "latest": None if self._latest is None else list(self._latest),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Restore a curve from saved state.

        Parameters
        ----------
        state : dict
            What ``state`` returned, perhaps through JSON.

        Returns
        -------
        Curve
            A curve that continues as the saved one would have.

        Raises
        ------
        ValueError
            If this is not the state of a curve.
        """
        curve = cls()
        try:
            curve._step = float(state["step"])
            curve._kept = [_point(point) for point in state["kept"]]
            curve._latest = None if state["latest"] is None else _point(state["latest"])
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"not the saved state of a curve: {quote(state)}") from None
        if curve._kept:
            curve._next = curve._end_of_interval(curve._kept[-1])
        return curve

    def _keep(self, point: Point) -> None:
        self._kept.append(point)
        while len(self._kept) >= MAX_POINTS:  # one place is left for the latest point
            self._step *= 2.0
            self._kept = self._first_of_each_interval()
        self._next = self._end_of_interval(self._kept[-1])

    def _first_of_each_interval(self) -> list[Point]:
        first: dict[float, Point] = {}
        for point in self._kept:
            first.setdefault(point[0] // self._step, point)
        return list(first.values())

    def _end_of_interval(self, point: Point) -> float:
        return (point[0] // self._step + 1.0) * self._step


def _point(values: Any) -> Point:
    examples, mistakes, last_label_mistakes, majority_mistakes = values
    return examples, mistakes, last_label_mistakes, majority_mistakes
