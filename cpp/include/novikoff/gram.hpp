// Matrices and vectors made of some rows, for Newton steps.
//
// For a row x, u = (s x, 1) is the scaled row with the feature of the intercept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// matrix += sum c/width u u' over some rows: the second derivative of the smoothed loss. The matrix is square with columns + 1
/// rows, in row-major order; only its lower triangle is written. The indices of a sparse row must be increasing.
void add_outer_products(const auto& rows, const BinaryProblem& problem, std::span<const std::int64_t> some, double width,
                        double* matrix) {
  const std::size_t side = rows.columns + 1;
  for (const std::int64_t row : some) {
    const auto i = static_cast<std::size_t>(row);
    const auto x = rows[i];
    const double weight = problem.cost(i) / width, s = problem.scale;
    x.add_square_to(matrix, side, weight * s * s);
    double* const last = matrix + rows.columns * side;
    if (problem.constant != 0) {
      x.add_to(last, weight * s);
      last[rows.columns] += weight;
    }
  }
}

/// matrix = sum c/width u u' over some rows, on several threads. Each of `parts` parts of the rows has a matrix of its own;
/// they are added in their order, so that threads do not change the bits.
void gram(const auto& rows, const BinaryProblem& problem, std::span<const std::int64_t> some, double width, std::size_t parts,
          std::size_t threads, std::span<double> matrix) {
  std::fill(matrix.begin(), matrix.end(), 0.0);
  std::vector<double> others((parts - 1) * matrix.size());
  const Blocks blocks{some.size(), parts};
  blocks.for_each(threads, [&](std::size_t part, std::size_t first, std::size_t last) {
    double* const own = part == 0 ? matrix.data() : others.data() + (part - 1) * matrix.size();
    add_outer_products(rows, problem, some.subspan(first, last - first), width, own);
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t k = 0; k < matrix.size(); ++k) matrix[k] += others[(part - 1) * matrix.size() + k];
}

/// products = s^2 x.x' of some rows with others, in row-major order.
void row_products(const auto& rows, double scale, std::span<const std::int64_t> some, std::span<const std::int64_t> others,
                  std::size_t threads, std::span<double> products) {
  constexpr std::size_t at_once = 16;  // rows per piece of work
  in_parallel((some.size() + at_once - 1) / at_once, threads, [&](std::size_t part) {
    std::vector<double> spread(rows.columns);
    for (std::size_t k = part * at_once; k < std::min((part + 1) * at_once, some.size()); ++k) {
      const auto x = rows[static_cast<std::size_t>(some[k])];
      x.for_each([&](std::size_t j, double value) { spread[j] = scale * value; });
      for (std::size_t l = 0; l < others.size(); ++l)
        products[k * others.size() + l] = scale * rows[static_cast<std::size_t>(others[l])].dot(spread.data());
      x.for_each([&](std::size_t j, double) { spread[j] = 0; });
    }
  });
}

/// values = s x.w for some rows, where v = (w, b).
void project(const auto& rows, const BinaryProblem& problem, std::span<const std::int64_t> some, std::span<const double> v,
             std::span<double> values) {
  for (std::size_t k = 0; k < some.size(); ++k)
    values[k] = problem.scale * rows[static_cast<std::size_t>(some[k])].dot(v.data());
}

/// sum = sum of q s x over some rows.
void combine(const auto& rows, const BinaryProblem& problem, std::span<const std::int64_t> some, std::span<const double> q,
             std::span<double> sum) {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (std::size_t k = 0; k < some.size(); ++k)
    add_scaled(rows[static_cast<std::size_t>(some[k])], q[k], problem.scale, sum.data());
}

}  // namespace novikoff
