"""The plans: which estimators can be fitted in rounds."""

import numpy as np

import novikoff as nk
from novikoff.distributed import fit
from novikoff.distributed.plan import PLANS, Fit

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), ["a", "a", "b", "b"]


def test_every_plan_is_of_an_estimator():
    assert all(hasattr(nk, name) for name in PLANS)
    assert "LinearSVM" in PLANS


def test_a_plan_gets_a_draft_and_the_survey():
    seen = []

    def plan(fit):
        seen.append(fit)
        fit.model.n_features_in_ = 7

    PLANS.register("AROW", plan)
    try:
        model = fit(nk.AROW(), X, Y, on="local:2")
    finally:
        PLANS.unregister("AROW")
    (found,) = seen
    assert isinstance(found, Fit)
    assert (found.where, found.survey.count, found.survey.counts) == ("AROW", 4, {"a": 2.0, "b": 2.0})
    assert found.model is not model
    assert model.n_features_in_ == 7
