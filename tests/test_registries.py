"""A learner and a certificate from outside, added through the registries, are used like built-in ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from command import novikoff
from sklearn.base import BaseEstimator, ClassifierMixin

import novikoff as nk
from novikoff.persistence import LEARNERS
from novikoff.record import OneVsRest, ProblemRecord, RunRecord
from novikoff.testing import check_certificate
from novikoff.theory import CERTIFICATES, Certificate, Check, Verification
from novikoff.theory.geometry import Floats


@dataclass(frozen=True, repr=False, eq=False)
class ErrorCertificate(Certificate):
    """How many rows of the training set a plane has on the wrong side."""

    weights: Floats
    intercept: float
    positive: Any
    rows: int
    wrong: int

    def claims(self):
        return [("wrong", f"{self.wrong} of {self.rows} rows")]

    def plane(self):
        return self.weights, self.intercept

    def verify(self, X, y, sample_weight=None, exact=False):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        if X.shape != (self.rows, len(self.weights)) or y.shape != (self.rows,) or not np.isfinite(X).all():
            return Verification((Check("data", "fails", "these are other rows"),))
        wrong = int(np.sum((X @ self.weights + self.intercept >= 0) != (y == self.positive)))
        status = "holds" if wrong == self.wrong else "fails"
        return Verification((Check("wrong", status, f"claimed {self.wrong}, found {wrong}"),))


@dataclass(frozen=True)
class CentroidState:
    certificate: Certificate


class Centroids(ClassifierMixin, BaseEstimator):
    """Two classes, each by the nearer of their means."""

    state_type = CentroidState

    def fit(self, X, y):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        low, high = X[codes == 0].mean(axis=0), X[codes == 1].mean(axis=0)
        weights, intercept = high - low, float((low @ low - high @ high) / 2)
        wrong = int(np.sum((X @ weights + intercept >= 0) != (codes == 1)))
        positive = self.classes_.tolist()[1]
        return self._take(ErrorCertificate(weights, intercept, positive, len(y), wrong))

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
        strategy = OneVsRest(self.classes_)
        problem = ProblemRecord(
            strategy.positives[0], self.coef_[0], float(self.intercept_[0]), self.certificate_, parameters={}
        )
        return RunRecord(
            learner="Centroids",
            parameters=self.get_params(),
            strategy=strategy,
            n_features=self.n_features_in_,
            feature_names=None,
            reading=None,
            problems=(problem,),
            make_state=lambda: CentroidState(self.certificate_),
        )

    @classmethod
    def from_record(cls, record):
        model = cls()
        model.classes_ = record.strategy.classes
        return model._take(record.state.certificate)


rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2)) + np.repeat([[0.0, 0.0], [2.0, 1.0]], [20, 10], axis=0)
Y = np.repeat(["no", "yes"], [20, 10])


@pytest.fixture
def model():
    LEARNERS.register("Centroids", Centroids)
    CERTIFICATES.register("ErrorCertificate", ErrorCertificate)
    yield Centroids().fit(X, Y)
    LEARNERS.unregister("Centroids")
    CERTIFICATES.unregister("ErrorCertificate")


def test_a_certificate_from_outside_keeps_the_contract(model):
    check_certificate(model.certificate_, X, Y)


def test_a_model_from_outside_is_verified(model):
    assert nk.verify(model, X, Y)
    assert nk.verify(model, -X, Y).failures
    model.coef_ = model.coef_ + 1.0
    assert [check.claim for check in nk.verify(model, X, Y).failures] == ["model"]


def test_a_model_from_outside_is_saved_and_loaded(model, tmp_path):
    nk.save(model, tmp_path / "model.nvk")
    copy = nk.load(tmp_path / "model.nvk")
    assert type(copy) is Centroids
    assert copy.certificate_.to_json() == model.certificate_.to_json()
    assert copy.predict(X).tolist() == model.predict(X).tolist()
    assert nk.verify(copy, X, Y)


def test_a_certificate_that_is_not_registered_is_not_loaded(model, tmp_path):
    nk.save(model, tmp_path / "model.nvk")
    CERTIFICATES.unregister("ErrorCertificate")
    try:
        with pytest.raises(nk.InvalidInputError, match="no certificate named 'ErrorCertificate'"):
            nk.load(tmp_path / "model.nvk")
    finally:
        CERTIFICATES.register("ErrorCertificate", ErrorCertificate)


def test_a_model_from_outside_has_a_report_and_plots(model, tmp_path):
    nk.report(model, X, Y, path=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert f"{model.certificate_.wrong} of 30 rows" in page
    assert "verified" in page
    assert nk.plot.MarginDisplay.measure(model, X, Y).rows == 30


def test_a_model_from_outside_can_be_inspected(model, tmp_path):
    nk.save(model, tmp_path / "model.nvk")
    run = novikoff("inspect", tmp_path / "model.nvk")
    assert run.code == 0, run.err
    assert f"{model.certificate_.wrong} of 30 rows" in run.out


def test_a_name_that_is_taken_is_refused(model):
    with pytest.raises(ValueError, match="'ErrorCertificate' is already taken: certificate"):
        CERTIFICATES.register("ErrorCertificate", type(nk.LinearSVM().fit(X, Y).certificate_))
