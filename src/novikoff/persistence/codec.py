"""Frozen dataclasses as a JSON tree and named arrays, and back.

A field may be a bool, int, float, str, ``None``, a list or tuple of one type, a dict with text keys, a dataclass, a
``Certificate`` of any registered kind, or a NumPy array. In the tree, an array is the name of its tensor, which is its
path: ``state.questions.0.weights``. ``Any`` stands for a class label. Numbers are finite unless the annotation says
``INFINITE``, and arrays have one dimension unless it says ``Dimensions``.

Both directions are compiled from the annotations, and both check all values: ``encode`` refuses what ``decode`` would
not read, and ``decode`` accepts only values of the types, and arrays of the names, that ``encode`` writes. A field that
is marked ``MAY_BE_WIDE`` holds a ``WideArray`` where an array is wide; other fields get dense arrays.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff._json import LONG, TREE, Tree, from_text, is_label, to_text
from novikoff._wide_array import WideArray, stored
from novikoff.errors import InvalidInputError, input_error, quote
from novikoff.theory.certificate import CERTIFICATES, Certificate, Duals
from novikoff.theory.geometry import MAY_BE_WIDE, Dimensions, Extended

T = TypeVar("T")
Bytes = NDArray[np.uint8]
INFINITE = typing.get_args(Extended)[1]  # metadata of a float or of an array: infinities are allowed
KIND = "certificate kind"  # key of the class name of a certificate; the space keeps it apart from names of fields
MAX_COUNT = 2**63  # counters of the kernels have 64 bits


class Tensors(dict[str, Any]):
    """Arrays and wide arrays by their paths, and how many bytes may be allocated that the file does not have.

    Parameters
    ----------
    *given : object
        As for a dict.
    dense_bytes : int, default=2**63
        The number of bytes that arrays may take which the file stores sparsely.
    """

    def __init__(self, *given: Any, dense_bytes: int = MAX_COUNT) -> None:
        super().__init__(*given)
        self.dense_bytes = dense_bytes

    def spend(self, size: int, path: str) -> None:
        """Refuse a sparse array if its dense form is too large for the file that it is in."""
        self.dense_bytes -= size
        if self.dense_bytes < 0:
            raise input_error(path, "the zeros of the sparse arrays need too much memory for a file of this size.")


def encode(annotation: Any, value: Any, path: str, tensors: Tensors) -> Tree:
    """Return the JSON tree of a value of this type, and add its arrays to ``tensors``.

    A value of another type is refused: ``decode`` reads everything that is written.
    """
    return _encoder(annotation)(value, path, tensors)


Coder = Callable[[Any, str, Tensors], Any]


@functools.cache
def _encoder(annotation: Any) -> Coder:
    """Return the function that encodes values of a type."""
    kind, origin, arguments, marks = _parts(annotation)
    if TREE in marks:
        return lambda value, path, tensors: value
    if origin in (types.UnionType, typing.Union):
        return _union_coder(_encoder, arguments)
    if origin is np.ndarray:
        return _array_encoder(np.dtype(typing.get_args(arguments[1])[0]), marks)
    if origin in (list, tuple):
        return _list_encoder(_encoder(arguments[0]))
    if origin is dict:
        return _dict_coder(_encoder(arguments[1]))
    if kind is float:
        return _float_encoder(INFINITE in marks)
    if kind is Any:
        return _encode_label
    if kind is Certificate:
        return _encode_certificate
    return _dataclass_encoder(kind) if dataclasses.is_dataclass(kind) else _scalar_encoder(kind)


def _wrong(expected: str, value: Any, path: str) -> InvalidInputError:
    return input_error(path or "header", f"it must be {expected}, but it is {quote(value)}.")


def _scalar_encoder(kind: type[Any]) -> Coder:
    def encode_scalar(value: Any, path: str, tensors: Tensors) -> Tree:
        plain = value.item() if isinstance(value, np.generic) else value
        if type(plain) is not kind:
            raise _wrong(f"of type {kind.__name__}", value, path)
        return plain

    return encode_scalar


def _float_encoder(is_infinite_allowed: bool) -> Coder:
    def encode_float(value: Any, path: str, tensors: Tensors) -> Tree:
        value = value.item() if isinstance(value, np.generic) else value
        if not isinstance(value, float):
            return value if type(value) is int else _refuse_number(value, path)
        if math.isfinite(value):
            return float(value)  # a Margin is stored as its number
        if math.isnan(value) or not is_infinite_allowed:
            raise input_error(path, f"the number must be finite, but it is {value}.")
        return str(value)

    return encode_float


def _refuse_number(value: Any, path: str) -> NoReturn:
    raise _wrong("a number", value, path)


def _encode_label(value: Any, path: str, tensors: Tensors) -> Tree:
    value = value.item() if isinstance(value, np.generic) else value
    if value is not None and not is_label(value):  # None: there is no such label
        raise input_error(
            path, f"a label must be text, a finite number of 64 bits or a bool, but it is {quote(value)}."
        )
    return value


def _union_coder(coder_of: Callable[[Any], Coder], arguments: tuple[Any, ...]) -> Coder:
    """Encode or decode None, or a value of one of several types; if there are several, all but the last are scalars."""
    coders = {member: coder_of(member) for member in arguments if member is not types.NoneType}
    *_, last = coders.values()

    def code_member(value: Any, path: str, tensors: Tensors) -> Any:
        return None if value is None else coders.get(type(value), last)(value, path, tensors)

    return code_member


def _list_encoder(entry_encoder: Coder) -> Coder:
    def encode_list(value: Any, path: str, tensors: Tensors) -> Tree:
        if not isinstance(value, list | tuple):
            raise _wrong("a list or a tuple", value, path)
        return [entry_encoder(entry, f"{path}.{place}", tensors) for place, entry in enumerate(value)]

    return encode_list


def _dict_coder(entry_coder: Coder) -> Coder:
    def code_dict(value: Any, path: str, tensors: Tensors) -> Any:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise _wrong("a dict with text keys", value, path)
        return {key: entry_coder(entry, f"{path}.{key}", tensors) for key, entry in value.items()}

    return code_dict


def _dataclass_encoder(kind: Any) -> Coder:
    encoders: dict[str, Coder] = {}

    def encode_fields(value: Any, path: str, tensors: Tensors) -> Tree:
        if not isinstance(value, kind):
            raise _wrong(f"a {kind.__name__}", value, path)
        if not encoders:
            encoders.update({name: _encoder(hint) for name, hint in _hints(kind).items()})
        prefix = f"{path}." if path else ""
        return {name: encoder(getattr(value, name), prefix + name, tensors) for name, encoder in encoders.items()}

    return encode_fields


def _encode_certificate(value: Any, path: str, tensors: Tensors) -> Tree:
    kind = type(value)
    if not isinstance(value, Certificate) or not dataclasses.is_dataclass(kind):
        raise _wrong("a certificate", value, path)
    return {KIND: kind.__name__, **_encoder(kind)(value, path, tensors)}


def _array_encoder(dtype: np.dtype[Any], marks: tuple[Any, ...]) -> Coder:
    check = _array_checker(dtype, marks)

    def encode_array(value: Any, path: str, tensors: Tensors) -> Tree:
        check(value, path)
        tensors[path] = value if isinstance(value, WideArray) else np.ascontiguousarray(value)
        return path

    return encode_array


def _array_checker(dtype: np.dtype[Any], marks: tuple[Any, ...]) -> Callable[[Any, str], None]:
    dimensions = next((mark.count for mark in marks if isinstance(mark, Dimensions)), 1)

    def check_array(value: Any, path: str) -> None:
        is_array = isinstance(value, np.ndarray | WideArray)
        if not is_array or value.dtype != dtype or value.ndim != dimensions:
            found = f"has {value.dtype} and {value.ndim}" if is_array else f"is {quote(value)}"
            raise input_error(path, f"the tensor must have dtype {dtype} and {dimensions} dimensions, but it {found}.")
        numbers = stored(value)  # a wide array is 0 elsewhere
        if dtype.kind == "f" and not (~np.isnan(numbers) if INFINITE in marks else np.isfinite(numbers)).all():
            raise input_error(path, "the tensor has NaN or infinity among its values.")

    return check_array


def decode(annotation: type[T], tree: Tree, path: str, tensors: Tensors) -> T:
    """Return the value of this type that has this tree, and remove its arrays from ``tensors``."""
    value: T = _decoder(typing.cast("Any", annotation))(tree, path, tensors)
    return value


@functools.cache
def _decoder(annotation: Any) -> Coder:
    """Return the function that decodes values of a type; each refuses all that the encoder does not write."""
    kind, origin, arguments, marks = _parts(annotation)
    if TREE in marks:
        return lambda tree, path, tensors: tree
    if origin in (types.UnionType, typing.Union):
        return _union_coder(_decoder, arguments)
    if origin is np.ndarray:
        return _array_decoder(np.dtype(typing.get_args(arguments[1])[0]), marks)
    if origin in (list, tuple):
        length = None if origin is list or Ellipsis in arguments else len(arguments)
        return _list_decoder(origin, _decoder(arguments[0]), length)
    if origin is dict:
        return _dict_coder(_decoder(arguments[1]))
    if kind is float:
        return _float_decoder(INFINITE in marks)
    if kind is Any:
        return _encode_label
    if kind is Certificate:
        return _decode_certificate
    return _dataclass_decoder(kind) if dataclasses.is_dataclass(kind) else _scalar_decoder(kind)


def _scalar_decoder(kind: type[Any]) -> Coder:
    def decode_scalar(tree: Tree, path: str, tensors: Tensors) -> Any:
        if type(tree) is not kind:
            raise _wrong(f"of type {kind.__name__}", tree, path)
        return tree

    return decode_scalar


def _float_decoder(is_infinite_allowed: bool) -> Coder:
    def decode_float(tree: Tree, path: str, tensors: Tensors) -> float:
        if is_infinite_allowed and type(tree) is str and tree in ("inf", "-inf"):
            return float(tree)
        if type(tree) is float and math.isfinite(tree):
            return tree
        if type(tree) is not int or abs(tree) >= LONG:  # an integer may stand for a float
            raise _wrong("a finite number", tree, path)
        return float(tree)

    return decode_float


def _list_decoder(kind: type[Any], entry_decoder: Coder, length: int | None) -> Coder:
    def decode_list(tree: Tree, path: str, tensors: Tensors) -> Any:
        if not isinstance(tree, list) or length not in (None, len(tree)):
            raise _wrong("a list" if length is None else f"a list of {length}", tree, path)
        return kind([entry_decoder(entry, f"{path}.{place}", tensors) for place, entry in enumerate(tree)])

    return decode_list


def _dataclass_decoder(kind: Any) -> Coder:
    decoders: dict[str, Coder] = {}

    def decode_fields(tree: Tree, path: str, tensors: Tensors) -> Any:
        if not decoders:
            decoders.update({name: _decoder(hint) for name, hint in _hints(kind).items()})
        if not isinstance(tree, dict):
            raise _wrong(f"an object with the fields of {kind.__name__}", tree, path)
        if tree.keys() != decoders.keys():
            wrong = min(tree.keys() ^ decoders.keys())
            raise input_error(path or "header", f"{quote(wrong)} is {'unknown' if wrong in tree else 'missing'}.")
        prefix = f"{path}." if path else ""
        fields = {name: decoder(tree[name], prefix + name, tensors) for name, decoder in decoders.items()}
        try:
            return kind(**fields)
        except (ValueError, TypeError, ArithmeticError) as error:
            raise input_error(path or "header", f"{error}.") from None

    return decode_fields


def _decode_certificate(tree: Tree, path: str, tensors: Tensors) -> Any:
    name = tree.get(KIND) if isinstance(tree, dict) else None
    if not isinstance(name, str) or name not in CERTIFICATES:
        raise input_error(path, CERTIFICATES.unknown(name))
    fields = {key: entry for key, entry in tree.items() if key != KIND}
    return _decoder(CERTIFICATES[name])(fields, path, tensors)


def _array_decoder(dtype: np.dtype[Any], marks: tuple[Any, ...]) -> Coder:
    check = _array_checker(dtype, marks)

    def decode_array(tree: Tree, path: str, tensors: Tensors) -> Any:
        if tree != path or path not in tensors:
            raise input_error(path, f"there is no tensor named {quote(tree)}.")
        array = tensors.pop(path)
        check(array, path)
        if MAY_BE_WIDE in marks or not isinstance(array, WideArray):
            return array
        tensors.spend(array.size * array.dtype.itemsize, path)
        return np.asarray(array)

    return decode_array


@functools.cache
def _parts(annotation: Any) -> tuple[Any, Any, tuple[Any, ...], tuple[Any, ...]]:
    """Return the type of an annotation, its origin and arguments, and the metadata of ``Annotated``."""
    is_annotated = typing.get_origin(annotation) is Annotated
    kind, marks = (annotation.__origin__, annotation.__metadata__) if is_annotated else (annotation, ())
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is NDArray:  # since NumPy 2.5 a type alias, which does not show what it stands for
        origin, arguments = np.ndarray, (Any, types.GenericAlias(np.dtype, arguments))
    return kind, origin, arguments, marks


@functools.cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    """Return the annotations of the fields of a dataclass."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


