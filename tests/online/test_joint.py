"""What the learners whose classes are learned together show: weights, one certificate, record and file."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory.running_scale import as_seen

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(5).integers(-2, 3, (60, 4)) * 1.0
U = np.random.default_rng(6).normal(size=(4, 4))
Y = np.argmax(X @ U.T, axis=1)


def test_there_is_one_certificate_for_all_classes():
    model = nk.MulticlassPassiveAggressiveI(C=0.3).partial_fit(X, Y)
    assert isinstance(model.certificate_, nk.theory.KeslerCertificate)
    assert model.certificate_.labels() == tuple(model.classes_.tolist())
    assert model.certificate_.planes()[0].tolist() == model.coef_.tolist()
    assert model.record_.joint is not None
    assert [problem.certificate for problem in model.record_.problems] == [None] * len(model.classes_)


def test_a_saved_model_goes_on_with_the_same_bits_also_if_classes_are_declared():
    """Ties are decided by the order of first examples, which is not that of the labels."""
    for classes in (None, [0, 1, 2, 3]):
        whole = nk.MulticlassPerceptron().partial_fit(X[::-1], Y[::-1], classes=classes)
        model = nk.MulticlassPerceptron().partial_fit(X[:44:-1], Y[:44:-1], classes=classes)
        model = nk.loads(nk.dumps(model))
        model.partial_fit(X[44::-1], Y[44::-1])
        assert model.coef_.tobytes() == whole.coef_.tobytes()
        assert model.certificate_.to_json() == whole.certificate_.to_json()


def test_a_learner_without_examples_can_be_saved():
    model = nk.MulticlassPerceptron().partial_fit(X[:2], Y[:2], sample_weight=[0.0, 0.0])
    again = nk.loads(nk.dumps(model))
    assert again.partial_fit(X, Y).coef_.tobytes() == model.partial_fit(X, Y).coef_.tobytes()


def test_balanced_classes_and_dicts_of_weights_are_learned_and_verified():
    for class_weight in ("balanced", {0: 2.0, 1: 1.0, 2: 0.5, 3: 3.0}):
        for model in (
            nk.MulticlassPerceptron(class_weight=class_weight).partial_fit(X, Y),
            nk.MulticlassPerceptron(class_weight=class_weight, max_iter=5).fit(X, Y),
        ):
            assert not nk.verify(model, X, Y).failures


def test_examples_of_unit_length_are_learned_and_verified():
    model = nk.MulticlassPerceptron(normalize=True).partial_fit(X, Y)
    assert model.certificate_.radius == 1.0
    assert nk.verify(model, X, Y)
    u = np.column_stack([X, np.ones(len(X))])
    u /= np.linalg.norm(u, axis=1)[:, None]
    same = nk.MulticlassPerceptron(fit_intercept=False).partial_fit(u, Y)
    np.testing.assert_allclose(model.coef_, same.coef_[:, :-1], rtol=1e-12, atol=1e-12)


def test_a_comparator_is_one_of_the_rows_as_they_were_seen():
    model = nk.MulticlassAROW(scale="centred").partial_fit(X + 50.0, Y)
    certificate, weights = model.certificate_, np.random.default_rng(0).normal(size=(4, 4))
    seen = as_seen(X + 50.0, np.ones(len(X)), "centred").X
    plain = nk.MulticlassAROW().partial_fit(seen, Y).certificate_
    assert certificate.comparator_bound(X + 50.0, Y, weights) == pytest.approx(plain.comparator_bound(seen, Y, weights))
    assert certificate.mistakes <= certificate.comparator_bound(X + 50.0, Y, weights)


@pytest.mark.parametrize("cls", [nk.MulticlassPerceptron, nk.MulticlassAROW])
def test_a_wide_stream_is_kept_compactly(cls):
    wide = sp.csr_array((np.ones(4), [5, 10**8, 7, 2 * 10**8], [0, 1, 2, 3, 4]), shape=(4, 3 * 10**8))
    model = cls().partial_fit(wide, [0, 1, 2, 0])
    assert len(nk.dumps(model)) < 100_000
    assert nk.verify(nk.loads(nk.dumps(model)), wide, [0, 1, 2, 0])
    assert nk.loads(nk.dumps(model)).predict(wide).tolist() == model.predict(wide).tolist()


def test_after_several_fits_counts_are_on_trust():
    model = nk.MulticlassPerceptron(warm_start=True, max_iter=2).fit(X, Y)
    found = nk.verify(model.fit(X, Y), X, Y)
    assert not found.failures
    assert model.certificate_.passes == 0
    assert [check.claim for check in found.checks if check.status == "open"] == ["run"]
