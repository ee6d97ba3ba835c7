"""Class probabilities of a support vector machine: sigmoids of its scores, coupled where each is about two classes.

Let r_ij be the probability of class i against class j by the sigmoid of their problem. Wu, Lin and Weng (2004, section
4) choose the probabilities p that minimise sum_(i<j) (r_ji p_i - r_ij p_j)^2 subject to sum_i p_i = 1. With
Q_ii = sum_(s != i) r_si^2 and Q_ij = -r_ji r_ij they solve Q p + b e = 0 and e.p = 1, where e is a vector of ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._multiclass import MulticlassStrategy, OneVsRest
from novikoff._validation import check_weights
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.geometry import Floats

from ._folds import stratified_folds, subset
from ._joint import solve_joint_machine
from ._machines import solve_machines
from ._settings import Settings, run_parallel
from .platt import FOLDS, Sigmoid, probabilities

LEAST_PROBABILITY = 1e-7  # of a class against another one, as in LIBSVM; the linear system has one solution then
BLOCK_NUMBERS = 1 << 22  # numbers in the linear systems that are solved at a time


def fit_sigmoids(
    where: str,
    data: TrainingSet,
    strategy: MulticlassStrategy,
    sample_weight: Any,
    class_weight: Any,
    settings: Settings,
) -> list[Sigmoid]:
    """Fit one sigmoid per binary problem, or per score of a joint one, to scores of held-out rows of its classes."""
    weights = check_weights(where, sample_weight, data.X.shape[0])
    splits = stratified_folds(where, data.codes, weights, FOLDS, settings.seed)
    is_counted = np.ones(len(data.codes), dtype=bool) if weights is None else weights > 0
    pairs = OneVsRest(data.classes).pairs if strategy.is_joint else strategy.pairs
    rows = [np.flatnonzero(is_counted & _belongs(data, pair)) for pair in pairs]
    scores = [np.zeros(len(own)) for own in rows]

    def score_fold(place: int) -> None:
        learned, held_out = splits[place]
        part = subset(where, data, learned, weights, class_weight)
        if strategy.is_joint:
            model = solve_joint_machine(part, dataclasses.replace(settings, threads=1)).certificate.model
            products = data.X[held_out] @ data.narrow(model.weights).T + model.biases
            for found, decided in zip(scores, strategy.combine(products).reshape(len(held_out), -1).T, strict=True):
                found[np.searchsorted(rows[0], held_out)] = decided
            return
        machines = solve_machines(part, strategy, dataclasses.replace(settings, threads=1))
        for own, found, machine in zip(rows, scores, machines, strict=True):
            of_pair, some = machine.certificate.model, np.intersect1d(own, held_out, assume_unique=True)
            found[np.searchsorted(own, some)] = data.X[some] @ data.narrow(of_pair.weights) + of_pair.bias

    run_parallel(score_fold, len(splits), settings.threads, settings.cancelled)
    return [
        Sigmoid.fit(found, data.codes[own] == positive, None if weights is None else weights[own])
        for (positive, _), own, found in zip(pairs, rows, scores, strict=True)
    ]


def _belongs(data: TrainingSet, pair: tuple[int, int | None]) -> NDArray[np.bool_]:
    """Return which rows are part of a binary problem."""
    positive, negative = pair
    if negative is None:
        return np.ones(len(data.codes), dtype=bool)
    mask: NDArray[np.bool_] = (data.codes == positive) | (data.codes == negative)
    return mask


def class_probabilities(strategy: MulticlassStrategy, sigmoids: Sequence[Sigmoid], scores: Floats) -> Floats:
    """Return one probability per row and class, given the scores of all weight vectors."""
    if all(negative is None for _, negative in strategy.pairs):
        return probabilities(list(sigmoids), strategy.combine(scores))
    wins = np.column_stack([sigmoid(own) for sigmoid, own in zip(sigmoids, scores.T, strict=True)])
    return coupled(wins, strategy.pairs, len(strategy.classes))


def coupled(wins: Floats, pairs: Sequence[tuple[int, int | None]], classes: int) -> Floats:
    """Return the probabilities of all classes, given that of the first class of each pair against the second.

    Parameters
    ----------
    wins : ndarray of shape (rows, n_pairs)
        The probability of the first class of each pair.
    pairs : sequence of (int, int)
        All pairs of classes.
    classes : int
        Number of classes.
    """
    first, second = np.array(pairs, dtype=np.intp).T
    found = np.empty((len(wins), classes))
    step = max(1, BLOCK_NUMBERS // (classes + 1) ** 2)
    right = np.zeros((classes + 1, 1))
    right[-1] = 1.0
    for start in range(0, len(wins), step):
        won = np.clip(wins[start : start + step], LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
        r = np.zeros((len(won), classes, classes))
        r[:, first, second], r[:, second, first] = won, 1 - won
        system = np.ones((len(won), classes + 1, classes + 1))
        system[:, :-1, :-1] = -r * r.transpose(0, 2, 1)
        diagonal = np.arange(classes)
        system[:, diagonal, diagonal] = np.sum(r * r, axis=1)
        system[:, -1, -1] = 0.0
        shares = np.maximum(0.0, np.linalg.solve(system, np.broadcast_to(right, (len(won), classes + 1, 1)))[:, :-1, 0])
        found[start : start + step] = shares / shares.sum(axis=1, keepdims=True)
    return found
