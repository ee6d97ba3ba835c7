// Moments of columns: those of the definition, on any number of threads.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "novikoff/column_moments.hpp"

using namespace novikoff;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

TEST(missing_values_do_not_count) {
  const std::vector<double> numbers{1, missing, 3, missing, missing, missing, 5, missing, missing};
  const ColumnMoments found = column_moments(numbers, 3, 1);
  CHECK(found.counts == (std::vector<double>{2, 0, 1}));
  CHECK(found.means[0] == 3 && found.squares[0] == 8 && found.least[0] == 1 && found.largest[0] == 5);
  CHECK(found.means[1] == 0 && found.squares[1] == 0 && found.least[1] > found.largest[1]);
}

TEST(a_large_mean_does_not_cancel_a_small_variance) {
  std::vector<double> numbers;
  for (int i = 0; i < 100'000; ++i) numbers.push_back(1.7e9 + (i % 2 == 0 ? 1e-3 : -1e-3));
  const ColumnMoments found = column_moments(numbers, 1, 2);
  CHECK(std::abs(std::sqrt(found.squares[0] / found.counts[0]) - 1e-3) < 1e-6);
}

TEST(the_number_of_threads_does_not_change_a_bit) {
  std::vector<double> numbers;
  for (int i = 0; i < 300'000; ++i) numbers.push_back(i % 17 == 0 ? missing : std::sin(i) * 1e3);
  const ColumnMoments one = column_moments(numbers, 3, 1), three = column_moments(numbers, 3, 3);
  CHECK(one.means == three.means && one.squares == three.squares && one.counts == three.counts);
}

TEST(nothing_has_no_moments) {
  CHECK(column_moments({}, 2, 2).counts == (std::vector<double>{0, 0}));
  CHECK(column_moments({}, 0, 2).counts.empty());
}

}  // namespace
