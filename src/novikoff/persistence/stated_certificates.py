"""Certificates as a model file states them for other checkers.

A file lists its certificates under ``certificates``, with all fields. Their arrays are those of
the state wherever these are equal, so that nothing is stored twice. docs/certificate-format.md describes the fields. A
file whose list is not that of the certificates of its model is refused: other checkers would decide claims that it does
not make.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff._core import hash_bytes
from novikoff._json import Tree
from novikoff._wide_array import WideArray, same_array
from novikoff.errors import InvalidInputError, input_error
from novikoff.theory.certificate import Certificate

from .codec import Tensors, decode, encode

MACHINE_ROUNDING = 1e-9  # relative; bounds of online learners are computed again on loading, on any machine
LABELS = ("positive", "negative")  # fields whose texts are never names of arrays


def encode_certificates(certificates: Sequence[Certificate], tensors: Tensors) -> list[Tree]:
    """Return the trees of certificates, and add those of their arrays that ``tensors`` does not have."""
    encoded = []
    for place, certificate in enumerate(certificates):
        own = Tensors()
        encoded.append((encode(Certificate, certificate, f"certificates.{place}", own), own))
    compared = {_form(array) for _, own in encoded for array in own.values()}
    known = {_key(array): name for name, array in reversed(tensors.items()) if _form(array) in compared}
    trees = []
    for tree, own in encoded:
        names = {}
        for name, array in own.items():
            found = known.setdefault(_key(array), name)
            names[name] = found if found != name and _has_same_bits(tensors[found], array) else name
            if names[name] == name:
                tensors[name] = array
        trees.append(_renamed(tree, names))
    return trees


def _form(array: Any) -> tuple[str, tuple[int, ...]]:
    return array.dtype.str, array.shape


def _key(array: Any) -> tuple[str, tuple[int, ...], int]:
    """Return what equal arrays have in common, and others hardly ever. Nothing holds up other threads for long."""
    return *_form(array), hash_bytes(_bytes(array))


def _bytes(array: Any) -> Any:
    """Return the bytes of an array; of a wide one, those of its columns and of its values."""
    if isinstance(array, WideArray):
        return b"".join(np.ascontiguousarray(part).tobytes() for part in array.positions())
    return array.reshape(-1).view(np.uint8)


def _has_same_bits(one: Any, other: Any) -> bool:
    if _form(one) != _form(other):
        return False
    return np.array_equal(np.frombuffer(_bytes(one), np.uint8), np.frombuffer(_bytes(other), np.uint8))


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    """Return a tree with other names of arrays. Labels are not renamed: they are in lists, or called ``positive``."""
    if not isinstance(tree, dict):
        return names.get(tree, tree) if isinstance(tree, str) else tree
    return {key: entry if key in LABELS else _renamed(entry, names) for key, entry in tree.items()}


def check_stated(trees: Sequence[Tree], certificates: Sequence[Certificate], tensors: Tensors) -> list[Certificate]:
    """Return the certificates that a file states, or refuse them if they are not those of its model.

    Parameters
    ----------
    trees : sequence of Tree
        ``certificates`` of the header.
    certificates : sequence of Certificate
        Those of the restored model.
    tensors : dict
        All arrays of the file. Not modified.
    """
    if len(trees) != len(certificates):
        raise _contradiction()
    return [
        _checked(tree, certificate, f"certificates.{place}", tensors)
        for place, (tree, certificate) in enumerate(zip(trees, certificates, strict=True))
    ]


def _checked(tree: Tree, certificate: Certificate, path: str, tensors: Tensors) -> Certificate:
    own = Tensors()
    expected = encode(Certificate, certificate, path, own)
    found = _with_names_of(expected, tree, own, tensors)
    if found == expected:
        return certificate
    return decode(Certificate, found, path, own)  # type: ignore[type-abstract]  # its kind is in the tree


def _with_names_of(expected: Tree, tree: Tree, own: Tensors, tensors: Tensors, is_label: bool = False) -> Tree:
    """Return a tree that is equal to the expected one up to rounding, with the names of arrays that are expected."""
    if isinstance(expected, dict) and isinstance(tree, dict) and expected.keys() == tree.keys():
        return {key: _with_names_of(entry, tree[key], own, tensors, key in LABELS) for key, entry in expected.items()}
    if isinstance(expected, list) and isinstance(tree, list) and len(expected) == len(tree):
        pairs = zip(expected, tree, strict=True)
        return [_with_names_of(*pair, own, tensors, is_label=True) for pair in pairs]
    if isinstance(expected, str) and expected in own and not is_label:
        if isinstance(tree, str) and tree in tensors and _same_array(own[expected], tensors[tree]):
            return expected
    elif type(expected) is float and type(tree) in (int, float):
        is_rounded = type(tree) is float and not is_label
        if tree == expected or (is_rounded and math.isclose(tree, expected, rel_tol=MACHINE_ROUNDING)):
            return tree
    elif type(expected) is type(tree) and expected == tree:
        return tree
    raise _contradiction()


def _same_array(one: Any, other: Any) -> bool:
    return one is other or (one.dtype == other.dtype and same_array(one, other))


def _contradiction() -> InvalidInputError:
    return input_error("certificates", "the certificates that it states are not those of its model.")


def names_of_tensors(trees: Sequence[Tree]) -> set[str]:
    """Return the names of arrays that only certificates have."""
    found: set[str] = set()
    for tree in trees:
        entries = tree.values() if isinstance(tree, dict) else ()
        found |= {entry for entry in entries if isinstance(entry, str) and entry.startswith("certificates.")}
        found |= names_of_tensors([entry for entry in entries if isinstance(entry, dict)])
    return found
