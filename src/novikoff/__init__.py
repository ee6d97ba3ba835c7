"""Linear classifiers that keep their promises.

The public names are listed in ``__init__.pyi``. Each is imported when it is first used, because scikit-learn, which the
learners are built on, takes a second to import.
"""

import lazy_loader as _lazy

try:
    import novikoff._core as _core  # noqa: F401  # a missing core is reported here, at once
except ImportError as error:
    error.add_note(
        "The compiled core of novikoff is missing. Build it with `pip install .` in the root of its repository."
    )
    raise

from ._version import __version__ as __version__

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
__all__ += ["__version__"]
