"""Stand-ins for what ``_estimators.py`` has of scikit-learn, for processes of the command line.

They have what the learners and the subcommands use. ``__sklearn_tags__`` and ``score`` are there for scikit-learn's
scorers, which ``novikoff fit --cv --scoring`` calls.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable
from typing import Any, Self

import numpy as np

_is_wanted = False


def use_plain_estimators() -> None:
    """Have ``_estimators.py`` take its names from here in this process, unless scikit-learn has been imported."""
    global _is_wanted  # a fact about the process
    _is_wanted = "sklearn" not in sys.modules


def is_wanted() -> bool:
    """Return whether this process uses the stand-ins."""
    return _is_wanted


class NotFittedError(ValueError, AttributeError):
    """A model is used before it is fitted."""


class ConvergenceWarning(UserWarning):
    """A solver ended before it reached its tolerance."""


class BaseEstimator:
    """Parameters by name, which are the arguments of ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""
        return {name: getattr(self, name) for name in sorted(inspect.signature(type(self)).parameters)}

    def set_params(self, **parameters: Any) -> Self:
        """Set some of the parameters."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {[*known]}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: it.default for name, it in inspect.signature(type(self)).parameters.items()}
        changed = {name: value for name, value in self.get_params().items() if repr(value) != repr(defaults[name])}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator  # not needed otherwise

        return BaseEstimator().__sklearn_tags__()


class ClassifierMixin:
    """The accuracy, and scikit-learn's description of a classifier."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose label is predicted, by weight."""
        model: Any = self
        return float(np.average(model.predict(X) == np.asarray(y), weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator, ClassifierMixin  # not needed otherwise

        return type("Classifier", (ClassifierMixin, BaseEstimator), {})().__sklearn_tags__()


class TransformerMixin:
    """Both steps of a transformer in one call."""

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fit to a table, and transform it."""
        model: Any = self
        return model.fit(X, y, **options).transform(X)


def clone(model: Any) -> Any:
    """Return an unfitted model with the same parameters."""
    return type(model)(**copy.deepcopy(model.get_params()))


def check_is_fitted(model: Any, attributes: str | None = None) -> None:
    """Raise an error if a model has not been fitted."""
    if attributes is not None:
        is_fitted = hasattr(model, attributes)
    elif hasattr(model, "__sklearn_is_fitted__"):
        is_fitted = model.__sklearn_is_fitted__()
    else:
        is_fitted = any(name.endswith("_") and not name.startswith("__") for name in vars(model))
    if not is_fitted:
        wanted = "Call 'fit' with appropriate arguments before using this estimator"
        raise NotFittedError(f"This {type(model).__name__} instance is not fitted yet. {wanted}.")


def check_random_state(seed: Any) -> np.random.RandomState:
    """Return a generator of random numbers; ``seed`` may be one."""
    return seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)


class available_if:  # scikit-learn's name
    """A method that exists if a function of the model returns True."""

    def __init__(self, is_there: Callable[[Any], bool]) -> None:
        self._is_there = is_there

    def __call__(self, method: Callable[..., Any]) -> Self:
        self._method, self.__doc__ = method, method.__doc__
        return self

    def __get__(self, model: Any, owner: type[Any]) -> Any:
        if model is None:
            return self._method
        try:
            is_there = self._is_there(model)
        except AttributeError:
            is_there = False
        if not is_there:
            raise AttributeError(f"This {owner.__name__!r} has no attribute {self._method.__name__!r}")
        return self._method.__get__(model, owner)
