"""Fits of a few rows at scales of 1e-150 to 1e150: an honest gap, or a refusal that says why."""

import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from machines import INTERCEPTS, LOSSES
from oracle import decided, statuses

FITS = 10_000
CERTIFIED, OPEN, REFUSED, INSEPARABLE = "certified", "wide gap", "refused", "not separable"


def extreme_problem(rng):
    """An unfitted machine, with rows, labels 0 and 1 and sample weights or None."""
    rows, columns = rng.integers(1, 9), rng.integers(1, 5)
    X = rng.integers(-3, 4, (rows, columns)).astype(float) if rng.random() < 0.5 else rng.normal(size=(rows, columns))
    y = rng.integers(0, 2, rows)
    if rng.random() < 0.5:
        scores = X @ rng.normal(size=columns)
        y = (scores > np.median(scores)).astype(int)
    span = int(rng.choice([0, 3, 20, 150]))
    with np.errstate(all="ignore"):
        X *= 10.0 ** rng.uniform(-150, 150) if rng.random() < 0.5 else 1.0
        X *= 10.0 ** rng.uniform(-span, span, columns) if rng.random() < 0.5 else 1.0
        X *= 10.0 ** rng.uniform(-span, span, rows)[:, None] if rng.random() < 0.3 else 1.0
    weights = None if rng.random() < 0.6 else 10.0 ** rng.uniform(-span / 3, span / 3, rows) * (rng.random(rows) < 0.9)
    intercept = INTERCEPTS[str(rng.choice(list(INTERCEPTS)))]
    tol = float(rng.choice([1e-10, 1e-4]))
    if rng.random() < 0.3:
        return nk.HardMarginSVM(tol=tol, n_jobs=1, **intercept), X, y, weights
    C = float(10.0 ** rng.uniform(-300, 300)) if rng.random() < 0.5 else float(10.0 ** rng.uniform(-9, 12))
    loss = str(rng.choice(LOSSES))
    return nk.LinearSVM(C=C, loss=loss, tol=tol, n_jobs=1, **intercept), X, y, weights


def outcome_of(seed):
    """Fit one problem, check its certificate twice, and return what came of it."""
    model, X, y, weights = extreme_problem(np.random.default_rng(seed))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y, weights)
    except nk.errors.NotSeparableError:
        return INSEPARABLE
    except nk.InvalidInputError:
        return REFUSED
    assert {warning.category for warning in caught} <= {ConvergenceWarning}, (seed, [str(w.message) for w in caught])
    certificate = model.certificate_
    assert certificate.converged or caught, seed
    own = nk.verify(model, X, y, weights, exact=True)
    assert own, (seed, [check for check in own.checks if check.status in ("fails", "open")])
    other = statuses(decided(certificate, X, y, weights))
    assert not {"fails", "open"} & set(other.values()), (seed, other)
    return CERTIFIED if certificate.converged else OPEN


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(100, FITS, 100))])
def test_fits_at_extreme_scales_have_a_proven_gap_or_are_refused(first):
    found = Counter(outcome_of(seed) for seed in range(first, first + 100))
    assert found[CERTIFIED] > 20
    assert found[OPEN] < 40
