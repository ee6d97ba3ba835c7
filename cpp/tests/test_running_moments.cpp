// Running standardisation: means and deviations of all rows so far, whatever the blocks, and finite numbers only.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "check.hpp"
#include "novikoff/running_moments.hpp"

using namespace novikoff;

namespace {

constexpr double empty = std::numeric_limits<double>::quiet_NaN();

struct Columns {
  std::vector<std::int64_t> counts;
  std::vector<double> shifts, sums, squares;
  explicit Columns(std::size_t width) : counts(width), shifts(width), sums(width), squares(width) {}
  RunningMoments moments() { return {counts, shifts, sums, squares}; }
};

std::vector<double> standardised(const std::vector<double>& numbers, std::size_t width, std::size_t rows_per_block,
                                 bool standardise = true) {
  Columns columns(width);
  std::vector<double> out(numbers.size());
  const std::size_t step = rows_per_block * width;
  for (std::size_t start = 0; start < numbers.size(); start += step) {
    const std::size_t size = std::min(step, numbers.size() - start);
    add_rows(std::span(numbers).subspan(start, size), columns.moments(), std::span(out).subspan(start, size), standardise);
  }
  return out;
}

}  // namespace

TEST(a_row_is_standardised_with_the_rows_up_to_it) {
  const auto found = standardised({1, 3, 8}, 1, 3);
  CHECK(found[0] == 0 && found[1] == 1);
  CHECK(std::abs(found[2] - 4 / std::sqrt(26.0 / 3)) < 1e-15);
}

TEST(blocks_do_not_change_a_bit) {
  std::vector<double> numbers;
  for (int k = 0; k < 300; ++k) numbers.push_back(k % 7 == 3 ? empty : 1e6 + std::sin(k));
  const auto whole = standardised(numbers, 3, 100);
  CHECK(whole == standardised(numbers, 3, 1));
  CHECK(whole == standardised(numbers, 3, 17));
}

TEST(a_missing_value_is_the_mean) {
  const std::vector<double> numbers{empty, 2, 4, empty};
  CHECK((standardised(numbers, 1, 4, false) == std::vector<double>{0, 2, 4, 3}));
  const auto found = standardised(numbers, 1, 4);
  CHECK(found[0] == 0 && found[3] == 0);
}

TEST(extreme_and_constant_numbers_give_finite_ones) {
  const double most = std::numeric_limits<double>::max();
  for (const double x : standardised({most, -most, 0, 1e-320, most}, 1, 2)) CHECK(std::isfinite(x));
  for (const double x : standardised({0.1, 0.1, 0.1}, 1, 3)) CHECK(x == 0);
}
