"""LinearSVM on partitions: the same bits on any number of threads, proven objectives, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.distributed import fit, verify
from novikoff.distributed.fitting import fit_outcome
from novikoff.distributed.soft_margin import gathering, plan
from novikoff.errors import InvalidInputError
from novikoff.persistence import dumps, loads
from partitions import INTERCEPTS, LOSSES, bits, certificates, cut, parameters
from real_data import two_classes

RNG = np.random.default_rng(0)
COUNT = 90
SIZES, OTHER_SIZES = [0, 1, 40, 0, 20, 29], [50, 0, 40]
DENSE = RNG.normal(size=(COUNT, 5))
THREE = np.argmax(DENSE[:, :3] + RNG.normal(size=(COUNT, 3)), axis=1)
THREE[41:61] = 1  # a partition of one class
TWO = np.where(THREE > 0, "yes", "no")
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 1.7], COUNT) + (np.arange(COUNT) < 2)
SPARSE = sp.random(COUNT, 30, 0.2, random_state=1, format="csr")
ROWS = {"float64": DENSE, "float32": DENSE.astype(np.float32), "sparse": SPARSE, "sparse float32": SPARSE.astype("f4")}
LABELS = {"two": (TWO, "ovr"), "ovr": (THREE, "ovr"), "ovo": (THREE, "ovo")}
CLASS_WEIGHTS = {"equal": None, "balanced": "balanced", "dict": {0: 2.0, 1: 0.5, "no": 3.0}}
CASES = [
    (loss, intercept, kind, labels, "equal", kind == "float32")
    for loss in LOSSES
    for intercept in INTERCEPTS
    for kind, labels in (("float64", "two"), ("sparse", "ovr"), ("float32", "ovo"))
] + [
    (loss, "free", kind, labels, class_weight, True)
    for loss in LOSSES
    for class_weight in ("balanced", "dict")
    for kind, labels in (("float64", "ovo"), ("sparse float32", "two"), ("sparse", "ovr"))
]


@pytest.mark.parametrize(("loss", "intercept", "kind", "labels", "class_weight", "is_weighted"), CASES)
def test_threads_do_not_change_a_bit_and_the_objective_is_proven(
    loss, intercept, kind, labels, class_weight, is_weighted
):
    X, (y, multi_class) = ROWS[kind], LABELS[labels]
    weights = WEIGHTS if is_weighted else None
    own = {"loss": loss, "multi_class": multi_class, "class_weight": CLASS_WEIGHTS[class_weight]}
    own |= parameters(intercept)
    parts = cut(X, SIZES), cut(y, SIZES), cut(weights, SIZES)
    models = [fit(nk.LinearSVM(**own), *parts, on=f"local:{threads}") for threads in (1, 2, 4)]
    assert len({bits(model) for model in models}) == 1
    model, one = models[0], nk.LinearSVM(**own).fit(X, y, sample_weight=weights)
    assert model.classes_.tolist() == one.classes_.tolist()
    assert model.coef_.shape == one.coef_.shape
    for found, expected in zip(certificates(model), certificates(one), strict=True):
        assert found.converged
        assert found.C == expected.C
        assert found.examples == expected.examples
        gap = max(found.primal - found.dual, expected.primal - expected.dual)
        assert abs(found.primal - expected.primal) <= gap
        assert found.dual <= expected.primal
        assert expected.dual <= found.primal
    assert nk.verify(model, X, y, sample_weight=weights)
    assert verify(model, cut(X, OTHER_SIZES), cut(y, OTHER_SIZES), cut(weights, OTHER_SIZES), on="local:2")


def test_a_saved_model_is_the_same():
    model = fit(nk.LinearSVM(), DENSE, TWO, on="local:2")
    again = loads(dumps(model))
    assert dumps(again) == dumps(model)
    assert again.predict(DENSE).tolist() == model.predict(DENSE).tolist()
    assert verify(again, DENSE, TWO, on="local:3")


def test_slacks_are_missing_with_the_reason():
    model = fit(nk.LinearSVM(), DENSE, TWO, on="local:2")
    with pytest.raises(AttributeError, match=r"LinearSVM has no slack_: .*not for partitioned data"):
        _ = model.slack_


def test_names_of_columns_come_from_a_data_frame():
    frame = pd.DataFrame(DENSE, columns=list("abcde"))
    model = fit(nk.LinearSVM(), frame, TWO, on="local")
    assert model.feature_names_in_.tolist() == list("abcde")
    assert model.predict(frame).tolist() == model.predict(frame).tolist()
    fit(model, pd.DataFrame(DENSE), TWO, on="local")
    assert not hasattr(model, "feature_names_in_")
    model.predict(pd.DataFrame(DENSE))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"max_iter": 3}, {"max_iter": 6}, {"max_time": 1e-9}])
@pytest.mark.parametrize("columns", [5, 5000])
def test_limits_end_with_a_warning_and_a_certificate_that_holds(loss, limit, columns):
    X = DENSE if columns == 5 else sp.random(COUNT, columns, 0.05, random_state=0, format="csr")
    with pytest.warns(ConvergenceWarning, match=r"LinearSVM: after \d+ steps the relative gap"):
        model = fit(nk.LinearSVM(loss=loss, C=10, tol=1e-14, **limit), X, TWO, on="local:2")
    assert not model.certificate_.converged
    assert model.certificate_.dual >= 0
    assert nk.verify(model, X, TWO)
    assert verify(model, X, TWO, on="local:3")
    assert model.certificate_.iterations <= limit.get("max_iter", 1) + 8


def no_gathering(monkeypatch):
    """Let the driver hold no rows."""
    monkeypatch.setattr(plan, "MAX_HELD", 0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_wide_rows_are_solved_by_descent_if_they_cannot_be_gathered(monkeypatch, loss, intercept):
    no_gathering(monkeypatch)
    X = sp.random(COUNT, 50_000, 1.5e-3, random_state=0, format="csr")
    assert len(np.unique(X.indices)) > plan.MAX_GRAM_COLUMNS
    model = fit(
        nk.LinearSVM(loss=loss, tol=1e-3, **parameters(intercept)), cut(X, SIZES), cut(TWO, SIZES), on="local:2"
    )
    assert model.history_["method"][-1] == "coordinate descent"
    assert model.certificate_.converged
    assert nk.verify(model, X, TWO)


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_the_hinge_is_solved_without_gathered_rows(monkeypatch, intercept):
    no_gathering(monkeypatch)
    model = fit(nk.LinearSVM(loss="hinge", **parameters(intercept)), cut(DENSE, SIZES), cut(TWO, SIZES), on="local:2")
    assert model.history_["method"][-1] == "Newton"
    assert model.certificate_.converged
    assert nk.verify(model, DENSE, TWO)


def test_wide_rows_are_gathered_if_the_driver_can_hold_them():
    X = sp.random(COUNT, 50_000, 1.5e-3, random_state=0, format="csr")
    model = fit(nk.LinearSVM(tol=1e-6), cut(X, SIZES), cut(TWO, SIZES), on="local:2")
    assert model.history_["method"][-1] == "disaggregation"
    assert model.certificate_.converged
    assert nk.verify(model, X, TWO)


@pytest.mark.parametrize(("loss", "intercept"), [("hinge", "none"), ("squared_hinge", "free")])
def test_descent_goes_on_where_gathering_has_ended(monkeypatch, loss, intercept):
    monkeypatch.setattr(gathering, "MAX_GROUP_ROUNDS", 1)
    whole = gathering.solve_gathered

    def solve_roughly(*given):
        v, alpha, solution = whole(*given)
        return 0.99 * v, 0.99 * alpha, SimpleNamespace(dual=0.99 * solution.dual)

    monkeypatch.setattr(gathering, "solve_gathered", solve_roughly)
    X = sp.random(COUNT, 50_000, 1.5e-3, random_state=0, format="csr")
    own = {"loss": loss, "tol": 1e-6} | parameters(intercept)
    model = fit(nk.LinearSVM(**own), cut(X, SIZES), cut(TWO, SIZES), on="local:2")
    methods, gaps = model.history_["method"], model.history_["gap"]
    last = max(np.flatnonzero(np.asarray(methods) == "disaggregation"))
    assert methods[-1] == "coordinate descent"
    assert gaps[last + 1] <= gaps[last] <= 0.1
    assert model.certificate_.converged
    assert nk.verify(model, X, TWO)


@pytest.mark.parametrize("columns", [30, 50_000])
def test_empty_dense_partitions_beside_sparse_ones_and_labels_without_weight_change_nothing(columns):
    X, y, weights = sp.random(COUNT, columns, 45 / COUNT / columns, "csr", random_state=0), TWO.copy(), np.ones(COUNT)
    y[7], weights[7] = "odd", 0.0
    sizes = [0, 40, 0, 50]
    parts = [np.zeros((0, 4)), X[:40], sp.csr_matrix((0, 3)), X[40:]]
    own = {"C": 1.0, "class_weight": {"no": 2.0}}
    model = fit(nk.LinearSVM(**own), parts, cut(y, sizes), cut(weights, sizes), on="local:2")
    others = np.arange(COUNT) != 7
    assert model.classes_.tolist() == ["no", "yes"]
    assert nk.verify(model, X, np.where(others, y, "no"), weights)


NAN = DENSE.copy()
NAN[44, 2] = np.nan  # row 3 of partition 2


REFUSED = [  # X, y and weights; parameters; and the reason
    ((DENSE, TWO), {"probability": True}, "probability=True is not supported on partitioned data"),
    (
        (DENSE, THREE),
        {"multi_class": "crammer_singer", "loss": "hinge"},
        r"crammer_singer\" is not supported on par",
    ),
    ((DENSE, np.zeros(COUNT)), {}, "y has only one class, 0"),
    ((DENSE[:0], TWO[:0]), {}, "the data have no rows"),
    ((DENSE, TWO, np.zeros(COUNT)), {}, "sample_weight is zero for every row"),
    ((DENSE,), {}, "y is missing. Pass the labels"),
    (([DENSE, DENSE[:, :4]], [TWO, TWO]), {}, r"has 4 columns, but .* has 5\. All partitions need the same"),
    ((cut(NAN, [21, 20, 49]), cut(TWO, [21, 20, 49])), {}, r"partition 2.*row 3"),
    (([DENSE, DENSE], [TWO, None]), {}, "partition 1: the rows have no labels"),
    (
        ([np.ones((1, 3)), sp.csr_matrix((1, 3))], [[0], [1]]),
        {},
        "partition 0 has 3 columns, but others are sparse",
    ),
    (([np.ones((1, 0))] * 2, [[0], [1]]), {}, "the rows have no columns"),
    (([np.ones((10_001, 1))], [np.arange(10_001.0)]), {}, "10001 different labels, but at most 10000 are classes"),
    ((DENSE, TWO), {"class_weight": {"no": 0.0}}, "all rows of a class have zero weight"),
    ((DENSE, TWO), {"class_weight": "equal"}, "class_weight must be None"),
    ((DENSE, TWO), {"C": -1.0}, "C must be"),
]


def test_what_cannot_be_fitted_is_refused_with_the_reason():
    for parts, own, message in REFUSED:
        model = nk.LinearSVM(**own)
        before = dict(vars(model))
        with pytest.raises(InvalidInputError, match=message):
            fit(model, *parts, on="local:2")
        assert vars(model) == before, message


def test_progress_is_said_with_rounds_and_gaps():
    said = []
    fit(nk.LinearSVM(), DENSE, TWO, on="local:2", progress=lambda *words: said.append(words))
    assert said
    assert all("gap" in message and 0 <= fraction <= 1 for message, fraction in said)
    assert said[-1][1] == 1.0


def test_progress_of_several_problems_names_each_and_counts_those_that_are_done():
    said = []
    fit(nk.LinearSVM(C=1.0), DENSE, THREE, on="local:2", progress=lambda *words: said.append(words))
    messages, fractions = zip(*said, strict=True)
    assert {f"{done} of 3 done" for done in range(1, 4)} <= {message.partition(";")[0] for message in messages}
    assert fractions == tuple(sorted(fractions))
    assert said[-1] == ("3 of 3 done", 1.0)


@pytest.mark.parametrize("columns", [5, 50_000])
def test_problems_that_wait_for_others_have_the_same_bits(monkeypatch, columns):
    X = DENSE if columns == 5 else sp.random(COUNT, columns, 1.5e-3, random_state=0, format="csr")
    models = []
    for most in (3, 1):
        monkeypatch.setattr(plan, "problems_at_a_time", lambda setup, survey, held, most=most: most)
        monkeypatch.setattr(plan, "MAX_HELD", most << 28)
        models.append(fit(nk.LinearSVM(C=1.0), cut(X, SIZES), cut(THREE, SIZES), on="local:2"))
    assert bits(models[0]) == bits(models[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a9a", "w8a", "mushrooms"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_real_data_need_few_rounds(name, loss, C):
    X, y = two_classes(name)
    sizes = np.diff(np.linspace(0, X.shape[0], 5).astype(int)).tolist()
    outcome = fit_outcome(nk.LinearSVM(loss=loss, C=C, tol=1e-6), cut(X, sizes), cut(y, sizes), on="local:2")
    assert outcome.estimator.certificate_.converged
    assert outcome.rounds <= 60
