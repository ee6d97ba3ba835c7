"""Where real data lies, if it is at hand: in $NOVIKOFF_DATA, or in ../shared/data from the project's root."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[2] / "shared" / "data"))


def real(name):
    """The path of a file, or a test that is skipped."""
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA}")
    return DATA / name
