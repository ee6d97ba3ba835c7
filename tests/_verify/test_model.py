"""verify: nothing is true of a model but what its certificates and its data show."""

import dataclasses
import types

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import novikoff as nk
from novikoff._multiclass import CrammerSinger, OneVsOne
from novikoff.theory import Certificate, Check, Verification

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3))
TWO = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
WEIGHTS = rng.integers(0, 3, size=40).astype(float)


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


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_swapped_pairs_and_classes_are_no_proof(strategy):
    model = nk.LinearSVM(multi_class=strategy).fit(X, THREE)
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


def test_a_pipeline_is_checked_from_its_table():
    table = pd.DataFrame(X, columns=list("abc")).assign(job=np.where(X[:, 1] > 0, "cook", None))
    pipeline = make_pipeline(nk.TableEncoder(), nk.LinearSVM()).fit(table, TWO)
    found = nk.verify(pipeline, table, TWO)
    assert found
    assert (found.checks[0].claim, found.checks[0].status) == ("encoder", "on trust")
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
    assert found.failures


def test_a_model_without_a_certificate_is_refused():
    with pytest.raises(nk.InvalidInputError, match="certificate"):
        nk.verify(nk.LinearClassifier.of([[1.0, 2.0, 3.0]], [0.0], ["no", "yes"]), X, TWO)


def test_progress_is_reported_after_each_problem():
    heard = []
    model = nk.LinearSVM().fit(X, THREE)
    assert nk.verify(model, X, THREE, progress=lambda *message: heard.append(message))
    assert heard == [("1 of 3 done", pytest.approx(1 / 3)), ("2 of 3 done", pytest.approx(2 / 3)), ("3 of 3 done", 1.0)]
    heard.clear()
    path = nk.LinearSVMPath(Cs=2, multi_class="crammer_singer", loss="hinge").fit(X, THREE)
    assert nk.verify(path, X, THREE, progress=lambda *message: heard.append(message))
    assert [fraction for _, fraction in heard] == [0.5, 1.0]


def test_the_verdict_of_separability_is_verified():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    found = nk.separability(X, y)
    assert str(nk.verify(found, X, y)) == str(found.verify(X, y))
    assert not nk.verify(found, X, [0, 0, 1, 1], exact=True)
