"""Changes of JSON: values of other kinds, absent and repeated keys, deep nesting and texts that no encoder writes."""

import json
import random
from collections.abc import Sequence
from typing import Any

from .mutators import INTEGERS, MAX_SIZE, change_number, mutate_bytes, mutate_text

DEPTHS = (2, 10, 99, 100, 101, 500, 1000, 20_000)
NUL, MARK, ESCAPE = "\0", "\ufeff", "\x1b[2J"
TEXTS = ("", "a", "label", "1", "nan", NUL, MARK, ESCAPE, "\ud800", "\u202e", "x" * 300, "=", "2024-01-01")
FLOATS = (0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"))
CONTAINERS = ([], {}, [None], [[]], {"": None}, {"a": {"b": 1}}, [1, "a"], [{}])
SCALARS = (None, True, False, *FLOATS, *TEXTS, *CONTAINERS, *INTEGERS, 10**30, 10**400)


def mutate_tree(rng: random.Random, tree: Any) -> Any:
    """Return a tree with one altered place; what is unchanged is shared with the original."""
    if isinstance(tree, dict) and tree and rng.random() < 0.85:
        key = rng.choice(list(tree))
        change = rng.random()
        if change < 0.75:
            return {**tree, key: mutate_tree(rng, tree[key])}
        rest = {name: value for name, value in tree.items() if name != key}
        if change < 0.85:
            return rest
        return {**rest, str(_scalar(rng))[:40] if change < 0.95 else rng.choice(list(tree)): tree[key]}
    if isinstance(tree, list) and tree and rng.random() < 0.85:
        at = rng.randrange(len(tree))
        change = rng.random()
        if change < 0.7:
            return [*tree[:at], mutate_tree(rng, tree[at]), *tree[at + 1 :]]
        new = [] if change < 0.8 else [tree[at]] * rng.choice((2, 3, 50))
        return [*tree[:at], *new, *tree[at + 1 :]]
    if isinstance(tree, int) and not isinstance(tree, bool) and rng.random() < 0.4:
        return tree + rng.choice((-1, 1, 2, -tree - 1))
    if isinstance(tree, str) and rng.random() < 0.3:
        return mutate_text(rng, tree.encode("utf-8", "replace"), [b""]).decode("utf-8", "surrogateescape")
    return _scalar(rng)


def _scalar(rng: random.Random) -> Any:
    return rng.choice(SCALARS)


def text_of(tree: Any) -> bytes:
    """Return JSON, also of values that JSON does not have; lone surrogates are escaped."""
    return json.dumps(tree).encode()


def nested(rng: random.Random) -> bytes:
    """Return brackets of great depth, closed or not."""
    depth = rng.choice(DEPTHS if rng.random() < 0.2 else DEPTHS[:5])
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")))
    inner = rng.choice((b"1", b"", b"null", b'"x"'))
    return (opening * depth + inner + rng.choice((closing * depth, b"", closing)))[:MAX_SIZE]


def mutate_json_text(rng: random.Random, text: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change the text of JSON: a number, a value that becomes deep, a key that occurs twice, or bytes."""
    change = rng.random()
    if change < 0.4:
        return change_number(rng, text)
    if change < 0.5:
        at = text.find(b":", rng.randrange(len(text) + 1)) + 1
        return text[:at] + nested(rng) + text[at:]
    if change < 0.6:
        begin = text.find(b'"', rng.randrange(len(text) + 1))
        end = text.find(b",", begin) + 1
        return text[:begin] + text[begin:end] + text[begin:]
    return mutate_bytes(rng, text, corpus)


def mutate_json(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change the tree of a JSON document and then, sometimes, its text."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_json_text(rng, data, corpus)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        tree = mutate_tree(rng, tree)
    text = text_of(tree)
    return mutate_json_text(rng, text, corpus)[:MAX_SIZE] if rng.random() < 0.4 else text[:MAX_SIZE]


def mutate_ndjson(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change one to some lines of JSON, then, sometimes, the order of lines."""
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(lines))
        lines[at] = (
            rng.choice((b"null", nested(rng), b"", b"[]"))
            if rng.random() < 0.05
            else mutate_json(rng, lines[at], corpus)
        )
    text = b"\n".join(lines)
    return (mutate_text(rng, text, corpus) if rng.random() < 0.3 else text)[:MAX_SIZE]
