"""Saved scales that no run has are refused."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk

X = np.column_stack([np.arange(1.0, 21.0), np.tile([0.0, 1e-3], 10), np.linspace(-5, 5, 20), np.geomspace(1, 1e6, 20)])
Y = np.tile(["yes", "no"], 10)


def test_a_saved_scale_of_other_columns_or_of_negative_sums_is_refused():
    record = nk.Perceptron(scale="running").partial_fit(X, Y).record_
    state = record.state
    for wrong in (
        None,
        dataclasses.replace(state.scale, squares=-state.scale.squares),
        dataclasses.replace(state.scale, weights=np.ones(3)),
    ):
        lie = dataclasses.replace(record, make_state=lambda wrong=wrong: dataclasses.replace(state, scale=wrong))
        with pytest.raises(nk.InvalidInputError, match="scale"):
            nk.Perceptron.from_record(lie)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: dataclasses.replace(s, centring=None),
        lambda s: dataclasses.replace(s, centring=dataclasses.replace(s.centring, total=-1.0)),
        lambda s: dataclasses.replace(s, centring=dataclasses.replace(s.centring, factors=-s.centring.factors)),
        lambda s: dataclasses.replace(s, centring=dataclasses.replace(s.centring, sums=s.centring.sums[:2])),
    ],
)
def test_states_that_no_run_has_are_refused(change):
    record = nk.PassiveAggressiveI(scale="centred").partial_fit(X, Y).record_
    state = dataclasses.replace(record.state, scale=change(record.state.scale))
    with pytest.raises(nk.InvalidInputError, match="scale"):
        nk.PassiveAggressiveI.from_record(dataclasses.replace(record, make_state=lambda: state))
