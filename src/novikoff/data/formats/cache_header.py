"""The header of a row cache (cache.py)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import numpy as np

MAX_INT32 = np.iinfo(np.int32).max


class StoredArray(msgspec.Struct, omit_defaults=True):
    """Type, shape and hashes of an array, and its position in the file, which is computed when the file is opened."""

    type: str
    shape: list[Annotated[int, msgspec.Meta(ge=0)]]
    hashes: list[str]
    offset: int = 0

    @property
    def entries(self) -> int:
        """Numbers per entry of the first dimension."""
        return self.shape[1] if len(self.shape) > 1 else 1

    @property
    def size(self) -> int:
        """Number of bytes without the padding."""
        return self.shape[0] * self.entries * np.dtype(self.type).itemsize


class Header(msgspec.Struct, kw_only=True):
    """The header of a cache file."""

    rows: Annotated[int, msgspec.Meta(gt=0)]
    columns: Annotated[int, msgspec.Meta(ge=0, le=MAX_INT32 + 1)]
    sparse: bool
    index_base: Literal[0, 1] | None
    feature_names: tuple[str, ...] | None
    classes: Annotated[list[str], msgspec.Meta(min_length=1)] | None
    source: dict[str, Any] | None
    arrays: dict[str, StoredArray]


def encoded(header: Header) -> bytes:
    """Return the header as JSON."""
    return msgspec.json.encode(header)


def decoded(text: bytes) -> Header:
    """Return the header of JSON; if its types or values are wrong, raise ValueError."""
    try:
        return msgspec.json.decode(text, type=Header)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
