"""Histograms of durations."""

import numpy as np
import pytest

from novikoff.serve.http.latency import BOUNDS, Latency


def test_without_observations_there_is_no_quantile():
    assert Latency().summary() == {"p50": None, "p99": None}


@pytest.mark.parametrize("fraction", [0.01, 0.5, 0.9, 0.99, 1.0])
def test_a_quantile_lies_in_the_same_interval_as_the_exact_one(fraction):
    values = np.random.default_rng(0).lognormal(-7, 1.5, 5000)
    latency = Latency()
    for value in values:
        latency.add(value)
    exact = float(np.quantile(values, fraction, method="inverted_cdf"))
    place = np.searchsorted(BOUNDS, exact)
    assert (BOUNDS[place - 1] if place else 0) <= latency.quantile(fraction) <= BOUNDS[place]
    assert latency.total == pytest.approx(values.sum())


def test_cumulative_counts_end_with_all_observations():
    latency = Latency()
    for value in (0.0, 1e-5, 1.1e-5, 100.0):
        latency.add(value)
    found = dict(latency.cumulative())
    assert (found["1e-05"], found["2e-05"], found["5"], found["+Inf"]) == (2, 3, 3, 4)
    assert latency.count == 4
    assert latency.quantile(1.0) == 10.0
