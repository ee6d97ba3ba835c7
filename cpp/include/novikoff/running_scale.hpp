// The scale of the columns of a stream: rows are divided by the root mean square of what each column has shown so far.
//
// For column j, let n_j be the weight of the examples so far in which it is not 0, and q_j the sum of their weights times
// x_j^2, both with the present example. The learner sees u_j = x_j sqrt(n_j / q_j) instead of x_j. Zeros remain zeros and do
// not count, so a row costs as much as it has values other than 0, sparse and dense rows are seen alike, and a column of zeros
// and ones remains as it is.  docs/theory.md S
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "novikoff/rows.hpp"

namespace novikoff {

/// Scaled values that are smaller count as 0: their squares would lose digits.
constexpr double least_scaled_value = 1e-120;
static_assert(least_scaled_value * least_scaled_value > least_squared_norm / 2);

struct RunningScale {
  struct Column {
    double weight = 0;   // of the examples in which the column is not 0
    double squares = 0;  // sum of their weights times the squared values

    bool operator==(const Column&) const = default;
  };
  std::vector<Column> columns;

  bool operator==(const RunningScale&) const = default;

  void resize(std::size_t count) {
    if (count > columns.size()) columns.resize(count);
  }

  /// What values of column j are multiplied by; 0 if it has shown nothing, or only values whose squares underflow.
  double factor(std::size_t j) const { return j < columns.size() ? factor(columns[j]) : 0.0; }

  std::vector<double> factors() const {
    std::vector<double> all(columns.size());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = factor(columns[j]);
    return all;
  }

  /// Writes the values of x as the learner sees them now. Nothing is counted.
  void apply(const Row auto& x, double* seen) const {
    x.for_each([&](std::size_t j, double value) { *seen++ = value == 0 ? 0.0 : scaled(value, factor(j)); });
  }

  /// Counts an example of weight at most 1, and writes its values as the learner sees them. All columns must be known. The
  /// values of a repeated index are summed: the first one becomes the sum, the others 0.
  void see(const Row auto& x, double weight, std::vector<double>& sums, double* seen) {
    add_up(x, sums, seen);
    x.for_each([&](std::size_t j, double) {
      if (*seen != 0) *seen = scaled(*seen, factor(count(columns[j], *seen, weight)));
      ++seen;
    });
  }

  /// Counts an example of any weight: an integer weight k as k examples, a fraction as one last example.
  void observe(const Row auto& x, double weight, std::vector<double>& sums, std::vector<double>& values) {
    values.resize(x.size);
    add_up(x, sums, values.data());
    auto whole = static_cast<std::int64_t>(weight);
    const double part = weight - static_cast<double>(whole);
    const auto count_all = [&](double copy) {
      std::size_t k = 0;
      x.for_each([&](std::size_t j, double) {
        if (const double value = values[k++]; value != 0) count(columns[j], value, copy);
      });
    };
    for (; whole > 0; --whole) count_all(1.0);
    if (part > 0) count_all(part);
  }

  /// Writes the values of x as they are seen now, with those of repeated indices summed as by `see`.
  void apply_to_sums(const Row auto& x, std::vector<double>& sums, double* seen) const {
    add_up(x, sums, seen);
    x.for_each([&](std::size_t j, double) {
      if (*seen != 0) *seen = scaled(*seen, factor(j));
      ++seen;
    });
  }

 private:
  static double factor(const Column& c) { return c.squares >= least_squared_norm ? std::sqrt(c.weight / c.squares) : 0.0; }

  static double scaled(double value, double factor) {
    const double seen = value * factor;
    return std::abs(seen) < least_scaled_value ? 0.0 : seen;
  }

  static const Column& count(Column& c, double value, double weight) {
    c.weight += weight;
    c.squares += weight * (value * value);
    return c;
  }

  /// Copies the values of x, with those of repeated indices summed. `sums` must be all 0, and is so again afterwards.
  void add_up(const Row auto& x, std::vector<double>& sums, double* values) const {
    if constexpr (requires { x.indices; })
      if (const auto* end = x.indices + x.size; std::adjacent_find(x.indices, end, std::greater_equal{}) != end) {
        if (sums.size() < columns.size()) sums.resize(columns.size());
        x.for_each([&](std::size_t j, double value) { sums[j] += value; });
        x.for_each([&](std::size_t j, double) { *values++ = std::exchange(sums[j], 0.0); });
        return;
      }
    x.for_each([&](std::size_t, double value) { *values++ = value; });
  }
};

}  // namespace novikoff
