// Rows in which no column occurs twice, for rules that treat each column in its own way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novikoff/rows.hpp"

namespace novikoff {

/// The entries of a row in the order in which its columns first occur, with the values of repeated columns summed: the square
/// of an entry is that of the sum of its parts. Neither the order nor a sum depends on how the columns are numbered.
class Terms {
 public:
  using Distinct = SparseRow<double>;

  /// A copy of a row, valid until the next call.
  Distinct distinct(const auto& x) {
    values_.clear();
    columns_.clear();
    x.for_each([&](std::size_t column, double value) {
      values_.push_back(value);
      columns_.push_back(static_cast<std::int32_t>(column));
    });
    places_.resize(values_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) places_[k] = k;
    std::sort(places_.begin(), places_.end(),
              [&](std::size_t a, std::size_t b) { return columns_[a] != columns_[b] ? columns_[a] < columns_[b] : a < b; });
    bool repeats = false;
    for (std::size_t k = 1, first = 0; k < places_.size(); ++k) {
      if (columns_[places_[k]] != columns_[places_[first]]) {
        first = k;
        continue;
      }
      values_[places_[first]] += values_[places_[k]];
      columns_[places_[k]] = removed;
      repeats = true;
    }
    if (repeats) remove();
    return {values_.data(), columns_.data(), values_.size()};
  }

 private:
  static constexpr std::int32_t removed = -1;

  void remove() {
    std::size_t count = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (columns_[k] == removed) continue;
      values_[count] = values_[k];
      columns_[count++] = columns_[k];
    }
    values_.resize(count);
    columns_.resize(count);
  }

  std::vector<double> values_;
  std::vector<std::int32_t> columns_;
  std::vector<std::size_t> places_;
};

/// Calls `use` with the row itself if its columns ascend, and else with a copy in which no column occurs twice.
template <class X>
[[gnu::always_inline]] inline auto with_distinct_columns(const X& x, Terms& scratch, auto&& use) {
  if (x.ascends()) [[likely]]
    return use(x);
  return use(scratch.distinct(x));
}

}  // namespace novikoff
