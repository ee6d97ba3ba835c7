"""``distributed.fit``: the estimator itself is fitted, as a whole or not at all."""

import numpy as np
import pytest

import novikoff as nk
from gathered_fits import NAME, ROUNDS, gathering
from novikoff.distributed import fit
from novikoff.distributed.outcome import fit_outcome
from novikoff.distributed.plan import PLANS
from novikoff.errors import InvalidInputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")


@pytest.fixture(autouse=True)
def plan():
    with gathering():
        yield


def test_the_estimator_is_fitted_in_place():
    model = nk.AROW()
    assert fit(model, X, Y, on="local:3") is model
    assert model.coef_.tobytes() == nk.AROW().fit(X, Y).coef_.tobytes()


def test_outcome_says_what_the_data_and_the_rounds_were():
    outcome = fit_outcome(nk.AROW(), X, Y, np.full(40, 2.0), on="local:3")
    assert (outcome.survey.count, outcome.survey.columns, len(outcome.survey.rows)) == (40, 3, 3)
    assert (outcome.rounds, outcome.engine) == (ROUNDS + 2, "local")  # with the survey and the gathering of rows
    assert outcome.bytes_sent > 3 * X.nbytes


def test_messages_and_fractions_are_reported():
    said = []
    fit(nk.AROW(), X, Y, on="local:1", progress=lambda message, fraction: said.append((message, fraction)))
    assert said == [("round 12, gap 0", 1.0)]


def test_a_fit_that_fails_leaves_the_estimator_as_it_was():
    model = nk.AROW().fit(X[:10], Y[:10])
    before = dict(vars(model))

    def failing(fit):
        fit.model.n_features_in_ = 99
        raise RuntimeError("half way")

    PLANS.unregister(NAME)
    PLANS.register(NAME, failing)
    with pytest.raises(RuntimeError, match="half way"):
        fit(model, X, Y, on="local:2")
    assert vars(model) == before


def test_other_estimators_are_refused():
    with pytest.raises(InvalidInputError, match=r"VotedPerceptron cannot be fitted in rounds\. Use one of LinearSVM"):
        fit(nk.VotedPerceptron(), X, Y, on="local")
