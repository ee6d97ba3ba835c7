"""The theorems as functions, and certificates that can be checked with NumPy alone, without any learner.

The public names are listed in ``__init__.pyi``. Each is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
