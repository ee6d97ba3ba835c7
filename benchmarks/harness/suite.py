"""The contract of a suite, and the registry."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.data.sets import DATA

if TYPE_CHECKING:
    from .session import Session

NAMES = (  # in the order in which they run
    "online",
    "unsorted",
    "many_classes",
    "scaling",
    "memory",
    "parse",
    "stream",
    "hashing",
    "tables",
    "wide",
    "service",
    "end_to_end",
    "svm",
    "path",
    "few_rows",
    "embeddings",
    "crammer_singer",
    "margin",
    "separability",
    "accuracy",
    "stream_accuracy",
    "class_streams",
    "probabilities",
    "serve_log",
    "serve",
    "scaling_costs",
    "distributed",
)


@dataclass(frozen=True)
class Suite:
    """A suite of measurements; each module of this package that ``NAMES`` lists has one, called ``SUITE``.

    Parameters
    ----------
    name : str
        The name of its module and of its result.
    measures : str
        What is measured.
    contestants : tuple of str
        Who takes part besides novikoff.
    answers : str
        How answers are compared, so that no time is reported for a worse one.
    limit : str
        What the work must cost, whoever does it: bytes to read, or operations.
    run : callable
        Measures, with a ``Session``.
    quick, full : mapping of str to object
        The sizes of `make bench` and of `make bench-full`.
    packages, programs, files : tuple of str
        What the suite needs: Python packages, programs, and files in $NOVIKOFF_DATA.
    """

    name: str
    measures: str
    contestants: tuple[str, ...]
    answers: str
    limit: str
    run: Callable[[Session], None]
    quick: Mapping[str, Any]
    full: Mapping[str, Any]
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        """Return what this suite needs and is missing, each with what to do."""
        packages = [name for name in self.packages if importlib.util.find_spec(name) is None]
        programs = [name for name in self.programs if shutil.which(name) is None]
        files = [name for name in self.files if not (DATA / name).exists()]
        return [
            *(f"the package {name} is not installed (pip install --group bench)" for name in packages),
            *(f"the program {name} is not installed" for name in programs),
            *(f"{DATA / name} does not exist (set NOVIKOFF_DATA)" for name in files),
        ]


def load(name: str) -> Suite:
    """Return a suite by its name. A module of a package that is not installed raises ``ModuleNotFoundError``."""
    suite = importlib.import_module(f"benchmarks.{name}").SUITE
    assert isinstance(suite, Suite)
    return suite
