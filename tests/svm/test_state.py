"""The saved states of batch learners: what they hold, and what is refused when a model is restored."""

import dataclasses

import numpy as np
import pytest
from sklearn.svm import SVC

import novikoff as nk
from novikoff._multiclass import OneVsRest
from novikoff.svm._state import End, History, Support
from novikoff.theory.certificate import Duals
from saved import THREE, TWO, X, fitted
from snapshots import plain

SAVED = ["svm", "svm, rest", "svm, joint", "svm, probability", "svm, warm", "cross-validated", "hard margin", "path"]


def restored(model, **changed):
    """The model of a record that differs in some fields; ``state`` is a function of the state."""
    record = model.record_
    if "state" in changed:
        state = changed.pop("state")(record.state)
        changed["make_state"] = lambda: state
    return type(model).from_record(dataclasses.replace(record, **changed))


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three"])
def test_a_model_is_restored_from_its_record(name, y):
    model = fitted(name, y)
    assert plain(vars(restored(model))) == plain(vars(model))


def test_the_support_of_several_problems_is_their_union():
    duals = [Duals(np.array([0, 2]), np.array([1.0, 2.0])), Duals(np.array([2, 3]), np.array([3.0, 4.0]))]
    support = Support.of(np.array([0, 0, 1, 1], dtype=np.int32), [(0, None), (1, None)], duals)
    assert support.rows.tolist() == [0, 2, 3]
    assert support.dual_coef.tolist() == [[1.0, -2.0, 0.0], [0.0, 3.0, 4.0]]


def test_a_support_vector_of_a_pair_has_one_value_for_each_other_class():
    codes = np.array([0, 1, 2, 2], dtype=np.int32)
    pairs = [(1, 0), (2, 0), (2, 1)]
    duals = [Duals(np.array(rows), np.array(values)) for rows, values in (([0, 1], [1.0, 1.0]), ([0, 3], [2.0, 2.0]))]
    duals.append(Duals(np.array([1, 2]), np.array([3.0, 3.0])))
    support = Support.of(codes, pairs, duals)
    assert support.rows.tolist() == [0, 1, 2, 3]
    assert support.dual_coef.tolist() == [[-1.0, 1.0, 0.0, 2.0], [-2.0, -3.0, 3.0, 0.0]]
    assert all(support.holds(place, *each) for place, each in enumerate(zip(pairs, duals, strict=True)))
    assert not support.holds(0, pairs[0], duals[1])


def test_the_support_of_pairs_is_that_of_scikit_learns_svc():
    model = fitted("svm", THREE, rows=X, tol=1e-9, C=1.0, loss="hinge")
    theirs = SVC(kernel="linear", tol=1e-9).fit(X, THREE)
    assert model.support_.tolist() == sorted(theirs.support_.tolist())
    order = np.argsort(theirs.support_)
    np.testing.assert_allclose(np.abs(model.dual_coef_), np.abs(theirs.dual_coef_[:, order]), atol=1e-3)


def test_a_history_is_read_back():
    history = fitted("svm", TWO).history_
    assert plain(History.of(history).records()) == plain(history)


def changed(field, **values):
    """A change of some fields of a field of the state."""

    def change(state):
        held = getattr(state, field)
        held = dataclasses.replace(held, **{name: value(held) for name, value in values.items()})
        return dataclasses.replace(state, **{field: held})

    return change


def first(field, **values):
    """A change of some fields of the first entry of a field of the state."""

    def change(state):
        entry, *rest = getattr(state, field)
        entry = dataclasses.replace(entry, **{k: f(getattr(entry, k)) for k, f in values.items()})
        return dataclasses.replace(state, **{field: (entry, *rest)})

    return change


def dropped(field):
    return lambda state: dataclasses.replace(state, **{field: getattr(state, field)[1:]})


WRONG = {
    "other duals": ("svm", changed("support", dual_coef=lambda s: s.dual_coef + 1), "state.support: the duals are not"),
    "rows that descend": (
        "svm",
        changed("support", rows=lambda s: s.rows[::-1].copy()),
        "state.support: the row numbers",
    ),
    "a row beyond all others": (
        "svm",
        changed("support", rows=lambda s: np.append(s.rows[:-1], 2**62)),
        "state.support: the duals are not",
    ),
    "no certificate": ("svm", dropped("certificates"), "state.certificates: there must be one certificate per binary"),
    "fewer examples than one": (
        "svm",
        first("certificates", examples=lambda _: 0),
        "certificates.0.examples: the number",
    ),
    "a negative count": ("hard margin", first("certificates", iterations=lambda _: -1), "iterations: the number must"),
    "no history": ("svm", dropped("histories"), "state.histories: there must be 1"),
    "a history of unequal columns": (
        "svm",
        first("histories", time=lambda t: t[1:]),
        "state.histories: there must be 1",
    ),
    "two sigmoids": (
        "svm, probability",
        lambda state: dataclasses.replace(state, sigmoids=state.sigmoids * 2),
        "state.sigmoids: there must be 1 or none",
    ),
    "an end of other rows": ("svm, warm", first("ends", point=lambda p: p[1:]), "state.ends: there must be 1"),
    "another C": ("cross-validated", changed("selection", C=lambda s: 2 * s.C), "state.selection.C: the certificates"),
    "fewer scores": (
        "cross-validated",
        changed("selection", mean_scores=lambda s: s.mean_scores[1:]),
        "state.selection: there must be one score per C",
    ),
    "one C too few": (
        "path",
        lambda state: dataclasses.replace(state, Cs=state.Cs[1:]),
        "state.certificates: there must be one entry for each of 2 C",
    ),
    "other Cs": ("path", lambda state: dataclasses.replace(state, Cs=2 * state.Cs), r"state\.Cs\.0: the certificates"),
}


@pytest.mark.parametrize(("name", "change", "words"), WRONG.values(), ids=WRONG.keys())
def test_parts_that_do_not_fit_each_other_are_refused(name, change, words):
    model = fitted(name, TWO)
    restored(model)
    with pytest.raises(nk.InvalidInputError, match=words):
        restored(model, state=change)


def test_other_classes_and_features_are_refused():
    for name in ("svm", "hard margin", "path", "cross-validated"):
        model = fitted(name, TWO)
        with pytest.raises(nk.InvalidInputError, match="there must be one certificate per binary problem"):
            restored(model, strategy=OneVsRest(np.array(["a", "b"])))
        with pytest.raises(nk.InvalidInputError, match="there must be 4 weights, but there are 3"):
            restored(model, n_features=4)
    weights = nk.LinearClassifier.of([[1.0, 2.0]], [0.0], [0, 1])
    with pytest.raises(nk.InvalidInputError, match=r"2 classes need weights of shape \(1, 3\), but it is \(1, 2\)"):
        restored(weights, n_features=3)


def test_an_end_that_is_not_finite_is_not_saved():
    model = fitted("svm, warm", TWO)
    assert isinstance(model.record_.state.ends[0], End)
    model._ends[0][1][0] = np.inf
    assert model.record_.state.ends is None


@pytest.mark.parametrize(("name", "attribute"), [("svm", "objective_"), ("hard margin", "margin_"), ("path", "coefs_")])
def test_a_model_whose_attributes_were_changed_has_no_state(name, attribute):
    model = fitted(name, TWO)
    setattr(model, attribute, getattr(model, attribute) + 1)
    assert model.record_.certificates
    with pytest.raises(nk.InvalidInputError, match=f"{attribute}: the .* were changed after fit"):
        model.record_.state  # noqa: B018  # computing it is what fails
