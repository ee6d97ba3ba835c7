// Validation of a matrix, and which columns occur in it, in one pass over its values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "novikoff/rows.hpp"

namespace novikoff {

struct Survey {
  std::size_t good = 0;  // rows before the first one with a value that is not finite or an index out of range
  double largest = 0;    // absolute value in these rows
  bool rising = true;    // whether the column indices of every row are strictly increasing
  bool zeros = false;    // whether a sparse row has a stored 0
};

/// `occurs` is not used: every column of a dense matrix occurs.
template <class T>
Survey survey(const DenseRows<T>& rows, std::span<std::uint8_t> = {}) {
  Survey found;
  for (; found.good < rows.count; ++found.good) {
    const double largest = rows[found.good].largest();
    if (std::isnan(largest)) break;
    found.largest = std::max(found.largest, largest);
  }
  return found;
}

/// `occurs` has an entry for each column, which becomes 1 where a row has a value; or it is empty.
template <class T>
Survey survey(const CsrRows<T>& rows, std::span<std::uint8_t> occurs = {}) {
  Survey found;
  for (; found.good < rows.count; ++found.good) {
    const SparseRow<T> x = rows[found.good];
    double largest = 0, not_finite = 0;  // the sum of 0 * value is NaN if a value is not finite
    unsigned falls = 0, outside = 0, zeros = 0;
    for (std::size_t k = 0; k < x.size; ++k) {
      const double value = static_cast<double>(x.values[k]);
      largest = std::max(largest, std::abs(value));
      not_finite += value * 0;
      zeros |= static_cast<unsigned>(value == 0);
      falls |= static_cast<unsigned>(k > 0 && x.indices[k - 1] >= x.indices[k]);
      outside |= static_cast<unsigned>(x.indices[k] < 0 || static_cast<std::size_t>(x.indices[k]) >= rows.columns);
    }
    if (not_finite != 0 || outside) break;
    if (!occurs.empty())
      for (std::size_t k = 0; k < x.size; ++k) occurs[static_cast<std::size_t>(x.indices[k])] = 1;
    found.rising = found.rising && falls == 0;
    found.zeros = found.zeros || zeros != 0;
    found.largest = std::max(found.largest, largest);
  }
  return found;
}

}  // namespace novikoff
