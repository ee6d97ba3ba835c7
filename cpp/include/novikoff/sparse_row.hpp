// One row of a CSR matrix in memory that the caller owns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "novikoff/lanes.hpp"
#include "novikoff/repeats.hpp"
#include "novikoff/row.hpp"

namespace novikoff {

/// One row of a CSR matrix. Indices may be in any order and may repeat: a repeated index means the sum of its values,
/// which matters for the squared norm only.
template <class T>
struct SparseRow {
  const T* values;
  const std::int32_t* indices;
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
      fetch(indices + k, ahead * sizeof *indices);
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
    std::uint32_t largest = 0;  // a negative index is larger than any number of columns
    for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, static_cast<std::uint32_t>(indices[k]));
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
      fetch(indices + k, ahead * sizeof *indices);
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
      fetch(indices + k, ahead * sizeof *indices);
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

}  // namespace novikoff
