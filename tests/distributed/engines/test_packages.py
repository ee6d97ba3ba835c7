"""Packages of engines that are not installed."""

import math

import pytest

from novikoff.distributed.engines.packages import package
from novikoff.errors import InvalidInputError


def test_an_installed_package_is_imported():
    assert package("t", "math", "dask") is math


def test_a_missing_package_is_named_with_its_extra():
    with pytest.raises(InvalidInputError) as caught:
        package("t", "no_such_engine.client", "dask")
    message = "this engine needs the package no_such_engine. Install it with: pip install 'novikoff[dask]'"
    assert str(caught.value) == f"t: {message}"
