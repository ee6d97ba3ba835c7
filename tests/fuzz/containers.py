"""Changes of formats with lengths and checksums, which are repaired so that mutants reach behind the first check."""

import json
import random
import struct
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any

from .documents import mutate_json_text, mutate_tree, text_of
from .mutators import MAX_SIZE, mutate_bytes

REPAIRED = 0.9  # fraction of mutants whose lengths and checksums are right


@lru_cache(maxsize=256)
def _model_parts(data: bytes) -> tuple[dict[str, Any], Any, bytes]:
    """Return the entries of tensors, our header and the bytes of the tensors of a valid model file."""
    end = 8 + int.from_bytes(data[:8], "little")
    outer = json.loads(data[8:end])
    tree = json.loads(outer.pop("__metadata__")["novikoff"])
    return outer, tree, data[end:]


def mutate_model(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change our header, a tensor's entry or the numbers of a model file, and write the lengths again."""
    if rng.random() > REPAIRED:
        return mutate_bytes(rng, data, corpus)
    try:
        outer, tree, tensors = _model_parts(data)
    except (ValueError, KeyError, TypeError):
        return mutate_bytes(rng, data, corpus)
    kind = rng.random()
    if kind < 0.25 and tensors:
        tensors = mutate_bytes(rng, tensors, [tensors])[: len(tensors)].ljust(len(tensors), b"\0")
    elif kind < 0.4:
        outer, tensors = _change_tensor(rng, outer, tensors)
    else:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            tree = mutate_tree(rng, tree)
    inner = text_of(tree)
    if rng.random() < 0.1:
        inner = mutate_json_text(rng, inner, corpus)
    text = text_of({"__metadata__": {"novikoff": inner.decode("utf-8", "replace")}, **outer})
    text += b" " * (-len(text) % 8)
    return (struct.pack("<Q", len(text)) + text + tensors)[:MAX_SIZE]


def _change_tensor(rng: random.Random, outer: dict[str, Any], tensors: bytes) -> tuple[dict[str, Any], bytes]:
    """Change the type, shape or place of one tensor; or make it longer or shorter, with all places right."""
    if not outer or rng.random() < 0.3:
        return _changed_entry(rng, outer), tensors
    name = rng.choice(list(outer))
    begin, end = outer[name]["data_offsets"]
    shape = list(outer[name]["shape"]) or [1]
    if not end - begin or not shape[0]:
        return _changed_entry(rng, outer), tensors
    step = (end - begin) // shape[0]
    count = rng.choice((0, 1, shape[0] - 1, shape[0] + 1, 2 * shape[0]))
    new = (tensors[begin:end] * 2).ljust(count * step, b"\0")[: count * step]
    moved = len(new) - (end - begin)
    places = {
        other: {**entry, "data_offsets": [place + moved if place >= end else place for place in entry["data_offsets"]]}
        for other, entry in outer.items()
    }
    places[name] = {**outer[name], "shape": [count, *shape[1:]], "data_offsets": [begin, begin + len(new)]}
    return places, tensors[:begin] + new + tensors[end:]


def _changed_entry(rng: random.Random, outer: dict[str, Any]) -> dict[str, Any]:
    name = rng.choice([*outer, "x"])
    return {**outer, name: mutate_tree(rng, outer.get(name))}


def mutate_arrow(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change aligned integers (lengths, offsets of strings, places of buffers), or bytes."""
    if rng.random() < 0.3 or len(data) < 16:
        return mutate_bytes(rng, data, corpus)
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        size = rng.choice((4, 4, 8))
        at = rng.randrange(8, len(changed) - size + 1) // size * size
        old = int.from_bytes(changed[at : at + size], "little")
        choices = (
            old + 1,
            old - 1,
            old * 2,
            old ^ 1 << rng.randrange(8 * size),
            0,
            2 ** (8 * size - 1) - 1,
            2 ** (8 * size) - 1,
            len(data),
            rng.randrange(256),
        )
        changed[at : at + size] = (rng.choice(choices) % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(changed)


def mutate_parquet(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change the metadata at the end of a Parquet file, whose length is repaired, or the pages before it."""
    length = int.from_bytes(data[-8:-4], "little")
    if rng.random() > REPAIRED or length + 12 > len(data):
        return mutate_bytes(rng, data, corpus)
    pages, metadata = data[4 : -8 - length], data[-8 - length : -8]
    if rng.random() < 0.5:
        metadata = mutate_bytes(rng, metadata, [metadata])
    else:
        changed = mutate_bytes(rng, pages, [pages])
        pages = changed if rng.random() < 0.2 else changed[: len(pages)].ljust(len(pages), b"\0")
    return (b"PAR1" + pages + metadata + struct.pack("<I", len(metadata)) + b"PAR1")[:MAX_SIZE]


@lru_cache(maxsize=32)
def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def mutate_zip(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change a file in a ZIP archive, such as a sheet of an Excel file."""
    try:
        members = dict(_members(data))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError):
        return mutate_bytes(rng, data, corpus)
    if rng.random() < 0.2:
        return mutate_bytes(rng, data, corpus)
    name = (
        rng.choice([name for name in members if "sheet" in name.lower()] or list(members))
        if rng.random() < 0.7
        else rng.choice(list(members))
    )
    members[name] = mutate_json_text(rng, members[name], corpus)
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for member, content in members.items():
            archive.writestr(zipfile.ZipInfo(member), content)  # with a fixed time, for the same bytes
    return out.getvalue()
