"""Rows that are cut into partitions, problems on them without an engine, and objectives in plain NumPy."""

import math

import numpy as np
import scipy.sparse as sp

from novikoff import LinearSVM
from novikoff.distributed.block import checked_block
from novikoff.distributed.protocol import tree_sum
from novikoff.distributed.soft_margin.advance import STEPS
from novikoff.distributed.soft_margin.certify import certify
from novikoff.distributed.soft_margin.progress import Options
from novikoff.distributed.soft_margin.setup import LocalProblem, Setup, begin
from novikoff.distributed.survey import Survey
from novikoff.persistence import dumps

LOSSES, INTERCEPTS = ("hinge", "squared_hinge"), ("free", "penalized", "none")


def cut(values, sizes):
    """The list of partitions with so many rows each; None remains None."""
    if values is None:
        return None
    assert sum(sizes) == values.shape[0]
    ends = np.cumsum(sizes)
    return [values[end - size : end] for size, end in zip(sizes, ends.tolist(), strict=True)]


def parameters(intercept):
    """The parameters of a LinearSVM for an intercept."""
    return {"fit_intercept": intercept != "none", "penalized_intercept": intercept == "penalized"}


def certificates(model):
    """The certificates of a model as a list."""
    return model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]


def bits(model):
    """The model file, without the seconds of the history."""
    for history in model.history_ if isinstance(model.history_, list) else [model.history_]:
        history["time"] = 0
    return dumps(model)


def noisy_rows(rng, count, columns, kind="dense"):
    """Rows of two classes that overlap, dense or sparse, and their signs."""
    X = rng.normal(size=(count, columns))
    signs = np.where(X[:, :3].sum(axis=1) + rng.normal(size=count) > 0, 1, -1)
    if kind == "sparse":
        X = sp.csr_matrix(np.where(rng.random(X.shape) < 0.3, X, 0.0))
    return X, signs


class Problem:
    """One binary problem on partitions, whose steps are applied here one by one.

    Parameters
    ----------
    X, signs, weights : array
        The rows.
    sizes : list of int
        The numbers of rows of the partitions.
    loss, intercept, C, scale : object
        The parameters of the problem.
    """

    def __init__(self, X, signs, weights=None, sizes=None, loss="hinge", intercept="free", C=1.0, scale=1.0):
        sizes = [X.shape[0]] if sizes is None else sizes
        self.X, self.signs, self.sizes = X, np.asarray(signs), sizes
        self.costs = np.ones(len(signs)) if weights is None else np.asarray(weights)
        given = zip(cut(X, sizes), cut(self.signs, sizes), cut(weights, sizes) or [None] * len(sizes), strict=True)
        self.blocks = [checked_block(f"partition {k}", *part) for k, part in enumerate(given)]
        values = X.data if sp.issparse(X) else X
        self.setup = Setup(
            classes=(-1, 1),
            factors=None,
            pairs=((1, -1),),
            columns=None,
            total_columns=X.shape[1],
            firsts=tuple([0, *np.cumsum(sizes).tolist()][:-1]),
            C=C,
            loss=loss,
            intercept=intercept,
            scale=scale,
            largest=float(np.max(np.abs(values), initial=0.0)),
        )
        self.states = [begin(block, k, self.setup)[0] for k, block in enumerate(self.blocks)]
        self.kept = [None] * len(sizes)

    def options(self, **changed):
        """What a solver may use."""
        usual = {"tol": 1e-6, "max_iter": 1000, "threads": 1, "seed": 0, "partitions": len(self.sizes)}
        return Options(**{**usual, **changed})

    @property
    def u(self):
        """The rows (s x, 1) as float64; the last column is 0 without an intercept."""
        X = self.X.toarray() if sp.issparse(self.X) else self.X
        last = np.full((len(X), 1), float(self.setup.intercept != "none"))
        return np.column_stack([self.setup.scale * X.astype(np.float64), last])

    def primal(self, v):
        """The objective of v = (w, b) in the scaled problem."""
        slack = np.maximum(0.0, 1 - self.signs * (self.u @ v))
        losses = slack if self.setup.loss == "hinge" else slack**2
        return 0.5 * float(v @ (self.setup.penalty * v)) + float(self.costs @ losses)

    def dual(self, alpha):
        """The dual objective of the scaled problem, of duals that are balanced if the intercept is free."""
        a = self.costs * alpha
        total = self.u.T @ (a * self.signs)
        found = a.sum() - 0.5 * total[:-1] @ total[:-1] / self.setup.lam
        if self.setup.intercept == "penalized":
            found -= 0.5 * total[-1] ** 2 / self.setup.kappa
        return float(found - (0 if self.setup.loss == "hinge" else 0.25 * a @ alpha))

    def balanced(self, alpha):
        """Dual variables whose sums over both classes are equal: those of the larger sum are reduced."""
        sums = [float(self.costs[self.signs == sign] @ alpha[self.signs == sign]) for sign in (1, -1)]
        shares = {sign: min(sums) / own if own else 0.0 for sign, own in zip((1, -1), sums, strict=True)}
        return alpha * np.where(self.signs > 0, shares[1], shares[-1])

    def run(self, step, command):
        """Apply a step of the soft margin to all partitions, keep their states, and return the sum of the replies."""
        replies = []
        for k, block in enumerate(self.blocks):
            problem = self.local(k)
            assert problem.count == block.count
            self.kept[k], reply = step(problem, self.kept[k], command)
            replies.append(reply)
        return tree_sum(replies)

    def local(self, k):
        """The problem on one partition."""
        return LocalProblem(self.blocks[k], self.states[k], 0)

    def drive(self, solver, watch=None, record=None):
        """Run a solver, which yields commands, to its end, and return what it returns.

        ``watch`` is called with each command and its reply; the rounds of ``record`` are counted.
        """
        reply = None
        while True:
            try:
                command = solver.send(reply)
            except StopIteration as end:
                return end.value
            if record is not None:
                record.rounds += 1
            reply = self.run(STEPS[type(command)], command)
            if watch is not None:
                watch(command, reply)

    def certified(self, outcome, record, tol=1e-6):
        """Return the certificate of an outcome."""
        survey = Survey(self.sizes, self.X.shape[1], {-1: 1, 1: 1}, np.dtype(int), 1.0, 1, False, {}, True)
        return self.drive(certify(self.setup, 0, outcome, record, tol, survey), record=record)


def optimum(problem):
    """The optimum of a small problem, between two numbers, by the single-machine solver."""
    model = LinearSVM(C=problem.setup.C, loss=problem.setup.loss, tol=1e-9, **parameters(problem.setup.intercept))
    model.fit(problem.X, problem.signs, sample_weight=problem.costs)
    certificate = model.certificate_
    assert math.isfinite(certificate.dual)
    return certificate.dual / problem.setup.C, certificate.primal / problem.setup.C
