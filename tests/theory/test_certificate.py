"""What holds for the certificates of all learners: true ones are accepted, and they can be read."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from certified import DATA, separable_data
from novikoff.theory import Check, MarginCertificate, MistakeCertificate, Verification
from strategies import LAYOUTS, fractional_weights, laid_out, streams


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", DATA)
def test_verify_accepts_what_fit_certifies(make, layout, kind):
    X, y = DATA[kind]()
    X = laid_out(X, layout)
    certificate = make(max_iter=30).fit(X, y).certificate_
    verification = certificate.verify(X, y)
    assert verification, str(verification)


@given(
    data=streams(2), shuffle=st.booleans(), max_iter=st.integers(1, 20), dtype=st.sampled_from([np.float32, np.float64])
)
def test_verify_accepts_whatever_a_fit_made_of_any_data(make, data, shuffle, max_iter, dtype):
    X, y = data
    X = X.astype(dtype)
    verification = make(shuffle=shuffle, max_iter=max_iter).fit(X, y).certificate_.verify(X, y)
    assert not verification.failures, str(verification)


@given(data=st.data())
def test_verify_accepts_weighted_fits_when_told_the_weights(make, data):
    X, y = data.draw(streams(2))
    weights = data.draw(fractional_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 1.7
    certificate = make(max_iter=5).fit(X, y, sample_weight=weights).certificate_
    verification = certificate.verify(X, y, sample_weight=weights)
    assert not verification.failures, str(verification)


@given(data=streams(3))
def test_every_class_has_its_certificate_and_each_is_accepted(make, data):
    X, y = data
    certificates = make(max_iter=3).fit(X, y).certificate_
    assert len(certificates) == 3
    assert [c.evidence.positive for c in certificates] == [0, 1, 2]
    for certificate in certificates:
        assert not certificate.verify(X, y).failures


CERTIFIED = {"mistakes": nk.Perceptron, "margin": nk.MarginPerceptron}
certified = pytest.mark.parametrize("model", CERTIFIED.values(), ids=CERTIFIED.keys())


@certified
def test_verify_calls_no_code_of_the_learners(model, monkeypatch):
    X, y = separable_data()
    certificate = model().fit(X, y).certificate_
    from novikoff import _core

    def refuse(*args, **kwargs):
        raise AssertionError("the judge asked the accused")

    for name in ("dense", "csr"):
        monkeypatch.setattr(_core, name, refuse)
    assert certificate.verify(X, y)


def test_a_verification_without_a_decided_check_is_not_a_yes():
    assert not Verification(())
    assert not Verification((Check("a", "on trust", ""),))
    assert not Verification((Check("a", "holds", ""), Check("b", "open", "")))
    assert Verification((Check("a", "holds", ""), Check("b", "on trust", "")))


@certified
def test_certificates_are_frozen(model):
    certificate = model().fit(*separable_data()).certificate_
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.updates = 0


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.parametrize("how", ["fit", "stream"])
def test_to_json_is_json_and_holds_every_claim(make, how):
    X, y = separable_data()
    model = make(max_iter=30)
    certificate = (model.fit(X, y) if how == "fit" else model.partial_fit(X, y)).certificate_
    read = json.loads(certificate.to_json(), parse_constant=refuse_constant)
    assert read["kind"] == type(certificate).__name__
    assert read["radius"] == certificate.radius
    assert read["margin_upper_bound"] == certificate.margin_upper_bound
    assert read["evidence"]["weights"] == certificate.evidence.weights.tolist()
    assert {f.name for f in dataclasses.fields(certificate)} < set(read)


def test_to_json_writes_labels_of_any_kind():
    X, y = separable_data()
    for labels in (y > 0, np.where(y > 0, "yes", "no"), y.astype(int)):
        certificate = nk.Perceptron().fit(X, labels).certificate_
        assert json.loads(certificate.to_json())["evidence"]["positive"] in (True, "yes", 1)


def test_str_and_html_are_short_and_safe(make):
    certificate = make(max_iter=30).fit(*separable_data()).certificate_
    assert type(certificate).__name__ in str(certificate)
    assert len(str(certificate)) < 250
    page = certificate._repr_html_()
    assert page.startswith("<table>")
    assert page.count("<tr>") == len(certificate.facts())


def test_the_margin_learner_has_a_margin_certificate_and_the_others_count_mistakes(make):
    model = make(max_iter=30).fit(*separable_data())
    kind = MarginCertificate if isinstance(model, nk.MarginPerceptron) else MistakeCertificate
    assert isinstance(model.certificate_, kind)


def test_verify_takes_lists_and_frames_as_fit_does():
    pd = pytest.importorskip("pandas", reason="frames need it")
    X, y = separable_data()
    certificate = nk.Perceptron().fit(X, y).certificate_
    assert certificate.verify(pd.DataFrame(X), pd.Series(y))
    assert certificate.verify(X.tolist(), y.tolist())
