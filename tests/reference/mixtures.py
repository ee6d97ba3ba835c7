"""The member with the fewest mistakes, whose counts may decay."""

import numpy as np


def fewest_mistakes(errors, decay=1.0):
    """Return the mistakes of the mixture that follows the member with the fewest; ``errors`` may ask for the leader."""
    rounds, N = errors if isinstance(errors, tuple) else errors.shape
    counts, wrong, table = np.zeros(N), [], []
    for t in range(rounds):
        counts = decay * counts
        leader = int(np.argmin(counts))
        row = (np.arange(N) == leader) * 1.0 if isinstance(errors, tuple) else errors[t]
        wrong, table, counts = [*wrong, row[leader]], [*table, row], counts + row
    return np.array(wrong), np.array(table)
