"""The contract of an online learner, as checks."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._estimators import clone
from novikoff._verify import verify
from novikoff.persistence import load, save
from novikoff.theory.geometry import Floats

from ._runner import Pairs, named, require, run

ROWS, COLUMNS = 40, 4


def online_learner_checks() -> Pairs:
    """Return the checks of an online learner.

    Returns
    -------
    list of (str, callable)
        Name of each check, and a function that takes an estimator, which it does not change, and raises
        ``AssertionError`` if the estimator fails.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.testing import online_learner_checks
    >>> dict(online_learner_checks())["zero_weight_equals_absence"](Perceptron())
    """
    return named(CHECKS)


def check_online_learner(estimator: Any, exclude: Collection[str] = ()) -> None:
    """Check that an estimator keeps the contract of an online learner.

    The estimator follows the conventions of scikit-learn (``clone``, ``get_params``, ``classes_``) and has
    ``partial_fit(X, y, classes=None, sample_weight=None)``, ``learn_one(x, y, sample_weight=1.0)``, ``predict``,
    ``predict_one``, ``decision_function`` and the run record ``record_``; ``coef_`` and ``intercept_``, unless several
    learners vote. For ``save`` and ``load`` its class must be registered as a learner.

    Parameters
    ----------
    estimator : object
        The learner. It is cloned and does not change.
    exclude : collection of str, default=()
        Names of checks to leave out.

    Raises
    ------
    AssertionError
        If a check fails. A note says which.
    ValueError
        If ``exclude`` names a check that does not exist.

    See Also
    --------
    online_learner_checks : The same checks one by one.
    sklearn.utils.estimator_checks.check_estimator : The checks of scikit-learn, which complement these.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.testing import check_online_learner
    >>> check_online_learner(Perceptron())
    """
    run(type(estimator).__name__, online_learner_checks(), exclude, estimator)


# ---- data and comparisons ------------------------------------------------------------------------------------------


def make_stream(classes: int, seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    """Return rows of small integers, for which scores of exactly 0 are common, and noisy labels 0, 1, ..."""
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (ROWS, COLUMNS)).astype(np.float64)
    y = np.digitize(X @ np.arange(1, COLUMNS + 1) + random.normal(size=ROWS), np.arange(classes - 1) * 3.0)
    y[:classes] = np.arange(classes)
    return X, y


def most_classes(estimator: Any) -> int:
    """Return 3, or 2 if scikit-learn's tags say that a learner has two classes only."""
    tags = getattr(estimator, "__sklearn_tags__", None)
    return 3 if tags is None or tags().classifier_tags.multi_class else 2


