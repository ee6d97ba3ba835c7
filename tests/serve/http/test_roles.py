"""Roles."""

import itertools

import pytest

from novikoff.errors import InvalidInputError
from novikoff.serve.http.roles import ROLES, Role, role_of


def test_each_role_may_do_what_the_ones_before_it_may():
    assert list(ROLES) == ["predict", "learn", "admin"]
    assert all(low < high for low, high in itertools.pairwise([Role.NOBODY, *ROLES.values()]))


@pytest.mark.parametrize("word", ["nobody", "Admin", "", "root"])
def test_other_words_are_refused(word):
    with pytest.raises(InvalidInputError, match="predict, learn, admin"):
        role_of(word, "here")
    assert role_of("learn", "here") is Role.LEARN
