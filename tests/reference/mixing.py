"""Iterative parameter mixing with perceptron and passive-aggressive steps, with the intercept as a column of U."""

import numpy as np

from reference.passive_aggressive import step


def one_pass(U, y, v, variant="perceptron", C=1.0):
    """One pass from v; returns the last v, the mistakes, the updates, and the sum of v after each example."""
    mistakes, updates, total = 0, 0, np.zeros(len(v))
    for u, label in zip(U, y, strict=True):
        score = label * (v @ u)
        tau = float(score <= 0) if variant == "perceptron" else step(variant, 1 - score, u @ u, C)
        v, mistakes, updates, total = v + tau * label * u, mistakes + (score <= 0), updates + (tau > 0), total + v
        total += tau * label * u
    return v, mistakes, updates, total


def mixing(parts, rounds, variant="perceptron", C=1.0):
    """Rounds over partitions [(U, y), ...], with mistakes as shares, or updates if there are no mistakes.

    Returns the common v, the mistakes of each partition in each round, and the average of all v of all partitions.
    """
    v, counts, total, examples = np.zeros(parts[0][0].shape[1]), [], 0.0, 0
    for _ in range(rounds):
        ends = [one_pass(U, y, v, variant, C) for U, y in parts]
        counts.append([k for _, k, _, _ in ends])
        total = total + sum(own for *_, own in ends)
        examples += sum(len(y) for _, y in parts)
        shares = np.array(counts[-1] if any(counts[-1]) else [updates for _, _, updates, _ in ends], dtype=float)
        if shares.any():
            v = sum(share * end for share, (end, *_) in zip(shares, ends, strict=True)) / shares.sum()
    return v, np.array(counts, dtype=float), total / examples
