"""The run record of the online learners, and the problems behind their certificates."""

import numpy as np

import novikoff as nk


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
