// What an online rule is given, and what counts as a mistake.
#pragma once

namespace novikoff {

/// What a rule knows of an example u with label y, and of the weights v, when it decides on an update.
struct RuleInput {
  double y;               // -1 or +1
  double score;           // v.u
  double squared_norm;    // |u|^2
  double weight;          // in (0, 1]: 1 for a whole copy of the example
  double squared_length;  // |v|^2, as a running sum: rounding may make it slightly negative
  double steps;           // sum of all tau so far

  double margin() const { return y * score; }
};

/// What a score of exactly 0 counts as.  docs/theory.md A2.
enum class Tie { mistake, positive };

inline bool is_mistake(double y, double score, Tie tie) {
  return y * score < 0 || (score == 0 && (tie == Tie::mistake || y < 0));
}

}  // namespace novikoff
