// A mixture of learners, which predicts with the member that has the fewest decayed mistakes: nk.Tracker.  docs/theory.md N
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace novikoff {

/// Mistakes: one entry per member, and the last for the mixture itself.
struct MixtureCounts {
  std::span<double> decayed;  // sum of decay^age over the mistakes
  std::span<double> whole;    // mistakes of whole weight
  std::span<double> part;     // and the sum of the fractions
};

/// One pass over examples that N members have predicted.
///
/// predictions[i * rows + t] is the code of the label that member i predicts for example t, and labels[t] that of its
/// label; -1 for none. An example whose amount is 0 is predicted, and has no effect. Amounts are at most 1: an example
/// of weight 2.5 comes as three. leaders[t] becomes the member with the fewest decayed mistakes before example t, whose
/// prediction is that of the mixture; of several, the first.
inline void mix(double decay, const MixtureCounts& counts, std::span<const std::int32_t> predictions,
                std::span<const std::int32_t> labels, std::span<const double> amounts, std::span<std::int32_t> leaders) {
  const std::size_t members = counts.decayed.size() - 1, rows = labels.size();
  const auto first = counts.decayed.begin();
  for (std::size_t t = 0; t < rows; ++t) {
    const auto leader = static_cast<std::size_t>(std::min_element(first, first + static_cast<std::ptrdiff_t>(members)) - first);
    leaders[t] = static_cast<std::int32_t>(leader);
    const double amount = amounts[t];
    if (!(amount > 0)) continue;
    for (std::size_t i = 0; i <= members; ++i) {
      counts.decayed[i] *= decay;
      if (predictions[(i < members ? i : leader) * rows + t] == labels[t]) continue;
      counts.decayed[i] += amount;
      (amount == 1.0 ? counts.whole : counts.part)[i] += amount;
    }
  }
}

}  // namespace novikoff
