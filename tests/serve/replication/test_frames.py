"""Frames: what is written is read again, and anything else is refused without reading on."""

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.log.records import Record
from novikoff.serve.replication.frames import (
    HEADER,
    MAX_FRAME,
    PREFIX,
    Header,
    LeaderFailure,
    ProtocolError,
    State,
    failure_frame,
    header,
    read_frames,
    read_header,
    record_frame,
    state_frame,
)

NUMBER = st.integers(-(2**63), 2**63 - 1)
RECORDS = st.builds(
    Record, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, st.binary(max_size=50), st.binary(min_size=16, max_size=16)
)
FRAMES = st.lists(RECORDS | st.builds(State, NUMBER), max_size=5)


def written(frames):
    return b"".join(record_frame(f) if isinstance(f, Record) else state_frame(f.last) for f in frames)


@given(FRAMES, NUMBER, st.binary(min_size=16, max_size=16), st.integers(1, 20))
def test_what_is_written_is_read_again_in_parts_of_any_size(frames, last, identity, part):
    file = io.BytesIO(header(last, identity) + written(frames))

    def read(size):
        return file.read(min(size, part))

    assert read_header(read) == Header(last, identity)
    assert list(read_frames(read)) == frames


@given(FRAMES.filter(bool), st.data())
def test_bytes_that_end_within_a_frame_are_refused(frames, data):
    whole = written(frames)
    ends = {len(written(frames[:count])) for count in range(len(frames) + 1)}
    end = data.draw(st.integers(1, len(whole) - 1).filter(lambda end: end not in ends))
    with pytest.raises(ProtocolError, match="closed the connection"):
        list(read_frames(io.BytesIO(whole[:end]).read))


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data):
    for read in (read_header, lambda source: list(read_frames(source))):
        with contextlib.suppress(ProtocolError, LeaderFailure):
            read(io.BytesIO(data).read)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"HTTP/1.1 200 OK" + bytes(40), "not the log of a novikoff server"),
        (HEADER.pack(b"NVKLOG\n\n", 2, 0, 0, bytes(16)), "format 2"),
        (b"", "closed the connection"),
    ],
)
def test_another_header_is_refused(data, words):
    with pytest.raises(ProtocolError, match=words):
        read_header(io.BytesIO(data).read)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (PREFIX.pack(MAX_FRAME + 1, 1), "longer than any record"),
        (PREFIX.pack(3, 1) + b"abc", "does not know"),
        (PREFIX.pack(3, 9) + b"abc", "does not know"),
    ],
)
def test_another_frame_is_refused(data, words):
    with pytest.raises(ProtocolError, match=words):
        list(read_frames(io.BytesIO(data).read))


def test_a_failure_of_the_leader_is_an_error_with_its_message():
    frames = read_frames(io.BytesIO(state_frame(3) + failure_frame("Record 4 is damaged.")).read)
    assert next(frames) == State(3)
    with pytest.raises(LeaderFailure, match="Record 4 is damaged"):
        next(frames)
