"""The statuses of coefficients and their words."""

import numpy as np

from novikoff.theory.coefficients import WORDS, CoefficientStatus, in_words, undecided


def test_each_status_has_a_word():
    assert [status.word for status in CoefficientStatus] == list(WORDS)
    assert in_words(np.array([2, 0], dtype=np.int8)).tolist() == ["+infinity", "undecided"]
    assert in_words(undecided(2)).tolist() == ["undecided"] * 2
