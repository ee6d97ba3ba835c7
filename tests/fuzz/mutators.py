"""Changes of bytes and of text: a mutant is an input with one to some altered places.

A mutator is a function of a random generator, an input and all inputs of its corpus; it returns other bytes. Those of
formats with lengths and checksums are in ``containers.py``, those of JSON in ``documents.py``.
"""

import random
import re
import struct
from collections.abc import Callable, Sequence

Mutator = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

MAX_SIZE = 1 << 16  # bytes of a mutant
INTERESTING = (0, 1, 2, 3, 4, 7, 8, 9, 10, 13, 16, 32, 34, 44, 58, 64, 100, 126, 127, 128, 129, 191, 192, 239, 254, 255)
POWERS = (0, 1, 7, 8, 15, 16, 24, 30, 31, 32, 33, 40, 47, 52, 53, 61, 62, 63)
INTEGERS = tuple(sorted({sign * 2**power + step for power in POWERS for sign in (1, -1) for step in (-1, 0, 1)} | {0}))
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[^\s,;:=\"'|]+")
EDGES = (
    *(str(number).encode() for number in INTEGERS),
    *b"-0 00 1e400 -1e400 1e-400 4.9e-324 2e308 1.7976931348623157e308 3.5e38 0x10 1_0 1e 1. .5 - + nan -inf".split(),
    *b"Infinity 9007199254740993 18446744073709551616 340282366920938463463374607431768211456 0.1e-9999999999".split(),
    b"9" * 400,
    b"0." + b"0" * 400 + b"1",
    "١٢".encode(),
)
SIGNS = (
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b" ",
    b"\t",
    b"\x1b[31m",
    *(bytes([code]) for code in b",;:|'\"\\#={}[]?"),
)
UNICODE = (b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\xe2\x80\xae", b"\xc2\xa0")
NOT_UNICODE = (b"\xff\xfe", b"\xfe\xff", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc2")
WORDS = tuple(b'null true {} [] "" NA 2024-02-30 qid: 1: 0:1 label'.split())
TOKENS = (*SIGNS, *UNICODE, *NOT_UNICODE, *WORDS)


def number_text(rng: random.Random) -> bytes:
    """Return a number at the edge of some type, as text."""
    return rng.choice(EDGES)


def _flip_bit(rng: random.Random, data: bytearray) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _set_byte(rng: random.Random, data: bytearray) -> None:
    data[rng.randrange(len(data))] = rng.choice(INTERESTING)


def _delete(rng: random.Random, data: bytearray) -> None:
    begin, end = _range(rng, data)
    del data[begin:end]


def _repeat(rng: random.Random, data: bytearray) -> None:
    begin, end = _range(rng, data)
    times = rng.choice((1, 1, 1, 2, 3)) if rng.random() < 0.95 else rng.choice((16, 300, 20_000))
    times = max(1, min(times, (MAX_SIZE - len(data)) // max(1, end - begin)))
    data[begin:begin] = data[begin:end] * times


def _move(rng: random.Random, data: bytearray) -> None:
    begin, end = _range(rng, data)
    to = rng.randrange(len(data))
    data[to : to + rng.choice((0, end - begin))] = data[begin:end]


def _truncate(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def _insert_token(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(TOKENS)


def _replace_by_token(rng: random.Random, data: bytearray) -> None:
    begin, end = _range(rng, data)
    data[begin:end] = rng.choice(TOKENS)


def _set_integer(rng: random.Random, data: bytearray) -> None:
    """Write a binary integer of 2, 4 or 8 bytes; mostly at a multiple of its size, as in buffers."""
    size, code = rng.choice(((2, "H"), (4, "I"), (4, "I"), (8, "Q"), (8, "Q")))
    if len(data) < size:
        return
    at = rng.randrange(len(data) - size + 1)
    at -= at % size if rng.random() < 0.8 else 0
    value = (
        rng.choice(INTEGERS)
        if rng.random() < 0.7
        else int.from_bytes(data[at : at + size], "little") + rng.randint(-9, 9)
    )
    data[at : at + size] = struct.pack(f"{rng.choice('<<<>')}{code}", value % 2 ** (8 * size))


def _range(rng: random.Random, data: bytearray) -> tuple[int, int]:
    begin = rng.randrange(len(data))
    return begin, min(len(data), begin + 1 + int(rng.expovariate(1 / 8)))


OFTEN = (_flip_bit, _set_byte, _set_integer)
BYTE_CHANGES = (*OFTEN, *OFTEN, _delete, _repeat, _move, _truncate, _insert_token, _replace_by_token)


def mutate_bytes(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change one to some places, without knowledge of the format."""
    changed = bytearray(data)
    if rng.random() < 0.03:
        other = rng.choice(corpus)
        changed[rng.randrange(len(changed) + 1) :] = other[rng.randrange(len(other) + 1) :]
    for _ in range(_changes(rng)):
        rng.choice(BYTE_CHANGES)(rng, changed) if changed else changed.extend(rng.choice(TOKENS))
    return bytes(changed[:MAX_SIZE])


def _changes(rng: random.Random) -> int:
    return 1 + min(9, int(rng.expovariate(0.7)))


def _change_match(rng: random.Random, text: bytes, pattern: re.Pattern[bytes], new: Callable[[bytes], bytes]) -> bytes:
    """Replace the first match after a random place."""
    match = pattern.search(text, rng.randrange(len(text) + 1)) or pattern.search(text)
    if match is None:
        return text
    return text[: match.start()] + new(match[0]) + text[match.end() :]


def change_number(rng: random.Random, text: bytes) -> bytes:
    """Replace a number by one at the edge of some type, or by a neighbour."""
    if rng.random() < 0.2:
        return _change_match(rng, text, NUMBER, lambda old: old[:-1] + b"%d" % rng.randrange(12))
    return _change_match(rng, text, NUMBER, lambda old: number_text(rng))


def _change_word(rng: random.Random, text: bytes) -> bytes:
    words = WORD.findall(text[: 1 << 12]) or [b"x"]
    return _change_match(
        rng, text, WORD, lambda old: rng.choice((old[:100] * rng.choice((2, 2, 9, 300)), b"", rng.choice(words)))
    )


def _change_lines(rng: random.Random, text: bytes) -> bytes:
    """Drop, repeat, swap, cut or join lines."""
    lines = text.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(6)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines[at:at] = [lines[other]] * (50 if rng.random() < 0.02 else rng.choice((1, 1, 2)))
    elif change == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif change == 3:
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    elif change == 4:
        lines[at : at + 2] = [rng.choice((b"", b" ", b",", b"\r")).join(lines[at : at + 2])]
    else:
        lines[at] = b""
    return b"\n".join(lines)


def mutate_text(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change numbers, words and lines; sometimes bytes."""
    for _ in range(_changes(rng)):
        kind = rng.random()
        if kind < 0.35:
            data = change_number(rng, data)
        elif kind < 0.5:
            data = _change_word(rng, data)
        elif kind < 0.7:
            data = _change_lines(rng, data)
        else:
            data = mutate_bytes(rng, data, corpus)
        data = data[:MAX_SIZE]
    return data[:MAX_SIZE]
