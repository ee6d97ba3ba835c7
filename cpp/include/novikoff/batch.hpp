// A batch of rows with their labels, and what is prefetched when they are visited one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace novikoff {

/// Labels, weights and outputs of a batch of rows. An empty span selects the default: weights of 1, rows in sequence, duals
/// and scores not stored.
struct Batch {
  std::span<const std::int32_t> codes;         // the class of each row
  std::span<const double> weights;             // the weight of each row
  std::span<const double> squared_norms;       // |x|^2
  std::span<const std::int64_t> order;         // the rows to visit
  std::span<double> duals;                     // each row's total step
  std::size_t begin = 0, end = 0;              // positions of the order, or rows
  std::span<double> scores = {};               // each row's score before it is learned from
  std::size_t scores_begin = 0;                // the row of the first score
  std::span<const double> score_weights = {};  // what the score of each row counts in a calibration; the weight by default

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  double score_weight(std::size_t i) const { return score_weights.empty() ? weight(i) : score_weights[i]; }
};

/// Row `order[p]`. A later row is prefetched, and before that where it begins.
[[gnu::always_inline]] inline auto row_in_order(const auto& rows, std::span<const std::int64_t> order, std::size_t p) {
  constexpr std::size_t later = 4, much_later = 12;
  const auto index_at = [&](std::size_t q) { return static_cast<std::size_t>(order[q]); };
  if constexpr (requires { rows[0].prefetch(); }) {
    if (p + much_later < order.size()) rows.expect(index_at(p + much_later));
    if (p + later < order.size()) rows[index_at(p + later)].prefetch();
  }
  return rows[index_at(p)];
}

/// Prefetches what a batch has of a row that is visited a little later: it may be anywhere.
[[gnu::always_inline]] inline void expect_in_order(const Batch& batch, std::size_t p) {
  constexpr std::size_t later = 8;
  if (p + later >= batch.order.size()) return;
  const auto i = static_cast<std::size_t>(batch.order[p + later]);
  __builtin_prefetch(&batch.codes[i]);
  __builtin_prefetch(&batch.squared_norms[i]);
  if (!batch.duals.empty()) __builtin_prefetch(&batch.duals[i]);
}

/// The same if the rows are visited in sequence: arrays that are read as slowly as these are lost from the hardware's sight.
[[gnu::always_inline]] inline void expect_in_sequence(const Batch& batch, std::size_t p) {
  constexpr std::size_t later = 32;
  __builtin_prefetch(batch.squared_norms.data() + p + later);
  if (!batch.duals.empty()) __builtin_prefetch(batch.duals.data() + p + later, 1);
}

}  // namespace novikoff
