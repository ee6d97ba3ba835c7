from novikoff.errors import NovikoffError
from novikoff.serve.errors import ServeError


def test_error_has_status_code_and_words():
    error = ServeError(429, "queue_full", "The queue is full.", retry_after=1)
    assert isinstance(error, NovikoffError)
    assert (error.status, error.code, error.message, error.retry_after) == (429, "queue_full", "The queue is full.", 1)
    assert str(error) == "The queue is full."
