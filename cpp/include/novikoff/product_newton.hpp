// Newton steps for the dual problem over the products of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "novikoff/product_descent.hpp"

namespace novikoff {

/// Solves A Z = B with a small positive definite matrix by its Cholesky factor. A has n^2 entries in row-major order, of which
/// those on and above the diagonal are read, and is overwritten; B has two columns, one after the other, and becomes Z.
/// Returns whether the matrix is positive definite.
inline bool solve_small(std::span<double> matrix, std::span<double> right) {
  const std::size_t n = right.size() / 2;
  const auto row = [&](std::size_t i) { return matrix.data() + i * n; };
  double *const one = right.data(), *const two = right.data() + n;
  for (std::size_t k = 0; k < n; ++k) {
    double* const own = row(k);
    if (!(own[k] > 0 && own[k] < std::numeric_limits<double>::infinity())) return false;
    const double root = std::sqrt(own[k]), inverse = 1 / root;
    for (std::size_t j = k; j < n; ++j) own[j] *= inverse;
    one[k] *= inverse;
    two[k] *= inverse;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* const other = row(i);
      const double factor = own[i];
      for (std::size_t j = i; j < n; ++j) other[j] -= factor * own[j];
      one[i] -= factor * one[k];
      two[i] -= factor * two[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    const double* const own = row(k);
    double first = one[k], second = two[k];
    for (std::size_t j = k + 1; j < n; ++j) {
      first -= own[j] * one[j];
      second -= own[j] * two[j];
    }
    one[k] = first / own[k];
    two[k] = second / own[k];
  }
  return std::all_of(right.begin(), right.end(), [](double value) { return std::isfinite(value); });
}

/// Newton's method on the free variables, those between their bounds: one linear system has their maximum. If the way there
/// leaves the bounds, it ends at the first one and is repeated without that variable.
struct ProductNewton {
  const ProductProblem& problem;
  std::span<double> t, gradient;  // the gradient must be that of t

  static constexpr std::size_t max_blocked_steps = 20;  // steps in a row that end at a bound
  static constexpr double min_relative_pivot = 1e-14;   // pivots below this are rounding errors

  /// Takes steps until one ends inside the bounds. `t` and `gradient` are updated, unless the dual objective would fall by more
  /// than a `negligible` share of it. Returns the number of free variables at the beginning; if there are more than `most`,
  /// nothing is done. `solve(matrix, right)` solves a linear system as `solve_small` does.
  std::size_t run(double negligible, std::size_t most, auto&& solve) {
    const double best = dual();
    const std::vector<double> start(t.begin(), t.end());
    std::size_t first = 0;
    for (std::size_t k = 0; k < max_blocked_steps; ++k) {
      const std::vector<std::size_t> free = free_variables();
      if (k == 0) first = free.size();
      if (free.size() < (problem.balanced ? 2u : 1u) || free.size() > most) break;
      if (step(free, direction(free, solve))) break;
    }
    if (!(dual() >= best - negligible * std::abs(best))) {
      std::copy(start.begin(), start.end(), t.begin());
      renew_gradient();
    }
    return first;
  }

 private:
  double low(std::size_t k) const { return problem.signs[k] > 0 ? 0.0 : -problem.tops[k]; }
  double high(std::size_t k) const { return problem.signs[k] > 0 ? problem.tops[k] : 0.0; }

  std::vector<std::size_t> free_variables() const {
    std::vector<std::size_t> free;
    for (std::size_t k = 0; k < t.size(); ++k)
      if (t[k] > low(k) && t[k] < high(k)) free.push_back(k);
    return free;
  }

  double dual() const {
    double sum = 0;
    for (std::size_t k = 0; k < t.size(); ++k) sum += t[k] * (problem.signs[k] + gradient[k]);
    return 0.5 * sum;
  }

  /// The step to the maximum over the free variables; their sum stays as it is if the problem is balanced.
  std::vector<double> direction(const std::vector<std::size_t>& free, auto&& solve) const {
    const std::size_t n = free.size();
    std::vector<double> matrix(n * n), right(2 * n);
    for (double raised = min_relative_pivot; raised <= 1; raised *= 100) {
      for (std::size_t i = 0; i < n; ++i) {
        const double* const products = problem.row(free[i]);
        for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = problem.rate * products[free[j]] + problem.offset;
        matrix[i * n + i] = (matrix[i * n + i] + problem.ridges[free[i]]) * (1 + raised);
        right[i] = gradient[free[i]];
        right[n + i] = 1;
      }
      if (!solve(std::span(matrix), std::span(right))) continue;
      double sum = 0, of_ones = 0;
      for (std::size_t i = 0; i < n; ++i) sum += right[i], of_ones += right[n + i];
      const double shift = problem.balanced ? sum / of_ones : 0.0;
      for (std::size_t i = 0; i < n; ++i) right[i] -= shift * right[n + i];
      right.resize(n);
      return right;
    }
    return std::vector<double>(n);
  }

  /// Changes the free variables as far as the bounds allow. Returns whether that is all the way.
  bool step(const std::vector<std::size_t>& free, const std::vector<double>& change) {
    double length = 1;
    std::size_t nearest = free.size();
    for (std::size_t i = 0; i < free.size(); ++i) {
      if (change[i] == 0) continue;
      const double room = ((change[i] > 0 ? high(free[i]) : low(free[i])) - t[free[i]]) / change[i];
      if (room < length) length = room, nearest = i;
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::size_t k = free[i];
      const double bound = change[i] > 0 ? high(k) : low(k);
      t[k] = i == nearest ? bound : std::clamp(t[k] + length * change[i], low(k), high(k));
    }
    renew_gradient();
    return nearest == free.size();
  }

  void renew_gradient() {
    double sum = 0;
    for (std::size_t k = 0; k < t.size(); ++k) {
      gradient[k] = problem.signs[k] - problem.ridges[k] * t[k];
      sum += t[k];
    }
    for (std::size_t j = 0; j < t.size(); ++j) {
      if (t[j] == 0) continue;
      const double* const products = problem.row(j);
      const double factor = problem.rate * t[j];
      for (std::size_t k = 0; k < t.size(); ++k) gradient[k] -= factor * products[k];
    }
    for (double& slope : gradient) slope -= problem.offset * sum;
  }
};

}  // namespace novikoff
