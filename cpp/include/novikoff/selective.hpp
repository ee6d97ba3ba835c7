// The perceptron that asks for some labels only (Cesa-Bianchi, Gentile and Zaniboni 2006), and what it counts.
#pragma once

#include <cmath>
#include <cstdint>

#include "novikoff/count.hpp"
#include "novikoff/random.hpp"
#include "novikoff/rule_input.hpp"

namespace novikoff {

/// The code of an example whose label is not known.
constexpr std::int32_t unlabelled = -2;

/// Coins that depend on a seed and on their number only: number n of SplitMix64, whose state is itself a number of SplitMix64.
/// Seeds that are close give sequences that have nothing in common.
struct Coins {
  std::uint64_t state;

  explicit Coins(std::uint64_t seed) : state(Random{seed}.next()) {}

  /// Coin n as a multiple of 2^-53 in [0, 1).
  double at(std::int64_t n) const {
    constexpr std::uint64_t increment = 0x9E3779B97F4A7C15ULL;  // of SplitMix64
    Random random{state + static_cast<std::uint64_t>(n) * increment};
    return static_cast<double>(random.next() >> 11) * 0x1p-53;
  }
};

/// Ask for the label of an example of score p with probability b / (b + |p|). If it was asked for and is a mistake, v += y u.
/// docs/theory.md Q.
struct SelectiveRule {
  double b = 1;
  Coins coins{0};
  double budget = 0;  // labels after which none is used

  double step(const RuleInput& s) const { return is_mistake(s.y, s.score, Tie::mistake) ? s.weight : 0.0; }
  double quiet_margin(double, double) const { return 0; }

  /// Whether coin n asks for the label of an example with this score. A score of 0 always asks.
  bool asks(double score, std::int64_t n) const { return score == 0 || coins.at(n) * (b + std::abs(score)) < b; }

  /// What an asked mistake counts: the inverse of the probability of asking.
  double inverse_probability(double score) const { return (b + std::abs(score)) / b; }
};

/// What a selective perceptron counts beside its mistakes.
struct Asking {
  std::int64_t coins = 0;     // thrown so far: one for each copy of an example
  Count asked;                // labels that were asked for and used
  Count unanswered;           // labels that the coins asked for, but that were not given, or came after the budget was used up
  Count complete;             // examples up to the last label of the budget, or to the first that was wanted and not given
  CarriedSum estimate;        // sum of inverse probabilities of the asked mistakes among them
  double missing_weight = 0;  // of the first label wanted and not given: its term in this sum, if it were that of a mistake

  /// Whether the next example is among the complete ones. It must not depend on its own coin.  docs/theory.md Q2
  bool is_complete(const SelectiveRule& rule) const { return missing_weight == 0 && asked.value() < rule.budget; }
};

}  // namespace novikoff
