// Matrices and vectors made of some rows, for Newton steps.
//
// For a row x, u = (s x, 1) is the scaled row with the feature of the intercept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

/// products[k, l] = s^2 x_k.x_l for some rows and others, in row-major order. The entries of `some` are sorted by columns, so
/// that only columns that two rows share take time: rows of text have few in common.
void row_products(const auto& rows, double scale, std::span<const std::int64_t> some, std::span<const std::int64_t> others,
                  std::size_t threads, std::span<double> products) {
  constexpr std::size_t at_once = 64;  // rows per piece of work
  struct Entry {
    std::size_t row;
    double value;
  };
  std::vector<std::size_t> starts(rows.columns + 1);  // of the entries of each column
  for (const std::int64_t row : some)
    rows[static_cast<std::size_t>(row)].for_each([&](std::size_t j, double) { ++starts[j + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Entry> entries(starts.back());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t k = 0; k < some.size(); ++k)
    rows[static_cast<std::size_t>(some[k])].for_each(
        [&](std::size_t j, double value) { entries[next[j]++] = {k, scale * value}; });
  in_parallel((others.size() + at_once - 1) / at_once, threads, [&](std::size_t part) {
    std::vector<double> sums(some.size());
    for (std::size_t l = part * at_once; l < std::min((part + 1) * at_once, others.size()); ++l) {
      std::fill(sums.begin(), sums.end(), 0.0);
      rows[static_cast<std::size_t>(others[l])].for_each([&](std::size_t j, double value) {
        for (std::size_t e = starts[j]; e < starts[j + 1]; ++e) sums[entries[e].row] += entries[e].value * value;
      });
      for (std::size_t k = 0; k < some.size(); ++k) products[k * others.size() + l] = scale * sums[k];
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
