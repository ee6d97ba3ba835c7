"""What all batch learners share: their data, one question a class, and predictions from weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

import novikoff._core as _core
from novikoff._multiclass import OneVsRest
from novikoff._notebook import ShowsCertificate
from novikoff._progress import Watched
from novikoff._validation import check_rows, describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.persistence.kinds import Speaker
from novikoff.persistence.model_file import Basis, Saveable
from novikoff.record import ProblemRecord, RunRecord
from novikoff.theory.certificate import listed
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

from ._state import WeightsState, check_weights_fit


class BatchClassifier(Saveable, Watched, ShowsCertificate, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A linear classifier with ``coef_`` and ``intercept_``, learned from a whole data set."""

    _State: ClassVar[type[Any]] = WeightsState
    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]

    def _where(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    def decision_function(self, X: Any) -> Floats:
        """Scores: one number a row for two classes, one a class for more."""
        check_is_fitted(self)
        where = self._where("decision_function")
        X = check_rows(self, where, X, reset=False)
        rows = as_rows(where, X)
        good, _, _ = _core.survey(rows)
        if good < rows.count:
            raise describe_bad_row(where, X, good)
        scores: Floats = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels. A score of exactly 0 goes to the positive class, the last of ``classes_``."""
        scores = self.decision_function(X)
        chosen = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_sign(self, X: Any) -> NDArray[np.int8]:
        """-1, 0 or +1 for each score: 0 is no opinion."""
        signs: NDArray[np.int8] = np.sign(self.decision_function(X)).astype(np.int8)
        return signs

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        basis, strategy = self._basis(), OneVsRest(self.classes_)
        certificates = self._certificates()
        certificates = certificates + [None] * (len(strategy.positives) - len(certificates))
        histories = listed(getattr(self, "history_", None)) or [None] * len(strategy.positives)
        problems = zip(strategy.positives, self.coef_, self.intercept_, certificates, histories, strict=True)
        return RunRecord(
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            strategy=strategy,
            n_features=basis.width,
            feature_names=basis.names,
            reading=getattr(self, "reading_", None),
            problems=tuple(
                ProblemRecord(positive, weights, float(intercept), certificate, self._stated(), None, history)
                for positive, weights, intercept, certificate, history in problems
            ),
            make_state=lambda: self._state(type(self).__name__),
            on_trust=self._on_trust(),
        )

    def _stated(self) -> dict[str, Any]:
        """Return the parameters of the binary problems as they are set now, by the names that certificates use."""
        own = self.get_params(deep=False)
        if "penalized_intercept" not in own:
            return {}
        intercept = "none" if not own["fit_intercept"] else "penalized" if own["penalized_intercept"] else "free"
        return {"intercept": intercept, "tol": float(own["tol"])}

    def _on_trust(self) -> tuple[Check, ...]:
        """What the model offers that its certificates do not cover."""
        return ()

    def _state(self, where: str) -> Any:
        return WeightsState(self.coef_, self.intercept_)

    def _take_up(self, state: Any, basis: Basis, speaker: Speaker) -> None:
        check_weights_fit(state.coef, state.intercept, basis, speaker)
        self.classes_, self.coef_, self.intercept_ = basis.classes, state.coef, state.intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
