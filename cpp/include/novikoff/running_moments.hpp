// Standardises the rows of a stream of tables by the moments of their columns so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace novikoff {

/// Of each column of numbers: how many values were not missing, the first of them, and the sums of the differences from it and
/// of their squares. Subtracting the first value keeps a large mean from cancelling a small variance.
struct RunningMoments {
  std::span<std::int64_t> counts;
  std::span<double> shifts, sums, squares;
};

/// The largest distance from the first value of a column, and the largest standardised value. The squares of 1e8 such distances
/// do not overflow.
inline constexpr double largest_distance = 1e145;

/// Adds each row to the moments, and then writes it to `out`, if that is not empty: (x - mean) / deviation with the moments up
/// to and including the row, and 0 where the deviation is 0 or the value is missing (NaN). Without `standardise`, squares are
/// not needed, numbers are written as they are, and a missing one is the mean so far, which is 0 before the first value. Rows
/// are added one after the other, so that cutting a stream into blocks does not change a bit.
inline void add_rows(std::span<const double> numbers, const RunningMoments& moments, std::span<double> out, bool standardise) {
  const std::size_t width = moments.counts.size();
  if (width == 0) return;
  for (std::size_t start = 0; start + width <= numbers.size(); start += width) {
    for (std::size_t j = 0; j < width; ++j) {
      const double x = numbers[start + j];
      const bool missing = std::isnan(x);
      if (!missing && moments.counts[j] == 0) moments.shifts[j] = x;
      const double away = x - moments.shifts[j];
      const double distance = missing ? 0.0 : std::clamp(away, -largest_distance, largest_distance);
      const std::int64_t count = moments.counts[j] += missing ? 0 : 1;
      const double sum = moments.sums[j] += distance;
      if (standardise) moments.squares[j] += distance * distance;
      if (out.empty()) continue;
      const auto divisor = static_cast<double>(std::max<std::int64_t>(count, 1));
      const double mean = sum / divisor;
      if (!standardise) {
        out[start + j] = !missing ? x : count > 0 ? moments.shifts[j] + mean : 0.0;
        continue;
      }
      const double deviation = std::sqrt(std::max(moments.squares[j] / divisor - mean * mean, 0.0));
      const double standard = std::clamp((distance - mean) / deviation, -largest_distance, largest_distance);
      out[start + j] = missing || deviation == 0.0 ? 0.0 : standard;
    }
  }
}

}  // namespace novikoff
