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
/// Rows without repeated indices are told by stamps: every row writes its stamp at the place of each of its columns, and an
/// index is repeated only if its place has the stamp of the row already. Columns share a place if there are more of them than
/// places. So a stamp that was met proves nothing, and the sums are made by marks.
///
/// A table with one mark per column is kept between rows: the mark of a column is the position of its sum, counted over all
/// rows, so that the marks of earlier rows are below those of the present one and nothing is cleared. Both tables are made when
/// the rows had a share of as many entries as they have places: their memory is bounded by that of the rows, and for a few
/// rows, making them would take longer than finding repeated indices without them.
class Repeats {
 public:
  /// The values of a row with those of each repeated index summed, in the order in which the columns first occur. Nothing if no
  /// index is repeated. Indices must be in [0, columns); `columns` is 0 if it is not known. Valid until the next call.
  template <class T>
  std::optional<std::span<const double>> sums(const T* values, const std::int32_t* indices, std::size_t size,
                                              std::size_t columns) {
    met_ += size;
    const bool has_marks = may_use_marks(size, columns);
    if (may_use_stamps(size, columns)) {
      if (!(expects_repeats_ && has_marks) && !meets_stamps(indices, size)) return std::nullopt;
    } else if (!has_marks && !may_repeat(indices, size)) {
      return std::nullopt;
    }
    const std::size_t count = has_marks ? sum_by_marks(values, indices, size) : sum_by_sorting(values, indices, size);
    expects_repeats_ = count < size;
    if (!expects_repeats_) return std::nullopt;
    return std::span<const double>(sums_).first(count);
  }

 private:
  using Mark = std::uint32_t;
  using Stamp = std::uint8_t;
  static constexpr std::size_t columns_per_entry = 4;

  bool may_use_marks(std::size_t size, std::size_t columns) {
    constexpr std::size_t most = std::numeric_limits<Mark>::max();
    if (columns == 0 || size >= most || met_ < columns / columns_per_entry) return false;
    if (marks_.size() < columns) {
      marks_.assign(columns, 0);
      base_ = 0;
    } else if (size > most - base_) {
      std::fill(marks_.begin(), marks_.end(), 0);
      base_ = 0;
    }
    return true;
  }

  /// Whether rows are likely to be told by stamps: long rows of many columns meet some by chance.
  bool may_use_stamps(std::size_t size, std::size_t columns) {
    constexpr std::size_t places = std::size_t{1} << 16, max_size = 256, entries = places / columns_per_entry;
    if ((columns > places && size > max_size) || met_ < entries) return false;
    if (stamps_.empty()) stamps_.assign(places, 0);
    return true;
  }

  bool meets_stamps(const std::int32_t* indices, std::size_t size) {
    if (++stamp_ == 0) {  // all stamps were used
      std::fill(stamps_.begin(), stamps_.end(), Stamp{0});
      stamp_ = 1;
    }
    Stamp* const stamps = stamps_.data();
    const Stamp stamp = stamp_;
    unsigned met = 0;
    for (std::size_t k = 0; k < size; ++k) {
      Stamp& place = stamps[static_cast<std::uint16_t>(indices[k])];
      met |= static_cast<unsigned>(place == stamp);
      place = stamp;
    }
    return met != 0;
  }

  template <class T>
  std::size_t sum_by_marks(const T* values, const std::int32_t* indices, std::size_t size) {
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
  static bool may_repeat(const std::int32_t* indices, std::size_t size) {
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

  template <class T>
  std::size_t sum_by_sorting(const T* values, const std::int32_t* indices, std::size_t size) {
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

  std::size_t met_ = 0;           // entries of rows that are not sorted
  bool expects_repeats_ = false;  // as the row before had some
  std::vector<Stamp> stamps_;
  Stamp stamp_ = 0;  // of the latest row
  std::vector<Mark> marks_;
  Mark base_ = 0;  // marks up to this one are those of earlier rows
  std::vector<double> sums_;
};

}  // namespace novikoff
