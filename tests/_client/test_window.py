import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff._client.window import CHUNK_BYTES, MAX_ANSWER_BYTES, LineEncoder, Window, chunks


def answers(*numbers):
    return b"".join(b'{"n":%d}\n' % n for n in numbers)


SUMMARY = b'{"summary":{}}\n'


def sent(count):
    window = Window()
    window.add([b"%d\n" % k for k in range(count)])
    window.take()
    return window


def test_examples_are_pairs_or_mappings():
    encode = LineEncoder(with_ids=False)
    assert encode(({"a": 1}, "y")) == b'{"x":{"a":1},"y":"y"}\n'
    assert encode(("text", 1)) == b'{"text":"text","y":1}\n'
    assert encode({"text": "a\nb", "y": True, "id": "i"}) == b'{"text":"a\\nb","y":true,"id":"i"}\n'


@pytest.mark.parametrize("example", ["text", ({"a": 1},), [{"a": 1}, 1], None])
def test_other_examples_are_refused(example):
    with pytest.raises(nk.InvalidInputError, match=r"an example must be a pair \(x, y\) or a dict"):
        LineEncoder(True)(example)


def test_examples_with_a_label_get_different_ids():
    encode, other = LineEncoder(True), LineEncoder(True)
    lines = [encode(({}, 1)), encode(({}, 1)), other(({}, 1)), encode({"x": {}, "y": 0, "id": "mine"})]
    ids = [json.loads(line)["id"] for line in lines]
    assert len(set(ids)) == 4
    assert ids[3] == "mine"
    assert "id" not in json.loads(encode({"x": {}}))


def test_a_chunk_has_a_limited_number_of_lines_and_bytes():
    assert [len(chunk) for chunk in chunks([b"x\n"] * 10, 4)] == [4, 4, 2]
    big = b"x" * CHUNK_BYTES
    assert list(chunks([b"a", big, b"b"], 100)) == [[b"a", big], [b"b"]]
    assert list(chunks([], 4)) == []


def test_lines_wait_from_sending_to_their_answer():
    window = Window()
    window.add([b"a\n", b"b\n"])
    assert (len(window), window.unsent, window.waiting, window.bytes) == (2, 2, 0, 4)
    assert window.take() == b"a\nb\n"
    window.add([b"c\n"])
    assert window.take() == b"c\n"
    assert (len(window), window.unsent, window.waiting) == (3, 0, 3)
    assert window.receive(answers(0, 1)) == [{"n": 0}, {"n": 1}]
    assert (len(window), window.waiting, window.bytes, window.answered) == (1, 1, 2, 2)


def test_unanswered_lines_are_sent_again_over_a_new_connection():
    window = sent(3)
    window.receive(answers(0) + b'{"n"')
    window.restart()
    assert (window.unsent, window.waiting) == (2, 0)
    assert window.take() == b"1\n2\n"
    assert window.receive(answers(1, 2) + SUMMARY) == [{"n": 1}, {"n": 2}]
    assert window.is_complete


@given(st.lists(st.integers(1, 40), max_size=30))
def test_answers_may_be_cut_anywhere(cuts):
    window, data, found = sent(20), answers(*range(20)) + SUMMARY, []
    for size in [*cuts, len(data)]:
        found += window.receive(data[:size])
        data = data[size:]
    assert [answer["n"] for answer in found] == list(range(20))
    assert window.is_complete
    assert len(window) == 0


def test_lines_of_errors_are_counted_over_all_connections():
    window = sent(3)
    window.receive(answers(0))
    window.restart()
    window.take()
    assert window.receive(b'{"error":{"code":"c","message":"m"},"line":2}\n' * 1)[0]["line"] == 3


def test_an_error_about_the_whole_stream_ends_it_after_the_answers():
    window = sent(2)
    assert window.receive(answers(0) + b'{"error":{"code":"stopping","message":"The server stops."}}\n') == [{"n": 0}]
    assert (window.refusal.code, window.refusal.message) == ("stopping", "The server stops.")
    window.restart()
    assert window.refusal is None
    assert window.unsent == 1


@pytest.mark.parametrize("data", [b"nonsense\n", b"[]\n", answers(0, 1), b"\xff\n"])
def test_answers_that_cannot_be_right_are_errors(data):
    with pytest.raises(nk.ServerError, match="answer to the stream cannot be read"):
        sent(1).receive(data)


def test_a_line_without_end_does_not_fill_the_memory():
    with pytest.raises(nk.ServerError, match="too long"):
        sent(1).receive(b" " * (MAX_ANSWER_BYTES + 1))
