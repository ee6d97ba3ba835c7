// Repeated column indices in the rows of a sparse matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace novikoff {

/// The sum of the squares of a few numbers, in the four lanes of all sums over sparse rows.
template <class T>
double sum_of_squares(const T* values, std::size_t size) {
  double lane[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4)
    for (std::size_t j = 0; j < 4; ++j) {
      const double value = static_cast<double>(values[k + j]);
      lane[j] += value * value;
    }
  for (; k < size; ++k) lane[0] += static_cast<double>(values[k]) * static_cast<double>(values[k]);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/// Sums the values of repeated indices in rows whose indices are not strictly increasing.
///
/// A table with one mark per column is kept between rows: the mark of a column is the position of its last entry, counted over
/// all rows, so that the marks of earlier rows are below those of the present one and nothing is cleared. The table is made
/// when the rows had a share of as many entries as there are columns: its memory is bounded by that of the rows, and for a few
/// rows of a wide matrix, making it would take longer than finding repeated indices without it.
class Repeats {
 public:
  /// The values of a row with those of each repeated index summed, in the order in which the columns first occur. Nothing if no
  /// index is repeated. Indices must be in [0, columns); `columns` is 0 if it is not known. Valid until the next call.
  template <class T, class I>
  std::optional<std::span<const double>> sums(const T* values, const I* indices, std::size_t size, std::size_t columns) {
    met_ += size;
    const bool has_marks = may_use_marks(size, columns);
    if (has_marks ? !is_repeated(indices, size) : !may_repeat(indices, size)) return std::nullopt;
    const std::size_t count = has_marks ? sum_by_marks(values, indices, size) : sum_by_sorting(values, indices, size);
    return std::span<const double>(sums_).first(count);
  }

 private:
  using Mark = std::uint32_t;
  static constexpr std::size_t columns_per_entry = 4;

  bool may_use_marks(std::size_t size, std::size_t columns) {
    constexpr std::size_t most = std::numeric_limits<Mark>::max();
    if (columns == 0 || size >= most || met_ < columns / columns_per_entry) return false;
    if (marks_.size() < columns) {
      marks_.assign(columns, 0);
      base_ = 0;
    } else if (size > (most - base_) / 2) {  // a row is read twice if it has repeated indices
      std::fill(marks_.begin(), marks_.end(), 0);
      base_ = 0;
    }
    return true;
  }

  template <class I>
  bool is_repeated(const I* indices, std::size_t size) {
    Mark* const marks = marks_.data();
    const Mark base = base_;
    Mark latest = 0;
    for (std::size_t k = 0; k < size; ++k) {
      Mark& mark = marks[static_cast<std::size_t>(indices[k])];
      latest = std::max(latest, mark);
      mark = base + static_cast<Mark>(k) + 1;
    }
    base_ += static_cast<Mark>(size);
    return latest > base;
  }

  template <class T, class I>
  std::size_t sum_by_marks(const T* values, const I* indices, std::size_t size) {
    sums_.resize(size);
    std::size_t count = 0;
    for (std::size_t k = 0; k < size; ++k) {
      Mark& mark = marks_[static_cast<std::size_t>(indices[k])];
      const double value = static_cast<double>(values[k]);
      if (mark > base_) {
        sums_[mark - base_ - 1] += value;
      } else {
        sums_[count] = value;
        mark = base_ + static_cast<Mark>(++count);
      }
    }
    base_ += static_cast<Mark>(size);
    return count;
  }

  /// False only if no index is repeated: each index sets its bit in a small table, and true may be a collision of bits.
  template <class I>
  static bool may_repeat(const I* indices, std::size_t size) {
    constexpr std::size_t bits = std::size_t{1} << 16;
    if (size > bits / 64) return true;
    std::uint64_t seen[bits / 64] = {};
    for (std::size_t k = 0; k < size; ++k) {
      const auto index = static_cast<std::size_t>(indices[k]);
      std::uint64_t& word = seen[(index % bits) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (index % 64);
      if (word & bit) return true;
      word |= bit;
    }
    return false;
  }

  template <class T, class I>
  std::size_t sum_by_sorting(const T* values, const I* indices, std::size_t size) {
    std::vector<std::size_t> order(size);
    for (std::size_t k = 0; k < size; ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [=](std::size_t p, std::size_t q) { return indices[p] < indices[q]; });
    sums_.assign(size, 0);
    std::vector<bool> is_first(size);
    for (std::size_t k = 0; k < size;) {
      const std::size_t first = order[k];
      is_first[first] = true;
      sums_[first] = static_cast<double>(values[first]);
      for (++k; k < size && indices[order[k]] == indices[first]; ++k) sums_[first] += static_cast<double>(values[order[k]]);
    }
    std::size_t count = 0;
    for (std::size_t k = 0; k < size; ++k)
      if (is_first[k]) sums_[count++] = sums_[k];
    return count;
  }

  std::size_t met_ = 0;  // entries of rows that are not sorted
  std::vector<Mark> marks_;
  Mark base_ = 0;  // marks up to this one are those of earlier rows
  std::vector<double> sums_;
};

}  // namespace novikoff
