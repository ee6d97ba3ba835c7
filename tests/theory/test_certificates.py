"""Certificates: true ones are accepted, and no claim can be bettered without being caught."""

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory import Check, Geometry, MarginCertificate, MistakeCertificate, Verification
from strategies import LAYOUTS, fractional_weights, laid_out, make_separable, separable, streams


def separable_data(seed=0, rows=50, columns=4, gap=0.1):
    data = make_separable(np.random.default_rng(seed), rows, columns, gap, intercept=True)
    return data.X, data.y


def overlapping_data(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(50, 4)), rng.choice([-1.0, 1.0], size=50)


types = st.sampled_from([np.float32, np.float64])
DATA = {"separable": separable_data, "overlapping": overlapping_data}


def change(certificate, **fields):
    """The certificate with other claims; those of its evidence are named by a leading underscore."""
    evidence = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    own = {name: value for name, value in fields.items() if not name.startswith("_")}
    return dataclasses.replace(certificate, evidence=dataclasses.replace(certificate.evidence, **evidence), **own)


# ---- true certificates ----------------------------------------------------------------------------------------------


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


@given(data=separable())
def test_a_stream_is_accepted_with_the_bound_on_trust(data):
    model = nk.Perceptron(fit_intercept=data.intercept).partial_fit(data.X, data.y, classes=[-1.0, 1.0])
    verification = model.certificate_.verify(data.X, data.y)
    assert verification, str(verification)
    assert any(check.status == "on trust" for check in verification.checks)
    assert data.margin <= model.certificate_.margin_upper_bound


def test_the_claims_mean_what_numpy_finds():
    X, y = separable_data()
    model = nk.Perceptron().fit(X, y)
    certificate = model.certificate_
    U = np.hstack([X, np.ones((len(X), 1))])
    assert certificate.radius == pytest.approx(np.linalg.norm(U, axis=1).max())
    assert certificate.examples == model.n_iter_ * len(y)
    assert certificate.positives == model.n_iter_ * (y > 0).sum()
    assert certificate.energy == pytest.approx(model.n_iter_ * (U**2).sum())
    assert certificate.separates
    v = np.append(model.coef_, model.intercept_)
    np.testing.assert_allclose(v, (certificate.evidence.duals.dense(len(y)) * y) @ U)
    assert certificate.evidence.duals.weights.sum() == certificate.mistakes
    assert certificate.margin_upper_bound == pytest.approx(np.linalg.norm(v) / certificate.mistakes)


# ---- tampered certificates ------------------------------------------------------------------------------------------


def turned(weights):
    return weights[::-1].copy()


MISTAKE_LIES = {
    "other weights": lambda c: change(c, _weights=c.evidence.weights + 1e-4),
    "turned weights": lambda c: change(c, _weights=turned(c.evidence.weights)),
    "another intercept": lambda c: change(c, _intercept=c.evidence.intercept + 1e-4),
    "a smaller upper bound": lambda c: change(c, margin_upper_bound=c.margin_upper_bound * (1 - 1e-6)),
    "a smaller radius": lambda c: change(c, radius=c.radius * (1 - 1e-6)),
    "a larger radius": lambda c: change(c, radius=c.radius * (1 + 1e-6)),
    "fewer examples": lambda c: change(c, examples=c.examples - 1),
    "more examples": lambda c: change(c, examples=c.examples + 1),
    "more positives": lambda c: change(c, positives=c.positives + 1),
    "another energy": lambda c: change(c, energy=c.energy * 1.001),
    "fewer passes": lambda c: change(c, passes=c.passes - 1),
    "more mistakes than examples": lambda c: change(c, mistakes=c.examples + 1),
    "the other label": lambda c: change(c, _positive=-1.0),
    "another geometry": lambda c: change(c, _geometry=Geometry(fit_intercept=False)),
}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("lie", MISTAKE_LIES)
@pytest.mark.parametrize("model", [nk.Perceptron, nk.PassiveAggressive, nk.AveragedPerceptron])
def test_verify_refuses_a_changed_mistake_certificate(model, lie, kind):
    X, y = DATA[kind]()
    certificate = model(max_iter=30).fit(X, y).certificate_
    assert certificate.verify(X, y)
    assert not MISTAKE_LIES[lie](certificate).verify(X, y)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("mistakes", ["none", "one less", "one more"])
def test_verify_refuses_a_perceptrons_count_that_its_own_sum_of_examples_refutes(kind, mistakes):
    """Each mistake adds one example, so the duals of a perceptron add up to its mistakes."""
    X, y = DATA[kind]()
    certificate = nk.Perceptron(max_iter=30).fit(X, y).certificate_
    count = {"none": 0.0, "one less": certificate.mistakes - 1, "one more": certificate.mistakes + 1}[mistakes]
    assert not change(certificate, mistakes=count).verify(X, y)


def test_verify_refuses_a_count_above_the_theorem():
    X, y = separable_data(gap=2.0)
    certificate = nk.PassiveAggressive(max_iter=30).fit(X, y).certificate_
    assert certificate.separates
    lie = change(certificate, mistakes=certificate.examples)
    assert not lie.verify(X, y)


