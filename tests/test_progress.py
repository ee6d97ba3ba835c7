"""Progress messages of one binary problem."""

from novikoff._progress import prefixed


def test_messages_of_a_binary_problem_begin_with_its_label():
    heard = []
    prefixed("yes", lambda *message: heard.append(message))("gap 0.1", 0.5)
    assert heard == [("yes: gap 0.1", 0.5)]


def test_without_a_listener_nothing_is_said():
    assert prefixed("yes", None) is None
