"""verify: nothing is true of a model but what its certificates and its data show."""

import dataclasses
import types

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import novikoff as nk
from novikoff._multiclass import CrammerSinger, OneVsOne, OneVsRest
from novikoff.theory import Certificate, Check, Verification

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3))
TWO = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
WEIGHTS = rng.integers(0, 3, size=40).astype(float)


@pytest.mark.parametrize("first", [0, 1])
def test_a_balanced_stream_passes_over_rows_that_weigh_nothing(first):
    """The weight of the first row, or of the first of its class, is 0."""
    weights = np.random.default_rng(first).integers(0, 3, len(X)).astype(float)
    weights[sorted(TWO.tolist().index(label) for label in ("no", "yes"))[first]] = 0.0
    model = nk.Perceptron(class_weight="balanced").partial_fit(X, TWO, sample_weight=weights)
    assert nk.verify(model, X, TWO, weights)
    weights[5] += 1
    assert not nk.verify(model, X, TWO, weights)


def test_a_certificate_that_is_missing_is_no_proof():
    model = nk.LinearSVM().fit(X, THREE)
    assert nk.verify(model, X, THREE)
    model.certificate_ = model.certificate_[:2]
    found = nk.verify(model, X, THREE)
    assert not found
    assert [check.claim for check in found.failures] == ["certificates"]


def forged(model, **changed):
    """The model with other fields in its record."""
    record = dataclasses.replace(model.record_, **changed)
    return types.SimpleNamespace(record_=record)


def failures(model, y=THREE, weights=None):
    return [check.claim for check in nk.verify(model, X, y, weights).failures]


def test_the_certificates_of_pairs_name_both_classes():
    model = nk.LinearSVM(class_weight="balanced").fit(X, THREE, WEIGHTS)
    found = nk.verify(model, X, THREE, WEIGHTS, exact=True)
    assert found, str(found)
    assert {"1 against 0: gap", "2 against 0: gap", "2 against 1: gap"} <= {check.claim for check in found.checks}
    assert not nk.verify(model, X, THREE)
    assert not nk.verify(model, X, np.roll(THREE, 1), WEIGHTS)


def test_swapped_pairs_are_no_proof():
    model = nk.LinearSVM().fit(X, THREE)
    order = [1, 0, 2]
    model.coef_, model.intercept_ = model.coef_[order], model.intercept_[order]
    model.certificate_ = [model.certificate_[place] for place in order]
    assert failures(model) == ["certificates"]


def test_swapped_classes_are_no_proof():
    model = nk.LinearSVM(multi_class="ovr").fit(X, THREE)
    order = [1, 0, 2]
    model.coef_, model.intercept_ = model.coef_[order], model.intercept_[order]
    model.certificate_ = [model.certificate_[place] for place in order]
    assert failures(model) == ["certificates"]


def test_another_negative_label_is_no_proof():
    model = nk.LinearSVM().fit(X, THREE)
    first, *others = model.certificate_
    for negative in (2, None, 7):
        changed = dataclasses.replace(first, model=dataclasses.replace(first.model, negative=negative))
        model.certificate_ = [changed, *others]
        assert failures(model) == ["certificates"]
        assert not changed.verify(X, THREE)
    assert not dataclasses.replace(first, model=dataclasses.replace(first.model, negative=1)).verify(X, THREE)


def test_a_pair_that_is_missing_is_no_proof():
    model = nk.LinearSVM().fit(X, THREE)
    model.certificate_ = model.certificate_[:2]
    assert failures(model) == ["certificates"]
    model = nk.LinearSVM().fit(X, THREE)
    assert failures(forged(model, problems=model.record_.problems[:2])) == ["classes"]


def test_class_frequencies_that_would_decide_ties_otherwise_are_no_proof():
    for model in (nk.LinearSVM().fit(X, THREE, WEIGHTS), nk.LinearSVM().fit(X, THREE > 0, WEIGHTS)):
        y = THREE if len(model.classes_) == 3 else THREE > 0
        assert failures(model, y, WEIGHTS) == []
        model.class_count_ = model.class_count_ + (model.classes_ == 0)
        assert failures(model, y, WEIGHTS) == ["class frequencies"]


