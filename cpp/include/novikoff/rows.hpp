// Matrices in memory that the caller owns. Only rows read memory; the layers above see numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>

#include "novikoff/dense_row.hpp"
#include "novikoff/row.hpp"
#include "novikoff/sparse_row.hpp"

namespace novikoff {

template <class T>
struct DenseRows {
  const T* values;
  std::size_t count, columns;
  std::ptrdiff_t row_stride, column_stride;

  DenseRow<T> operator[](std::size_t i) const {
    return {values + static_cast<std::ptrdiff_t>(i) * row_stride, columns, column_stride};
  }
};

/// What is known of the indices of some rows: whether all are columns, and whether they ascend in each row.
struct IndexSurvey {
  bool in_range, ascend;
};

template <class T>
struct CsrRows {
  const T* values;
  const std::int32_t* indices;
  const std::int64_t* offsets;  // count + 1 of them
  std::size_t count, columns;

  SparseRow<T> operator[](std::size_t i) const {
    const auto first = static_cast<std::size_t>(offsets[i]);
    return {values + first, indices + first, static_cast<std::size_t>(offsets[i + 1]) - first};
  }
  /// Looks at the indices of rows [begin, end) in one loop, without a branch at the end of a row. The indices of all rows
  /// ascend if there are no more falls than where a row begins. `in_range` may be false for an index that is the largest of its
  /// type.
  IndexSurvey survey(std::size_t begin, std::size_t end) const {
    using Unsigned = std::uint32_t;
    const auto first = static_cast<std::size_t>(offsets[begin]), last = static_cast<std::size_t>(offsets[end]);
    if (first == last) return {true, true};
    const auto limit = static_cast<Unsigned>(std::min<std::size_t>(columns, std::numeric_limits<std::int32_t>::max()));
    constexpr int sign = std::numeric_limits<Unsigned>::digits - 1;
    auto any = static_cast<Unsigned>(indices[first]), below = static_cast<Unsigned>(any - limit);
    Unsigned falls = 0;
    for (std::size_t k = first + 1; k < last; ++k) {
      const auto index = static_cast<Unsigned>(indices[k]);
      any |= index;
      below &= index - limit;
      falls += static_cast<Unsigned>(indices[k - 1] >= indices[k]);
    }
    Unsigned between_rows = 0;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const auto start = static_cast<std::size_t>(offsets[i]);
      if (start > first && start < static_cast<std::size_t>(offsets[i + 1]))
        between_rows += static_cast<Unsigned>(indices[start - 1] >= indices[start]);
    }
    return {any >> sign == 0 && below >> sign == 1, falls == between_rows};
  }
  /// Prefetches a row.
  void expect(std::size_t i) const { __builtin_prefetch(offsets + i); }
};

/// The types of matrices that the kernels are compiled for.
using AnyRows = std::variant<DenseRows<float>, DenseRows<double>, CsrRows<float>, CsrRows<double>>;

}  // namespace novikoff
