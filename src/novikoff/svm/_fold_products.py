"""The models of one fold of a cross-validation, solved and scored over the products of rows.

If there are fewer rows than columns, all folds and all C share the matrix of products of all rows: a fold is solved
over one part of it, and the scores of the rows held out are sums over another. Such a score and that of the model's
weights differ by rounding errors, which are bounded here. Where this could change a prediction, the weights decide.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._multiclass import STRATEGIES, MulticlassStrategy
from novikoff.solvers.bounds import EPS
from novikoff.solvers.problem import Objective
from novikoff.solvers.product_path import DualPath, solve_dual_path
from novikoff.solvers.product_proof import MORE_TERMS
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.geometry import Floats

from ._folds import Indices
from ._machines import rows_of_pair

ROUNDINGS = 4  # of a score: of its products, of their sum, of the weights, and of the score that these have
LEAST_LENGTH = 1e-150  # of a scaled row: the square of a smaller one underflows


class FoldProducts:
    """The models of one fold for some values of C.

    Parameters
    ----------
    data : TrainingSet
        All rows.
    part : TrainingSet
        The rows to learn from.
    strategy : MulticlassStrategy
        How the classes are handled.
    rows : list of ndarray of int
        The numbers of the rows of each binary problem among all rows.
    paths : list of DualPath
        The solutions of each binary problem.
    """

    def __init__(
        self,
        data: TrainingSet,
        part: TrainingSet,
        strategy: MulticlassStrategy,
        rows: list[Indices],
        paths: list[DualPath],
    ) -> None:
        self.data, self.part, self.rows, self.paths = data, part, rows, paths
        self.strategy = STRATEGIES[strategy.name](part.classes, part.counts)

    @classmethod
    def solve(
        cls,
        data: TrainingSet,
        part: TrainingSet,
        learned: Indices,
        strategy: MulticlassStrategy,
        objective: Objective,
        Cs: Floats,
        options: SolverOptions,
    ) -> FoldProducts | None:
        """Solve all binary problems of a fold.

        Parameters
        ----------
        data, part : TrainingSet
            All rows, and those to learn from.
        learned : ndarray of int
            The numbers of these.
        strategy : MulticlassStrategy
            How the classes are handled.
        objective : Objective
            What is minimised; its C is replaced.
        Cs : ndarray
            The values of C, increasing.
        options : SolverOptions
            The options of every single problem.

        Returns
        -------
        FoldProducts or None
            None if products do not suit some of the problems, or if they do not solve it.
        """
        rows: list[Indices] = []
        paths: list[DualPath] = []
        for pair in () if strategy.is_joint else strategy.pairs:
            own, chosen = rows_of_pair(part, pair)
            path = solve_dual_path(own, pair[0], objective, Cs, options)
            if path is None:
                return None
            rows.append(learned if chosen is None else learned[chosen])
            paths.append(path)
        return cls(data, part, strategy, rows, paths) if paths else None

    @property
    def gap(self) -> float:
        """The widest of the relative gaps."""
        return max(path.gap for path in self.paths)

    def weights(self, places: list[int]) -> tuple[Floats, Floats]:
        """Return the weights of some models, of shape (models, problems, columns of X), and their intercepts."""
        biases = np.stack([path.biases[places] for path in self.paths], axis=1)
        weights = np.empty((*biases.shape, self.data.X.shape[1]))
        for column, (rows, path) in enumerate(zip(self.rows, self.paths, strict=True)):
            weights[:, column] = np.asarray(self.data.X[rows].T @ path.duals[places].T).T
        return weights, biases

    def predict(self, held_out: Indices, threads: int) -> list[NDArray[Any] | None]:
        """Return the labels that each model predicts for some rows; None where rounding might change one of them."""
        parts = [self._scores(column, held_out, threads) for column in range(len(self.paths))]
        found: list[NDArray[Any] | None] = []
        for place in range(len(self.paths[0].biases)):
            scores, errors = (np.stack([part[kind][place] for part in parts], axis=1) for kind in (0, 1))
            decisions = self.strategy.combine(scores)
            found.append(self.strategy.choose(decisions) if _is_certain(scores, errors, decisions) else None)
        return found

    def _scores(self, column: int, held_out: Indices, threads: int) -> tuple[Floats, Floats]:
        """Return the scores of one problem, of shape (Cs, rows), and bounds on their errors."""
        path, products = self.paths[column], self.data.products
        own, scale = self.rows[column], products.scale
        squares = products.matrix(threads).diagonal()
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what overflows is not certain
            scores = path.duals @ products.between(own, held_out, threads) / scale / scale + path.biases[:, None]
            lengths = (np.sqrt(squares) + LEAST_LENGTH) / scale
            sizes = np.abs(path.duals) @ lengths[own]
            terms = ROUNDINGS * (self.data.X.shape[1] + len(own) + MORE_TERMS)
            errors = terms * EPS * (sizes[:, None] * lengths[held_out] + np.abs(path.biases)[:, None])
        return scores, errors


def _is_certain(scores: Floats, errors: Floats, decisions: Floats) -> bool:
    """Return whether scores with these errors have the same signs, and the same largest decision of each row.

    A decision is a score, or a function of the signs and of the sum of several scores that grows more slowly than it.
    """
    if not np.all(np.abs(scores) > errors):
        return False
    if decisions.ndim == 1:
        return True
    first, second = np.sort(decisions, axis=1)[:, :-3:-1].T
    return bool(np.all(first - second > 2 * errors.sum(axis=1) + MORE_TERMS * EPS * (np.abs(first) + np.abs(second))))
