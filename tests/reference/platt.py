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

    def learn(self, label, score):
        z, p = self.features(score), self.probability(score)
        self.H = DECAY * self.H + (1 - DECAY) * np.eye(2) + p * (1 - p) * np.outer(z, z)
        self.v = self.v + np.linalg.solve(self.H, (label - p) * z)
        self.v[0] = max(self.v[0], 0.0)
        self.total, self.count = DECAY * self.total + abs(score), DECAY * self.count + 1
