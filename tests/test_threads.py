"""Running a function over a range of numbers on several threads."""

import threading

import pytest

from novikoff._threads import in_threads


@pytest.mark.parametrize("count", [1, 3])
def test_results_are_in_order(count):
    with in_threads(count) as run:
        assert run(lambda i: i * i, 10) == [i * i for i in range(10)]


def test_one_thread_is_the_calling_one():
    with in_threads(1) as run:
        assert set(run(lambda _: threading.get_ident(), 5)) == {threading.get_ident()}


@pytest.mark.parametrize("count", [1, 3])
def test_an_error_reaches_the_caller(count):
    def fail(i):
        if i == 3:
            raise ValueError("third")

    with pytest.raises(ValueError, match="third"), in_threads(count) as run:
        run(fail, 5)
