"""Not halting is said: once per fit, with the reason that theory gives and the rows or the bound that prove it."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff._separability import quick
from novikoff._separability.quick import UNKNOWN
from novikoff.online import impossible_margin
from novikoff.online._halting import balance_words
from novikoff.theory import bounds
from novikoff.theory.certificate import Duals

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
PARITY = np.array([0, 0, 1, 1])
PROMISING = [
    nk.Perceptron,
    nk.AveragedPerceptron,
    nk.VotedPerceptron,
    nk.MarginPerceptron,
    nk.PassiveAggressive,
]


def overlapping(rows=300, columns=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    scores = X @ rng.normal(size=(columns, classes)) + rng.normal(size=(rows, classes))
    return X, np.argmax(scores, axis=1)


def narrow(gap=2e-3):
    """Separable rows of a tiny margin: the perceptron needs thousands of passes."""
    return np.array([[1.0, 1.0], [1.0, 1.0 - gap], [-1.0, -1.0 - gap]]), np.array([1, 0, 0])


def heard(model, X, y, **options):
    """The one warning of a fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, **options)
    (warning,) = caught
    assert warning.filename == __file__, "it points at the caller of fit"
    assert isinstance(warning.message, nk.NotHaltedWarning)
    assert isinstance(warning.message, ConvergenceWarning)
    return warning.message


def lifted(model, X):
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.hstack([X, np.ones((len(X), 1))]) if model.fit_intercept else X


def assert_balances(model, X, y, witness, positive=1):
    """The sum of a_i y_i u_i is 0, which no plane that separates these rows allows."""
    signs = np.where(np.asarray(y) == positive, 1.0, -1.0)
    total = (witness.weights * signs[witness.rows]) @ lifted(model, X)[witness.rows]
    assert np.all(witness.weights > 0)
    assert witness.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(total, 0, atol=1e-7)


# ---- not separable ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", PROMISING)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_that_no_plane_separates_are_named(cls, form):
    X, y = overlapping()
    model = cls(max_iter=1000)
    warning = heard(model, form(X), y)
    assert (warning.reason, warning.bound, warning.label) == ("not separable", None, None)
    assert model.stopped_ == "inseparable"
    assert_balances(model, X, y, warning.witness)
    assert f"{cls.__name__}: no plane separates the rows, so the passes would never end: " in str(warning)
    assert nk.verify(model, form(X), y)


def test_the_sentence_names_the_rows_of_a_small_witness():
    warning = heard(nk.Perceptron(), XOR, PARITY)
    assert str(warning) == (
        "Perceptron: no plane separates the rows, so the passes would never end: rows 0, 1, 2 and 3 balance each other."
    )
    assert warning.witness.rows.tolist() == [0, 1, 2, 3]
    assert warning.sentence == str(warning).removeprefix("Perceptron: ").removesuffix(".")


@pytest.mark.parametrize("model", [*(cls(max_iter=1000) for cls in PROMISING), nk.Perceptron(normalize=True)])
def test_a_margin_that_is_too_small_to_be_found_is_not_taken_for_none(model):
    X, y = np.array([[1.0], [1.0 + 1e-10]]), [0, 1]
    assert nk.separability(X, y).kind == "complete"
    warning = heard(model, X, y)
    assert (warning.reason, warning.witness) == ("no progress", None)
    assert model.stopped_ == "no progress"
    assert warning.sentence == (
        "no plane with a margin above 1e-09 of the length of the rows was found, and whether a plane separates the "
        "rows is not known; ask novikoff.separability"
    )
    assert nk.verify(model, X, y)


def test_a_balance_that_is_not_proven_within_the_work_is_not_told(monkeypatch):
    monkeypatch.setattr(quick, "SMALL_WORK", 0.0)
    model = nk.Perceptron()
    warning = heard(model, XOR, PARITY)
    assert (warning.reason, warning.witness, model.stopped_) == ("no progress", None, "no progress")
    assert "no plane separates" not in str(warning)


def test_a_balance_does_not_depend_on_the_lengths_of_the_rows():
    X, y = np.array([[1.0, 3.0], [2.0, 6.0], [7.0, 21.0]]), [1, 0, 1]
    for model in (nk.Perceptron(), nk.Perceptron(normalize=True)):
        warning = heard(model, X, y)
        assert warning.reason == "not separable"
        assert_balances(model, X, y, warning.witness)


