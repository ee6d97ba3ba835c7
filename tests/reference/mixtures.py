"""Weighted majority, fixed share and the member with the fewest mistakes; counts may decay, and labels come late."""

import numpy as np


def vote(weights, predictions):
    """The label with the largest weight, the smallest such label if there are several."""
    labels = np.unique(predictions)
    return labels[np.argmax([weights[predictions == label].sum() for label in labels])]


def weighted_majority(predictions, y, beta, *, decay=1.0, delay=0, alpha=0.0):
    """Return the mistakes of the mixture as 0 or 1; label t is learned after the prediction t + delay is served."""
    rounds, N = predictions.shape
    logs, wrong, labels = np.zeros(N), np.zeros(rounds), np.zeros(rounds)
    for t in range(rounds + delay):
        if t < rounds:
            logs = decay * logs
            guess = vote(np.exp(logs - logs.max()), predictions[t])
            labels[t] = y(guess) if callable(y) else y[t]
            wrong[t] = guess != labels[t]
        if t >= delay:
            logs = logs + np.log(beta) * (predictions[t - delay] != labels[t - delay])
            if alpha:
                w = np.exp(logs - logs.max())
                logs = np.log((1 - alpha) * w + alpha / (N - 1) * (w.sum() - w))
    return wrong, labels


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


def late_mixture(vote, predictions, y, beta=0.5, *, decay=1.0, alpha=0.1, delays=0):
    """Return the served mistakes of a mixture as 0 or 1, and the labels, in the order in which they are learned.

    Row t is served when max(0, t - delays[t]) labels are learned; counts decay when a label is learned. ``y`` may be a
    function of what is served.
    """
    rounds, N = predictions.shape
    delays = np.broadcast_to(delays, rounds)
    counts, shares, wrong, labels = np.zeros(N), np.ones(N), np.zeros(rounds), np.zeros(rounds)
    for learned in range(rounds):
        for t in np.flatnonzero(np.maximum(0, np.arange(rounds) - delays) == learned):
            if vote == "leader":
                guess = predictions[t, np.argmin(counts)]
            else:
                weights = beta ** (decay * (counts - counts.min())) if vote == "majority" else shares
                totals = {label: weights[predictions[t] == label].sum() for label in predictions[t]}
                guess = max(totals, key=totals.get)
            labels[t] = y(guess) if callable(y) else y[t]
            wrong[t] = guess != labels[t]
        errors = predictions[learned] != labels[learned]
        counts = decay * counts + errors
        shares = np.where(errors, beta * shares, shares)
        shares = (1 - alpha) * shares + alpha / (N - 1) * (shares.sum() - shares) if N > 1 else shares
        shares /= shares.max()
    return wrong, labels
