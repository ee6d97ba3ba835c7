"""Rows with their labels."""

import numpy as np
import pytest

from novikoff import InvalidInputError
from novikoff.online._examples import Examples


def test_examining_computes_squared_norms_and_refuses_bad_rows():
    examples = Examples.of("test", np.array([[3.0, 4.0], [0.0, 0.0]]), np.zeros(2, np.int32), None)
    assert not examples.examined
    examples.examine("test")
    assert examples.examined
    assert examples.squared_norms.tolist() == [25.0, 0.0]
    with pytest.raises(InvalidInputError, match="row 1"):
        Examples.of("test", np.array([[1.0], [np.nan]]), np.zeros(2, np.int32), None).examine("test")