def make_separable(seed: int = 0) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return rows, labels 0 and 1, and weights w with w.x >= 1/2 for label 1 and w.x <= -1/2 for label 0."""
    random = np.random.default_rng(seed)
    w = np.array([1.0, -0.5, 0.25, 0.0])
    X = random.normal(size=(ROWS, COLUMNS))
    y = (X @ w > 0.2).astype(np.int64)  # more labels 0 than 1
    X += np.outer(np.where(y == 1, 0.5, -0.7), w) / (w @ w)
    return X, y, w


def learned(model: Any, X: Any) -> tuple[Any, ...]:
    """Return what a model has learned from a stream, so that two models are equal if all bits are."""
    return (
        model.classes_.tolist(),
        *(_bits(getattr(model, name, None)) for name in ("coef_", "intercept_")),
        np.ascontiguousarray(model.decision_function(X)).tobytes(),
        [certificate.to_json() for certificate in model.record_.certificates],
    )


def _learn_one_by_one(model: Any, X: Any, y: Any, weights: Any = None) -> Any:
    for i, label in enumerate(np.asarray(y).tolist()):
        if weights is None:
            model.learn_one(X[i], label)
        else:
            model.learn_one(X[i], label, float(weights[i]))
    return model


def _bits(values: Any) -> Any:
    return None if values is None else (np.shape(values), np.ascontiguousarray(values).tobytes())


def _last_weights(model: Any) -> list[bytes]:
    """Return the weights of the last hypothesis, which are not ``coef_`` where an average or a vote predicts."""
    record = model.record_
    planes = [certificate.plane() for own in record.members or (record,) for certificate in own.certificates]
    return [model.coef_.tobytes() if plane is None else plane[0].tobytes() for plane in planes]


# ---- the checks ----------------------------------------------------------------------------------------------------


def check_any_batching_gives_the_same_bits(estimator: Any) -> None:
    """Batches of any size, cut anywhere, give the same bits as one batch."""
    for classes in range(2, most_classes(estimator) + 1):
        X, y = make_stream(classes)
        expected = learned(clone(estimator).partial_fit(X, y), X)
        for seed in range(3):
            cuts = np.sort(np.random.default_rng(seed).choice(np.arange(1, ROWS), 5, replace=False))
            model = clone(estimator)
            for begin, end in zip([0, *cuts], [*cuts, ROWS], strict=True):
                model.partial_fit(X[begin:end], y[begin:end])
            require(learned(model, X) == expected, f"batches cut at {cuts.tolist()} gave another model than one batch")


def check_learn_one_equals_partial_fit(estimator: Any) -> None:
    """Examples learned one at a time give the same bits as one batch."""
    for classes in range(2, most_classes(estimator) + 1):
        X, y = make_stream(classes)
        single = _learn_one_by_one(clone(estimator), X, y)
        batch = clone(estimator).partial_fit(X, y)
        require(learned(single, X) == learned(batch, X), "learn_one gave another model than partial_fit")


def check_integer_weight_equals_copies(estimator: Any) -> None:
    """A row of weight k has the same effect as k copies of it, one after the other."""
    for classes in range(2, most_classes(estimator) + 1):
        X, y = make_stream(classes, seed=1)
        weights = np.random.default_rng(1).integers(1, 4, ROWS)
        copies = np.repeat(np.arange(ROWS), weights)
        expected = learned(clone(estimator).partial_fit(X[copies], y[copies]), X)
        found = learned(clone(estimator).partial_fit(X, y, sample_weight=weights.astype(np.float64)), X)
        require(found == expected, "partial_fit with integer weights gave another model than copies of the rows")
        found = learned(_learn_one_by_one(clone(estimator), X, y, weights), X)
        require(found == expected, "learn_one with integer weights gave another model than copies of the rows")


def check_zero_weight_equals_absence(estimator: Any) -> None:
    """A row of weight 0 has no effect, even if it has a new label."""
    X, y = make_stream(2, seed=2)
    weights = np.random.default_rng(2).integers(0, 2, ROWS).astype(np.float64)
    weights[:2] = 1.0
    kept = weights > 0
    expected = learned(clone(estimator).partial_fit(X[kept], y[kept]), X)
    other = np.where(kept, y, 7)
    require(
        learned(clone(estimator).partial_fit(X, other, sample_weight=weights), X) == expected,
        "partial_fit with rows of weight 0 gave another model than partial_fit without them",
    )
    require(
        learned(_learn_one_by_one(clone(estimator), X, other, weights), X) == expected,
        "learn_one with rows of weight 0 gave another model than learn_one without them",
    )


def check_zero_row_leaves_weights_unchanged(estimator: Any) -> None:
    """A row of zeros, with either label, changes no weight. It may change the intercept.

    Exclude this check for learners that centre columns, such as those with ``scale="centred"``, that forget with every
    example, or whose matrix relates the intercept to the columns.
    """
    X, y = make_stream(2)
    model = clone(estimator).partial_fit(X, y)
    before = _last_weights(model)
    for label in (0, 1, 0):
        model.learn_one(np.zeros(COLUMNS), label)
        require(_last_weights(model) == before, f"a row of zeros with the label {label} changed the weights")


def check_labels_of_any_kind(estimator: Any) -> None:
    """Strings, booleans and integers are labels, and the model depends on their order only."""
    X, y = make_stream(2)
    expected = clone(estimator).partial_fit(X, y)
    for labels in (np.array(["no", "yes"]), np.array([False, True]), np.array([-1, 1]), np.array([10, 20])):
        model = clone(estimator).partial_fit(X, labels[y])
        require(np.array_equal(model.classes_, labels), f"classes_ is {model.classes_} for the labels {labels}")
        same = _bits(getattr(model, "coef_", None)) == _bits(getattr(expected, "coef_", None))
        require(same, f"the labels {labels} gave other weights than 0 and 1")
        predicted = model.predict(X)
        require(np.array_equal(predicted, labels[expected.predict(X)]), f"predict does not return the labels {labels}")
        require(model.predict_one(X[0]) == predicted[0], "predict_one and predict return different labels")


def check_new_classes_may_come_later(estimator: Any) -> None:
    """A class that appears late in the stream gives the same bits as one that was declared at the start."""
    X, y = make_stream(most_classes(estimator))
    late_class = int(y.max())
    order = np.argsort(y == late_class, kind="stable")
    X, y = X[order], y[order]
    late = _learn_one_by_one(clone(estimator), X, y)
    declared = clone(estimator).partial_fit(X, y, classes=range(late_class + 1))
    require(learned(late, X) == learned(declared, X), "a late class gave another model than a declared class")


def check_sparse_rows_equal_dense_rows(estimator: Any) -> None:
    """A sparse matrix gives the same model as the dense array with the same values, up to rounding."""
    X, y = make_stream(most_classes(estimator))
    dense = clone(estimator).partial_fit(X, y)
    sparse = clone(estimator).partial_fit(sp.csr_array(X), y)
    if hasattr(dense, "coef_"):
        same = np.allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-9)
        require(same, "sparse rows gave other weights than dense")
    scores = sparse.decision_function(sp.csr_array(X)), dense.decision_function(X)
    require(np.allclose(*scores, rtol=1e-9, atol=1e-9), "sparse rows gave other scores than dense rows")


def check_predicting_changes_nothing(estimator: Any) -> None:
    """Predictions between examples do not change what is learned."""
    X, y = make_stream(most_classes(estimator))
    expected = learned(clone(estimator).partial_fit(X, y), X)
    model = clone(estimator)
    for i, label in enumerate(y.tolist()):
        model.predict_one(X[i])
        model.learn_one(X[i], label)
        model.predict(X[: i + 1])
        model.decision_function(X)
    require(learned(model, X) == expected, "a model that was asked for predictions on the way differs from another")


def check_bad_values_are_refused_without_effect(estimator: Any) -> None:
    """NaN or infinity raises ValueError, and the model remains as it was."""
    X, y = make_stream(2)
    model = clone(estimator).partial_fit(X, y)
    before = learned(model, X)
    for value in (np.nan, np.inf):
        bad = X.copy()
        bad[ROWS // 2, 1] = value
        for learn, arguments in ((model.partial_fit, (bad, y)), (model.learn_one, (bad[ROWS // 2], 0))):
            try:
                learn(*arguments)
            except ValueError:
                pass
            else:
                raise AssertionError(f"{value} among the values was not refused with a ValueError")
            require(learned(model, X) == before, f"rows that were refused because of {value} changed the model")


def check_certificates_verify(estimator: Any) -> None:
    """The certificates of a stream and of ``fit`` hold on their data, and not on other data."""
    X, y, _ = make_separable()
    models = [clone(estimator).partial_fit(X, y)]
    if hasattr(estimator, "fit"):
        models.append(clone(estimator).fit(X, y))
    for model in models:
        found = verify(model, X, y)
        require(not found.failures, f"verify refutes the model on its own data:\n{found}")
        altered = {
            "labels swapped": (X, 1 - y),
            "rows scaled": (1.5 * X, y),
            "half of the rows missing": (X[: ROWS // 2], y[: ROWS // 2]),
            "a row added that contradicts the first": (np.vstack([X, X[:1]]), np.append(y, 1 - y[:1])),
        }
        for name, data in altered.items():
            require(not verify(model, *data), f"verify accepts the model on other data ({name})")


def check_mistakes_within_the_bound(estimator: Any) -> None:
    """On separable data, predictions before learning are wrong at most as often as the certificate's theorems allow."""
    for seed in range(3):
        X, y, w = make_separable(seed)
        model, mistakes = clone(estimator), 0
        for i, label in enumerate(y.tolist()):
            predicted = model.predict_one(X[i])
            mistakes += predicted is not None and predicted != label
            model.learn_one(X[i], label)
        for certificate in model.record_.certificates:
            for name, bound in certificate.bound_curves(X, y, w, 0.0, np.array([ROWS])).items():
                require(mistakes <= bound[-1], f"{mistakes} mistakes, where {name} allows {bound[-1]:g}")


