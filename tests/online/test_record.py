"""The run record of the online learners, and the problems behind their certificates."""

import numpy as np
import pytest

import novikoff as nk

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def test_several_fits_are_not_taken_for_one():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    model = nk.Perceptron(max_iter=1, warm_start=True)
    for _ in range(5):
        model.fit(X, y)
    verification = model.certificate_.verify(X, y)
    assert not verification.failures
    assert "several fits" in str(verification)


def test_class_weights_that_verify_is_not_told_of_are_pointed_at():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3 == 0
    certificate = nk.Perceptron(class_weight={True: 3.0}).fit(X, y).certificate_
    assert "class weights" in str(certificate.verify(X, y))
    assert certificate.verify(X, y, sample_weight=np.where(y, 3.0, 1.0))


def test_what_is_set_later_does_not_change_what_was_learned():
    model = nk.PassiveAggressiveI(C=0.1).fit([[1.0], [-1.0]], [1, 0])
    assert model.set_params(C=100.0).certificate_.parameter == 0.1


def test_weights_that_a_stream_keeps_for_further_labels_are_named_as_on_trust(tmp_path):
    X = [[1.0], [-1.0], [2.0], [-3.0]]
    for labels, kept in (("abab", "state.questions.0, state.questions.1 of"), ("abca", "state.questions.0 of")):
        model = nk.Perceptron().partial_fit(X, list(labels))
        model.save(tmp_path / "model.nvk")
        for one in (model, nk.load(tmp_path / "model.nvk")):
            found = nk.verify(one, X, list(labels))
            (check,) = (check for check in found.checks if check.claim == "weights kept for labels that may still come")
            assert check.status == "on trust"
            assert check.detail.startswith(kept)
    for model in (
        nk.Perceptron().fit(X, list("abab")),
        nk.Perceptron().partial_fit(X, list("abab"), classes=["a", "b"]),
    ):
        assert "may still come" not in str(nk.verify(model, X, list("abab")))
