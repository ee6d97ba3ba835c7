"""The extensions of Sphinx in docs/_ext as modules, for the tests."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def extension(name):
    """The module of an extension."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
