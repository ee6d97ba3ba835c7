"""Passes over a data set: their order, their progress messages, and where they begin."""

import numpy as np
import pytest

import novikoff as nk
from learners import LEARNERS, SEVERAL_PASSES
from snapshots import learned

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


@pytest.mark.parametrize("make", SEVERAL_PASSES)
def test_the_seed_alone_decides_a_shuffled_fit(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60)
    first = learned(make(max_iter=3, random_state=1).fit(X, y))
    assert learned(make(max_iter=3, random_state=1).fit(X, y)) == first
    assert learned(make(max_iter=3, random_state=2).fit(X, y)) != first


def test_each_pass_of_a_shuffled_fit_visits_every_row_once():
    X = np.eye(50)
    y = np.arange(50) % 2
    model = nk.Perceptron(fit_intercept=False, shuffle=True, random_state=3, max_iter=1).fit(X, y)
    assert np.abs(model.coef_).tolist() == [[1.0] * 50]
    assert model.certificate_.examples == 50


def test_fit_begins_anew_and_warm_start_goes_on():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), rng.integers(2, size=30)
    for make in LEARNERS.values():
        if "slack_feature" in make.keywords:
            continue
        once = learned(make(shuffle=False, max_iter=1).fit(X, y))
        assert learned(make(shuffle=False, max_iter=1).fit(X, y).fit(X, y)) == once
        warm = make(shuffle=False, max_iter=1, warm_start=True).fit(X, y).fit(X, y)
        stream = make().partial_fit(X, y).partial_fit(X, y)
        assert learned(warm) == learned(stream)


@pytest.mark.parametrize("make", SEVERAL_PASSES)
def test_verbose_says_a_line_a_pass_on_standard_error(make, capsys):
    make(max_iter=2, verbose=1).fit([[1.0], [1.0], [-1.0]], [1, 0, 1])
    out, err = capsys.readouterr()
    assert out == ""
    assert "pass 1" in err
