"""The averaged perceptron."""

from __future__ import annotations

from typing import Any

from novikoff._validation import check_choice
from novikoff.theory.geometry import Geometry
from novikoff.theory.rules import Rule

from ._learner import OnlineClassifier


class AveragedPerceptron(OnlineClassifier):
    """The average of all the weights that a perceptron has held, one for each example it saw.

    v_t is the perceptron's vector after example t; ``coef_`` and ``intercept_`` are (v_1 + ... + v_T) / T, which is
    kept up lazily: an example costs no more than in the plain perceptron. An example of weight c counts c times in
    the average. ``certificate_`` speaks of the perceptron underneath.

    Parameters
    ----------
    tie : "mistake": a score of exactly 0 is no opinion, and counts as a mistake; "positive": it says +1
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
    >>> from novikoff import AveragedPerceptron
    >>> model = AveragedPerceptron(shuffle=False, max_iter=1).fit([[2.0], [-1.0], [1.0]], [1, 0, 1])
    >>> model.coef_, model.intercept_
    (array([[2.]]), array([1.]))

    References
    ----------
    Freund and Schapire (1999), Large margin classification using the perceptron algorithm.
    """

    def __init__(
        self,
        *,
        tie: str = "mistake",
        fit_intercept: bool = True,
        max_iter: int = 10,
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

    def _rule(self, where: str) -> Rule:
        check_choice(where, "tie", self.tie, ("mistake", "positive"))
        return Rule("perceptron", tie=self.tie, keep="average", geometry=Geometry(self.fit_intercept))