def test_another_strategy_is_no_proof():
    for name, other in (("ovo", "ovr"), ("ovr", "ovo")):
        model = nk.LinearSVM(multi_class=name).fit(X, THREE)
        model.multi_class_ = other
        assert failures(model)[0] == "classes"
    model = nk.LinearSVM(multi_class="ovo").fit(X, THREE).set_params(multi_class="ovr")
    assert failures(model) == ["classes"]
    assert failures(nk.LinearSVM(multi_class="ovo").fit(X, THREE > 0), THREE > 0) == []


def test_a_joint_certificate_is_that_of_a_joint_problem():
    model = nk.LinearSVM().fit(X, THREE)
    assert failures(forged(model, joint=model.certificate_[0])) == ["certificates"]


def claims_of(record, **changed):
    """A record of the same rows whose problems have other fields."""
    return dataclasses.replace(record, problems=tuple(dataclasses.replace(p, **changed) for p in record.problems))


def test_a_joint_model_needs_a_certificate_of_all_its_weights():
    """The certificate of one binary problem names both labels, as that of a joint problem does, but not the weights."""
    single = nk.LinearSVM(loss="hinge", C=1.0).fit(X, TWO).certificate_
    swapped = dataclasses.replace(single, model=dataclasses.replace(single.model, negative="no"))
    joint = nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=1.0).fit(X, TWO)
    assert failures(joint, TWO) == []
    strategy = CrammerSinger(np.array(["yes", "no"]))  # in the order of the labels of that certificate
    record = claims_of(joint.record_, weights=np.full(3, 5.0))
    record = dataclasses.replace(record, strategy=strategy, joint=swapped, problems=record.problems[::-1])
    assert swapped.labels() == tuple(strategy.classes.tolist())
    assert swapped.verify(X, TWO)
    assert failures(types.SimpleNamespace(record_=record), TWO) == ["model"]


def test_a_joint_certificate_is_no_proof_of_one_plane():
    joint = nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=1.0, tol=1e-3).fit(X, TWO).certificate_
    model = nk.LinearSVM(loss="hinge", C=1.0, tol=1e-3).fit(X, TWO)
    record = claims_of(model.record_, certificate=joint, weights=np.full(3, 5.0))
    assert failures(types.SimpleNamespace(record_=record), TWO) == ["certificates"]
    record = dataclasses.replace(claims_of(record, positive="yes", negative="no"), strategy=OneVsOne(model.classes_))
    for parameters in (record.parameters, {**record.parameters, "multi_class": "ovo"}, {}):
        found = failures(types.SimpleNamespace(record_=dataclasses.replace(record, parameters=parameters)), TWO)
        assert found[0] == "classes"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Silent(Certificate):
    """A certificate that holds, but does not say of which weights or labels."""

    rows: int

    def claims(self):
        return [("rows", f"{self.rows}")]

    def verify(self, X, y, sample_weight=None, exact=False):
        return Verification((Check("rows", "holds" if len(y) == self.rows else "fails", f"{len(y)}"),))


def test_a_certificate_that_is_silent_about_the_weights_is_no_proof_of_them():
    silent = Silent(len(X))
    for model in (nk.LinearSVM(C=1.0).fit(X, TWO), nk.Perceptron().fit(X, TWO)):
        assert failures(types.SimpleNamespace(record_=claims_of(model.record_, certificate=silent)), TWO) == ["model"]
    pairs = claims_of(nk.LinearSVM().fit(X, THREE).record_, certificate=silent)
    assert failures(types.SimpleNamespace(record_=dataclasses.replace(pairs, parameters={}))) == ["certificates"]
    joint = nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=1.0).fit(X, THREE)
    assert failures(forged(joint, joint=silent)) == ["certificates"]


def test_swapped_classes_of_an_online_learner_are_no_proof():
    model = nk.Perceptron(max_iter=3, shuffle=False).fit(X, THREE)
    assert failures(model) == []
    one, other, last = model.record_.problems
    changed = [
        dataclasses.replace(a, weights=b.weights, intercept=b.intercept, certificate=b.certificate, run=b.run)
        for a, b in ((one, other), (other, one))
    ]
    assert failures(forged(model, problems=(*changed, last))) == ["certificates"]