# ---- values that states have in common -----------------------------------------------------------------------------


def names_to_bytes(names: list[Any]) -> Bytes:
    """Return names of features, text or integers, as an array: they may be too many for a JSON header."""
    return np.frombuffer(to_text([str(name) if isinstance(name, str) else name for name in names]).encode(), np.uint8)


def names_from_bytes(stored: Bytes, path: str) -> list[Any]:
    """Return the names that ``names_to_bytes`` stored."""
    try:
        names = from_text(stored.tobytes())
    except ValueError as error:
        raise input_error(path, f"the names are not JSON: {error}.") from None
    if not isinstance(names, list) or not all(type(name) in (str, int) for name in names):
        raise input_error(path, "the names must be a list of texts and integers.")
    return names


def check_count(value: float, path: str, *, at_least: int = 0) -> None:
    """Refuse a number that cannot be a count."""
    if not at_least <= value < MAX_COUNT:
        raise input_error(path, f"the number must be at least {at_least} and below 2**63, but it is {quote(value)}.")


def check_duals(duals: Duals, path: str) -> None:
    """Refuse duals whose rows do not ascend, or that do not have one weight per row."""
    rows = duals.rows
    if rows.shape != duals.weights.shape or np.any(np.diff(rows, prepend=-1) <= 0):
        raise input_error(path, "the row numbers must ascend, with one weight for each.")