@pytest.mark.parametrize("cls", PROMISING)
def test_on_few_rows_the_reason_is_always_found(cls):
    model = cls()
    warning = heard(model, XOR, PARITY)
    assert model.stopped_ == "inseparable"
    assert str(warning).endswith(
        "no plane separates the rows, so the passes would never end: rows 0, 1, 2 and 3 balance each other."
    )
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 50)), np.tile([0, 1], 20)
    model = cls(max_iter=2)
    assert "a plane separates the rows, but 2 passes were not enough" in str(heard(model, X, y))
    assert model.stopped_ == "max_iter"


def test_rows_of_weight_zero_are_not_in_the_witness_and_do_not_shift_it():
    X, y = np.vstack([[[9.0, 9.0], [8.0, 8.0]], XOR]), np.append([1, 0], PARITY)
    warning = heard(nk.Perceptron(), X, y, sample_weight=[0, 0, 1, 1, 1, 1])
    assert warning.witness.rows.tolist() == [2, 3, 4, 5]


def test_a_row_of_zeros_lies_on_every_plane_through_the_origin():
    X, y = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 1.0]]), [1, 0, 0]
    model = nk.Perceptron(fit_intercept=False)
    warning = heard(model, X, y)
    assert warning.witness.rows.tolist() == [1]
    assert str(warning).endswith(": row 1 has only zeros.")


def test_of_several_classes_the_first_that_cannot_be_separated_is_named():
    X = np.vstack([overlapping(400)[0], np.full((50, 4), 40.0)])
    y = np.append(np.array(["a", "b"])[overlapping(400)[1]], np.full(50, "c"))
    model = nk.Perceptron()
    warning = heard(model, X, y)
    assert model.stopped_ == ["inseparable", "inseparable", "converged"]
    again = nk.Perceptron(n_jobs=2)
    heard(again, X, y)
    assert (again.stopped_, again.coef_.tobytes()) == (model.stopped_, model.coef_.tobytes())
    assert nk.verify(model, X, y)
    assert (warning.reason, warning.label) == ("not separable", "a")
    assert "no plane separates 2 of 3 classes from the rest" in str(warning)
    assert ": for class 'a', " in str(warning)
    assert_balances(model, X, y, warning.witness, positive="a")


def test_one_of_several_classes_is_named_alone():
    X = np.array([[-1.0], [0.0], [1.0]])
    warning = heard(nk.Perceptron(), X, ["a", "b", "c"])
    assert "no plane separates class 'b' from the rest, " in str(warning)
    assert warning.label == "b"


def test_many_rows_are_counted_and_few_are_named():
    assert balance_words(None) == ""
    assert balance_words(Duals(np.arange(2), np.ones(2))) == "rows 0 and 1 balance each other"
    assert balance_words(Duals(np.arange(2000), np.ones(2000))) == "the 2,000 rows of the witness balance each other"


# ---- margin above the bound ------------------------------------------------------------------------------------------


def test_a_margin_that_no_plane_has_is_compared_with_the_bound():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1, 0])
    model = nk.MarginPerceptron(margin=9.0, fit_intercept=False)
    warning = heard(model, X, y)
    assert (warning.reason, warning.witness) == ("margin above the bound", None)
    assert (model.stopped_, model.n_iter_) == ("inseparable", 1)
    assert 1 <= warning.bound < 9
    assert nk.MarginPerceptron(margin=0.9, fit_intercept=False).fit(X, y).stopped_ == "converged"
    assert warning.bound <= model.certificate_.margin_upper_bound
    assert str(warning) == (
        "MarginPerceptron: no plane has even (1 - epsilon) times the margin 9 that was asked for, so the passes would "
        "never end: |v|/M proves that none is above 1.00001."
    )


def test_a_margin_just_above_the_largest_need_not_end_the_passes():
    """The rule needs (1 - epsilon) of it, which a plane may have."""
    X, y = narrow(0.1)
    largest = float(nk.HardMarginSVM(penalized_intercept=True).fit(X, y).margin_)
    model = nk.MarginPerceptron(margin=1.5 * largest, epsilon=0.32, max_iter=100)
    warning = heard(model, X, y)
    assert model.stopped_ == "max_iter"
    assert warning.reason == "margin above the bound"
    assert largest <= warning.bound < 1.5 * largest
    assert "no plane has the margin " in str(warning)
    assert "that was asked for, and the passes end only if one has (1 - epsilon) times it: " in str(warning)
    assert warning.bound >= 0.68 * model.margin, "otherwise it is proven that they never end"


def test_a_guess_above_the_largest_margin_halts_if_a_plane_has_what_the_rule_needs():
    """The rule needs (1 - epsilon) of the guess: with epsilon = 1/2, that is every guess below twice the margin."""
    X, y = narrow(0.1)
    largest = float(nk.HardMarginSVM(penalized_intercept=True).fit(X, y).margin_)
    model = nk.MarginPerceptron(margin=1.9 * largest, epsilon=0.5, max_iter=10**6).fit(X, y)
    assert model.stopped_ == "converged"
    assert largest >= model.margin_ >= 0.5 * 1.9 * largest * (1 - 1e-9)


