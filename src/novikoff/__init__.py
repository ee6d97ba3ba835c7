"""Linear classifiers that keep their promises."""

try:
    from . import _core as _core
except ImportError as error:
    error.add_note(
        "The compiled core of novikoff is missing. Build it with `pip install .` in the root of its repository."
    )
    raise

from . import evaluate as evaluate
from . import export as export
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
from .errors import FileError as FileError
from .errors import InvalidInputError as InvalidInputError
from .errors import MissingFileError as MissingFileError
from .errors import NotSeparableError as NotSeparableError
from .errors import NovikoffError as NovikoffError
from .online import AveragedPerceptron as AveragedPerceptron
from .online import MarginPerceptron as MarginPerceptron
from .online import PassiveAggressive as PassiveAggressive
from .online import PassiveAggressiveI as PassiveAggressiveI
from .online import PassiveAggressiveII as PassiveAggressiveII
from .online import Perceptron as Perceptron
from .online import VotedPerceptron as VotedPerceptron
from .separability import separability as separability

__version__ = "0.1.0"
