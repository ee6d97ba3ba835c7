// The matrix of products of all rows of a sparse matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/parallel.hpp"
#include "novikoff/rows.hpp"

namespace novikoff {

/// The entries of sparse rows, column by column; those of a column in the order of their rows.
struct EntriesByColumn {
  std::vector<std::size_t> ends;  // of each column; before the first one is 0
  std::vector<std::int32_t> rows;
  std::vector<double> values;

  EntriesByColumn(const auto& all, double scale) : ends(all.columns + 1) {
    for (std::size_t i = 0; i < all.count; ++i) all[i].for_each([&](std::size_t j, double) { ++ends[j + 1]; });
    for (std::size_t j = 0; j < all.columns; ++j) ends[j + 1] += ends[j];
    rows.resize(ends.back());
    values.resize(ends.back());
    for (std::size_t i = 0; i < all.count; ++i)  // ends[j] moves from the beginning of column j to its end
      all[i].for_each([&](std::size_t j, double value) {
        rows[ends[j]] = static_cast<std::int32_t>(i);
        values[ends[j]++] = scale * value;
      });
  }

  std::size_t first(std::size_t column) const { return column == 0 ? 0 : ends[column - 1]; }
};

/// products = s^2 x_i.x_j of all rows, in row-major order. Row i adds, for each of its entries, a multiple of that column's
/// entries up to row i; so the work is half the sum of the squared column lengths. Every row is summed by one thread.
void sparse_products(const auto& rows, double scale, std::size_t threads, std::span<double> products) {
  constexpr std::size_t at_once = 16;  // rows per piece of work
  const EntriesByColumn entries(rows, scale);
  const std::size_t count = rows.count;
  std::fill(products.begin(), products.end(), 0.0);
  in_parallel((count + at_once - 1) / at_once, threads, [&](std::size_t part) {
    for (std::size_t i = part * at_once; i < std::min((part + 1) * at_once, count); ++i) {
      double* const own = products.data() + i * count;
      rows[i].for_each([&](std::size_t j, double value) {
        const double factor = scale * value;
        for (std::size_t k = entries.first(j); k < entries.ends[j]; ++k) {
          const auto other = static_cast<std::size_t>(entries.rows[k]);
          if (other > i) break;
          own[other] += factor * entries.values[k];
        }
      });
    }
  });
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < i; ++k) products[k * count + i] = products[i * count + k];
}

}  // namespace novikoff
