"""The passive-aggressive algorithms."""

from __future__ import annotations

from typing import Any

from novikoff._validation import check_number
from novikoff.theory.geometry import Geometry
from novikoff.theory.rules import Rule

from ._learner import OnlineClassifier


class PassiveAggressive(OnlineClassifier):
    """Move the weights as little as gives the example a margin of 1.

    With loss l = max(0, 1 - y v.u) and u = (x, 1): v += tau y u, tau = l / |u|^2, where |u|^2 counts the intercept's
    1, so that the example's score lands on y exactly. If some v has y v.u >= 1 throughout, there are at most R^2
    |v|^2 mistakes. ``fit`` stops after a pass without a mistake.

    Parameters
    ----------
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
    >>> from novikoff import PassiveAggressive
    >>> model = PassiveAggressive(max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.score_one([-1.0])
    -1.0

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms.
    """

    def __init__(
        self,
        *,
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

    def _rule(self, where: str) -> Rule:
        return Rule("passive-aggressive", geometry=Geometry(self.fit_intercept))


class PassiveAggressiveI(OnlineClassifier):
    """Passive-aggressive with a bound on each step: tau = min(C, l / |u|^2).

    The step solves min 1/2 |v - v_t|^2 + C xi subject to y v.u >= 1 - xi. It suits labels with noise.

    Parameters
    ----------
    C : how much an example may move the weights; its weight multiplies C
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
    >>> from novikoff import PassiveAggressiveI
    >>> model = PassiveAggressiveI(C=0.1, max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.coef_
    array([[0.2]])

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        self.C = C

    def _rule(self, where: str) -> Rule:
        return Rule(
            "passive-aggressive I", check_number(where, "C", self.C, above=0), geometry=Geometry(self.fit_intercept)
        )


class PassiveAggressiveII(OnlineClassifier):
    """Passive-aggressive with a softer step: tau = l / (|u|^2 + 1/(2C)).

    The step solves min 1/2 |v - v_t|^2 + C xi^2 subject to y v.u >= 1 - xi. It suits labels with noise.

    Parameters
    ----------
    C : how much an example may move the weights; its weight multiplies C
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
    >>> from novikoff import PassiveAggressiveII
    >>> model = PassiveAggressiveII(C=0.5, max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.coef_.round(3)
    array([[0.667]])

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        self.C = C

    def _rule(self, where: str) -> Rule:
        return Rule(
            "passive-aggressive II", check_number(where, "C", self.C, above=0), geometry=Geometry(self.fit_intercept)
        )