def test_rows_that_no_plane_separates_are_named_although_a_margin_was_asked_for():
    model = nk.MarginPerceptron(margin=0.5, epsilon=1.0)
    warning = heard(model, XOR, PARITY)
    assert warning.reason == "not separable"
    assert str(warning).endswith("rows 0, 1, 2 and 3 balance each other.")


def test_a_margin_that_exists_halts_without_a_warning():
    X, y = narrow(0.1)
    largest = nk.HardMarginSVM(penalized_intercept=True).fit(X, y).margin_
    model = nk.MarginPerceptron(margin=largest, max_iter=10**6).fit(X, y)
    assert model.stopped_ == "converged"


def test_a_margin_that_is_not_excluded_needs_more_passes():
    X, y = narrow()
    warning = heard(nk.MarginPerceptron(margin=1e-5, max_iter=20), X, y)
    assert warning.reason == "max_iter"
    assert "20 passes were not enough for the margin 1e-05 that was asked for, and as many as " in str(warning)


def test_the_words_of_a_margin_name_the_class():
    assert impossible_margin(2.0, 1.0, 1.0, "for class 'a', ").startswith("for class 'a', no plane has the margin 2 ")


# ---- max_iter --------------------------------------------------------------------------------------------------------


def test_separable_rows_need_at_most_the_passes_of_the_theorem():
    X, y = narrow(0.02)
    warning = heard(nk.Perceptron(max_iter=20), X, y)
    assert (warning.reason, warning.witness) == ("max_iter", None)
    assert "a plane separates the rows, but 20 passes were not enough, and as many as " in str(warning)
    margin = float(nk.HardMarginSVM(penalized_intercept=True).fit(X, y).margin_)
    assert warning.bound >= bounds.novikoff(np.sqrt(3 + 0.02**2 + 0.04), margin)
    model = nk.Perceptron(max_iter=int(warning.bound)).fit(X, y)
    assert model.stopped_ == "converged"


def test_with_private_features_the_bound_is_known_without_a_plane():
    X, y = overlapping(60)
    warning = heard(nk.Perceptron(slack_feature=0.5, max_iter=5), X, y)
    assert warning.reason == "max_iter"
    radius = np.sqrt(np.max(np.sum(X**2, axis=1)) + 1 + 0.25)
    assert warning.bound == pytest.approx(radius**2 * 60 / 0.25 + 1, abs=1)
    assert nk.Perceptron(slack_feature=0.5, max_iter=int(warning.bound)).fit(X, y).stopped_ == "converged"


def test_without_a_bound_none_is_stated():
    X, y = narrow()
    warning = heard(nk.Perceptron(max_iter=200), X, y, sample_weight=[0.5, 1, 1])
    assert (warning.reason, warning.bound) == ("max_iter", None)
    model = nk.Perceptron(max_iter=200, warm_start=True)
    heard(model, X, y)
    assert heard(model, X, y).bound is None, "the theorem begins at v = 0"


@pytest.mark.parametrize("cls", PROMISING)
def test_if_nothing_is_known_the_warning_says_so(cls):
    X, y = overlapping()
    model = cls(max_iter=3, n_iter_no_change=None)
    warning = heard(model, X, y)
    assert model.stopped_ == warning.reason == "max_iter"
    assert (warning.witness, warning.bound) == (None, None)
    assert "3 passes were not enough, and whether a plane separates the rows is not known: " in str(warning)


def test_no_progress_is_a_reason(monkeypatch):
    monkeypatch.setattr(quick, "decide_quickly", lambda *arguments: UNKNOWN)
    model = nk.Perceptron()
    warning = heard(model, *overlapping(3000, 6))
    assert model.stopped_ == warning.reason == "no progress"
    assert "the mistakes per pass did not become fewer in " in str(warning)
    assert "whether a plane separates the rows is not known" in str(warning)


# ---- no warning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [nk.PassiveAggressiveI, nk.PassiveAggressiveII])
def test_learners_for_rows_that_overlap_say_nothing_of_them(cls):
    assert cls(max_iter=1000).fit(*overlapping()).stopped_ == "inseparable"
    assert cls().fit(*overlapping()).stopped_ == "max_iter"
    warning = heard(cls(max_iter=200), *narrow())
    assert warning.reason == "max_iter"


