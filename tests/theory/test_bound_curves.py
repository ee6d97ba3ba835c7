"""Mistake bounds for every prefix of a stream."""

import numpy as np
import pytest

from novikoff.theory import bounds
from novikoff.theory.bound_curves import freund_schapire_curve


def test_counting_margins_in_bins_lowers_no_bound_and_hardly_raises_one():
    margins = np.random.default_rng(0).normal(1.0, 0.8, size=20_000)
    examples, radius = np.array([10, 5000, 20_000]), np.array([2.0, 3.0, 4.0])
    exact = [bounds.freund_schapire(R, margins[:n]) for R, n in zip(radius, examples, strict=True)]
    found = freund_schapire_curve(radius, margins, examples)
    assert np.all(found >= np.array(exact) * (1 - 1e-9))
    assert np.all(found <= np.array(exact) * 1.02)
    few = freund_schapire_curve(radius[:1], margins[:300], np.array([300]))
    assert few[0] == pytest.approx(bounds.freund_schapire(2.0, margins[:300]))
