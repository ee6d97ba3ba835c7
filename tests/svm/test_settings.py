"""Parameters that the estimators share, and solving in parallel."""

import threading

import numpy as np
import pytest

import novikoff as nk
from novikoff.svm._settings import Settings, run_parallel, seed_of, stated_number


def test_settings_are_the_validated_parameters():
    model = nk.LinearSVM(loss="squared_hinge", penalized_intercept=True, tol=0.5, max_iter=7, n_jobs=3)
    settings = Settings.of("test", model, 2.0)
    assert (settings.objective.C, settings.objective.tol) == (2.0, 0.5)
    assert (settings.objective.loss.name, settings.objective.intercept) == ("squared_hinge", "penalized")
    options = settings.options(threads=2)
    assert (options.max_iter, options.threads, options.seed) == (7, 2, settings.seed)
    assert options.cancelled is settings.cancelled


def test_a_seed_is_a_function_of_the_random_state():
    assert seed_of("test", 3) == seed_of("test", np.random.RandomState(3)) != seed_of("test", 4)
    with pytest.raises(nk.InvalidInputError, match="test: random_state must be None, an integer from 0"):
        seed_of("test", "x")


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_order_and_a_failure_cancels_the_others(threads):
    cancelled = threading.Event()
    assert run_parallel(lambda i: i * i, 5, threads, cancelled) == [0, 1, 4, 9, 16]
    assert not cancelled.is_set()

    def fail(i):
        if i == 0:
            raise RuntimeError
        return cancelled.wait(10)

    with pytest.raises(RuntimeError):
        run_parallel(fail, 2, threads, cancelled)
    assert cancelled.is_set()


def test_a_parameter_of_a_damaged_file_is_stated_as_it_is():
    assert [stated_number(value) for value in (1, np.float32(0.5), "text", None)] == [1.0, 0.5, "text", None]
