"""The same estimators on data that no single machine holds: on Dask, Spark or Ray, or on threads of this process."""

from .fit import fit as fit
from .separability import separability as separability

__all__ = ["fit", "separability"]
