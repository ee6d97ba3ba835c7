import msgspec
import pytest

from novikoff.serve.engine.registry import Registry
from novikoff.serve.engine.specification import Specification
from novikoff.serve.errors import ServeError
from novikoff.serve.log.records import COPY, CREATE, DELETE, Record


def applied(registry, sequence, model, kind, **content):
    registry.apply(Record(sequence, model, kind, 0, 0, msgspec.json.encode(content), b""))


@pytest.fixture
def registry():
    registry = Registry()
    applied(registry, 1, 1, CREATE, name="a", specification={"learner": "arow"})
    applied(registry, 2, 2, COPY, name="b", source=1)
    return registry


def test_models_are_found_by_name_and_number(registry):
    assert registry.names() == ["a", "b"]
    assert registry.get("b").specification == registry.number(1).specification == Specification("arow")
    assert registry.get("b").source == 1
    assert len(registry) == 2


def test_a_deleted_model_is_known_to_its_copies_only(registry):
    applied(registry, 3, 1, DELETE, name="a")
    assert "a" not in registry
    assert not registry.is_alive(1)
    assert registry.ever(1).name == "a"
    with pytest.raises(ServeError) as refused:
        registry.get("a")
    assert refused.value.status == 404
    applied(registry, 4, 4, CREATE, name="a", specification={})
    assert registry.get("a").number == 4


def test_names_and_numbers_of_models_are_bounded(registry):
    registry.check_new("c", 3)
    for name, limit, code in (("a", 10, "exists"), ("c", 2, "too_many_models"), ("../c", 10, "bad_name")):
        with pytest.raises(ServeError) as refused:
            registry.check_new(name, limit)
        assert refused.value.code == code