def test_the_strategy_must_be_the_automatic_choice():
    for name in ("ovr", "crammer_singer"):
        model = nk.LinearSVM(multi_class=name, loss="hinge").fit(X, THREE).set_params(multi_class="auto")
        assert failures(model) == ["classes"]
    wide = sp.csr_array(np.hstack([X, np.eye(40)]))
    model = nk.LinearSVM().fit(wide, THREE)
    assert model.multi_class_ == "ovr"
    for same in (wide, wide.toarray(), sp.csr_matrix(wide)):
        assert nk.verify(model, same, THREE)
    model = nk.LinearSVM().fit(wide.toarray(), THREE)
    assert model.multi_class_ == "ovo"
    assert nk.verify(model, wide, THREE)


def test_a_class_that_occurs_twice_is_no_proof():
    model = nk.LinearSVM(multi_class="ovr").fit(X, THREE)
    one, *others = model.record_.problems
    record = dataclasses.replace(
        model.record_, strategy=OneVsRest(np.array([0, 0, 1, 2])), problems=(one, one, *others)
    )
    assert failures(types.SimpleNamespace(record_=record)) == ["classes"]


def test_labels_of_another_kind_are_not_those_of_the_model():
    model = nk.LinearSVM().fit(X, THREE > 0)
    assert not nk.verify(model, X, (THREE > 0).astype(str))
    model = nk.Perceptron().fit(X, (THREE > 0).astype(int))
    assert not nk.verify(model, X, (THREE > 0).astype(int).astype(str))


def test_several_fits_are_left_open():
    model = nk.Perceptron().fit(X, TWO).partial_fit(X[:5], TWO[:5])
    found = nk.verify(model, 0.01 * X, TWO)
    assert not found
    assert "open" in [check.status for check in found.checks]


def test_a_pipeline_is_checked_from_its_table():
    table = pd.DataFrame(X, columns=list("abc")).assign(job=np.where(X[:, 1] > 0, "cook", None))
    pipeline = make_pipeline(nk.TableEncoder(), nk.LinearSVM()).fit(table, TWO)
    found = nk.verify(pipeline, table, TWO)
    assert found
    assert [check.claim for check in found.checks][:2] == ["encoder: numbers", "encoder: categories"]
    assert not nk.verify(pipeline, table.assign(job="cook"), TWO)
    assert not nk.verify(pipeline, table, np.roll(TWO, 1))
    pipeline[1].coef_ = pipeline[1].coef_ + 1e-3
    assert not nk.verify(pipeline, table, TWO)


def test_a_forged_encoder_refutes_a_pipeline():
    table = pd.DataFrame(X, columns=list("abc"))
    pipeline = make_pipeline(nk.TableEncoder(), nk.LinearSVM()).fit(table, TWO)
    encoding = pipeline[0].encoding_
    first = dataclasses.replace(encoding.numbers[0], scale=2 * encoding.numbers[0].scale)
    pipeline[0].encoding_ = dataclasses.replace(encoding, numbers=(first, *encoding.numbers[1:]))
    found = nk.verify(pipeline, table, TWO)
    assert "encoder: numbers" in [check.claim for check in found.failures]


def test_a_model_without_a_certificate_is_refused():
    with pytest.raises(nk.InvalidInputError, match="certificate"):
        nk.verify(nk.LinearClassifier.of([[1.0, 2.0, 3.0]], [0.0], ["no", "yes"]), X, TWO)


def test_a_default_c_must_follow_from_the_spread_of_the_rows():
    X, y = np.random.default_rng(5).normal(size=(40, 4)), np.arange(40) % 2
    assert nk.verify(nk.LinearSVM().fit(X, y), X, y)
    other = nk.LinearSVM(C=1.0).fit(X, y).set_params(C="scale")
    found = nk.verify(other, X, y)
    assert [check.claim for check in found.checks if check.status == "fails"] == ["C"]
