"""The saved states of batch learners."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from novikoff.svm._state import HISTORY_DTYPE, History, SoftMarginState, Support
from novikoff.theory.certificate import Duals

X, Y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2


def test_the_support_of_several_problems_is_the_union_with_signed_duals():
    duals = [Duals(np.array([0, 2]), np.array([0.5, 0.25])), Duals(np.array([2, 3]), np.array([1.0, 2.0]))]
    support = Support.of(np.array([0, 1, 1, 0], dtype=np.int32), [0, 1], duals)
    assert support.rows.tolist() == [0, 2, 3]
    assert support.dual_coef.tolist() == [[0.5, -0.25, 0.0], [0.0, 1.0, -2.0]]


def test_a_history_is_restored_with_its_gaps():
    records = np.rec.array([(0.1, 1, 2.0, 1.0, 0.5), (0.2, 3, 2.0, 2.0, 0.0)], dtype=HISTORY_DTYPE)
    assert History.of(records).records().tolist() == records.tolist()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda state: {"histories": ()}, "state.histories"),
        (lambda state: {"sigmoids": (None, None)}, "state.sigmoids"),
        (lambda state: {"support": Support(state.support.rows, 2 * state.support.dual_coef)}, "state.support"),
        (lambda state: {"certificates": ()}, "state.certificates"),
    ],
)
def test_a_state_whose_parts_do_not_fit_is_refused(change, where):
    record = nk.LinearSVM().fit(X, Y).record_
    state: SoftMarginState = record.state
    state.check("state", record)
    with pytest.raises(nk.InvalidInputError, match=where):
        dataclasses.replace(state, **change(state)).check("state", record)


def test_weights_that_were_changed_after_fit_have_no_state():
    model = nk.LinearSVM().fit(X, Y)
    model.coef_ = 2 * model.coef_
    with pytest.raises(nk.InvalidInputError, match="coef_"):
        _ = model.record_.state
