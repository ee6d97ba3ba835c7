"""Online learners that are fitted in rounds over partitions, on threads of this process."""

from itertools import pairwise

import numpy as np

from novikoff.distributed import fit


class Mixed:
    """A learner whose ``fit`` divides the rows into partitions.

    Parameters
    ----------
    model : OnlineClassifier
        The learner.
    sizes : sequence of int or int, default=2
        The number of partitions, or the share of the rows of each of them.
    threads : int, default=2
        The number of threads.
    """

    def __init__(self, model, sizes=2, threads=2):
        self.model, self.sizes, self.threads = model, sizes, threads

    def fit(self, X, y, sample_weight=None):
        parts = [1] * self.sizes if isinstance(self.sizes, int) else list(self.sizes)
        ends = np.floor(np.cumsum([0, *parts]) / sum(parts) * len(y)).astype(int).tolist()
        cuts = [slice(*pair) for pair in pairwise(ends)]
        X = X if hasattr(X, "shape") else np.asarray(X)
        y, weights = np.asarray(y), None if sample_weight is None else np.asarray(sample_weight)
        own = None if weights is None else [weights[cut] for cut in cuts]
        return fit(self.model, [X[cut] for cut in cuts], [y[cut] for cut in cuts], own, on=f"local:{self.threads}")
