// The scores of rows and the sum of their multiples, in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "novikoff/rows.hpp"

namespace novikoff {

/// scores[i] = w.x_i, and total = sum_i c_i x_i over the rows whose coefficient is not 0, added in their order. A row is read
/// once for both.
void measure(const auto& rows, std::span<const double> weights, std::span<const double> coefficients, std::span<double> scores,
             std::span<double> total) {
  std::fill(total.begin(), total.end(), 0.0);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const auto x = rows[i];
    scores[i] = x.dot(weights.data());
    if (coefficients[i] != 0) x.add_to(total.data(), coefficients[i]);
  }
}

}  // namespace novikoff
