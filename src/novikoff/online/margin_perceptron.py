"""The perceptron that asks for a margin."""

from __future__ import annotations

from typing import Any

from novikoff._validation import check_choice, check_number
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Geometry
from novikoff.theory.rules import Rule

from ._certify import certify_margin
from ._learner import OnlineClassifier


class MarginPerceptron(OnlineClassifier):
    """The perceptron that updates until every example has a margin, with a two-sided certificate of it.

    v += y u whenever y v.u / |v| < theta. With ``margin=gamma``, theta = (1 - epsilon) gamma: if a separator of that
    margin exists, ``fit`` halts after at most 2R/(epsilon gamma) + 2R^2/(epsilon gamma)^2 updates. With
    ``margin="auto"``, theta is (1 - epsilon) |v| / M after M updates, an upper bound on the unknown margin in its
    place, and the margin reached is at least (1 - epsilon) times the best there is. ``certificate_`` has the margin
    reached and an upper bound on any.

    Parameters
    ----------
    margin : a margin that is known to exist, or "auto"
    epsilon : how much of it may be missing, above 0 and at most 1
    normalize : bring every example u to unit length first; the margin is then that of the normalised data
    fit_intercept : add a constant feature of 1 to every example; its weight is ``intercept_``
    max_iter : most passes over the data in ``fit``
    shuffle : visit the rows of each pass of ``fit`` in a new order
    random_state : seed of that order
    class_weight : None, "balanced", or a dict of class to weight, which multiplies ``sample_weight``
    warm_start : let ``fit`` go on from the present weights
    n_jobs : how many classes to learn at once; None is 1, -1 is one for each core
    verbose : print a line after every pass
    max_features : with dicts, fold all feature names into this many columns, so that memory stays bounded

    Examples
    --------
    >>> from novikoff import MarginPerceptron
    >>> model = MarginPerceptron(epsilon=0.1, fit_intercept=False).fit([[3.0, 1.0], [-3.0, 1.0]], [1, 0])
    >>> model.certificate_.ratio >= 0.9
    True

    References
    ----------
    Krauth and Mezard (1987), Learning algorithms with optimal stability in neural networks.
    Panagiotakopoulos and Tsampouka (2011), The perceptron with dynamic margin.
    """

    _until_still = True
    _other_rules = ("fixed margin",)  # of models in files, besides the rule of the default parameters

    def __init__(
        self,
        *,
        margin: float | str = "auto",
        epsilon: float = 0.5,
        normalize: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        max_features: int | None = None,
    ) -> None:
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            class_weight=class_weight,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
            max_features=max_features,
        )
        self.margin = margin
        self.epsilon = epsilon
        self.normalize = normalize

    def _rule(self, where: str) -> Rule:
        epsilon = check_number(where, "epsilon", self.epsilon, above=0, at_most=1)
        geometry = Geometry(self.fit_intercept, self.normalize)
        if isinstance(self.margin, str):
            check_choice(where, "margin", self.margin, ("auto",))
            return Rule("dynamic margin", epsilon, geometry=geometry)
        margin = check_number(where, "margin", self.margin, above=0)
        return Rule("fixed margin", (1 - epsilon) * margin, geometry=geometry)

    def _certify(self, column: int) -> Certificate:
        return certify_margin(self._question(column))
