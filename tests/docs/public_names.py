"""What is public: names of the package and of its public modules, of the modules of bounds, and the server."""

import inspect

import novikoff as nk
import novikoff.compat.river
import novikoff.serve
from novikoff.theory import losses

CONSTANTS = ("EXPORTS", "CERTIFICATES")  # registries that others extend
OUTSIDE = {  # public names that ``import novikoff`` alone does not give
    "novikoff.compat.river.RiverClassifier": novikoff.compat.river.RiverClassifier,
    "novikoff.serve.create_app": novikoff.serve.create_app,
}


def public_names():
    """All public names with their values, each as it is written on the page of its topic."""
    found = dict(OUTSIDE)
    for name in nk.__all__:
        value = getattr(nk, name)
        if inspect.ismodule(value):
            found |= of_module(f"novikoff.{name}", value)
        elif not name.startswith("_"):
            found[f"novikoff.{name}"] = value
    return found


def of_module(path, module):
    """The names that a public module defines, or lists in ``__all__``."""
    found = {}
    for name in getattr(module, "__all__", vars(module)):
        value = getattr(module, name)
        if inspect.ismodule(value):
            is_public = "__all__" in vars(module) or "__all__" in dir(module)
            found |= of_module(f"{path}.{name}", value) if is_public and module is nk.theory else {}
        elif not name.startswith("_") and is_of(module, name, value):
            found[f"{path}.{name}"] = value
    return found


def is_of(module, name, value):
    """Whether a module defines a value, and does not only use it."""
    if name in CONSTANTS or (module is losses and isinstance(value, losses.MarginLoss)):
        return True
    return callable(value) and str(getattr(value, "__module__", "")).startswith(module.__name__)
