// The second derivative of the loss as a matrix: what a Newton step solves with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// Adds c/width u u', u = (s x, 1), over some rows to the lower triangle of a square matrix of columns + 1, row after row.
/// The indices of a row must rise.
void add_outer_products(const auto& rows, const Examples& examples, std::span<const std::int64_t> some, double width,
                        double* matrix) {
  const std::size_t side = rows.columns + 1;
  for (const std::int64_t row : some) {
    const auto i = static_cast<std::size_t>(row);
    const auto x = rows[i];
    const double weight = examples.cost(i) / width, s = examples.scale;
    x.add_square_to(matrix, side, weight * s * s);
    double* const last = matrix + rows.columns * side;
    if (examples.constant != 0) {
      x.add_to(last, weight * s);
      last[rows.columns] += weight;
    }
  }
}

/// The same on some threads: the rows are cut into as many parts as the matrix is worth copying, added in their order.
void gram(const auto& rows, const Examples& examples, std::span<const std::int64_t> some, double width, std::size_t parts,
          std::size_t threads, std::span<double> matrix) {
  std::fill(matrix.begin(), matrix.end(), 0.0);
  std::vector<double> others((parts - 1) * matrix.size());
  const Blocks blocks{some.size(), parts};
  blocks.for_each(threads, [&](std::size_t part, std::size_t first, std::size_t last) {
    double* const own = part == 0 ? matrix.data() : others.data() + (part - 1) * matrix.size();
    add_outer_products(rows, examples, some.subspan(first, last - first), width, own);
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t k = 0; k < matrix.size(); ++k) matrix[k] += others[(part - 1) * matrix.size() + k];
}

/// The products s^2 x.x' of some rows with others, kept row after row.
void row_products(const auto& rows, double scale, std::span<const std::int64_t> some, std::span<const std::int64_t> others,
                  std::size_t threads, std::span<double> products) {
  constexpr std::size_t at_once = 16;
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

/// s x.w for some rows, where v = (w, b).
void project(const auto& rows, const Examples& examples, std::span<const std::int64_t> some, std::span<const double> v,
             std::span<double> values) {
  for (std::size_t k = 0; k < some.size(); ++k)
    values[k] = examples.scale * rows[static_cast<std::size_t>(some[k])].dot(v.data());
}

/// sum q s x over some rows.
void combine(const auto& rows, const Examples& examples, std::span<const std::int64_t> some, std::span<const double> q,
             std::span<double> sum) {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (std::size_t k = 0; k < some.size(); ++k)
    add_scaled(rows[static_cast<std::size_t>(some[k])], q[k], examples.scale, sum.data());
}

}  // namespace novikoff
