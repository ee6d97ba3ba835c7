// One row of a dense matrix in memory that the caller owns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "novikoff/lanes.hpp"
#include "novikoff/repeats.hpp"
#include "novikoff/row.hpp"

namespace novikoff {

/// One row of a dense matrix: `size` values, `stride` elements apart (1 in C order, the column length in F order).
/// Sums use eight fixed lanes for every stride, so that the memory layout does not change a bit of the result.
template <class T>
struct DenseRow {
  const T* values;
  std::size_t size;
  std::ptrdiff_t stride;

  double dot(const auto& w) const {
    return in_lanes([&](std::size_t j, double x) { return x * w[j]; });
  }
  double squared_norm() const {
    return in_lanes([](std::size_t, double x) { return x * x; });
  }
  void add_to(double* v, double a) const {
    for (std::size_t j = 0; j < size; ++j) v[j] += a * static_cast<double>(values[offset(j)]);
  }
  void for_each(auto&& use) const {
    for (std::size_t j = 0; j < size; ++j) use(j, static_cast<double>(values[offset(j)]));
  }
  /// The same, two entries at a time and the last one alone.
  void for_each_two(auto&& use_two, auto&& use) const {
    const auto at = [&](std::size_t j) { return static_cast<double>(values[offset(j)]); };
    std::size_t j = 0;
    for (; j + 2 <= size; j += 2) use_two(j, j + 1, Two{at(j), at(j + 1)});
    if (j < size) use(j, at(j));
  }
  /// The sum of the squares of all entries, each times that of w.
  double squares_dot(const auto& w) const {
    return in_lanes([&](std::size_t j, double x) { return x * x * w[j]; });
  }
  /// Whether no column occurs twice, in ascending order.
  static bool ascends() { return true; }
  /// Adds a x x' to the lower triangle of a square matrix with sides of this length, kept row after row.
  void add_square_to(double* lower, std::size_t side, double a) const {
    for (std::size_t j = 0; j < size; ++j) {
      const double factor = a * static_cast<double>(values[offset(j)]);
      if (factor == 0) continue;
      double* const line = lower + j * side;
      for (std::size_t k = 0; k <= j; ++k) line[k] += factor * static_cast<double>(values[offset(k)]);
    }
  }
  double examine(std::size_t, Repeats&) const {
    const double norm = squared_norm();
    return norm >= least_squared_norm ? norm : large_enough(norm, is_zero());
  }
  /// The largest value without its sign; NaN if one is not finite.
  double largest() const {
    if (in_lanes([](std::size_t, double x) { return x * 0; }) != 0) return std::numeric_limits<double>::quiet_NaN();
    double lane[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= size; j += 8)
      for (std::size_t k = 0; k < 8; ++k) {
        const double value = std::abs(static_cast<double>(values[offset(j + k)]));
        lane[k] = value > lane[k] ? value : lane[k];
      }
    for (; j < size; ++j) lane[0] = std::max(lane[0], std::abs(static_cast<double>(values[offset(j)])));
    return *std::max_element(lane, lane + 8);
  }
  bool is_zero() const {
    bool zero = true;
    for_each([&](std::size_t, double value) { zero &= value == 0; });
    return zero;
  }

 private:
  std::ptrdiff_t offset(std::size_t j) const { return static_cast<std::ptrdiff_t>(j) * stride; }

  double in_lanes(auto&& term) const {
    return stride == 1 ? in_lanes(term, [this](std::size_t j) { return static_cast<double>(values[j]); })
                       : in_lanes(term, [this](std::size_t j) { return static_cast<double>(values[offset(j)]); });
  }
  double in_lanes(auto&& term, auto&& at) const {
    double lane[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= size; j += 8)
      for (std::size_t k = 0; k < 8; ++k) lane[k] += term(j + k, at(j + k));
    for (; j < size; ++j) lane[j % 8] += term(j, at(j));
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
  }
};

}  // namespace novikoff
