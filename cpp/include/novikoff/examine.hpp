// The check of rows that nobody has looked at yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "novikoff/repeats.hpp"
#include "novikoff/rows.hpp"

namespace novikoff {

/// Row `i` of a matrix whose rows are read in sequence. Reading it prefetches a few kilobytes ahead, because the hardware
/// does not prefetch beyond the end of a page.
[[gnu::always_inline]] inline auto row_in_sequence(const auto& rows, std::size_t i) {
  auto x = rows[i];
  if constexpr (requires { x.ahead; }) x.ahead = 384;
  return x;
}

/// Examines the rows of a matrix (see Row::examine) and stores their squared norms. The indices of sparse rows that are visited
/// in sequence are surveyed for some rows at a time, which are read again while the cache has them.
template <class Rows>
class Examiner {
 public:
  Examiner(const Rows& rows, bool in_sequence, std::span<double> squared_norms)
      : rows_(rows), in_sequence_(in_sequence), squared_norms_(squared_norms) {}

  /// The squared norm of row i, which is x; not finite if the row is bad.
  double norm(const Row auto& x, std::size_t i) {
    if constexpr (has_survey)
      if (knows_range(i)) return squared_norms_[i] = x.examine_known(survey_.ascend, rows_.columns, repeats_);
    return squared_norms_[i] = x.examine(rows_.columns, repeats_);
  }

  /// The same, and the product of the row with a vector, which is 0 if the row is bad.
  ProductAndNorm measure(const Row auto& x, std::size_t i, const double* w) {
    if constexpr (has_survey)
      if (knows_range(i)) {
        const ProductAndNorm found = x.dot_and_norm(w, survey_.ascend, rows_.columns, repeats_);
        squared_norms_[i] = found.squared_norm;
        return found;
      }
    const double squared_norm = norm(x, i);
    return {std::isfinite(squared_norm) ? x.dot(w) : 0.0, squared_norm};
  }

 private:
  static constexpr bool has_survey = requires(Rows rows) { rows.survey(0, 1); };
  static constexpr std::size_t rows_at_a_time = 8;  // about as many as `dot` prefetches

  /// Whether row i has no index outside of the matrix, as far as a survey tells.
  bool knows_range(std::size_t i) {
    if (!in_sequence_) return false;
    if (i >= end_) {
      end_ = std::min(i + rows_at_a_time, rows_.count);
      survey_ = rows_.survey(i, end_);
    }
    return survey_.in_range;
  }

  const Rows& rows_;
  bool in_sequence_;
  std::span<double> squared_norms_;
  Repeats repeats_;
  std::size_t end_ = 0;  // of the rows that were surveyed
  IndexSurvey survey_{};
};

/// Squared norms of rows [begin, end). Returns the first bad row, or `end`.
std::size_t examine(const auto& rows, std::size_t begin, std::size_t end, std::span<double> squared_norms) {
  Examiner examiner(rows, true, squared_norms);
  for (std::size_t i = begin; i < end; ++i)
    if (!std::isfinite(examiner.norm(row_in_sequence(rows, i), i))) return i;
  return end;
}

}  // namespace novikoff