@pytest.mark.parametrize("cls", PROMISING)
def test_one_pass_promises_nothing(cls):
    assert cls(max_iter=1).fit(*overlapping()).n_iter_ == 1


@pytest.mark.parametrize("cls", PROMISING)
def test_streams_and_fits_that_halt_say_nothing(cls):
    X, y = overlapping()
    cls().partial_fit(X, y)
    assert cls(max_iter=1000).fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], [1, 1, 0]).stopped_ == "converged"


def test_as_an_error_it_leaves_the_model_fitted():
    model = nk.Perceptron()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(nk.NotHaltedWarning):
            model.fit(XOR, PARITY)
    assert model.stopped_ == "inseparable"


def test_it_can_be_pickled():
    warning = heard(nk.Perceptron(), XOR, PARITY)
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.reason, again.bound) == (str(warning), warning.reason, warning.bound)
    assert again.witness.rows.tolist() == [0, 1, 2, 3]


# ---- how it ended ----------------------------------------------------------------------------------------------------


def test_rows_of_a_tiny_margin_are_learned_to_the_end():
    X, y = narrow()
    model = nk.Perceptron(max_iter=100_000).fit(X, y)
    assert model.stopped_ == "converged"
    assert model.n_iter_ > 300, "otherwise this tests nothing"
    assert model.score(X, y) == 1
    assert nk.verify(model, X, y)


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@pytest.mark.parametrize("convert", [lambda X: X.astype(np.float32), lambda X: X])
def test_rows_of_weight_zero_do_not_count(convert):
    X, y = narrow()
    X, y = np.vstack([X, X]), np.append(y, 1 - y)
    weights = np.array([1.0, 2.0, 1.0, 0.0, 0.0, 0.0])
    model = nk.Perceptron(max_iter=100_000).fit(convert(X), y, sample_weight=weights)
    assert model.stopped_ == "converged"
    assert nk.Perceptron().fit(convert(X), y).stopped_ == "inseparable"


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
def test_a_warm_start_says_how_it_ended_and_a_stream_does_not():
    X, y = overlapping()
    model = nk.Perceptron(warm_start=True).fit(X, y).fit(X, y)
    assert model.stopped_ == "inseparable"
    model.partial_fit(X[:5], y[:5])
    assert not hasattr(model, "stopped_")
    assert not hasattr(nk.Perceptron(), "stopped_")
    streamed = nk.Perceptron()
    streamed.learn_one({"a": 1.0}, "x")
    assert not hasattr(streamed, "stopped_")


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
def test_the_reason_is_saved(tmp_path):
    X, y = overlapping(classes=3)
    model = nk.Perceptron().fit(X, y)
    model.save(tmp_path / "model.nvk")
    again = nk.load(tmp_path / "model.nvk")
    assert again.stopped_ == model.stopped_ == ["inseparable"] * 3
    assert again.n_iter_no_change == 5


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
def test_ties_that_are_no_mistakes_are_not_taken_for_inseparable_rows():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1e-3, 1.0]]), np.array([1, 1, 0, 0])
    strict = nk.Perceptron(fit_intercept=False, max_iter=200).fit(X, y)
    assert strict.stopped_ == "inseparable"
    model = nk.Perceptron(fit_intercept=False, tie="positive", max_iter=200).fit(X, y)
    assert model.stopped_ in ("converged", "no progress", "max_iter")


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@pytest.mark.parametrize("cls", [nk.PassiveAggressive, nk.PassiveAggressiveI, nk.PassiveAggressiveII])
def test_passive_aggressive_learners_converge_without_mistakes_but_not_without_rows_to_learn_from(cls):
    X, y = narrow(0.5)
    model = cls(max_iter=1000, shuffle=False).fit(X, y)
    assert model.stopped_ == "converged"
    scores = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert 0 < scores.min() < 1
    before = model.coef_.copy()
    assert not np.array_equal(model.partial_fit(X, y).coef_, before), "another pass learns"


def test_a_margin_perceptron_converges_without_updates():
    X, y = narrow(0.5)
    model = nk.MarginPerceptron(shuffle=False).fit(X, y)
    assert model.stopped_ == "converged"
    before = model.coef_.copy()
    np.testing.assert_array_equal(model.partial_fit(X, y).coef_, before)


@pytest.mark.slow
def test_python_suggests_no_private_name_where_there_is_no_reason():
    code = "import novikoff as nk; nk.Perceptron().partial_fit([[1.0], [0.0]], [1, 0]).stopped_"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    last = run.stderr.strip().splitlines()[-1]
    assert last == "AttributeError: Perceptron has no stopped_: it was not learned by fit alone."
