"""What all tests share: the list of learners, and how hypothesis runs."""

import os

import pytest
from hypothesis import settings

from learners import LEARNERS

settings.register_profile("default", deadline=None, max_examples=30)
settings.register_profile("ci", deadline=None, max_examples=30, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(params=LEARNERS.values(), ids=LEARNERS.keys(), scope="session")
def make(request):
    """A function that makes one of the learners, with whatever parameters are given on top of its own."""
    return request.param
