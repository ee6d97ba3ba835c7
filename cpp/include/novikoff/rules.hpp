// Update rules. A rule sees numbers: it is told how an example stands and answers how far to move, tau >= 0, along y u.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace novikoff {

/// How one example u with label y stands before its update.
struct Standing {
  double y;             // -1 or +1
  double score;         // v.u
  double squared_norm;  // |u|^2
  double weight;        // in (0, 1]: 1 for a whole copy of the example
  double length2;       // |v|^2
  double steps;         // sum of all tau so far

  double margin() const { return y * score; }
};

/// What a score of exactly 0 counts as.  docs/theory.md A2.
enum class Tie { mistake, positive };

inline bool is_mistake(double y, double score, Tie tie) {
  return y * score < 0 || (score == 0 && (tie == Tie::mistake || y < 0));
}

/// Perceptron (Rosenblatt 1958): v += y u on a mistake.  docs/theory.md A1.
struct PerceptronRule {
  Tie tie = Tie::mistake;
  double step(const Standing& s) const { return is_mistake(s.y, s.score, tie) ? s.weight : 0.0; }
};

/// Margin perceptron: v += y u while y v.u / |v| < theta, and always at v = 0.  docs/theory.md C1.
struct FixedMarginRule {
  double theta;
  double step(const Standing& s) const { return s.length2 > 0 && s.margin() >= theta * std::sqrt(s.length2) ? 0.0 : s.weight; }
};

/// Perceptron with dynamic margin (Panagiotakopoulos and Tsampouka 2011): theta = (1 - epsilon) |v| / M, the stream's
/// own upper bound on the margin in the place of the unknown one.  docs/theory.md C4.
struct DynamicMarginRule {
  double epsilon;
  double step(const Standing& s) const {
    return s.length2 > 0 && s.margin() * s.steps >= (1 - epsilon) * s.length2 ? 0.0 : s.weight;
  }
};

/// Passive-aggressive (Crammer et al. 2006, section 3): the nearest v with y v.u >= 1; a fraction of the example goes that
/// fraction of the way. A row too short for any finite step moves nothing.
struct PassiveAggressiveRule {
  double step(const Standing& s) const { return s.weight * to_margin(s, s.squared_norm); }

  /// The step after which a row of this squared length has no loss.
  static double to_margin(const Standing& s, double squared_norm) {
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    const double loss = 1 - s.margin();
    if (!(loss > 0) || s.squared_norm == 0) return 0.0;
    if (loss < 1e-6 && loss <= rounding * (1 + std::sqrt(s.length2 * s.squared_norm))) return 0.0;  // nothing but rounding
    const double tau = loss / squared_norm;
    return std::isfinite(tau) ? tau : 0.0;
  }
};

/// PA-I: tau is clipped at C. The weight belongs to the slack, so it multiplies C before the clip.
struct PassiveAggressiveIRule {
  double C;
  double step(const Standing& s) const { return std::min(s.weight * C, PassiveAggressiveRule::to_margin(s, s.squared_norm)); }
};

/// PA-II: the squared slack adds 1/(2C) to |u|^2.
struct PassiveAggressiveIIRule {
  double C;
  double step(const Standing& s) const { return PassiveAggressiveRule::to_margin(s, s.squared_norm + 1 / (2 * s.weight * C)); }
};

}  // namespace novikoff