def check_save_and_load(estimator: Any) -> None:
    """A model that was saved and loaded has the same bits and continues in the same way."""
    X, y = make_stream(most_classes(estimator))
    model = clone(estimator).partial_fit(X[:20], y[:20])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.nvk"
        save(model, path)
        copy = load(path)
    _compare_copy(model, copy, X, y, "a loaded model")


def check_pickle(estimator: Any) -> None:
    """A model that was pickled has the same bits and continues in the same way."""
    X, y = make_stream(most_classes(estimator))
    model = clone(estimator).partial_fit(X[:20], y[:20])
    _compare_copy(model, pickle.loads(pickle.dumps(model)), X, y, "an unpickled model")


def _compare_copy(model: Any, copy: Any, X: Any, y: Any, name: str) -> None:
    require(learned(copy, X) == learned(model, X), f"{name} differs from the original")
    copy.partial_fit(X[20:], y[20:])
    model.partial_fit(X[20:], y[20:])
    require(learned(copy, X) == learned(model, X), f"{name} continues in another way than the original")


def check_clone_is_unfitted(estimator: Any) -> None:
    """A clone has the same parameters, has learned nothing, and does not share state with the original."""
    X, y = make_stream(2)
    model = clone(estimator).partial_fit(X, y)
    before = learned(model, X)
    copy = clone(model)
    require(not hasattr(copy, "classes_"), "a clone of a fitted model has classes_")
    copy.partial_fit(X[::-1], y[::-1])
    require(learned(model, X) == before, "learning with a clone changed the original")
    require(learned(clone(model).partial_fit(X, y), X) == before, "a clone learns differently from the original")


CHECKS = (
    check_any_batching_gives_the_same_bits,
    check_learn_one_equals_partial_fit,
    check_integer_weight_equals_copies,
    check_zero_weight_equals_absence,
    check_zero_row_leaves_weights_unchanged,
    check_labels_of_any_kind,
    check_new_classes_may_come_later,
    check_sparse_rows_equal_dense_rows,
    check_predicting_changes_nothing,
    check_bad_values_are_refused_without_effect,
    check_certificates_verify,
    check_mistakes_within_the_bound,
    check_save_and_load,
    check_pickle,
    check_clone_is_unfitted,
)
