"""Online learners of several classes on Kesler's vectors: x in the block of the own class, -x in that of another."""

import numpy as np


def kesler(x, own, other, classes):
    z = np.zeros((classes, len(x)))
    z[own], z[other] = x, -x
    return z.ravel()


def multiclass(X, codes, classes, step, threshold=0.0):
    """w += step z for the strongest other class if its lead is at most ``threshold``.

    Only the classes that have occurred take part. Labels may be a function of the scores: an adversary. Returns the
    mistakes, and the triples of row, class and step of each update.
    """
    w, known, wrong, updates = np.zeros((classes, X.shape[1])), set(), [], []
    for t, x in enumerate(X):
        scores = w @ x
        own = codes(scores) if callable(codes) else codes[t]
        others = sorted(known - {own})
        known.add(own)
        if others:
            other = max(others, key=lambda k: scores[k])
            lead = scores[own] - scores[other]
            wrong.append(lead <= 0)
            size = step(1 - lead, 2 * x @ x) if lead <= threshold else 0.0
            w = w + size * kesler(x, own, other, classes).reshape(w.shape)
            updates.append((t, own, size))
    return np.array(wrong, dtype=bool), updates, w


def multiclass_arow(X, codes, classes, r=1.0, floor=0.0):
    """AROW with a diagonal on Kesler's vectors, with the strongest other class that has occurred; ties to the lowest.

    Returns the triples of row, class and whether it was a mistake of each update, its vectors z, w and the variances.
    """
    w, s, known, updates, Z = np.zeros(classes * X.shape[1]), np.ones(classes * X.shape[1]), set(), [], []
    for t, x in enumerate(X):
        scores = w.reshape(classes, -1) @ x
        own = codes(scores) if callable(codes) else codes[t]
        others = sorted(known - {own})
        known.add(own)
        z = kesler(x, own, max(others, key=lambda k: scores[k]), classes) if others else 0 * w
        loss = 1 - w @ z
        if others and loss > 0:
            w, s = w + loss / (z @ (s * z) + r) * s * z, np.maximum(floor, 1 / (1 / s + z * z / r))
            updates.append((t, own, bool(loss >= 1)))
            Z.append(z)
    return updates, np.array(Z).reshape(-1, len(w)), w.reshape(classes, -1), s.reshape(classes, -1)


def by_appearance(y):
    """Return the code of each label, in the order in which classes appear, and the classes in this order."""
    classes, first = np.unique(y, return_index=True)
    order = np.argsort(first)
    return np.argsort(order)[np.searchsorted(classes, y)], classes[order]
