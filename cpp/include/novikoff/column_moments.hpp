// Counts, means, squared deviations and extremes of columns of numbers with missing values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "novikoff/parallel.hpp"

namespace novikoff {

/// What is known of each column of some rows. Squares are sums of squared differences from the mean.
struct ColumnMoments {
  explicit ColumnMoments(std::size_t width)
      : counts(width),
        means(width),
        squares(width),
        least(width, std::numeric_limits<double>::infinity()),
        largest(width, -std::numeric_limits<double>::infinity()) {}

  std::vector<double> counts, means, squares, least, largest;

  /// Adds other rows, as in Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance.
  void add(const ColumnMoments& other) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      if (other.counts[j] == 0) continue;
      const double total = counts[j] + other.counts[j], share = other.counts[j] / total, shift = other.means[j] - means[j];
      squares[j] += other.squares[j] + shift * shift * counts[j] * share;
      means[j] += shift * share;
      counts[j] = total;
      least[j] = std::min(least[j], other.least[j]);
      largest[j] = std::max(largest[j], other.largest[j]);
    }
  }
};

namespace detail {

/// Returns the moments of rows that fit into the cache, in two passes: the mean, and then the differences from it.
inline ColumnMoments moments_of(std::span<const double> numbers, std::size_t width) {
  ColumnMoments found(width);
  std::vector<double> sums(width);
  for (std::size_t start = 0; start < numbers.size(); start += width)
    for (std::size_t j = 0; j < width; ++j) {
      const double x = numbers[start + j];
      const bool known = !std::isnan(x);
      sums[j] += known ? x : 0.0;
      found.counts[j] += known ? 1.0 : 0.0;
      found.least[j] = x < found.least[j] ? x : found.least[j];
      found.largest[j] = x > found.largest[j] ? x : found.largest[j];
    }
  for (std::size_t j = 0; j < width; ++j) found.means[j] = sums[j] / std::max(found.counts[j], 1.0);
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t start = 0; start < numbers.size(); start += width)
    for (std::size_t j = 0; j < width; ++j) {
      const double x = numbers[start + j], difference = std::isnan(x) ? 0.0 : x - found.means[j];
      sums[j] += difference;
      found.squares[j] += difference * difference;
    }
  for (std::size_t j = 0; j < width; ++j) {  // the sum of all values was rounded
    const double correction = sums[j] / std::max(found.counts[j], 1.0);
    found.means[j] += correction;
    found.squares[j] -= found.counts[j] * correction * correction;
  }
  return found;
}

}  // namespace detail

/// Returns the moments of the columns of rows; NaN is a missing value. Rows are taken in pieces of a fixed size that are joined
/// in order, so that the number of threads does not change a bit.
inline ColumnMoments column_moments(std::span<const double> numbers, std::size_t width, std::size_t threads) {
  ColumnMoments found(width);
  if (width == 0) return found;
  constexpr std::size_t piece_size = 1 << 15;  // numbers
  const std::size_t piece = std::max<std::size_t>(1, piece_size / width) * width;
  std::vector<ColumnMoments> parts((numbers.size() + piece - 1) / piece, ColumnMoments(0));
  in_parallel(parts.size(), threads, [&](std::size_t k) {
    parts[k] = detail::moments_of(numbers.subspan(k * piece, std::min(piece, numbers.size() - k * piece)), width);
  });
  for (const ColumnMoments& part : parts) found.add(part);
  return found;
}

}  // namespace novikoff
