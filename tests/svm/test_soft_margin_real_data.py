"""LinearSVM reaches the gap on real data, for all losses, intercepts and values of C."""

import itertools
import random
import time

import pytest

from machines import INTERCEPTS, LOSSES, MACHINES, assert_proven
from real_data import TWO_CLASSES, two_classes
from share import share_of

COSTS = (1e-4, 0.01, 1.0, 100.0, 1e4)
SMALL = ("colon", "pcmac", "mushrooms", "phishing")
FAST = {  # every small set with every C; losses and intercepts take turns
    (name, C, LOSSES[(i + j) % 2], list(INTERCEPTS)[(i + j) % 3])
    for (i, name), (j, C) in itertools.product(enumerate(SMALL), enumerate(COSTS))
}
SLOW = sorted({*itertools.product(TWO_CLASSES, COSTS, LOSSES, INTERCEPTS)} - FAST)
TRIED = sorted(random.Random(0).sample(SLOW, share_of(len(SLOW))))
GRID = [*sorted(FAST), *(pytest.param(*case, marks=pytest.mark.slow) for case in TRIED)]


@pytest.mark.parametrize(("name", "C", "loss", "intercept"), GRID)
def test_the_gap_is_reached_and_proven_on_real_data(name, C, loss, intercept, record_property):
    X, y = two_classes(name)
    model = MACHINES[f"{loss}, {intercept}"](C=C, tol=1e-6, n_jobs=1)
    began = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - began
    gap = model.certificate_.relative_gap
    record_property("svm_grid", f"{name:12}{C:8g}  {loss:14}{intercept:10}{model.n_iter_:6}{gap:10.1e}{seconds:9.2f}")
    assert_proven(model, X, y)
