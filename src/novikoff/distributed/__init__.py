"""The same estimators on data that no single machine holds: on Dask or Spark, or on threads of this process.

The public names are listed in ``__init__.pyi``, and imported when they are first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
