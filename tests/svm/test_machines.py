"""All binary problems of a machine, solved in parallel."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import novikoff as nk
from binary_problems import X, training_set
from novikoff._multiclass import OneVsOne
from novikoff.svm._machines import rows_of_pair, solve_machines
from novikoff.svm._settings import Settings

Y = np.arange(60) % 3


def test_a_pair_has_the_rows_of_its_classes():
    data = training_set(y=Y)
    part, rows = rows_of_pair(data, (2, 0))
    assert rows.tolist() == np.flatnonzero(Y != 1).tolist()
    assert part.codes.tolist() == Y[rows].tolist()
    assert rows_of_pair(data, (2, None)) == (data, None)


def test_sparse_rows_of_a_pair_are_cut_to_their_columns():
    rows = sp.csr_array(np.where(Y[:, None] == np.array([0, 0, 1, 2]), X, 0.0))
    part, _ = training_set(rows, Y).only((1, 0))
    assert part.X.shape == (40, 3)
    assert part.widen(np.ones(3)).tolist() == [1.0, 1.0, 1.0, 0.0]


def test_a_label_that_only_rows_of_weight_0_have_belongs_to_no_pair():
    y, weights = np.where(np.arange(60) < 5, 7, Y), np.where(np.arange(60) < 8, 0.0, 1.0)
    model = nk.LinearSVM().fit(X, y, weights)
    assert model.classes_.tolist() == [0, 1, 2]
    found = nk.verify(model, X, y, weights)
    assert found, str(found)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_threads_do_not_change_the_machines(layout):
    data = training_set(layout(X), Y)
    strategy = OneVsOne(data.classes, data.counts)
    one, three = (
        solve_machines(data, strategy, Settings.of("test", nk.LinearSVM(n_jobs=n), 1.0), keep_ends=True) for n in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        assert a.certificate.model.weights.tobytes() == b.certificate.model.weights.tobytes()
        assert len(a.end.v) == 5


def test_progress_names_both_classes():
    heard = []
    nk.LinearSVM(n_jobs=1).watch(lambda message, _: heard.append(message)).fit(X, Y)
    names = {found[1] for message in heard if (found := re.match(r"\d of 3 done; class (.*): gap", message))}
    assert names == {"1 against 0", "2 against 0", "2 against 1"}
    assert heard[-1] == "3 of 3 done"


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_a_warm_start_of_pairs_begins_at_their_ends(layout):
    rows = layout(np.where(np.abs(X) > 0.3, X, 0.0))
    model = nk.LinearSVM(warm_start=True, tol=1e-6).fit(rows, Y)
    steps = model.n_iter_
    assert model.fit(rows, Y).n_iter_ < steps
    assert nk.verify(model, rows, Y)
    assert nk.verify(model.fit(rows[:50], Y[:50]), rows[:50], Y[:50])  # other rows: a start from nothing
    assert nk.verify(model.fit(rows, Y > 0), rows, Y > 0)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_predictions_are_those_of_scikit_learns_svc(load):
    rows, y = load(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)
    ours = nk.LinearSVM(C=1.0, loss="hinge", tol=1e-7).fit(rows[::2], y[::2])
    theirs = SVC(kernel="linear", tol=1e-9).fit(rows[::2], y[::2])
    assert ours.multi_class_ == "ovo"
    assert np.mean(ours.predict(rows) == theirs.predict(rows)) > 0.998  # votes that are tied may be decided otherwise


def test_the_order_of_the_classes_does_not_change_predictions():
    rows, y = load_wine(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)
    names = np.array(["a", "b", "c"])
    for multi_class in ("ovo", "ovr"):
        model = nk.LinearSVM(tol=1e-9, multi_class=multi_class).fit(rows, names[y])
        for order in ([1, 2, 0], [2, 1, 0]):
            other = nk.LinearSVM(tol=1e-9, multi_class=multi_class).fit(rows, names[order][y])
            back = dict(zip(names[order], names, strict=True))
            assert [back[label] for label in other.predict(rows)] == model.predict(rows).tolist()
