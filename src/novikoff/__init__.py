"""Linear classifiers that keep their promises.

What is public is listed here. A name is imported when it is first used: scikit-learn, which the learners are built on,
takes a second to import, and not everything needs it.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

try:
    from . import _core as _core
except ImportError as error:
    error.add_note(
        "The compiled core of novikoff is missing. Build it with `pip install .` in the root of its repository."
    )
    raise

from ._version import __version__ as __version__

if _TYPE_CHECKING:
    from . import evaluate as evaluate
    from . import export as export
    from . import plot as plot
    from . import theory as theory
    from .batch import HardMarginSVM as HardMarginSVM
    from .batch import LinearClassifier as LinearClassifier
    from .batch import LinearSVM as LinearSVM
    from .batch import LinearSVMCV as LinearSVMCV
    from .batch import LinearSVMPath as LinearSVMPath
    from .data.hashing import Hashing as Hashing
    from .data.stream import cache as cache
    from .data.stream import read as read
    from .data.stream import scan as scan
    from .data.svmlight import read_svmlight as read_svmlight
    from .data.svmlight import write_svmlight as write_svmlight
    from .data.write import write as write
    from .errors import FileError as FileError
    from .errors import InvalidInputError as InvalidInputError
    from .errors import MissingFileError as MissingFileError
    from .errors import NotSeparableError as NotSeparableError
    from .errors import NovikoffError as NovikoffError
    from .model_file import load as load
    from .model_file import save as save
    from .online import AveragedPerceptron as AveragedPerceptron
    from .online import MarginPerceptron as MarginPerceptron
    from .online import PassiveAggressive as PassiveAggressive
    from .online import PassiveAggressiveI as PassiveAggressiveI
    from .online import PassiveAggressiveII as PassiveAggressiveII
    from .online import Perceptron as Perceptron
    from .online import VotedPerceptron as VotedPerceptron
    from .reporting import report as report
    from .separating import separability as separability
    from .verifying import verify as verify

_MODULES = ("evaluate", "export", "plot", "theory")
_HOMES = {
    "batch": "HardMarginSVM LinearClassifier LinearSVM LinearSVMCV LinearSVMPath",
    "data.hashing": "Hashing",
    "data.stream": "cache read scan",
    "data.svmlight": "read_svmlight write_svmlight",
    "data.write": "write",
    "errors": "FileError InvalidInputError MissingFileError NotSeparableError NovikoffError",
    "model_file": "load save",
    "online": "AveragedPerceptron MarginPerceptron PassiveAggressive PassiveAggressiveI PassiveAggressiveII Perceptron "
    "VotedPerceptron",
    "reporting": "report",
    "separating": "separability",
    "verifying": "verify",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = [*_MODULES, *_HOME_OF, "__version__"]  # all of these are strings


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value  # also in place of a module that is called like what it is for
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
