"""Binary problems of a fit that learn from each row together, so that it is read once for all of them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import novikoff._core as _core
from novikoff._validation import describe_bad_row
from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Floats
from novikoff.theory.rules import Rule

from ._examples import Examples

MAX_TOGETHER = 8  # problems of a block of the kernel
Report = tuple[bool, bool, float]  # whether a pass made an update, whether a mistake, and the smallest margin


def groups_of(problems: int, kernel: _core.OnlineLearner, examples: Examples, rule: Rule) -> list[list[int]]:
    """Return the problems in groups, each of which learns together.

    Dense rows, votes, second-order rules and rules that are not compiled are learned one problem after the other. The
    duals of a group are stored for each row until it ends, so groups are small if the rows are short: the duals take no
    more memory than the rows.
    """
    size = 1
    is_first_order = not rule.implementation().is_second_order
    if sp.issparse(examples.X) and kernel.is_compiled and is_first_order and rule.keep != "votes":
        bytes_per_row = 12 * examples.X.nnz / max(1, examples.rows.count)
        size = max(1, min(MAX_TOGETHER, int(bytes_per_row / 8)))
    return [list(range(first, min(first + size, problems))) for first in range(0, problems, size)]


class Together:
    """Some problems of a kernel, and the duals of the rows in each of them.

    Parameters
    ----------
    where : str
        The class of the learner, for error messages.
    kernel : OnlineLearner
        The kernel.
    examples : Examples
        The rows.
    problems : list of int
        The problems.
    """

    def __init__(self, where: str, kernel: _core.OnlineLearner, examples: Examples, problems: list[int]) -> None:
        self.where, self.kernel, self.examples, self.problems = where, kernel, examples, problems
        self._duals: Floats = np.zeros((examples.rows.count, len(problems)))
        self._block: _core.ClassBlock | None = None

    def learn(self, order: np.ndarray[tuple[int], np.dtype[np.int64]] | None) -> list[Report]:
        """Make a pass over the rows in this order, and return what it did in each problem."""
        rows, n = self.examples, self.examples.rows.count
        batch = (rows.rows, rows.codes, rows.weights, rows.squared_norms)
        if len(self.problems) > 1:
            if self._block is None:
                self._block = self.kernel.block_of(self.problems)
            return self.kernel.learn_block(self._block, *batch, order, self._duals)
        problem, duals = self.problems[0], self._duals.reshape(-1)
        if rows.examined:
            return [self.kernel.learn(problem, *batch, order, duals, 0, n)]
        moved, mistaken, smallest, good = self.kernel.learn_unseen(problem, *batch, order, duals)
        if good < n:
            raise describe_bad_row(self.where, rows.X, good)
        rows.examined = True
        return [(moved, mistaken, smallest)]

    def release(self) -> None:
        """Give the weights back to the kernel, so that they can be read. The next pass takes them again."""
        if self._block is not None:
            self.kernel.release(self._block)
            self._block = None

    def leave(self, problems: list[int]) -> list[Duals]:
        """Remove problems that have ended, and return their duals."""
        if not problems:
            return []
        self.release()
        places = [self.problems.index(problem) for problem in problems]
        duals = [Duals.of(self._duals[:, place]) for place in places]
        self.problems = [problem for problem in self.problems if problem not in problems]
        self._duals = np.ascontiguousarray(np.delete(self._duals, places, axis=1))
        return duals
