import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk
import novikoff.distributed as nd
from certified import OTHER_DATA
from oracle import decided, statuses
from real_data import real, two_classes
from separable_cases import small_case
from working_sets import as_parts, cut, few_rows, send_pickled


def verdict(X, y, parts, on="local:2", said=None, **options):
    """The verdict on so many partitions."""
    progress = None if said is None else lambda message, _: said.append(message)
    return nd.separability(*as_parts(X, y, parts), on=on, progress=progress, **options)


def assert_same(found, alone, X, y, weights=None):
    """The verdict says the same as that of one machine, and verifies on all rows."""
    assert found.kind == alone.kind
    assert found.examples == alone.examples == len(y)
    assert found.status.tolist() == alone.status.tolist()
    assert found.boundary.tolist() == alone.boundary.tolist()
    assert found.positive == alone.positive
    assert found.margin_lower_bound <= alone.margin_upper_bound
    assert alone.margin_lower_bound <= found.margin_upper_bound
    assert found.verify(X, y, weights, exact=True)
    assert "fails" not in statuses(decided(found, X, y, weights)).values()  # it leaves open what takes an exact search


def grid(kind, seed=0, rows=150):
    """Integer rows with many ties, and labels of a kind."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rows, 3)).astype(float)
    scores = X @ [1.0, -2.0, 1.0]
    if kind == "complete":
        scores += 0.5
    y = np.where(scores > 0, 1, 0)
    on_plane = np.flatnonzero(scores == 0)
    y[on_plane] = rng.integers(0, 2, len(on_plane))
    if kind == "touching":  # one row of each class on the plane
        X, y = np.vstack([X[scores != 0], [[2.0, 1.0, 0.0]] * 2]), np.append(y[scores != 0], [0, 1])
    if kind == "overlap":
        y[np.argmax(scores)] = 0
    return X, y


@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("kind", ["complete", "quasi-complete", "touching", "overlap"])
def test_the_verdict_is_that_of_one_machine(kind, is_sparse, parts, monkeypatch):
    few_rows(monkeypatch)
    X, y = grid(kind)
    table = sp.csr_matrix(X) if is_sparse else X
    alone = nk.separability(table, y)
    assert alone.kind == ("quasi-complete" if kind == "touching" else kind)
    assert_same(verdict(table, y, parts), alone, table, y)


@pytest.mark.parametrize("seed", range(60))
def test_small_cases_are_decided_as_on_one_machine(seed, monkeypatch):
    few_rows(monkeypatch)
    X, y, fit_intercept = small_case(seed)
    rng = np.random.default_rng(seed)
    parts = cut(X, y, at=rng.integers(0, len(y) + 1, rng.integers(0, 5)))
    found = nd.separability(*parts, fit_intercept=fit_intercept, on="local:1")
    assert_same(found, nk.separability(X, y, fit_intercept=fit_intercept), X, y)


@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ("NV PI EH", ["+infinity", "finite", "finite", "finite"]),
        ("NV PI NV:PI EH", ["+infinity", "finite", "infinite", "finite", "finite"]),
    ],
)
def test_the_endometrial_study(terms, expected, parts, monkeypatch):
    few_rows(monkeypatch)
    table = pd.read_csv(real("endometrial.csv"))
    X = np.column_stack([np.prod([table[name] for name in term.split(":")], axis=0) for term in terms.split()])
    X, y = X.astype(float), table["HG"].to_numpy()
    found = verdict(X, y, parts)
    assert found.kind == "quasi-complete"
    assert found.status.tolist() == expected
    assert_same(found, nk.separability(X, y), X, y)


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_xor_overlaps(parts):
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]] * 3), np.array([0, 0, 1, 1] * 3)
    assert_same(verdict(X, y, parts), nk.separability(X, y), X, y)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_column_that_one_row_alone_has(is_sparse, monkeypatch):
    few_rows(monkeypatch)
    X, y = grid("overlap", rows=200)
    X = np.column_stack([X, np.zeros((200, 2))])
    X[150, 3] = 1.0
    table = sp.csr_matrix(X) if is_sparse else X
    found = verdict(table, y, 3)
    assert found.kind == "quasi-complete"
    assert found.status[4] == "aliased"
    assert_same(found, nk.separability(table, y), table, y)


def test_dependences_hold_for_all_rows(monkeypatch):
    few_rows(monkeypatch)
    X, y = grid("overlap", rows=200)
    X = np.column_stack([X, X[:, 0] - X[:, 2], X[:, 1]])
    X[177, 4] += 1.0
    found = verdict(X, y, 7)
    assert_same(found, nk.separability(X, y), X, y)
    assert found.status[3] == "aliased"


@pytest.mark.parametrize("kind", ["complete", "quasi-complete", "overlap"])
def test_weights_of_zero_mean_absence(kind, monkeypatch):
    few_rows(monkeypatch)
    X, y = grid(kind)
    weights = np.random.default_rng(1).choice([0.0, 1.0, 3.0], len(y))
    turned = np.where(weights == 0, 1 - y, y)
    found = nd.separability(*cut(X, turned, weights, at=[0, 50, 51]), on="local:2")
    assert_same(found, nk.separability(X, turned, sample_weight=weights), X, turned, weights)


@pytest.mark.parametrize("kind", ["complete", "quasi-complete", "overlap"])
def test_the_number_of_threads_does_not_change_a_bit(kind, monkeypatch):
    few_rows(monkeypatch)
    X, y = grid(kind)
    first, *others = (verdict(X, y, 7, on=f"local:{threads}") for threads in (1, 2, 3))
    for other in others:
        for field in dataclasses.fields(first):
            one, two = getattr(first, field.name), getattr(other, field.name)
            if field.name == "witness" and one is not None:
                assert (one.rows.tobytes(), one.weights.tobytes()) == (two.rows.tobytes(), two.weights.tobytes())
            else:
                assert np.array_equal(one, two) if isinstance(one, np.ndarray) else repr(one) == repr(two)


@pytest.mark.parametrize("kind", ["complete", "quasi-complete", "overlap"])
def test_copies_of_what_is_sent_give_the_same_verdict(kind, monkeypatch):
    few_rows(monkeypatch)
    X, y = grid(kind)
    expected = verdict(sp.csr_matrix(X), y, 7)
    send_pickled(monkeypatch)
    found = verdict(sp.csr_matrix(X), y, 7)
    assert (found.kind, found.numerators, found.directions) == (kind, expected.numerators, expected.directions)
    assert found.boundary.tolist() == expected.boundary.tolist()
    assert found.witness.rows.tolist() == expected.witness.rows.tolist()


@pytest.mark.parametrize("other", ["other rows", "permuted rows", "a row less", "a column more", "fewer labels"])
@pytest.mark.parametrize("kind", ["complete", "quasi-complete", "overlap"])
def test_the_verdict_is_refused_on_other_data(kind, other):
    X, y = grid(kind)
    found = verdict(X, y, 3)
    assert found.verify(X, y)
    assert not found.verify(*OTHER_DATA[other](X, y))


@pytest.mark.parametrize("kind", ["complete", "quasi-complete"])
def test_a_verdict_is_refused_if_a_label_on_its_right_side_is_turned(kind):
    X, y = grid(kind)
    found = verdict(X, y, 3)
    row = np.setdiff1d(np.arange(len(y)), found.boundary)[-1]
    y[row] = 1 - y[row]
    assert not found.verify(X, y)


def test_rows_are_counted_in_messages(monkeypatch):
    few_rows(monkeypatch)
    said = []
    found = verdict(*grid("overlap"), 3, said=said)
    assert said[0].startswith("round 1: ")
    assert said[-1].endswith("no other row contradicts their verdict")
    assert len(found.witness.rows) < 50


def test_the_positive_label_and_names_are_stated():
    X, y = grid("complete")
    labels = np.array(["no", "yes"])[y]
    found = nd.separability(pd.DataFrame(X, columns=list("abc")), labels, positive="no", on="local:3")
    alone = nk.separability(pd.DataFrame(X, columns=list("abc")), labels, positive="no")
    assert_same(found, alone, X, labels)
    assert found.names == ("a", "b", "c")
    assert found.verify(pd.DataFrame(X, columns=list("abc")), labels)


def test_far_more_columns_than_entries_cost_nothing():
    rng = np.random.default_rng(3)
    width, (X, y) = 1 << 30, grid("quasi-complete")
    columns = np.sort(rng.choice(width, 3, replace=False))
    narrow = sp.csr_matrix(X)
    wide = sp.csr_matrix((narrow.data, columns[narrow.indices], narrow.indptr), shape=(len(y), width))
    found = verdict(wide, y, 3)
    assert found.columns.tolist() == columns.tolist()
    assert found.n_features == width
    assert found.kind == "quasi-complete"
    assert found.verify(wide, y)


@pytest.mark.parametrize(
    ("labels", "words"), [(["a", "b", "c"], "two"), (["a", "a", "a"], "only one class"), (["a", "b", "b"], "positive")]
)
def test_two_classes_are_needed(labels, words):
    X = [np.eye(3)[:2], np.eye(3)[2:]]
    y = [np.array(labels[:2]), np.array(labels[2:])]
    with pytest.raises(nk.errors.InvalidInputError, match=words):
        nd.separability(X, y, positive="z" if words == "positive" else None, on="local:1")


def test_mushrooms_are_separable():
    X, y = two_classes("mushrooms")
    said = []
    found = nd.separability(*cut(X, y, at=[2000, 4000, 6000]), on="local:2", progress=lambda m, _: said.append(m))
    assert found.kind == "complete"
    assert found.margin_lower_bound > 0.05
    assert found.verify(X, y)
    assert len(said) <= 20
    assert int(said[-1].split()[2].replace(",", "")) < 1500


def test_a9a_is_quasi_complete():
    X, y = two_classes("a9a")
    found = nd.separability(*cut(X, y, at=[8000, 16000, 24000]), on="local:2")
    alone = nk.separability(X, y)
    assert found.kind == "quasi-complete"
    assert found.boundary.tolist() == alone.boundary.tolist()
    assert found.status.tolist() == alone.status.tolist()
    assert found.verify(X, y)
