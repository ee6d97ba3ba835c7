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


def by_appearance(y):
    """Return the code of each label, in the order in which classes appear, and the classes in this order."""
    classes, first = np.unique(y, return_index=True)
    order = np.argsort(first)
    return np.argsort(order)[np.searchsorted(classes, y)], classes[order]
