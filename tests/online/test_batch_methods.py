"""Methods that take a batch of a stream."""

import pytest

import novikoff as nk


def test_labels_and_weights_beside_a_stream_are_refused(make_streaming):
    stream = nk.scan(b"+1 1:1\n-1 2:1\n")
    for learn in (make_streaming().partial_fit, make_streaming().predict_then_learn):
        for beside in ({"y": [1, 0]}, {"sample_weight": [1, 0]}):
            name = next(iter(beside))
            with pytest.raises(nk.InvalidInputError, match=f"{name} must not be given with a stream"):
                learn(next(iter(stream)), **beside)
    for learn in (
        make_streaming().predict_then_learn,
        make_streaming().score_then_learn,
        nk.Tracker().score_then_learn,
    ):
        with pytest.raises(nk.InvalidInputError, match="one batch at a time"):
            learn(stream)
    with pytest.raises(nk.InvalidInputError, match="y must not be given with a stream"):
        make_streaming().partial_fit(stream, [1, 0])


def test_classes_may_be_declared_for_a_stream():
    stream = nk.scan(b"1 1:1\n2 2:1\n" * 3, batch_size=2)
    model = nk.Perceptron().partial_fit(stream, classes=[1, 2, 3])
    assert model.classes_.tolist() == [1, 2, 3]
    with pytest.raises(nk.InvalidInputError, match="declared classes"):
        nk.Perceptron().partial_fit(stream, classes=[2, 3])
