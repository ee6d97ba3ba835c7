// Rows of a matrix in memory that the caller owns. Only rows read memory; the layers above see numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "novikoff/lanes.hpp"
#include "novikoff/repeats.hpp"

namespace novikoff {

/// Squared norms below this, other than 0, lose digits when they are multiplied.
constexpr double least_squared_norm = 1e-240;

/// The squared norm of a row, or NaN if the row is not zero but its squared norm is too small to compute with.
inline double large_enough(double squared_norm, bool is_zero) {
  return squared_norm >= least_squared_norm || is_zero ? squared_norm : std::numeric_limits<double>::quiet_NaN();
}

/// The operations that learners need on one example x: its product with a vector, its squared norm, and adding a multiple of
/// it to a vector. `examine` returns the squared norm as well, but NaN if that underflows or if an index is outside of the
/// matrix. A row is bad unless the result is finite. `repeats` is kept between the rows of a matrix.
template <class R>
concept Row = requires(const R x, const double* w, double* v, double a, std::size_t columns, Repeats& repeats) {
  { x.dot(w) } -> std::same_as<double>;
  { x.squared_norm() } -> std::same_as<double>;
  { x.examine(columns, repeats) } -> std::same_as<double>;
  x.add_to(v, a);
  x.for_each([](std::size_t, double) {});
  { x.size } -> std::convertible_to<std::size_t>;
};

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

/// The product of a row with a vector, and the squared norm of the row.
struct ProductAndNorm {
  double product, squared_norm;
};

/// One row of a CSR matrix. Indices may be in any order and may repeat: a repeated index means the sum of its values,
/// which matters for the squared norm only.
template <class T, class I>
struct SparseRow {
  const T* values;
  const I* indices;
  std::size_t size;
  std::size_t ahead = 0;  // how many elements ahead, beyond the row's end, `dot` prefetches

  /// The product with a vector of numbers, or of several numbers per column, which are summed one beside the other.
  template <class W>
  auto dot(const W& w) const {
    if constexpr (std::is_convertible_v<W, const double*>) return dot_numbers(w);
    FourSums<std::remove_cvref_t<decltype(w[0])>> sum;
    for_each_element([&](std::size_t k, std::size_t lane)
                         __attribute__((always_inline)) { sum.at[lane] += value(k) * w[at(k)]; });
    return sum.total();
  }
  /// The same, while the entries of the vector that the next row needs are prefetched. To prefetch them all at once would be
  /// more than a processor takes at a time.
  template <class W>
  auto dot_before(const SparseRow& next, const W& w) const {
    FourSums<std::remove_cvref_t<decltype(w[0])>> sum;
    const auto use = [&](std::size_t k, std::size_t lane)
                         __attribute__((always_inline)) { sum.at[lane] += value(k) * w[at(k)]; };
    std::size_t k = 0;
    for (const std::size_t both = std::min(size, next.size); k + 8 <= both; k += 8) {
      fetch(values + k, ahead * sizeof(T));
      fetch(indices + k, ahead * sizeof(I));
      for (std::size_t m = k; m < k + 8; ++m) __builtin_prefetch(&w[next.at(m)], 0, 3);
      for (std::size_t m = 0; m < 8; ++m) use(k + m, m % 4);
    }
    for_each_element(use, k);
    for (; k < next.size; ++k) __builtin_prefetch(&w[next.at(k)], 0, 3);
    return sum.total();
  }
  double squared_norm() const {
    Repeats repeats;
    const auto sums = strictly_increasing() ? std::nullopt : repeats.sums(values, indices, size, 0);
    return sums ? novikoff::sum_of_squares(sums->data(), sums->size()) : sum_of_squares();
  }
  /// The squared norm of a row without repeated indices.
  double sum_of_squares() const { return novikoff::sum_of_squares(values, size); }

  /// The product with a vector and the squared norm of a row whose indices are columns; the norm is NaN if it underflows.
  /// `ascends` is whether the indices are known to ascend.
  ProductAndNorm dot_and_norm(const double* w, bool ascends, std::size_t columns, Repeats& repeats) const {
    Lanes<4> sum, squares;
    double rest = 0, rest_of_squares = 0;
    const auto use_four = [&](std::size_t k) __attribute__((always_inline)) {
      const Lanes<4> four = four_values(k);
      sum += four * four_of(w, k);
      squares += four * four;
    };
    in_fours(use_four, [&](std::size_t first) __attribute__((always_inline)) {
      rest = sum[0];
      rest_of_squares = squares[0];
      for (std::size_t k = first; k < size; ++k) {
        rest += value(k) * w[at(k)];
        rest_of_squares += value(k) * value(k);
      }
    });
    const double product = (rest + sum[1]) + (sum[2] + sum[3]);
    const double norm = (rest_of_squares + squares[1]) + (squares[2] + squares[3]);
    return {product, checked_norm(norm, ascends ? std::nullopt : repeats.sums(values, indices, size, columns))};
  }

