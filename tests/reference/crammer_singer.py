"""The joint machine of several classes (Crammer and Singer 2001): both its objectives, and random feasible duals."""

import numpy as np


def primal(W, b, X, codes, costs, penalized=False):
    scores = X @ W.T + b
    every = np.arange(len(codes))
    short = 1.0 + scores - scores[every, codes][:, None]
    short[every, codes] = 0.0
    return 0.5 * np.sum(W**2) + 0.5 * penalized * b @ b + costs @ short.max(axis=1)


def coefficients(betas, codes):
    a = -betas
    a[np.arange(len(codes)), codes] = betas.sum(axis=1)
    return a


def dual(betas, X, codes, penalized=False):
    a = coefficients(betas, codes)
    return betas.sum() - 0.5 * np.sum((a.T @ X) ** 2) - 0.5 * penalized * np.sum(a.sum(axis=0) ** 2)


def random_duals(rng, codes, costs, classes):
    """Duals with sums from 0 to the costs, some of them at either end."""
    betas = (
        rng.dirichlet(np.full(classes, 0.5), size=len(codes))
        * (costs * rng.choice([0.0, 0.3, 1.0], len(codes)))[:, None]
    )
    betas[np.arange(len(codes)), codes] = 0.0
    return betas
