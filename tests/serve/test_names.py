import pytest

from novikoff.serve.errors import ServeError
from novikoff.serve.names import check_name


@pytest.mark.parametrize("name", [None, 1, "", ".", "..", "-a", "a/b", "a b", "a\n", "é", "a" * 101])
def test_a_name_that_is_not_allowed_is_422(name):
    with pytest.raises(ServeError, match="1 to 100 letters") as caught:
        check_name(name)
    assert (caught.value.status, caught.value.code) == (422, "bad_name")


@pytest.mark.parametrize("name", ["a", "a" * 100, "0.A_b-c"])
def test_names_that_are_allowed_are_returned(name):
    assert check_name(name) == name