  double examine(std::size_t columns, Repeats& repeats) const {
    if (strictly_increasing()) [[likely]] {
      if (size > 0 && (indices[0] < 0 || at(size - 1) >= columns)) return std::numeric_limits<double>::quiet_NaN();
      return examine_known(true, columns, repeats);
    }
    std::make_unsigned_t<I> largest = 0;  // a negative index is larger than any number of columns
    for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, static_cast<std::make_unsigned_t<I>>(indices[k]));
    if (largest >= columns) return std::numeric_limits<double>::quiet_NaN();
    return examine_known(false, columns, repeats);
  }
  /// The same of a row whose indices are columns. `ascends` is whether they are known to ascend.
  double examine_known(bool ascends, std::size_t columns, Repeats& repeats) const {
    return checked_norm(sum_of_squares(), ascends ? std::nullopt : repeats.sums(values, indices, size, columns));
  }
  template <class N>
  void add_to(auto&& v, const N& a) const {
    for (std::size_t k = 0; k < size; ++k) v[at(k)] += a * value(k);
  }
  void for_each(auto&& use) const {
    for (std::size_t k = 0; k < size; ++k) use(at(k), value(k));
  }
  /// The same, two entries at a time and the last one alone.
  void for_each_two(auto&& use_two, auto&& use) const {
    std::size_t k = 0;
    for (; k + 2 <= size; k += 2) use_two(at(k), at(k + 1), Two{value(k), value(k + 1)});
    if (k < size) use(at(k), value(k));
  }
  /// The sum of the squares of all entries, each times that of w.
  double squares_dot(const auto& w) const {
    Lanes<4> sum;
    double rest = 0;
    const auto use_four = [&](std::size_t k) __attribute__((always_inline)) {
      const Lanes<4> four = four_values(k);
      sum += four * four * four_of(w, k);
    };
    in_fours(use_four, [&](std::size_t first) __attribute__((always_inline)) {
      rest = sum[0];
      for (std::size_t k = first; k < size; ++k) rest += value(k) * value(k) * w[at(k)];
    });
    return (rest + sum[1]) + (sum[2] + sum[3]);
  }
  /// Whether no column occurs twice, in ascending order.
  bool ascends() const { return strictly_increasing(); }
  /// Adds a x x' to the lower triangle of a square matrix in C order. The indices must ascend.
  void add_square_to(double* lower, std::size_t side, double a) const {
    for (std::size_t j = 0; j < size; ++j) {
      const double factor = a * value(j);
      double* const line = lower + at(j) * side;
      for (std::size_t k = 0; k <= j; ++k) line[at(k)] += factor * value(k);
    }
  }
  void prefetch() const {
    prefetch_lines(values, values + size);
    prefetch_lines(indices, indices + size);
  }

 private:
  std::size_t at(std::size_t k) const { return static_cast<std::size_t>(indices[k]); }
  double value(std::size_t k) const { return static_cast<double>(values[k]); }

  /// Four independent sums keep the loads in flight.
  template <class N>
  struct FourSums {
    N at[4] = {};
    N total() const { return (at[0] + at[1]) + (at[2] + at[3]); }
  };

  /// Passes each element from `k` on, which is a multiple of 4, to its lane, and prefetches ahead.
  /// Always inlined: calls would cost a pass of coordinate descent 5 to 20 % of its time.
  [[gnu::always_inline]] void for_each_element(auto&& use, std::size_t k = 0) const {
    const auto use_four = [&](std::size_t k) __attribute__((always_inline)) {
      use(k, 0);
      use(k + 1, 1);
      use(k + 2, 2);
      use(k + 3, 3);
    };
    for (; k + 8 <= size; k += 8) {
      fetch(values + k, ahead * sizeof(T));
      fetch(indices + k, ahead * sizeof(I));
      use_four(k);
      use_four(k + 4);
    }
    if (k + 4 <= size) {
      use_four(k);
      k += 4;
    }
    for (; k < size; ++k) use(k, 0);
  }

