"""``distributed.fit``: the estimator itself is fitted, as a whole or not at all."""

import pickle
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk
from gathered_fits import NAME, ROUNDS, gathering
from novikoff._estimators import ConvergenceWarning
from novikoff.distributed import fit
from novikoff.distributed.engines import local
from novikoff.distributed.fitting import fit_outcome
from novikoff.distributed.plan import PLANS
from novikoff.distributed.rounds import on_block
from novikoff.distributed.soft_margin import plan as soft_margin
from novikoff.errors import InvalidInputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")
NOISY = X[:, 0] + RNG.normal(size=40) > 0


@pytest.fixture(autouse=True)
def plan():
    with gathering():
        yield


def threads():
    """The names of the threads of rounds that are not closed."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("novikoff-partition")]


def test_the_estimator_is_fitted_in_place():
    model = nk.AROW()
    assert fit(model, X, Y, on="local:3") is model
    assert model.coef_.tobytes() == nk.AROW().fit(X, Y).coef_.tobytes()
    assert threads() == []


def test_outcome_says_what_the_data_and_the_rounds_were():
    outcome = fit_outcome(nk.AROW(), X, Y, np.full(40, 2.0), on="local:3")
    assert (outcome.survey.count, outcome.survey.columns, len(outcome.survey.rows)) == (40, 3, 3)
    assert (outcome.rounds, outcome.engine) == (ROUNDS + 2, "local")  # with the survey and the gathering of rows
    assert outcome.bytes_sent > 3 * X.nbytes


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (nk.LinearSVM(loss="hinge", C=1.0), 3),
        (nk.LinearSVM(loss="squared_hinge"), 3),
        (nk.LinearSVM(C=1.0, tol=1e-2), 50_000),
        (nk.AveragedPerceptron(max_iter=100), 3),
    ],
    ids=["Newton and gathering", "squared hinge", "descent", "mixing"],
)
def test_steps_may_be_repeated(monkeypatch, model, columns):
    """Clusters repeat the steps of lost workers, so a step modifies neither rows nor state nor command."""

    def twice(*given):
        before = pickle.dumps(given[3:])
        found, again = on_block(*given), on_block(*given)
        assert pickle.dumps(found) == pickle.dumps(again)
        assert pickle.dumps(given[3:]) == before
        return found

    monkeypatch.setattr(local, "on_block", twice)
    monkeypatch.setattr(soft_margin, "MAX_HELD", 0 if columns > 3 else soft_margin.MAX_HELD)
    rows = X if columns == 3 else sp.random(40, columns, 1e-3, "csr", random_state=0)
    assert nk.verify(fit(model, rows, Y, on="local:2"), rows, Y)


def test_messages_and_fractions_are_reported():
    said = []
    fit(nk.AROW(), X, Y, on="local:1", progress=lambda message, fraction: said.append((message, fraction)))
    assert said == [("round 12, gap 0", 1.0)]


def test_a_fit_that_fails_leaves_the_estimator_as_it_was():
    model = nk.AROW().fit(X[:10], Y[:10])
    before = dict(vars(model))

    def failing(fit):
        fit.model.n_features_in_ = 99
        raise RuntimeError("half way")

    PLANS.unregister(NAME)
    PLANS.register(NAME, failing)
    with pytest.raises(RuntimeError, match="half way"):
        fit(model, X, Y, on="local:2")
    assert vars(model) == before
    assert threads() == []


def test_other_estimators_are_refused():
    with pytest.raises(InvalidInputError, match=r"VotedPerceptron cannot be fitted in rounds\. Use one of LinearSVM"):
        fit(nk.VotedPerceptron(), X, Y, on="local")


def test_a_class_is_refused():
    with pytest.raises(InvalidInputError, match=r"estimator must be an object, such as LinearSVM\(\), not a class\."):
        fit(nk.LinearSVM, X, Y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X,), r"Perceptron: y is missing\. Pass the labels, or the name of their column\."),
        (([X[:20], X[20:, :2]], [Y[:20], Y[20:]]), r"Perceptron: partition 1 has 2 columns, but partition 0 has 3\."),
        ((iter([X]), Y), r"X must be rows, or the path of files, but it is a list_iterator\."),
    ],
)
def test_data_that_are_not_labelled_rows_are_refused_with_the_reason(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(nk.Perceptron(), *arguments, on="local:2")


@pytest.mark.parametrize(
    ("name", "message"), [("speed", r"there is no option speed\."), ("text", r"text is an option of files, but X is")]
)
def test_options_that_do_not_apply_are_refused(name, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(nk.AROW(), X, Y, **{name: ["a"]})


def test_columns_of_a_data_frame_are_labels_and_weights_by_their_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=Y, weight=2.0)
    model = fit(nk.AROW(), frame, "label", "weight", on="local:2")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.coef_.tobytes() == fit(nk.AROW(), X, Y, np.full(40, 2.0), on="local:2").coef_.tobytes()
    with pytest.raises(InvalidInputError, match="y='lable' is not a column"):
        fit(nk.AROW(), frame, "lable")


def test_rows_of_files_are_predicted_without_a_warning_and_weights_have_names(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=Y).to_csv(path, index=False)
    model = fit(nk.Perceptron(shuffle=False), path, y="label", on="local:1")
    batches = list(model.reading_.scan(path, labelled=False))
    assert np.concatenate([model.predict(batch.X) for batch in batches]).tolist() == Y.tolist()
    assert list(model.weights_) == ["a", "b", "c"]
    assert not hasattr(model, "feature_names_in_")


def test_a_warning_does_not_undo_the_fit():
    model = nk.LinearSVM(C=100.0, loss="hinge", tol=1e-9, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="LinearSVM: after"):
        fit_outcome(model, X, NOISY, on="local")
    assert not model.certificate_.converged
    other = nk.LinearSVM(C=100.0, loss="hinge", tol=1e-9, max_iter=2)
    with pytest.raises(ConvergenceWarning):
        fit_outcome(other, X, NOISY, on="local")  # warnings are errors here
    assert np.array_equal(other.coef_, model.coef_)
