"""Attributes that are computed when they are first read."""

import threading
from dataclasses import dataclass

from novikoff._cached import cached_property


@dataclass(frozen=True)
class Circle:
    radius: float

    @cached_property
    def area(self):
        """Computed at the first use."""
        return [3 * self.radius**2]


def test_a_value_is_computed_once_and_belongs_to_its_object():
    one, other = Circle(1), Circle(2)
    assert one.area is one.area
    assert (one.area, other.area) == ([3], [12])
    assert vars(one) == {"radius": 1, "area": [3]}


def test_the_class_has_the_property_itself_with_its_description():
    assert isinstance(Circle.area, cached_property)
    assert Circle.area.__doc__ == "Computed at the first use."


def test_threads_do_not_wait_for_each_other_and_get_the_same_value():
    begin = threading.Barrier(2, timeout=10)

    class Slow:
        @cached_property
        def value(self):
            begin.wait()
            return object()

    slow, seen = Slow(), []
    threads = [threading.Thread(target=lambda: seen.append(slow.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 2
    assert seen[0] is seen[1] is slow.value
