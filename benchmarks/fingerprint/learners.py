"""The areas of estimators: online learners, trackers, support vector machines, separability, distributed fits."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
from sklearn.base import clone

import novikoff as nk

from .data import SEPARABILITY, events, quasi, sets
from .entries import AT_LEAST, AT_MOST, bits, bound, certificate_entries, model_entries, plain

BATCH = 97  # rows of a stream's batch
ONLINE = {
    "Perceptron": [
        {"max_iter": 50},
        {"tie": "positive", "max_iter": 20, "shuffle": False},
        {"slack_feature": 2.0, "max_iter": 30},
        {"class_weight": "balanced", "max_iter": 20, "random_state": 3},
        {"forget": 0.01, "max_iter": 5, "fit_intercept": False},
        {"half_life": 50.0, "max_iter": 5},
        {"scale": "running", "max_iter": 10},
        {"scale": "centred", "max_iter": 10, "n_iter_no_change": 2},
    ],
    "AveragedPerceptron": [{}, {"scale": "running", "tie": "positive"}, {"normalize": True, "probability": True}],
    "VotedPerceptron": [{"max_iter": 3}, {"max_iter": 2, "normalize": True}],
    "MarginPerceptron": [
        {"max_iter": 40},
        {"margin": 0.01, "max_iter": 40, "normalize": True},
        {"epsilon": 0.1, "max_iter": 20},
    ],
    "PassiveAggressive": [{}, {"half_life": 100.0}, {"scale": "running", "fit_intercept": False}],
    "PassiveAggressiveI": [{"C": 0.3}, {"scale": "centred", "probability": True}, {"forget": 0.05, "normalize": True}],
    "PassiveAggressiveII": [{"C": 0.3}, {"scale": "running", "class_weight": "balanced"}],
    "AROW": [
        {},
        {"r": 10.0, "floor": 0.01, "scale": "centred"},
        {"scale": "running", "probability": True},
        {"fit_intercept": False},
    ],
    "SoftConfidenceWeighted": [{}, {"variant": "II", "eta": 0.8}, {"C": 0.1, "scale": "centred"}],
    "NormalizedAdaptive": [{}, {"loss": "hinge"}, {"learning_rate": 0.1, "fit_intercept": False}],
    "MulticlassPerceptron": [{"max_iter": 30}, {"scale": "running", "max_iter": 10}],
    "MulticlassPassiveAggressiveI": [{"C": 0.3}, {"normalize": True, "class_weight": "balanced"}],
    "MulticlassPassiveAggressiveII": [{"C": 0.3}, {"scale": "centred"}],
    "MulticlassAROW": [{}, {"r": 0.5, "floor": 0.01, "scale": "centred"}],
}
SVM = [
    {},
    {"loss": "hinge"},
    {"loss": "hinge", "C": 0.1, "penalized_intercept": True},
    {"C": 0.1, "tol": 1e-8},
    {"penalized_intercept": True, "C": 10.0, "tol": 1e-6},
    {"fit_intercept": False},
    {"loss": "hinge", "fit_intercept": False, "lam": 0.01},
    {"probability": True, "C": 0.01},
    {"class_weight": "balanced", "lam": 0.5},
    {"multi_class": "ovo", "random_state": 4},
    {"multi_class": "crammer_singer", "loss": "hinge", "C": 0.1},
]
TRACKERS = {
    "default": lambda: nk.Tracker(),
    "two perceptrons": lambda: nk.Tracker([nk.Perceptron(), nk.Perceptron(half_life=50.0), nk.AROW()], decay=1.0),
    "with several classes": lambda: nk.Tracker(
        [nk.PassiveAggressiveI(), nk.MulticlassAROW(scale="centred")], decay=0.99
    ),
}


def title(parameters):
    return ", ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"


def configured():
    """The online learners: names and functions that make them."""
    for name, settings in ONLINE.items():
        for parameters in settings:
            yield f"{name}, {title(parameters)}", partial(make, name, parameters)


def make(name, parameters):
    return getattr(nk, name)(**parameters)


def learned(model, X, y, weights=None):
    """Fit a model, or let it learn the rows as a stream if its parameters are for streams only."""
    parameters = model.get_params()
    streams = parameters.get("scale") == "centred" or (parameters.get("probability") and hasattr(model, "partial_fit"))
    return (model.partial_fit if streams else model.fit)(X, y, sample_weight=weights)


def verdict(model, X, y, weights=None, **options):
    """Whether all claims about a model hold."""
    return not nk.verify(model, X, y, weights, **options).failures


def fitted(make, label, verify=True):
    """A fit, and the check of its certificate on these rows, and on rows of which two labels were swapped."""
    X, y, weights = sets()[label]
    model = learned(make(), X, y, weights)
    found = model_entries(model, X, model.get_params().get("probability", False)) | {"passes": plain(model.n_iter_)}
    if verify:
        swapped = np.array(y)
        j = next(j for j in range(len(y)) if y[j] != y[0] and (weights is None or weights[j] != weights[0]))
        swapped[[0, j]] = swapped[[j, 0]]
        found["verified"] = [verdict(model, X, y, weights), verdict(model, X, swapped, weights)]
    return found


def streamed(make, label):
    """partial_fit in batches of 97 rows, and whether other cuts give the same weights; and after a fit."""
    X, y, weights = sets()[label]
    rows, classes, found = X.shape[0], np.unique(y), []
    for begins in (range(0, rows, BATCH), range(min(151, rows)), [0]):
        model = make()
        for start, stop in zip(begins, [*begins[1:], rows], strict=True):
            some = None if weights is None else weights[start:stop]
            model.partial_fit(X[start:stop], y[start:stop], classes=classes, sample_weight=some)
        found.append(model_entries(model, X, model.get_params().get("probability", False)))
    model = learned(make(), X, y, weights).partial_fit(X[:50], y[:50])
    agree = found == [found[0]] * 3
    return found[0] | {"cuts agree": agree, "after fit": bits(model.decision_function(X))}


def one_by_one(make, **settings):
    """learn_one of dicts: what was predicted before each, in all ways to predict, and what was learned."""
    model, predictions, scores = make().set_params(**settings), [], []
    for number, (x, y) in enumerate(events()):
        predictions.append(model.predict_one(x))
        scores.append(model.score_one(x) if number else None)
        model.learn_one(x, y, 2.0 if number % 50 == 49 else 1.0)
    found = {"predictions": bits(predictions), "scores": bits(plain(scores))} | certificate_entries(model.certificate_)
    found["names"] = bits([str(name) for name in getattr(model, "feature_names_in_", [])])
    if getattr(model, "probability", False):
        found["probabilities"] = bits([model.predict_proba_one(x) for x, _ in events()[:50]])
    return found | {"weights": bits(model.coef_, model.intercept_)}


def batch_methods(make):
    """Predict then learn, in batches."""
    X, y, _ = sets()["breast cancer"]
    first, second = make(), make()
    predictions = [first.predict_then_learn(X[i : i + BATCH], y[i : i + BATCH]) for i in range(0, 569, BATCH)]
    scores = [second.score_then_learn(X[i : i + BATCH], y[i : i + BATCH]) for i in range(0, 569, BATCH)]
    agree = np.array_equal(first.coef_, second.coef_)
    return {"predictions": bits(*predictions), "scores": bits(plain(scores)), "learned the same": agree}


def online():
    several = {"iris", "sparse, three classes", "digits"}
    for name, learner in configured():
        for label in sets():
            if "slack_feature" in name and label == "weighted":
                continue
            if name.startswith("Multiclass") and label not in several | {"weighted", "float32"}:
                continue
            if label in ("digits", "sparse float32") and not name.startswith(("Multi", "Perceptron, max", "AROW, def")):
                continue
            yield (
                f"{name}, {label}",
                partial(fitted, learner, label, label in ("iris", "sparse", "weighted", "sparse, three classes")),
            )
    for name, (parameters, label) in {
        "declared classes": ({"classes": [0, 1, 2]}, "breast cancer"),
        "no stop": ({"n_iter_no_change": None, "max_iter": 30}, "breast cancer"),
        "no seed but order": ({"random_state": 11, "max_iter": 30}, "sparse"),
        "weights of classes": ({"class_weight": {0: 2.0, 1: 0.5}}, "breast cancer"),
        "two threads": ({"n_jobs": 2, "max_iter": 30}, "iris"),
    }.items():
        yield f"Perceptron, {name}", partial(fitted, partial(make, "Perceptron", parameters), label)
    yield "warm start", warm_start


def warm_start():
    X, y, _ = sets()["breast cancer"]
    model = nk.AROW(warm_start=True, max_iter=2).fit(X, y)
    return model_entries(model.fit(X[:300], y[:300]), X)


def streams():
    for name, learner in configured():
        for label in ("breast cancer", "iris", "sparse", "float32", "weighted"):
            if ("slack_feature" in name and label == "weighted") or (
                name.startswith("Multiclass") and label == "sparse"
            ):
                continue
            yield f"{name}, {label}", partial(streamed, learner, label)
        yield f"{name}, dicts", partial(one_by_one, learner)
        if "max_features" in learner().get_params():
            yield f"{name}, hashed dicts", partial(one_by_one, learner, max_features=64)
        yield f"{name}, predict then learn", partial(batch_methods, learner)


def trackers():
    for name, learner in TRACKERS.items():
        for label in ("breast cancer", "iris", "sparse"):
            yield f"{name}, {label}", partial(tracked, learner, label)
        yield f"{name}, dicts", partial(one_by_one, learner)
        yield f"{name}, predict then learn", partial(batch_methods, learner)


def tracked(make, label):
    X, y, _ = sets()[label]
    whole, parts = make().fit(X, y), make()
    for start in range(0, X.shape[0], BATCH):
        parts.partial_fit(X[start : start + BATCH], y[start : start + BATCH], classes=np.unique(y))
    found = model_entries(whole, X)
    found["leader"] = int(whole.leader_)
    found["bound"] = bound(AT_MOST, whole.certificate_.bound)
    found["members"] = bits(*[member.coef_ for member in whole.learners_])
    found["cuts agree"] = found["weights"] == bits(parts.coef_, parts.intercept_)
    return found | {"verified": verdict(whole, X, y)}


def svm():
    for parameters in SVM:
        for label in sets():
            if label == "digits" and not ({"C", "multi_class"} & parameters.keys() or not parameters):
                continue
            yield f"LinearSVM, {title(parameters)}, {label}", partial(soft_margin, parameters, label)
    yield "LinearSVM, warm start", warm_svm
    yield "LinearSVM, exact check", exactly_checked


def soft_margin(parameters, label):
    X, y, weights = sets()[label]
    found = fitted(partial(make, "LinearSVM", parameters), label)
    model = make("LinearSVM", parameters | {"n_jobs": 1}).fit(X, y, sample_weight=weights)
    found["C"] = bits(plain(model.C_))
    found["support"] = bits(plain(model.support_), np.asarray(model.dual_coef_))
    return found | {"same on one thread": bits(model.coef_, model.intercept_) == found["weights"]}


def warm_svm():
    X, y, _ = sets()["breast cancer"]
    model = nk.LinearSVM(warm_start=True, C=0.01).fit(X, y)
    return model_entries(model.set_params(C=0.1).fit(X, y), X)


def exactly_checked():
    X, y, _ = sets()["breast cancer"]
    model = nk.LinearSVM(loss="hinge", C=0.1).fit(X, y)
    return {"exact": verdict(model, X, y, exact=True), "other rows": verdict(model, X[::-1], y[::-1], exact=True)}


def paths():
    for label in ("breast cancer", "iris", "sparse", "weighted"):
        for parameters in (
            {"Cs": [0.01, 0.1, 1.0]},
            {"Cs": 6, "C_max": 1.0, "loss": "hinge"},
            {"Cs": 4, "C_max": 0.1, "screen": True},
        ):
            yield f"LinearSVMPath, {title(parameters)}, {label}", partial(path, parameters, label)
        for selection in ("best", "one_standard_error"):
            parameters = {"Cs": 5, "C_max": 1.0, "cv": 4, "selection": selection}
            yield f"LinearSVMCV, {title(parameters)}, {label}", partial(crossed, parameters, label)
    yield (
        "LinearSVMCV, folds and scoring",
        partial(
            crossed,
            {
                "Cs": [0.01, 0.1],
                "cv": 3,
                "scoring": "balanced_accuracy",
                "selection": "best",
                "class_weight": "balanced",
            },
            "iris",
        ),
    )


def path(parameters, label):
    X, y, weights = sets()[label]
    model = nk.LinearSVMPath(**parameters).fit(X, y, sample_weight=weights)
    found = {
        "Cs": bits(model.Cs_),
        "weights": bits(model.coefs_, model.intercepts_),
        "passes": bits(plain(model.n_iter_)),
    }
    for C, certificates in zip(model.Cs_, model.certificates_, strict=True):
        found |= certificate_entries(certificates, f"C={C:.3g} ")
    return found


def crossed(parameters, label):
    X, y, weights = sets()[label]
    model = nk.LinearSVMCV(**parameters).fit(X, y, sample_weight=weights)
    found = model_entries(model, X) | {"C": float(model.C_), "best C": float(model.best_C_)}
    return found | {
        "Cs": bits(model.Cs_),
        "scores of folds": bits(model.scores_, model.mean_scores_, model.standard_errors_),
    }


def hard_margins():
    for parameters in ({}, {"penalized_intercept": True}, {"fit_intercept": False}, {"tol": 1e-3}):
        for label in ("separable", "breast cancer", "iris", "sparse"):
            yield f"{title(parameters)}, {label}", partial(hard_margin, parameters, label)
        yield f"{title(parameters)}, two flowers", partial(hard_margin, parameters, "iris", slice(0, 100))


def hard_margin(parameters, label, rows=slice(None)):
    X, y, _ = sets()[label]
    try:
        model = nk.HardMarginSVM(**parameters).fit(X[rows], y[rows])
    except nk.NotSeparableError as error:
        return {"separable": False, "witness": bool(len(error.witness.rows))}
    found = model_entries(model, X[rows]) | {"margin": bits(np.atleast_1d(model.margin_))}
    found["support"] = bits(plain(model.support_), np.asarray(model.dual_coef_))
    return found | {"separable": True, "verified": verdict(model, X[rows], y[rows])}


def separable():
    for label in ("breast cancer", "separable", "sparse", "float32", "weighted"):
        for intercept in (True, False):
            X, y, weights = sets()[label]
            options = {"fit_intercept": intercept, "sample_weight": weights}
            yield f"{label}, intercept {intercept}", partial(separated, X, y, **options)
    for label, (X, y) in SEPARABILITY.items():
        for intercept in (True, False):
            yield (
                f"{label}, intercept {intercept}",
                partial(separated, np.array(X, float), np.array(y), fit_intercept=intercept),
            )
    X, y = quasi()
    yield "quasi", partial(separated, X, y)
    yield "quasi, other class", partial(separated, X, y, positive=0)
    yield "quasi, weights of 0", partial(separated, X, y, sample_weight=(np.arange(len(y)) % 3 > 0).astype(float))
    yield "quasi, offset", partial(separated, X, y, offset=np.linspace(-1, 1, len(y)))
    frame = pd.DataFrame(
        {
            "arm": pd.Categorical(["old"] * 6 + ["new"] * 4, ["old", "new"]),
            "age": [61, 48, 55, 70, 42, 51, 58, 49, 63, 71],
        }
    )
    cured = pd.Series(["no", "yes", "no", "no", "no", "yes", "yes", "yes", "yes", "yes"], name="cured")
    yield "data frame", partial(separated, frame, cured, positive="yes")
    y = sets()["iris"][1]
    yield "three classes", partial(separated, sets()["iris"][0], y)


def separated(X, y, **options):
    found = nk.separability(X, y, **options)
    checks = {key: options[key] for key in ("sample_weight",) if options.get(key) is not None}
    if options.get("offset") is not None:
        checks["offset"] = options["offset"]
    return {
        "kind": found.kind,
        "coefficients": dict(found.coefficients),
        "boundary": bits(np.asarray(found.boundary)),
        "margin, at least": bound(AT_LEAST, found.margin_lower_bound),
        "margin, at most": bound(AT_MOST, found.margin_upper_bound),
        "verified": not found.verify(X, y, **checks).failures,
        "verified exactly": not found.verify(X, y, exact=True, **checks).failures if len(y) < 200 else None,
        "other labels": not found.verify(X, np.asarray(y)[::-1], **checks).failures,
    }


PARTED = {
    "LinearSVM": [
        {},
        {"loss": "hinge", "C": 0.1},
        {"penalized_intercept": True},
        {"fit_intercept": False},
        {"class_weight": "balanced"},
    ],
    "Perceptron": [{"max_iter": 10}],
    "AveragedPerceptron": [{"max_iter": 5}],
    "PassiveAggressive": [{"max_iter": 5}],
    "PassiveAggressiveI": [{"max_iter": 5, "C": 0.3}],
    "PassiveAggressiveII": [{"max_iter": 5, "C": 0.3}],
}


def distributed():
    for name, settings in PARTED.items():
        for parameters in settings:
            for label in ("breast cancer", "sparse", "float32", "weighted", "iris"):
                for parts in (1, 2, 3):
                    yield (
                        f"{name}, {title(parameters)}, {label}, {parts} partitions",
                        partial(parted, name, parameters, label, parts),
                    )


def parted(name, parameters, label, parts):
    X, y, weights = sets()[label]
    cuts = np.linspace(0, X.shape[0], parts + 1).astype(int)
    cut = [slice(a, b) for a, b in pairwise(cuts)]
    rows, labels = [X[part] for part in cut], [y[part] for part in cut]
    some = None if weights is None else [weights[part] for part in cut]
    model = nk.distributed.fit(make(name, parameters), rows, labels, some, on="local:2")
    found = model_entries(model, X) | {"verified": verdict(model, X, y, weights)}
    if name == "LinearSVM":
        found["verified in parts"] = not nk.distributed.verify(model, rows, labels, some, on="local:2").failures
    return found


def evaluation():
    X, y, weights = sets()["breast cancer"][:2] + sets()["weighted"][2:]
    model = nk.LinearSVM().fit(X, y)
    yield "scores", lambda: score_entries(nk.evaluate.scores(model, X, y))
    yield "scores, weighted", lambda: score_entries(nk.evaluate.scores(model, X, y, weights))
    yield (
        "scores, iris",
        lambda: score_entries(nk.evaluate.scores(nk.AROW().fit(*sets()["iris"][:2]), *sets()["iris"][:2])),
    )
    yield "held out rows", lambda: {"rows": bits(plain(nk.evaluate.held_out_rows(y, fraction=0.2, seed=3)))}
    yield "holdout", lambda: score_entries(nk.evaluate.holdout(nk.LinearSVM(), X, y).scores)
    yield "leaked columns", lambda: {"columns": plain([c.name for c in nk.evaluate.leaked_columns(np.c_[X, y], y)])}
    yield "fingerprint", lambda: {"rows": nk.fingerprint(X, y), "weighted": nk.fingerprint(X, y, weights)}
    for name, learner in {"perceptron": nk.Perceptron(), "tracker": nk.Tracker(), "arow": nk.AROW()}.items():
        for options in ({}, {"window": 50, "every": 100}, {"delay": 20}):
            if not (name == "tracker" and "delay" in options):
                yield f"progressive, {name}, {title(options)}", partial(progressive, learner, options)
    for label in ("separable", "iris"):
        for pick in ("cycle", "random"):
            yield f"trace, {label}, {pick}", partial(traced, label, pick)


def score_entries(scores):
    names = (
        "rows",
        "accuracy",
        "balanced_accuracy",
        "confusion",
        "roc_auc",
        "average_precision",
        "baseline",
        "precision",
        "recall",
        "f1",
    )
    return {name: bits(plain(getattr(scores, name))) for name in names}


def progressive(learner, options):
    X, y, _ = sets()["breast cancer"]
    names = (
        "examples",
        "mistakes",
        "accuracy",
        "balanced_accuracy",
        "examples_since",
        "mistakes_since",
        "baseline",
        "last_label_baseline",
    )
    records = nk.evaluate.progressive(clone(learner), zip(X, y, strict=True), **options)
    return {"records": bits(*[[plain(getattr(record, name)) for name in names] for record in records])}


def traced(label, pick):
    X, y, _ = sets()[label]
    rows = y != "z" if label == "iris" else slice(None)
    trace = nk.trace(nk.Perceptron(max_iter=20), X[rows], y[rows], pick=pick)
    steps = bits(
        *[
            np.asarray(getattr(trace, name))
            for name in ("step", "example", "score", "is_mistake", "v", "length", "threshold")
        ]
    )
    return {
        "steps": steps,
        "halted": bool(trace.halted),
        "bound": bound(AT_MOST, trace.bound),
        "radius": bound(AT_MOST, trace.radius),
    }


AREAS = {
    "online": online,
    "streams": streams,
    "tracker": trackers,
    "svm": svm,
    "path": paths,
    "hard margin": hard_margins,
    "separability": separable,
    "distributed": distributed,
    "evaluation": evaluation,
}
