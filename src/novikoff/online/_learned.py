"""What an online learner has learned: its predictions, its weights, its certificate, and the columns it knows."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

import novikoff._core as _core
from novikoff._classifier import Classifier
from novikoff._multiclass import OneVsRest
from novikoff._validation import check_rows, describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.record import OnlineRun, ProblemRecord, RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.evidence import Evidence
from novikoff.theory.geometry import Floats
from novikoff.theory.rules import Rule

from ._certify import Question, certify_mistakes
from ._classes import Classes
from ._cycle import Run
from ._state import OnlineState, column_names_of, feature_names_of, restore, state_of


class LearnedClassifier(Classifier):
    """An online learner as it is between two examples. How it learns is for ``OnlineClassifier`` to say."""

    state_type: ClassVar[type[Any]] = OnlineState
    _learner: _core.OnlineLearner
    _learned_rule: Rule
    _classes: Classes
    _runs: list[Run] | None
    _is_stream: bool
    _by_name: bool
    _width: int
    _lane: Any = None  # a short cut that the learner takes until columns or classes change

    def _where(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    def __sklearn_is_fitted__(self) -> bool:
        return bool(getattr(self, "_classes", None) and self._classes.labels)

    def decision_function(self, X: Any) -> Floats:
        """Scores: one number a row for two classes, one a class for more."""
        check_is_fitted(self)
        where = self._where("decision_function")
        self._match_columns()
        X = check_rows(self, where, X, reset=False)
        rows = as_rows(where, X)
        scores = np.empty((len(self._classes.questions), rows.count))
        for column, question in enumerate(self._classes.questions):
            good = self._learner.score(question, rows, scores[column])
            if good < rows.count:
                raise describe_bad_row(where, X, good)
        return scores[0] if self._classes.only is not None else scores.T

    @property
    def coef_(self) -> Floats:
        """Weights, one row a question."""
        self._require_fitted("coef_")
        return np.vstack([self._padded(self._learner.weights(q)) for q in self._classes.questions])

    @property
    def intercept_(self) -> Floats:
        """Intercepts, one a question."""
        self._require_fitted("intercept_")
        return np.array([self._learner.bias(q) for q in self._classes.questions])

    @property
    def certificate_(self) -> Any:
        """What the model proves: a certificate, or for more than two classes a list of one a class."""
        self._require_fitted("certificate_")
        certificates = [self._certify(column) for column in range(len(self._classes.questions))]
        return certificates[0] if self._classes.only is not None else certificates

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        if not hasattr(self, "_learner"):
            raise AttributeError(f"{type(self).__name__} has no record_ before it is fitted")
        columns = range(len(self._classes.questions) if self._classes.labels else 0)
        return RunRecord(
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            strategy=OneVsRest(self._classes.values),
            n_features=int(getattr(self, "n_features_in_", 0)),
            feature_names=feature_names_of(self),
            reading=getattr(self, "reading_", None),
            problems=tuple(self._problem_record(column) for column in columns),
            make_state=lambda: state_of(self),
            column_names=column_names_of(self),
        )

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
            A model that continues bit for bit as the recorded one would.
        """
        model = cls(**record.parameters)
        restore(model, record)
        return model

    def _problem_record(self, column: int) -> ProblemRecord:
        q, rule = self._classes.questions[column], self._learned_rule
        run = None if self._runs is None else self._runs[q]
        seed = None
        if self.shuffle and isinstance(self.random_state, numbers.Integral):
            seed = int(check_random_state(self.random_state).randint(2**31, size=self._learner.problems)[q])
        return ProblemRecord(
            positive=self._classes.positive_of(column),
            weights=self._padded(self._learner.weights(q)),
            intercept=self._learner.bias(q),
            certificate=self._certify(column),
            parameters={},
            run=OnlineRun(
                rule=rule,
                current_rule=self._rule(type(self).__name__),
                is_stream=self._is_stream,
                passes=None if run is None else run.passes,
                seed=seed,
                shuffle=self.shuffle,
                votes=state_of(self).questions[q].votes if rule.keep == "votes" else None,
            ),
        )

    def _require_fitted(self, attribute: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {attribute} before it is fitted")

    def _padded(self, weights: Floats) -> Floats:
        return np.pad(weights, (0, max(0, self.n_features_in_ - len(weights))))

    def _certify(self, column: int) -> Certificate:
        """The certificate of one question."""
        return certify_mistakes(self._question(column))

    def _question(self, column: int) -> Question:
        """All that a certificate of this question rests on."""
        q = self._classes.questions[column]
        run = None if self._runs is None else self._runs[q]
        evidence = Evidence(
            weights=self._padded(self._learner.last_weights(q)),
            intercept=self._learner.last_bias(q),
            geometry=self._learned_rule.geometry,
            positive=self._classes.positive_of(column),
            duals=None if run is None else run.duals,
        )
        return Question(self._learned_rule, self._learner.tally(q), evidence, run, self._is_stream)

    # ---- columns -------------------------------------------------------------------------------------------------

    def _match_columns(self) -> None:
        """Tell scikit-learn's validation of columns that were met by name."""
        names = self._learner.names if getattr(self, "_by_name", False) else []
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)

    @property
    def n_features_in_(self) -> int:
        """How many features the model knows."""
        if getattr(self, "_by_name", False):
            return self._learner.columns
        if "_width" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has seen no features yet")
        return int(self._width)

    @n_features_in_.setter
    def n_features_in_(self, width: int) -> None:
        self._width = width
        self._by_name, self._lane = False, None
