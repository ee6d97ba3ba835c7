// Learning from one example by a learner that forgets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "novikoff/hypothesis.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// As `learn` of one_example.hpp. Before each copy v fades, and before each update it is shrunk: v = kept v + tau y u, where
/// tau is the step of the rule for the shrunken v.  docs/theory.md M.
///
/// v is scale times the stored weights, so an update adds tau / scale times y u to them. All counts of the problem that depend
/// on v are sums over such updates, and only what the rule sees is multiplied by the scale.
void learn_and_forget(const auto& x, double y, double weight, double norm2, double row_scale, const Rule& rule, bool intercept,
                      Tie tie, Hypothesis& h, auto& report) {
  Memory& memory = *h.memory;
  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    const double copy = whole > 0 ? 1.0 : part;
    if (!memory.rests()) h.shrink(memory.kept_by_example(copy));
    double stored = row_scale * (x.dot(h.weights.data()) + h.bias);
    const auto input = [&] {
      const double c = memory.scale;
      return RuleInput{y, c * stored, norm2, copy, c * c * h.length2.value(), c * h.steps.value()};
    };
    RuleInput s = input();
    const bool mistake = is_mistake(y, s.score, tie);
    double tau = step_of(rule, s);
    report.smallest_margin = std::min(report.smallest_margin, s.margin());
    report.mistaken |= mistake;
    if (tau == 0 && memory.rests()) {
      h.count(y, whole, part, mistake);
      return;
    }
    if (tau != 0) {
      if (memory.forget > 0) {
        stored *= h.shrink(memory.kept_by_update(copy));
        if (const double shrunken = step_of(rule, input()); shrunken != 0) tau = shrunken;
      }
      const double step = tau / memory.scale;
      if (std::isfinite(step)) {  // a row too short for a finite step causes no update
        if (norm2 == 0)           // an update along u = 0 does not change v
          h.stand_still(0, step);
        else
          h.move(x, {y, stored, norm2, copy, h.length2.value(), h.steps.value()}, step, row_scale, intercept);
        memory.note_length(h.largest_length());
        report.moved = true;
      }
    }
    const bool is_whole = whole > 0;
    h.count(y, is_whole ? 1 : 0, is_whole ? 0.0 : part, mistake);
    if (is_whole)
      --whole;
    else
      part = 0;
  }
}

}  // namespace novikoff