  /// The product with a vector of numbers, which has the bits of the sum by `for_each_element`.
  double dot_numbers(const double* w) const {
    Lanes<4> sum;
    double rest = 0;
    const auto use_four = [&](std::size_t k) __attribute__((always_inline)) { sum += four_values(k) * four_of(w, k); };
    in_fours(use_four, [&](std::size_t first) __attribute__((always_inline)) {
      rest = sum[0];
      for (std::size_t k = first; k < size; ++k) rest += value(k) * w[at(k)];
    });
    return (rest + sum[1]) + (sum[2] + sum[3]);
  }

  Lanes<4> four_values(std::size_t k) const { return Lanes<4>::of(value(k), value(k + 1), value(k + 2), value(k + 3)); }
  Lanes<4> four_of(const auto& w, std::size_t k) const {
    return Lanes<4>::of(w[at(k)], w[at(k + 1)], w[at(k + 2)], w[at(k + 3)]);
  }

  /// Passes the elements four by four to `use_four`, and prefetches ahead. The last ones, fewer than four, are for `use_rest`.
  [[gnu::always_inline]] void in_fours(auto&& use_four, auto&& use_rest) const {
    std::size_t k = 0;
    for (; k + 8 <= size; k += 8) {
      fetch(values + k, ahead * sizeof(T));
      fetch(indices + k, ahead * sizeof(I));
      use_four(k);
      use_four(k + 4);
    }
    if (k + 4 <= size) {
      use_four(k);
      k += 4;
    }
    use_rest(k);
  }

  static void fetch(const void* from, std::size_t bytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(from) + bytes), 0, 3);
  }

  bool strictly_increasing() const {
    constexpr std::size_t few = 8;  // of which most rows that are not sorted are known by
    const std::size_t first = std::min(few, size);
    unsigned falls = 0;
    for (std::size_t k = 1; k < first; ++k) falls |= static_cast<unsigned>(indices[k - 1] >= indices[k]);
    if (falls != 0) return false;
    for (std::size_t k = first; k < size; ++k) falls |= static_cast<unsigned>(indices[k - 1] >= indices[k]);
    return falls == 0;
  }
  /// The squared norm, NaN if it underflows, of a row with this sum of squares and, if indices are repeated, these values with
  /// those of each repeated index summed.
  double checked_norm(double norm, const std::optional<std::span<const double>>& sums) const {
    if (sums) norm = novikoff::sum_of_squares(sums->data(), sums->size());
    if (norm >= least_squared_norm) [[likely]]
      return norm;
    return large_enough(norm, sums ? all_zero(sums->data(), sums->size()) : all_zero(values, size));
  }
  static bool all_zero(const auto* first, std::size_t count) {
    return std::all_of(first, first + count, [](auto value) { return value == 0; });
  }
  static void prefetch_lines(const auto* first, const auto* last) {
    const char* end = reinterpret_cast<const char*>(last);
    for (const char* line = reinterpret_cast<const char*>(first); line < end; line += 64) __builtin_prefetch(line, 0, 2);
  }
};

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

template <class T, class I>
struct CsrRows {
  const T* values;
  const I* indices;
  const I* offsets;  // count + 1 of them
  std::size_t count, columns;

  SparseRow<T, I> operator[](std::size_t i) const {
    const auto first = static_cast<std::size_t>(offsets[i]);
    return {values + first, indices + first, static_cast<std::size_t>(offsets[i + 1]) - first};
  }
  /// Looks at the indices of rows [begin, end) in one loop, without a branch at the end of a row. The indices of all rows
  /// ascend if there are no more falls than where a row begins. `in_range` may be false for an index that is the largest of its
  /// type.
  IndexSurvey survey(std::size_t begin, std::size_t end) const {
    using Unsigned = std::make_unsigned_t<I>;
    const auto first = static_cast<std::size_t>(offsets[begin]), last = static_cast<std::size_t>(offsets[end]);
    if (first == last) return {true, true};
    const auto limit = static_cast<Unsigned>(std::min<std::size_t>(columns, std::numeric_limits<I>::max()));
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

/// The types of matrices that Python passes.
using AnyRows = std::variant<DenseRows<float>, DenseRows<double>, CsrRows<float, std::int32_t>, CsrRows<double, std::int32_t>,
                             CsrRows<float, std::int64_t>, CsrRows<double, std::int64_t>>;

}  // namespace novikoff
