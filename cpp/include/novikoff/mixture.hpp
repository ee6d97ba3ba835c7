// A mixture of learners: who predicts is decided by the mistakes that its members have made.
//
// N members predict a label for each example before it is shown. The mixture predicts with the member that has the
// fewest decayed mistakes (docs/theory.md, N4), by weighted majority (Littlestone and Warmuth 1994; N1, N2) or by fixed
// share (Herbster and Warmuth 1998; N5). All three need only the predictions of the members, not the examples.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace novikoff {

enum class Vote { leader, majority, share };

/// beta^d for d >= 0, by products and square roots alone, which are rounded alike on every machine.
class Power {
 public:
  explicit Power(double beta) {
    double square = beta;
    for (double& factor : whole_) {
      factor = square;
      square *= square;
    }
    double root = beta;
    for (double& factor : part_) factor = root = std::sqrt(root);
  }

  double operator()(double d) const {
    if (!(d < 2048.0)) return 0.0;
    auto bits = static_cast<std::uint32_t>(d);
    double rest = d - static_cast<double>(bits), product = 1.0;
    for (std::size_t j = 0; bits != 0; ++j, bits >>= 1)
      if (bits & 1U) product *= whole_[j];
    for (std::size_t j = 0; rest > 0 && j < part_.size(); ++j) {
      rest *= 2;
      if (rest >= 1) {
        product *= part_[j];
        rest -= 1;
      }
    }
    return product;
  }

 private:
  std::array<double, 11> whole_;  // beta^(2^j)
  std::array<double, 52> part_;   // beta^(2^-(j + 1))
};

/// What a mixture has counted. The arrays of counts have one entry per member, and the last for the mixture itself.
struct MixtureCounts {
  std::span<double> decayed;  // sum of decay^age over the mistakes
  std::span<double> whole;    // mistakes of whole weight
  std::span<double> part;     // and the sum of the fractions
  std::span<double> weights;  // of fixed share, one per member; their scale has no meaning
  std::span<double> fewest;   // fewest mistakes of a sequence of members, by changes so far and present member
};

struct Mixture {
  Vote vote;
  double decay;
  double beta;
  double share;
};

/// One pass over examples that the members have predicted.
///
/// predictions[i * rows + t] is the code of the label that member i predicts for example t, and labels[t] that of its
/// label; -1 for none. An example whose amount is 0 is predicted, and has no effect. Amounts are at most 1: an example
/// of weight 2.5 comes as three. chosen[t] becomes the code that the mixture predicts, and leaders[t], unless `leaders` is
/// empty, the member with the fewest decayed mistakes before example t. The scores of a vote are summed in the order of the
/// members, and ties go to the first.
class MixturePass {
 public:
  MixturePass(const Mixture& mixture, const MixtureCounts& counts)
      : mixture_(mixture), counts_(counts), members_(counts.decayed.size() - 1), power_(mixture.beta), scores_(members_) {}

  void run(std::span<const std::int32_t> predictions, std::span<const std::int32_t> labels, std::span<const double> amounts,
           std::span<std::int32_t> chosen, std::span<std::int32_t> leaders = {}) {
    const std::size_t rows = labels.size();
    for (std::size_t t = 0; t < rows; ++t) {
      const auto prediction = [&](std::size_t i) { return predictions[i * rows + t]; };
      if (!leaders.empty()) leaders[t] = static_cast<std::int32_t>(leader());
      chosen[t] = choose(prediction);
      if (amounts[t] > 0) learn(prediction, chosen[t], labels[t], amounts[t]);
    }
  }

 private:
  template <class Prediction>
  std::int32_t choose(const Prediction& prediction) {
    if (mixture_.vote == Vote::leader) return prediction(leader());
    const double least = counts_.decayed[leader()] * mixture_.decay;  // all counts decay before a vote
    std::size_t best = 0;
    for (std::size_t i = 0; i < members_; ++i) {
      const double own =
          mixture_.vote == Vote::share ? counts_.weights[i] : power_(counts_.decayed[i] * mixture_.decay - least);
      std::size_t first = 0;  // member with the same prediction, in whose place the votes are summed
      while (prediction(first) != prediction(i)) ++first;
      scores_[i] = 0.0;
      scores_[first] += own;
    }
    for (std::size_t i = 1; i < members_; ++i)
      if (scores_[i] > scores_[best]) best = i;
    return prediction(best);
  }

  std::size_t leader() const {
    const auto first = counts_.decayed.begin();
    return static_cast<std::size_t>(std::min_element(first, first + static_cast<std::ptrdiff_t>(members_)) - first);
  }

  template <class Prediction>
  void learn(const Prediction& prediction, std::int32_t chosen, std::int32_t label, double amount) {
    for (std::size_t i = 0; i <= members_; ++i) {
      const bool wrong = (i < members_ ? prediction(i) : chosen) != label;
      counts_.decayed[i] *= mixture_.decay;
      if (!wrong) continue;
      counts_.decayed[i] += amount;
      (amount == 1.0 ? counts_.whole : counts_.part)[i] += amount;
    }
    if (mixture_.vote == Vote::share) share(prediction, label, amount);
  }

  /// Multiply the weights of those who were wrong, then share; and follow the best sequences of members.
  template <class Prediction>
  void share(const Prediction& prediction, std::int32_t label, double amount) {
    const double factor = power_(amount);
    double total = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < members_; ++i) {
      if (prediction(i) != label) counts_.weights[i] *= factor;
      total += counts_.weights[i];
    }
    const double others = mixture_.share / static_cast<double>(members_ - 1);
    for (double& own : counts_.weights) {
      own = (1.0 - mixture_.share) * own + others * (total - own);
      largest = std::max(largest, own);
    }
    if (largest < 0x1p-500)
      for (double& own : counts_.weights) own *= 0x1p500;
    const std::size_t levels = counts_.fewest.size() / members_;
    for (std::size_t k = levels; k-- > 0;) {
      const auto own = counts_.fewest.subspan(k * members_, members_);
      if (k > 0) {
        const auto before = counts_.fewest.subspan((k - 1) * members_, members_);
        const double least = *std::min_element(before.begin(), before.end());
        for (double& count : own) count = std::min(count, least);
      }
      for (std::size_t i = 0; i < members_; ++i)
        if (prediction(i) != label) own[i] += amount;
    }
  }

  const Mixture& mixture_;
  const MixtureCounts& counts_;
  std::size_t members_;
  Power power_;
  std::vector<double> scores_;
};

}  // namespace novikoff
