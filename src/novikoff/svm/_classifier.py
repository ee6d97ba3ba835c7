"""The base class of the batch learners: predictions from weights, the run record, and restoring from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

import novikoff._core as _core
from novikoff._classifier import Classifier
from novikoff._estimators import check_is_fitted
from novikoff._multiclass import STRATEGIES, MulticlassStrategy, sides
from novikoff._short_floats import widened_blocks
from novikoff._validation import check_rows, describe_bad_row
from novikoff._wide_array import WideArray, on_request
from novikoff.data.rows import as_rows
from novikoff.errors import missing_attribute
from novikoff.record import ProblemRecord, RunRecord
from novikoff.theory.columns import Columns
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

from ._state import WeightsState, as_list, check_weights_fit, restore_features, set_strategy

BLOCK_ENTRIES = 1 << 20  # of dense rows that are multiplied at a time: 8 MB as float64
BLOCK_SCORES = 1 << 22  # scores of weight vectors that are held at a time, if they outnumber the classes


def _products(X: Any, coef: Floats) -> Floats:
    """Return X @ coef.T. The product of a sparse matrix and this array copies it, so a few rows do without."""
    if isinstance(coef, WideArray):
        X, coef = (Columns(coef.columns, coef.width).only(X), coef.values) if sp.issparse(X) else (X, np.asarray(coef))
    if sp.issparse(X) and X.nnz < coef.shape[1]:
        return np.column_stack([X @ weights for weights in coef])
    if sp.issparse(X):
        return np.asarray(X @ coef.T)
    step = max(1, BLOCK_ENTRIES // X.shape[1])  # of other types than float64, NumPy would copy all rows
    return np.concatenate(
        [X[first : first + step].astype(np.float64, copy=False) @ coef.T for first in range(0, X.shape[0], step)]
    )


class DenseOnRequest:
    """A fitted attribute that is a dense array whenever it is read; the model may keep it as a `WideArray`.

    Parameters
    ----------
    explain : callable, default=None
        Function of a model that returns why it does not have the attribute.
    """

    def __init__(self, explain: Callable[[Any], str] = lambda model: "it is not fitted") -> None:
        self._explain = explain

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type[Any]) -> Any:
        if model is None:
            return self
        held = vars(model).get(self._name)
        if held is None:
            raise missing_attribute(model, self._name, self._explain(model))
        return on_request(held)

    def __set__(self, model: Any, value: Any) -> None:
        vars(model)[self._name] = value


class BatchClassifier(Classifier):
    """A linear classifier with ``coef_`` and ``intercept_``, learned from a whole data set."""

    state_type: ClassVar[type[Any]] = WeightsState
    coef_ = DenseOnRequest()
    intercept_: Floats

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows: w.x + b of each weight vector, or of one-vs-one problems the votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One score per row for two classes, positive for the last of ``classes_``; one per class for more. With
            one-vs-one, that is the number of votes for the class, plus a part between -1/3 and 1/3 that grows with the
            sum of its scores w.x + b.
        """
        check_is_fitted(self)
        X, strategy = self._checked(X), self._strategy
        if len(self._planes) <= len(self.classes_):
            return strategy.combine(self._products(X))
        step = max(1, BLOCK_SCORES // len(self._planes))
        return np.concatenate(
            [strategy.combine(self._products(X[first : first + step])) for first in range(0, X.shape[0], step)]
        )

    def _scores(self, X: Any) -> Floats:
        """Return w.x + b of all rows and weight vectors."""
        check_is_fitted(self)
        return self._products(self._checked(X))

    def _checked(self, X: Any) -> Any:
        where = type(self).__name__
        X = check_rows(self, where, X, reset=False, may_be_short=True)
        for first, block in widened_blocks(X):
            rows = as_rows(where, block)
            good, *_ = _core.survey(rows)
            if good < rows.count:
                raise describe_bad_row(where, X, first + good)
        return X

    def _products(self, X: Any) -> Floats:
        return _products(X, self._planes) + self.intercept_

    @property
    def _planes(self) -> Floats:
        """The weights in the form in which they are kept."""
        held: Floats = vars(self)["coef_"]
        return held

    @property
    def _strategy(self) -> MulticlassStrategy:
        """How the scores of the weight vectors become decisions and labels."""
        name: str = getattr(self, "multi_class_", "ovr")
        return STRATEGIES[name](self.classes_, getattr(self, "class_count_", None))

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        return self._record()

    def _record(self) -> RunRecord:
        strategy, known = self._strategy, as_list(getattr(self, "certificate_", None))
        missing = [None] * len(strategy.pairs)
        certificates = missing if strategy.is_joint else (known + missing)[: len(missing)]
        histories = as_list(getattr(self, "history_", None))
        histories = histories * len(missing) if strategy.is_joint else histories + missing
        problems = zip(sides(strategy), self._planes, self.intercept_, certificates, histories, strict=False)
        return RunRecord(
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            strategy=strategy,
            n_features=self.n_features_in_,
            feature_names=getattr(self, "feature_names_in_", None),
            reading=getattr(self, "reading_", None),
            fingerprint=getattr(self, "fingerprint_", None),
            problems=tuple(
                ProblemRecord(
                    *(positive, weights, float(intercept), certificate, self._stated()),
                    history=history,
                    sigmoid=self._sigmoid(place),
                    negative=negative,
                )
                for place, ((positive, negative), weights, intercept, certificate, history) in enumerate(problems)
            ),
            make_state=self._state,
            on_trust=self._on_trust(),
            column_names=getattr(self, "feature_names_in_", None),
            joint=known[0] if strategy.is_joint and known else None,
        )

    def _stated(self) -> dict[str, Any]:
        """Return the parameters of the binary problems as they are set now, by the names that certificates use."""
        return {}

    def _sigmoid(self, place: int) -> tuple[float, float] | None:
        """Return slope and offset of the sigmoid that gives the probabilities of one binary problem, or None."""
        return None

    def _on_trust(self) -> tuple[Check, ...]:
        """What the model offers that its certificates do not cover."""
        return ()

    @classmethod
    def check_record(cls, record: RunRecord) -> None:
        """Refuse a record that ``from_record`` would refuse, without building a model.

        Parameters
        ----------
        record : RunRecord
            The record of a model of this class.
        """
        cls._check(record)

    @classmethod
    def from_record(cls, record: RunRecord) -> Self:
        """Restore a model from its saved state.

        Parameters
        ----------
        record : RunRecord
            The record of a model of this class.

        Returns
        -------
        self : object
            A model with the same fitted attributes.
        """
        cls.check_record(record)
        model = cls(**record.parameters)
        model._restore(record)
        restore_features(model, record)
        return model

    def _state(self) -> Any:
        return WeightsState(self._planes, self.intercept_)

    @classmethod
    def _check(cls, record: RunRecord) -> None:
        """Refuse a saved state whose parts do not fit each other."""
        check_weights_fit(record.state.coef, record.state.intercept, record)

    def _restore(self, record: RunRecord) -> None:
        """Set the fitted attributes to those of the saved state."""
        state = record.state
        set_strategy(self, record.strategy)
        self.coef_, self.intercept_ = state.coef, state.intercept
