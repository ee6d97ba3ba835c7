// Learning from one example by a perceptron that asks for some labels only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <variant>

#include "novikoff/hypothesis.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// What a problem counts at the start about labels that are asked for; nothing for other rules than the selective perceptron.
inline std::optional<Asking> asking_of(const Rule& rule) {
  return std::holds_alternative<SelectiveRule>(rule) ? std::optional(Asking{}) : std::nullopt;
}

/// As `learn` of one_example.hpp. Each copy of an example has a coin of its own, so no copies are counted at once. The label y
/// is 0 if it is not known; a label that is not asked for is not used.  docs/theory.md Q.
void learn_selectively(const auto& x, double y, double weight, double norm2, double row_scale, const SelectiveRule& rule,
                       bool intercept, Hypothesis& h, auto& report) {
  Asking& asking = *h.asking;
  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    const std::int64_t copies = whole > 0;
    const double fraction = whole > 0 ? 0.0 : part, copy = whole > 0 ? 1.0 : part;
    const double score = row_scale * (x.dot(h.weights.data()) + h.bias);
    const bool complete = asking.is_complete(rule);  // decided before the coin is thrown
    const bool wanted = rule.asks(score, asking.coins++);
    const bool asked = wanted && y != 0 && asking.asked.value() < rule.budget;
    if (complete) asking.complete.add(copies, fraction);
    if (wanted && !asked) {
      asking.unanswered.add(copies, fraction);
      if (complete) asking.missing_weight = copy * rule.inverse_probability(score);
    }
    if (asked) asking.asked.add(copies, fraction);
    const bool mistake = asked && is_mistake(y, score, Tie::mistake);
    if (mistake) {
      if (complete) asking.estimate.add(copy * rule.inverse_probability(score));
      if (norm2 == 0)  // an update along u = 0 does not change v
        h.stand_still(copies, fraction);
      else
        h.move(x, {y, score, norm2, copy, h.length2.value(), h.steps.value()}, copy, row_scale, intercept);
      report.moved = report.mistaken = true;
    }
    if (asked) report.smallest_margin = std::min(report.smallest_margin, y * score);
    h.count(asked ? y : 0.0, copies, fraction, mistake);
    if (whole > 0)
      --whole;
    else
      part = 0;
  }
}

}  // namespace novikoff
