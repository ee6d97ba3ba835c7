// A value that may be absent: copies are deep, and it converts to std::optional and back.
#include <optional>
#include <utility>
#include <vector>

#include "check.hpp"
#include "novikoff/boxed.hpp"

using namespace novikoff;
using Numbers = std::vector<double>;

TEST(a_copy_does_not_change_with_the_original) {
  Boxed<Numbers> numbers(Numbers{1, 2});
  Boxed<Numbers> copy = numbers, assigned;
  assigned = numbers;
  numbers->push_back(3);
  CHECK(numbers->size() == 3);
  CHECK(copy->size() == 2);
  CHECK(assigned->size() == 2);
  copy = *&copy;
  CHECK(copy->size() == 2);
}

TEST(an_absent_value_is_copied_and_replaces_others) {
  const Boxed<Numbers> nothing;
  CHECK(!nothing);
  CHECK(nothing.value_or({7}) == Numbers{7});
  Boxed<Numbers> numbers(Numbers{1});
  CHECK(numbers.has_value());
  numbers = nothing;
  CHECK(!numbers);
  numbers.emplace(2, 5.0);
  CHECK(*numbers == (Numbers{5, 5}));
  numbers.reset();
  CHECK(!numbers);
}

TEST(it_converts_to_an_optional_value_and_back) {
  Boxed<Numbers> numbers = std::optional<Numbers>(Numbers{1, 2});
  const double* place = numbers->data();
  const std::optional<Numbers> copied = numbers, moved = std::move(numbers);
  CHECK(copied == Numbers({1, 2}));
  CHECK(moved == copied);
  CHECK(moved->data() == place);
  CHECK(!std::optional<Numbers>(Boxed<Numbers>(std::optional<Numbers>())));
}
