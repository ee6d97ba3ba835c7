"""Fit every estimator on fixed data and write a digest of all that was learned, so that two versions can be compared.

    python benchmarks/fingerprint.py before.json        # in the one version
    python benchmarks/fingerprint.py after.json         # in the other
    python benchmarks/fingerprint.py --compare before.json after.json

A digest covers the bits of weights, predictions, dual variables and certificates. Two versions that claim to learn the
same must have the same digests on the same machine. Only public attributes are read.
"""

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification

import novikoff as nk

BATCH = 97  # rows of a stream's batch
ONLINE = {
    "perceptron": nk.Perceptron(max_iter=50),
    "perceptron, ties positive": nk.Perceptron(tie="positive", max_iter=20, shuffle=False),
    "perceptron, slack feature": nk.Perceptron(slack_feature=2.0, max_iter=30),
    "perceptron, balanced": nk.Perceptron(class_weight="balanced", max_iter=20),
    "averaged perceptron": nk.AveragedPerceptron(),
    "voted perceptron": nk.VotedPerceptron(max_iter=3),
    "margin perceptron": nk.MarginPerceptron(max_iter=40),
    "margin perceptron, fixed": nk.MarginPerceptron(margin=0.01, max_iter=40, normalize=True),
    "passive-aggressive": nk.PassiveAggressive(),
    "passive-aggressive I": nk.PassiveAggressiveI(C=0.3),
    "passive-aggressive II": nk.PassiveAggressiveII(C=0.3),
}
SVM = {
    "hinge": nk.LinearSVM(),
    "squared hinge": nk.LinearSVM(loss="squared_hinge", C=0.1),
    "penalized intercept": nk.LinearSVM(penalized_intercept=True, C=10.0, tol=1e-6),
    "no intercept": nk.LinearSVM(fit_intercept=False),
    "probability": nk.LinearSVM(probability=True, C=0.01),
    "balanced": nk.LinearSVM(class_weight="balanced", lam=0.5),
}
HARD = {
    "free intercept": nk.HardMarginSVM(),
    "penalized intercept": nk.HardMarginSVM(penalized_intercept=True),
    "no intercept": nk.HardMarginSVM(fit_intercept=False),
}


def data_sets():
    """Small data sets of every layout: dense, float32, sparse, several classes, separable, weighted."""
    random = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    weights = random.integers(0, 3, size=len(y)).astype(float)
    weights[0] = 0.5
    flowers, kind = load_iris(return_X_y=True)
    rows = sp.random_array((500, 300), density=0.03, rng=random, format="csr")
    labels = np.where(np.asarray(rows @ random.normal(size=300)).ravel() > 0, "b", "a")
    X32, y32 = make_classification(400, 30, n_informative=8, class_sep=1.5, random_state=1)
    apart = {"n_informative": 6, "n_redundant": 0, "class_sep": 6.0, "n_clusters_per_class": 1, "flip_y": 0}
    separable = make_classification(300, 12, **apart, random_state=3)
    return {
        "breast cancer": (X, y, None),
        "iris": (flowers, np.array(["x", "y", "z"])[kind], None),
        "float32": (X32.astype(np.float32), y32, None),
        "separable": (*separable, None),
        "sparse": (rows, labels, None),
        "weighted": (X, y, weights),
    }


def digest(*values):
    """A short digest of arrays, by their bits, and of other values, by their repr."""
    hashed = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype != object:
            hashed.update(f"{value.dtype} {value.shape}".encode() + np.ascontiguousarray(value).tobytes())
        else:
            hashed.update(repr(value.tolist() if isinstance(value, np.ndarray) else value).encode())
    return hashed.hexdigest()[:16]


def certificates(found):
    """The certificates of a model as JSON."""
    return [certificate.to_json() for certificate in (found if isinstance(found, list) else [found])]


def online(sets):
    """Fits, streams in batches, and streams of dicts."""
    for name, learner in ONLINE.items():
        for label, (X, y, weights) in sets.items():
            if weights is not None and learner.get_params().get("slack_feature"):
                continue
            m = clone(learner).fit(X, y, sample_weight=weights)
            learned = (m.coef_, m.intercept_, m.classes_, m.n_iter_, m.predict(X), m.decision_function(X))
            yield f"{name}, {label}", digest(*learned, certificates(m.certificate_))
            m = clone(learner)
            for start in range(0, X.shape[0], BATCH):
                part = slice(start, start + BATCH)
                m.partial_fit(X[part], y[part], sample_weight=None if weights is None else weights[part])
            learned = (m.coef_, m.intercept_, m.classes_, m.predict(X))
            yield f"{name}, {label}, stream", digest(*learned, certificates(m.certificate_))
        m, random, predictions = clone(learner), np.random.default_rng(5), []
        for _ in range(300):
            x = {f"f{j}": float(random.normal()) for j in random.choice(40, 5, replace=False)}
            predictions.append(m.predict_one(x))
            m.learn_one(x, "pos" if sum(x.values()) > 0 else "neg")
        yield f"{name}, dicts", digest(m.coef_, m.intercept_, predictions, certificates(m.certificate_))


def batch(sets):
    """Soft and hard margins, paths, cross-validation and separability."""
    for name, learner in SVM.items():
        for label, (X, y, weights) in sets.items():
            m = clone(learner).fit(X, y, sample_weight=weights)
            learned = (m.coef_, m.intercept_, m.support_, m.dual_coef_, m.objective_, m.n_iter_, m.predict(X))
            if m.probability:
                learned += (m.predict_proba(X),)
            yield f"{name}, {label}", digest(*learned, certificates(m.certificate_))
    for label in ("breast cancer", "iris", "sparse"):
        X, y, _ = sets[label]
        m = nk.LinearSVMCV(Cs=5, C_max=1.0).fit(X, y)
        chosen = (m.coef_, m.intercept_, m.C_, m.mean_scores_)
        yield f"cross-validation, {label}", digest(*chosen, certificates(m.certificate_))
        path = nk.LinearSVMPath(Cs=[0.01, 0.1, 1.0]).fit(X, y).certificates_
        yield f"path, {label}", digest([certificates(found) for found in path])
    X, y, _ = sets["separable"]
    for name, learner in HARD.items():
        try:
            m = learner.fit(X, y)
            margins = np.atleast_1d(m.margin_)
            learned = (m.coef_, m.intercept_, m.support_, m.dual_coef_, margins, certificates(m.certificate_))
        except nk.NotSeparableError as error:
            learned = (error.witness.rows, error.witness.weights)
        yield f"hard margin, {name}", digest(*learned)
    for label in ("breast cancer", "separable", "sparse", "float32"):
        X, y, _ = sets[label]
        yield f"separability, {label}", digest(certificates(nk.separability(X, y)))


def compare(before, after):
    """Print which digests differ; the exit status says whether any does."""
    first, second = (json.loads(Path(path).read_text()) for path in (before, after))
    differing = sorted(name for name in first | second if first.get(name) != second.get(name))
    for name in differing:
        print(f"differs: {name}")
    print(f"{len(first | second) - len(differing)} of {len(first | second)} digests are the same")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("output", nargs="?")
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
    if options.output is None:
        parser.error("name the file to write, or --compare two files")
    warnings.simplefilter("ignore")  # some fits are stopped early on purpose
    sets = data_sets()
    found = dict([*online(sets), *batch(sets)])
    Path(options.output).write_text(json.dumps(found, indent=1, sort_keys=True))
    print(f"{len(found)} digests in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