def test_verify_refuses_a_claim_to_separate_and_names_the_row():
    X, y = overlapping_data()
    certificate = nk.Perceptron(max_iter=30).fit(X, y).certificate_
    assert not certificate.separates
    verification = change(certificate, separates=True).verify(X, y)
    assert not verification
    (failure,) = (check for check in verification.failures if check.claim == "separates")
    v = certificate.evidence
    assert y[failure.row] * (v.weights @ X[failure.row] + v.intercept) <= 0


MARGIN_LIES = {
    "other weights": lambda c: change(c, _weights=c.evidence.weights + 1e-4),
    "longer weights": lambda c: change(c, _weights=2 * c.evidence.weights),
    "another intercept": lambda c: change(c, _intercept=c.evidence.intercept + 1e-4),
    "a larger lower bound": lambda c: change(c, margin_lower_bound=c.margin_lower_bound * (1 + 1e-6)),
    "a smaller upper bound": lambda c: change(c, margin_upper_bound=c.margin_upper_bound * (1 - 1e-6)),
    "a smaller radius": lambda c: change(c, radius=c.radius * 0.9),
    "fewer updates": lambda c: change(c, updates=c.updates - 1),
    "the other label": lambda c: change(c, _positive=-1.0),
    "another geometry": lambda c: change(c, _geometry=Geometry(fit_intercept=False)),
    "without the duals, a smaller upper bound": lambda c: change(
        c, _duals=None, margin_upper_bound=c.margin_lower_bound / 2
    ),
}


@pytest.mark.parametrize("lie", MARGIN_LIES)
def test_verify_refuses_a_changed_margin_certificate(lie):
    X, y = separable_data()
    certificate = nk.MarginPerceptron(epsilon=0.2, max_iter=10**5).fit(X, y).certificate_
    assert certificate.halted
    assert certificate.verify(X, y)
    assert not MARGIN_LIES[lie](certificate).verify(X, y)


CERTIFIED = {"mistakes": nk.Perceptron, "margin": nk.MarginPerceptron}
certified = pytest.mark.parametrize("model", CERTIFIED.values(), ids=CERTIFIED.keys())


def permuted(X, y):
    order = np.random.default_rng(9).permutation(len(y))
    return X[order], y[order]


def one_label_turned(X, y):
    y = y.copy()
    y[5] = -y[5]
    return X, y


OTHER_DATA = {
    "other rows": lambda X, y: (np.random.default_rng(8).normal(size=X.shape), y),
    "permuted rows": permuted,
    "a row less": lambda X, y: (X[:-1], y[:-1]),
    "a row more": lambda X, y: (np.vstack([X, X[:1]]), np.append(y, y[0])),
    "one label turned": one_label_turned,
    "all labels turned": lambda X, y: (X, -y),
    "scaled": lambda X, y: (1.001 * X, y),
    "a column more": lambda X, y: (np.hstack([X, X[:, :1]]), y),
    "a column less": lambda X, y: (X[:, 1:], y),
    "fewer labels": lambda X, y: (X, y[:-1]),
}


@pytest.mark.parametrize("other", OTHER_DATA)
@pytest.mark.parametrize("sparse", [False, True])
def test_verify_on_the_wrong_data_says_so(other, sparse):
    X, y = separable_data(gap=0.02)
    certificate = nk.Perceptron().fit(X, y).certificate_
    X, y = OTHER_DATA[other](X, y)
    verification = certificate.verify(sp.csr_matrix(X) if sparse else X, y)
    assert not verification
    assert verification.failures


@pytest.mark.parametrize(
    "other", [name for name in OTHER_DATA if name not in ("a row less", "a row more", "one label turned")]
)
def test_a_margin_certificate_on_the_wrong_data_says_so(other):
    X, y = separable_data(gap=0.02)
    certificate = nk.MarginPerceptron(max_iter=10**5).fit(X, y).certificate_
    assert not certificate.verify(*OTHER_DATA[other](X, y))


def test_one_changed_entry_of_a_row_that_was_learned_is_found():
    X, y = separable_data(gap=0.02)
    model = nk.Perceptron().fit(X, y)
    row = model.certificate_.evidence.duals.rows[0]
    X = X.copy()
    X[row, 1] += 1e-3
    assert not model.certificate_.verify(X, y)


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


# ---- what a certificate looks like ----------------------------------------------------------------------------------


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


def test_comparator_bound_is_for_perceptrons_only():
    X, y = separable_data()
    with pytest.raises(ValueError, match="perceptron"):
        nk.PassiveAggressive().fit(X, y).certificate_.comparator_bound(X, y, [1.0] * 4)


def test_verify_takes_lists_and_frames_as_fit_does():
    pd = pytest.importorskip("pandas", reason="frames need it")
    X, y = separable_data()
    certificate = nk.Perceptron().fit(X, y).certificate_
    assert certificate.verify(pd.DataFrame(X), pd.Series(y))
    assert certificate.verify(X.tolist(), y.tolist())
