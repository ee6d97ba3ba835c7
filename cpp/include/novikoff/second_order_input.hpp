// What a second-order rule is given beside the row, and what it answers.
#pragma once

#include <span>

#include "novikoff/rule_input.hpp"

namespace novikoff {

/// The example is u = scale (x, 1), or scale x without an intercept. `weight` is that of this copy.
struct SecondOrderInput : RuleInput {
  double scale;
  bool intercept;
  bool mistake;
};

/// The weights of a hypothesis, as rules change them.
struct WeightsView {
  std::span<double> columns;
  double& bias;
};

/// What a rule did with an example. Once a copy of an example changes nothing, no further copy does.
enum class Change { none, state, weights };

}  // namespace novikoff
