"""Batches of a stream: how it begins, how it continues after a fit, and classes that appear late."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snapshots import learned
from strategies import few, streams


@few
@given(data=st.data())
def test_a_late_class_stands_as_if_it_had_always_been_asked_for(make_streaming, data):
    X, y = data.draw(streams(3))
    order = np.argsort(y == 2, kind="stable")
    X, y = X[order], y[order]
    late = make_streaming()
    for x, label in zip(X, y.tolist(), strict=True):
        late.learn_one(x, label)
    known = make_streaming().partial_fit(X, y, classes=[0, 1, 2])
    assert learned(late, X) == learned(known, X)


def test_fit_then_partial_fit_goes_on_with_the_weights(make):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 3)), rng.integers(2, size=30)
    model = make(shuffle=False, max_iter=1).fit(X, y).partial_fit(X[:9], y[:9])
    assert learned(model) == learned(make().partial_fit(X, y).partial_fit(X[:9], y[:9]))
