"""The registry of learners, and a learner of another package in it."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

import novikoff as nk
from novikoff._multiclass import OneVsRest
from novikoff.persistence import LEARNERS
from novikoff.record import ProblemRecord, RunRecord


def test_every_public_learner_is_registered():
    public = [getattr(nk, name) for name in nk.__all__]
    learners = {value.__name__: value for value in public if isinstance(value, type) and hasattr(value, "record_")}
    assert dict(LEARNERS) == learners
    for learner in LEARNERS.values():
        assert dataclasses.is_dataclass(learner.state_type)


@dataclass(frozen=True)
class Centres:
    centres: NDArray[np.float64]


class NearestCentre(BaseEstimator):
    """A learner of another package, which shares no code with those of novikoff."""

    state_type = Centres

    def __init__(self, *, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.centres_ = np.array([X[y == label].mean() for label in self.classes_]) + self.shift
        return self

    def predict(self, X):
        return self.classes_[np.abs(X - self.centres_).argmin(axis=1)]

    @property
    def record_(self):
        return RunRecord(
            learner="NearestCentre",
            parameters=self.get_params(),
            strategy=OneVsRest(self.classes_),
            n_features=1,
            feature_names=None,
            reading=None,
            problems=(ProblemRecord(self.classes_[-1], np.zeros(1), 0.0, None, {}),),
            make_state=lambda: Centres(self.centres_),
        )

    @classmethod
    def from_record(cls, record):
        model = cls(**record.parameters)
        model.classes_, model.centres_ = record.strategy.classes, record.state.centres
        if len(model.centres_) != len(model.classes_):
            raise nk.InvalidInputError("state.centres: there must be one per class.")
        return model


@pytest.fixture
def registered():
    LEARNERS.register("NearestCentre", NearestCentre)
    yield
    LEARNERS.unregister("NearestCentre")


X, y = np.array([[0.0], [1.0], [4.0], [6.0]]), np.array(["low", "low", "high", "high"])


@pytest.mark.usefixtures("registered")
def test_a_learner_from_outside_is_saved_and_loaded(tmp_path):
    path = tmp_path / "model.nvk"
    model = NearestCentre(shift=0.5).fit(X, y)
    nk.save(model, path)
    again = nk.load(path)
    assert again.get_params() == {"shift": 0.5}
    assert again.predict(X).tolist() == model.predict(X).tolist()
    model.centres_ = np.zeros(3)
    with pytest.raises(nk.InvalidInputError, match=r"NearestCentre: the model cannot be saved\. state\.centres: "):
        nk.save(model, path)
    with pytest.raises(nk.InvalidInputError, match="NearestCentre: the model has not been fitted"):
        nk.save(NearestCentre(), path)


def test_the_file_of_a_learner_that_is_not_registered_is_refused(tmp_path):
    path = tmp_path / "model.nvk"
    LEARNERS.register("NearestCentre", NearestCentre)
    nk.save(NearestCentre().fit(X, y), path)
    LEARNERS.unregister("NearestCentre")
    with pytest.raises(nk.InvalidInputError, match="there is no learner named 'NearestCentre'; known: "):
        nk.load(path)
