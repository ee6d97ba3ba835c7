"""A model as one file that cannot run code: safetensors, with a JSON header that says what the tensors are.

The header stands in the metadata of the file, under ``novikoff``: the version of the format, the learner and its
parameters, the classes, the features, how files became rows, what the certificates claim in words, and the state of the
learner. Arrays are tensors, named after their place in the header. docs/models.md describes it.

A file is written as a whole or not at all, and only after what is to be written was read back. What is read is checked
value by value before there is a model: a damaged file is an ``InvalidInputError`` that says what is wrong with it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff._atomic import replacing
from novikoff._version import __version__
from novikoff.data.reading import Reading
from novikoff.errors import InvalidInputError, invalid, unreadable
from novikoff.theory.certificate import Duals, listed

from .frame import FORMAT, VERSION, check_start, pack, unpack
from .kinds import Speaker
from .records import Names, Plain, read, refuse_unused, write

ROOMS = ("online", "svm")  # where the learners are; they lie above this file, which imports them by need
LABELS = {"object", "str", "bool", "float16", "float32", "float64"}  # dtypes of classes_, and all integers
LABELS |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_LEARNERS: dict[str, type[Saveable]] = {}


@dataclass(frozen=True)
class Labels:
    """The classes in order, and what kind of array they are."""

    dtype: str
    values: list[Any]


@dataclass(frozen=True)
class Features:
    """How many features there are, and their names where the columns of a table had some."""

    count: int
    names: Names | None


@dataclass(frozen=True)
class Basis:
    """What a file says of every learner alike: its classes, and its features."""

    classes: NDArray[Any]
    width: int
    names: NDArray[Any] | None  # feature_names_in_


@dataclass(frozen=True)
class Header:
    """What stands before the state of the learner."""

    format: str
    version: int
    library: str
    learner: str
    parameters: dict[str, Plain]
    classes: Labels
    features: Features
    reading: Reading | None
    claims: list[list[list[str]]]  # of each certificate: for those who look into the file, and for nothing else


class Saveable:
    """A learner that can be kept in a file. Those in the public modules of novikoff are found by their names."""

    _State: ClassVar[type[Any]]  # a frozen dataclass: all that was learned

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        package, *rooms = cls.__module__.split(".")
        if package == __name__.split(".")[0] and not any(room.startswith("_") for room in rooms):
            _LEARNERS[cls.__name__] = cls

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the model in a file, as ``novikoff.save`` does."""
        _save(f"{type(self).__name__}.save", self, path)

    def _is_learned(self) -> bool:
        """Whether there is anything to keep."""
        return hasattr(self, "classes_")

    def _basis(self) -> Basis:
        """The classes and the features."""
        own: Any = self
        names = None if not hasattr(self, "feature_names_in_") else own.feature_names_in_
        return Basis(own.classes_, int(own.n_features_in_), names)

    def _state(self, where: str) -> Any:
        """All that was learned, as a ``_State``. Every learner has its own."""
        raise TypeError(f"[{where}] A learner that knows its state. Got {type(self).__name__}.")

    def _take_up(self, state: Any, basis: Basis, speaker: Speaker) -> None:
        """Become the learner that had this state; refuse one that no learner can have. Every learner has its own."""
        raise TypeError(f"[{speaker.where}] A learner that knows its state. Got {type(self).__name__}.")

    def _have_features(self, basis: Basis) -> None:
        """Know how wide rows are, and what their columns are called, as scikit-learn keeps it."""
        own: Any = self
        own.n_features_in_ = basis.width
        if basis.names is not None:
            own.feature_names_in_ = basis.names

    def _certificates(self) -> list[Any]:
        """All certificates, one after the other; there are none where weights come from elsewhere."""
        found = getattr(self, "certificate_", [])
        return listed(found)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Keep a fitted model in a file, which ``load`` reads.

    The file is a safetensors file: it holds numbers and text, and cannot run code. It is written beside its place and
    put there when all of it is on the disk, so that a failure leaves what was there before.

    Parameters
    ----------
    model : a fitted learner of novikoff
    path : the file; ``.nvk`` is a good ending

    Examples
    --------
    >>> import os, tempfile
    >>> import novikoff as nk
    >>> model = nk.Perceptron().fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], ["yes", "yes", "no"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.save(model, os.path.join(folder, "model.nvk"))
    ...     again = nk.load(os.path.join(folder, "model.nvk"))
    >>> again.predict([[3.0, 1.0]])
    array(['yes'], dtype='<U3')
    """
    _save("save", model, path)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``save`` wrote, checking every value on the way.

    An online learner goes on learning where it was, bit for bit. Nothing in the file is ever executed.

    Parameters
    ----------
    path : the file

    Examples
    --------
    >>> import os, tempfile
    >>> import novikoff as nk
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.LinearSVM(C=10.0).fit(X, y).save(os.path.join(folder, "model.nvk"))
    ...     model = nk.load(os.path.join(folder, "model.nvk"))
    >>> bool(model.certificate_.verify(X, y))
    True
    """
    name = _name_of("load", path)
    try:
        with open(path, "rb") as file:
            start = file.peek(9)  # so that a large file of another kind is not read whole
            if len(start) >= 9:
                check_start("load", name, start)
            data = file.read()
    except InvalidInputError:
        raise
    except (OSError, ValueError) as error:
        raise unreadable("load", name, error) from None
    return _decoded("load", name, data)


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a model of ours, by its beginning."""
    try:
        with open(path, "rb") as file:
            check_start("is_model", "", file.read(9))
            return b'"novikoff"' in file.read(1 << 16)  # the metadata come first
    except (OSError, ValueError):
        return False


def _name_of(where: str, path: Any) -> str:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise invalid(where, "The path of a file.", repr(path))
    return str(path)


def check_count(value: float, path: str, speaker: Speaker, *, at_least: int = 0) -> None:
    """Refuse what is no count: below 0, or more than anybody can have counted."""
    if not at_least <= value < 2**63:
        raise speaker.refuse(f"A number from {at_least} up", path, f"{value:g}" if abs(value) < 2**64 else "a huge one")


def check_duals(duals: Duals, path: str, speaker: Speaker) -> None:
    """Refuse duals that are not those of rising rows, a weight each: what is built on them relies on it."""
    rows = duals.rows
    if rows.shape != duals.weights.shape or np.any(np.diff(rows) <= 0) or np.any(rows < 0):
        raise speaker.refuse("Rising numbers of rows, with a weight for each,", path, "others")


# ---- writing -------------------------------------------------------------------------------------------------------


def _save(where: str, model: Any, path: str | os.PathLike[str]) -> None:
    name = _name_of(where, path)
    if _LEARNERS.get(type(model).__name__) is not type(model):
        raise invalid(where, "A learner of novikoff.", f"{type(model).__name__}")
    if not model._is_learned():
        raise invalid(where, "A model that has learned something.", f"{type(model).__name__} before it was fitted")
    data = _encoded(where, model)
    _decoded(where, name, data)  # a file that cannot be read is never put in the place of one that can
    with replacing(where, path) as file:
        file.write(data)


def _encoded(where: str, model: Saveable) -> bytes:
    speaker, basis = Speaker(where), model._basis()
    header = Header(
        format=FORMAT,
        version=VERSION,
        library=__version__,
        learner=type(model).__name__,
        parameters=model.get_params(deep=False),  # type: ignore[attr-defined]  # scikit-learn is untyped
        classes=_labels(where, basis.classes),
        features=Features(basis.width, None if basis.names is None else basis.names.tolist()),
        reading=getattr(model, "reading_", None),
        claims=[[list(fact) for fact in certificate.claims()] for certificate in model._certificates()],
    )
    tree = write(Header, header, "", speaker)
    tree["state"] = write(model._State, model._state(where), "state", speaker)
    return pack(where, tree, speaker.tensors)


def _labels(where: str, classes: NDArray[Any]) -> Labels:
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in LABELS:
        raise invalid(where, "Labels that are text, numbers or booleans.", f"dtype {classes.dtype}")
    return Labels(name, classes.tolist())


# ---- reading -------------------------------------------------------------------------------------------------------


def _decoded(where: str, name: str, data: bytes) -> Any:
    tree, tensors = unpack(where, name, data)
    speaker = Speaker(where, name, tensors)
    state = tree.pop("state", None)
    header: Header = read(Header, tree, "", speaker)
    cls = _learner_named(header.learner)
    if cls is None:
        raise speaker.refuse("A learner that this novikoff has", "learner", repr(header.learner)[:80])
    model: Any = _made(cls, header, speaker)
    basis = _basis(header, speaker)
    learned = read(cls._State, state, "state", speaker)
    refuse_unused(speaker)
    model._take_up(learned, basis, speaker)
    model._have_features(basis)
    if header.reading is not None:
        model.reading_ = header.reading
    return model


def _learner_named(name: str) -> type[Saveable] | None:
    """A class by its name alone; those of novikoff may not have been imported yet."""
    if name not in _LEARNERS:
        for room in ROOMS:
            import_module(f"novikoff.{room}")
    return _LEARNERS.get(name)


def _made(cls: type[Any], header: Header, speaker: Speaker) -> Any:
    """The learner with its parameters, as if the user had made it."""
    known = set(cls().get_params(deep=False))
    if wrong := sorted(known ^ set(header.parameters)):
        got = f"{'a' if wrong[0] in header.parameters else 'no'} {wrong[0][:80]!r}"
        raise speaker.refuse(f"The parameters of {cls.__name__}", "parameters", got)
    return cls(**header.parameters)


def _basis(header: Header, speaker: Speaker) -> Basis:
    labels, features = header.classes, header.features
    check_count(features.count, "features.count", speaker)
    names = None
    if features.names is not None:
        if len(features.names) != features.count or not all(isinstance(name, str) for name in features.names):
            raise speaker.refuse(f"{features.count} names", "features.names", f"{len(features.names)}")
        names = np.array(features.names, dtype=object)
    return Basis(_classes(labels, speaker), features.count, names)


def _classes(labels: Labels, speaker: Speaker) -> NDArray[Any]:
    if labels.dtype not in LABELS:
        raise speaker.refuse("A kind of labels", "classes.dtype", repr(labels.dtype)[:80])
    need = f"Labels of kind {labels.dtype}, rising,"
    try:
        rising = all(low < high for low, high in zip(labels.values, labels.values[1:], strict=False))
        classes = np.array(labels.values, dtype=labels.dtype)
    except (TypeError, ValueError, OverflowError):
        raise speaker.refuse(need, "classes.values", "others") from None
    if not rising or classes.tolist() != labels.values or classes.ndim != 1:
        raise speaker.refuse(need, "classes.values", "others")
    return classes
