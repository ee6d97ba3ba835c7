"""The registry of learners, and a learner and a certificate of another package, which are used like built-in ones."""

import dataclasses
import runpy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from command import novikoff
from sklearn.base import BaseEstimator, ClassifierMixin

import novikoff as nk
from novikoff.persistence import LEARNERS
from novikoff.record import OneVsRest, ProblemRecord, RunRecord
from novikoff.theory import CERTIFICATES, Certificate

EXAMPLES = Path(__file__).parents[2] / "examples" / "extending"
ErrorCertificate = runpy.run_path(str(EXAMPLES / "error_certificate.py"))["ErrorCertificate"]


def test_every_public_learner_is_registered():
    public = [getattr(nk, name) for name in nk.__all__]
    learners = {value.__name__: value for value in public if isinstance(value, type) and hasattr(value, "record_")}
    assert dict(LEARNERS) == learners
    for learner in LEARNERS.values():
        assert dataclasses.is_dataclass(learner.state_type)


@dataclass(frozen=True)
class NearestCentreState:
    certificate: Certificate


class NearestCentre(ClassifierMixin, BaseEstimator):
    """Two classes, each by the nearer of their means. It shares no code with the learners of novikoff."""

    state_type = NearestCentreState

    def __init__(self, *, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        low, high = (X[codes == code].mean(axis=0) + self.shift for code in (0, 1))
        weights, intercept = high - low, float((low @ low - high @ high) / 2)
        errors = int(np.sum((2 * codes - 1) * (X @ weights + intercept) <= 0))
        return self._take(ErrorCertificate(weights, intercept, errors, len(y)))

    def _take(self, certificate):
        self.certificate_ = certificate
        self.coef_, self.intercept_ = certificate.weights[None], np.array([certificate.intercept])
        self.n_features_in_ = len(certificate.weights)
        return self

    def decision_function(self, X):
        return np.asarray(X, dtype=float) @ self.coef_[0] + self.intercept_[0]

    def predict(self, X):
        return OneVsRest(self.classes_).choose(self.decision_function(X))

    @property
    def record_(self):
        plane = self.classes_[-1], self.coef_[0], float(self.intercept_[0])
        return RunRecord(
            learner="NearestCentre",
            parameters=self.get_params(),
            strategy=OneVsRest(self.classes_),
            n_features=self.n_features_in_,
            feature_names=None,
            reading=None,
            problems=(ProblemRecord(*plane, self.certificate_, parameters={}),),
            make_state=lambda: NearestCentreState(self.certificate_),
        )

    @classmethod
    def from_record(cls, record):
        model = cls(**record.parameters)
        model.classes_ = record.strategy.classes
        if len(model.classes_) != 2:
            raise nk.InvalidInputError("classes: there must be two.")
        return model._take(record.state.certificate)


rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2)) + np.repeat([[0.0, 0.0], [2.0, 1.0]], [20, 10], axis=0)
Y = np.repeat(["no", "yes"], [20, 10])


@pytest.fixture
def model():
    LEARNERS.register("NearestCentre", NearestCentre)
    CERTIFICATES.register("ErrorCertificate", ErrorCertificate)
    yield NearestCentre(shift=0.5).fit(X, Y)
    LEARNERS.unregister("NearestCentre")
    CERTIFICATES.unregister("ErrorCertificate")


def test_a_model_from_outside_is_verified(model):
    assert nk.verify(model, X, Y)
    assert nk.verify(model, -X, Y).failures
    model.coef_ = model.coef_ + 1.0
    assert [check.claim for check in nk.verify(model, X, Y).failures] == ["model"]


def test_a_model_from_outside_is_saved_and_loaded(model, tmp_path):
    path = tmp_path / "model.nvk"
    nk.save(model, path)
    copy = nk.load(path)
    assert type(copy) is NearestCentre
    assert copy.get_params() == {"shift": 0.5}
    assert copy.certificate_.to_json() == model.certificate_.to_json()
    assert copy.predict(X).tolist() == model.predict(X).tolist()
    assert nk.verify(copy, X, Y)
    model.classes_ = np.array(["no", "perhaps", "yes"])
    with pytest.raises(nk.InvalidInputError, match=r"NearestCentre: the model cannot be saved\. classes: there must"):
        nk.save(model, path)
    with pytest.raises(nk.InvalidInputError, match="NearestCentre: the model has not been fitted"):
        nk.save(NearestCentre(), path)


@pytest.mark.parametrize(
    ("registry", "name", "kind"),
    [(LEARNERS, "NearestCentre", "learner"), (CERTIFICATES, "ErrorCertificate", "certificate")],
)
def test_what_is_not_registered_is_not_loaded(model, registry, name, kind):
    data, value = nk.dumps(model), registry[name]
    registry.unregister(name)
    with pytest.raises(nk.InvalidInputError, match=f"there is no {kind} named '{name}'; known: "):
        nk.loads(data)
    registry.register(name, value)


def test_a_model_from_outside_is_inspected_reported_and_plotted(model, tmp_path):
    nk.save(model, tmp_path / "model.nvk")
    run = novikoff("inspect", tmp_path / "model.nvk")
    page = nk.report(model, X, Y)
    assert run.code == 0, run.err
    assert all(f"{model.certificate_.errors} of 30 rows" in text for text in (run.out, page))
    assert "verified" in page
    assert nk.plot.MarginDisplay.measure(model, X, Y).rows == 30
