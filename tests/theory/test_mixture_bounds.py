"""Mixtures of learners, docs/theory.md N."""

import numpy as np
import pytest

from novikoff.theory import mixture_bounds as bounds
from reference import mixtures
from streams import few_and_many


def ages(rounds, decay):
    return decay ** np.arange(rounds - 1, -1, -1)


@few_and_many(40, 9_100)
@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_N1_the_member_with_the_fewest_mistakes_has_at_most_N_times_as_many(decay, count, rows_each):
    adversary = [(rows_each, members) for members in (1, 2, 3, 5)]
    rng = np.random.default_rng(23)
    for errors in [*adversary, *(1.0 * (rng.random((rows_each, 3)) < rng.random(3)) for _ in range(count))]:
        wrong, table = mixtures.fewest_mistakes(errors, decay)
        for end in range(1, rows_each + 1):
            fewest = (ages(end, decay) @ table[:end]).min()
            assert ages(end, decay) @ wrong[:end] <= bounds.fewest_mistakes(fewest, table.shape[1]) + 1e-9


def test_N1_is_attained_by_an_adversary_that_contradicts_the_leader():
    wrong, table = mixtures.fewest_mistakes((4 * 10 + 3, 4))
    assert wrong.sum() == bounds.fewest_mistakes(table.sum(axis=0).min(), 4) == 43
