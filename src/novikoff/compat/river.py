"""Online learners as classifiers of River."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Self

from novikoff._estimators import clone
from novikoff.errors import input_error, missing_package
from novikoff.online import PassiveAggressiveI

_missing: str | None = None
_base: Any = object
try:
    from river.base import Classifier as _base
except ModuleNotFoundError as error:
    _missing = error.name


class RiverClassifier(_base):  # type: ignore[misc]  # River may be missing
    """An online learner as a classifier of River, for its pipelines, metrics and model selection.

    Parameters
    ----------
    learner : OnlineClassifier
        The learner, which learns in place. A clone of the adapter has a new learner with the same parameters.

    Examples
    --------
    >>> from novikoff import PassiveAggressiveI
    >>> from novikoff.compat.river import RiverClassifier
    >>> from river import preprocessing  # doctest: +SKIP
    >>> model = preprocessing.StandardScaler() | RiverClassifier(PassiveAggressiveI(C=0.1))  # doctest: +SKIP
    >>> model.learn_one({"size": 3.0, "links": 7.0}, True)  # doctest: +SKIP
    """

    def __init__(self, learner: Any) -> None:
        if _missing is not None:
            raise missing_package("RiverClassifier", _missing, "river")
        if not hasattr(learner, "learn_one") or not hasattr(learner, "get_params"):
            raise input_error("RiverClassifier", "learner must be an online learner of novikoff, such as Perceptron().")
        self.learner = learner

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"learner": PassiveAggressiveI(probability=True)}

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """Return an adapter with a new learner of the same parameters.

        Parameters
        ----------
        new_params : dict, default=None
            ``{"learner": other}`` for another learner, of which the clone has a copy without what it has learned.
        include_attributes : bool, default=False
            Whether the clone has learned what this one has.

        Returns
        -------
        RiverClassifier
            The clone.
        """
        learner = (new_params or {}).get("learner", self.learner)
        return type(self)(copy.deepcopy(learner) if include_attributes else clone(learner))

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from one example.

        Parameters
        ----------
        x : dict
            The features, all of which must be numbers.
        y : label
            Its label.
        w : float, default=1.0
            Its weight.
        """
        self.learner.learn_one(x, y, w)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """Predict the label of one example.

        Parameters
        ----------
        x : dict
            The features.
        **kwargs : dict
            Not used.

        Returns
        -------
        label : object
            The label; None if no label was seen before.
        """
        return self.learner.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability of each label for one example.

        Parameters
        ----------
        x : dict
            The features.
        **kwargs : dict
            Not used.

        Returns
        -------
        probabilities : dict
            From label to probability; empty if no label was seen before.

        Raises
        ------
        NotImplementedError
            If the learner was not made with ``probability=True``.
        """
        if not getattr(self.learner, "probability", False):
            raise NotImplementedError(f"{type(self.learner).__name__} needs probability=True for predict_proba_one.")
        probabilities: dict[Any, float] = self.learner.predict_proba_one(x)
        return probabilities
