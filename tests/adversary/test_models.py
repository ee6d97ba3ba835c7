"""A model that verifies predicts with what its certificates prove, whatever of it was altered in memory."""

import copy
import warnings

import numpy as np
import pytest

import novikoff as nk
from adversary.cases import data_set, generator
from adversary.forge import other_array, other_number
from oracle import decided, statuses

MODELS = {
    "pairs": lambda: nk.LinearSVM(max_iter=200),
    "one-vs-rest": lambda: nk.LinearSVM(multi_class="ovr", loss="hinge", C=1.0, max_iter=200),
    "joint": lambda: nk.LinearSVM(multi_class="crammer_singer", loss="hinge", max_iter=200),
    "path": lambda: nk.LinearSVMPath(Cs=2, max_iter=200),
    "binary": lambda: nk.LinearSVM(penalized_intercept=True, max_iter=200),
    "hard margin": lambda: nk.HardMarginSVM(max_iter=200),
}
BINARY = ("binary", "hard margin")
PARAMETERS = {
    "C": [1.0, 2.0],
    "loss": ["hinge", "squared_hinge"],
    "tol": [1e-3, 1e-4],
    "fit_intercept": [True, False],
    "multi_class": ["ovr", "ovo", "crammer_singer", "auto"],
    "class_weight": [None, "balanced", {0: 2.0}],
}


def fitted(number, name):
    rng = generator(2, number)
    X, y, weights = data_set(rng, 2 if name in BINARY else 3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return MODELS[name]().fit(X, y, weights), X, y, weights
    except (nk.InvalidInputError, nk.NotSeparableError):
        return None


def altered(model, X, y, weights, rng):
    """A copy of the model, and its data, of which something was changed."""
    model, choice = copy.deepcopy(model), rng.integers(6)
    names = [name for name, value in vars(model).items() if name.endswith("_") and isinstance(value, np.ndarray)]
    if choice == 0:
        name = str(rng.choice([name for name in names if name not in ("classes_", "history_")]))
        setattr(model, name, other_array(getattr(model, name), rng))
    elif choice == 1:
        known = {name: values for name, values in PARAMETERS.items() if name in model.get_params()}
        name = str(rng.choice(list(known)))
        model.set_params(**{name: known[name][rng.integers(len(known[name]))]})
    elif choice == 2:
        name = "certificates_" if hasattr(model, "certificates_") else "certificate_"
        held = getattr(model, name)
        setattr(model, name, [held[k] for k in rng.permutation(len(held))] if isinstance(held, list) else held)
    elif choice == 3:
        order = rng.permutation(len(model.classes_))
        model.classes_ = model.classes_[order]
    elif choice == 4:
        name = str(
            rng.choice([name for name in ("n_iter_", "C_", "n_features_in_") if np.ndim(getattr(model, name, [])) == 0])
        )
        setattr(model, name, other_number(getattr(model, name), rng))
    else:
        order = rng.permutation(len(y))
        X = X[order]
    return model, X, y, weights


def is_proven(model, X, y, weights):
    """Whether all certificates are true by the independent checker, and are about the weights that predict."""
    record = model.record_
    own = weights
    if model.get_params().get("class_weight") is not None:
        return True  # the checker takes the weights of classes from its caller
    if any("fails" in statuses(decided(each, X, y, own)).values() for each in record.certificates):
        return False
    coef = getattr(model, "coefs_", getattr(model, "coef_", None)).reshape(-1, X.shape[1])
    planes = [each.planes() or each.plane() for each in record.certificates]
    return np.array_equal(coef, np.vstack([weights for weights, _ in planes])) and model.classes_.tolist() == sorted(
        set(y)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_verifies_is_proven(name):
    tried = verified = 0
    for number in range(200):
        arguments = fitted(number, name)
        if arguments is None:
            continue
        found = nk.verify(*arguments)
        assert found, f"{number}: {found}"
        for place in range(20):
            forged = altered(*arguments, generator(3, number, place))
            try:
                is_accepted = bool(nk.verify(*forged))
            except nk.InvalidInputError:
                continue
            tried += 1
            verified += is_accepted
            assert not is_accepted or is_proven(*forged), (name, number, place)
        if tried > 150:
            break
    assert tried > 150
    assert verified < tried / 2
