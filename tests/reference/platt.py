"""Online Platt scaling in plain NumPy: Newton's method with decay on the log loss of scores."""

import numpy as np

DECAY = 0.999


class Platt:
    """The probability that an example is positive, given the scores and labels so far."""

    def __init__(self):
        self.v, self.H, self.total, self.count = np.array([1.0, 0.0]), np.eye(2), 0.0, 0.0

    def features(self, score):
        mean = (self.total + abs(score)) / (self.count + 1)
        return np.array([score / mean if mean > 0 else 0.0, 1.0])

    def probability(self, score):
        return 1 / (1 + np.exp(-np.clip(self.v @ self.features(score), -30, 30)))

    def learn(self, label, score, weight=1.0):
        if weight == 0:
            return
        z, p, kept = self.features(score), self.probability(score), DECAY**weight
        self.H = kept * self.H + (1 - kept) * np.eye(2) + weight * p * (1 - p) * np.outer(z, z)
        self.v = self.v + np.linalg.solve(self.H, weight * (label - p) * z)
        self.v[0] = max(self.v[0], 0.0)
        self.total, self.count = kept * self.total + weight * abs(score), kept * self.count + weight
