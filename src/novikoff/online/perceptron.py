"""Rosenblatt's perceptron, and its form for data that cannot be separated."""

from __future__ import annotations

from typing import Any

from novikoff._validation import check_choice, check_number
from novikoff.theory.geometry import Geometry
from novikoff.theory.rules import Rule

from ._learner import OnlineClassifier


class Perceptron(OnlineClassifier):
    """Rosenblatt's perceptron: on a mistake, add the example to the weights.

    Start with v = 0 and predict the sign of v.u, where u = (x, 1). On a mistake v += y u. If a separator with margin
    gamma exists and |u| <= R, there are at most (R/gamma)^2 mistakes, however the examples are ordered, so ``fit``
    ends with a separator if ``max_iter`` lets it; it never stops early because progress is slow. ``certificate_``
    holds the count against that bound, and says whether a separator was found.

    Where no separator exists, ``slack_feature=delta`` gives every training example one private feature of value delta,
    which makes one; it is never built, and a new example has none.

    Parameters
    ----------
    tie : "mistake": a score of exactly 0 is no opinion, and counts as a mistake; "positive": it says +1
    slack_feature : value of the private feature; 0 for none
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
    >>> from novikoff import Perceptron
    >>> model = Perceptron().fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], ["yes", "yes", "no"])
    >>> model.predict([[3.0, 1.0]])
    array(['yes'], dtype='<U3')
    >>> model.certificate_.mistakes <= model.certificate_.bound(margin=1.5)
    True

    References
    ----------
    Rosenblatt (1958), The perceptron. Novikoff (1962), On convergence proofs on perceptrons.
    Freund and Schapire (1999), Large margin classification using the perceptron algorithm (the private features).
    """

    def __init__(
        self,
        *,
        tie: str = "mistake",
        slack_feature: float = 0.0,
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
        self.tie = tie
        self.slack_feature = slack_feature

    def _rule(self, where: str) -> Rule:
        check_choice(where, "tie", self.tie, ("mistake", "positive"))
        delta = 0.0 if self.slack_feature == 0 else check_number(where, "slack_feature", self.slack_feature, above=0)
        return Rule("perceptron", tie=self.tie, geometry=Geometry(self.fit_intercept, slack_feature=delta))
