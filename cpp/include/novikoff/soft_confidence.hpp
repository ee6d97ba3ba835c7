// Soft confidence-weighted learning, SCW-I and SCW-II (Wang, Zhao and Hoi 2012), with one variance per column.
//
// For an example (u, y), the distribution N(w, S) becomes the one that minimises
//
//   SCW-I:   KL(N(w, S) | N(w_old, S_old)) + C l,       l = max(0, phi sqrt(u'S u) - y w.u)
//   SCW-II:  KL(N(w, S) | N(w_old, S_old)) + C l^2,
//
// where phi is the quantile of the normal distribution at eta: without loss, the label is y with probability eta at least.
//
// The closed form. Let V = u'S_old u, m = y w_old.u and sigma = sqrt(u'S u). With a multiplier alpha >= 0 for the constraint
// y w.u >= phi sigma - slack, the derivatives vanish at
//
//   w = w_old + alpha y S_old u   and   S^-1 = S_old^-1 + (alpha phi / sigma) u u'.                                   (1)
//
// By Sherman and Morrison, 1/sigma^2 = 1/V + alpha phi / sigma, that is sigma^2 + alpha phi V sigma - V = 0, so
//
//   sigma = (sqrt(alpha^2 phi^2 V^2 + 4 V) - alpha phi V) / 2.                                                        (2)
//
// Where the loss is not 0, the constraint is an equality: m + alpha n = phi sigma. In SCW-I, n = V as long as alpha < C, the
// largest value it can have because the slack costs C. In SCW-II, the slack is alpha/(2C), so n = V + 1/(2C). Put into the
// quadratic equation of sigma, this gives
//
//   n (n + phi^2 V) alpha^2 + m (2n + phi^2 V) alpha + m^2 - phi^2 V = 0.                                             (3)
//
// The discriminant is phi^2 (phi^2 m^2 V^2 + 4 n V (n + phi^2 V)) > 0. There is one positive root if m < phi sqrt(V), and an
// update is needed in this case only. With n = V, (3) has the solution of the paper's proposition 1, else of proposition 2.
// Where m > 0, the root is written as a quotient in which nothing cancels.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "novikoff/diagonal_variance.hpp"

namespace novikoff {

/// The update by (1): w += along y S u, S^-1 += shrink u u'.
struct ConfidenceStep {
  double along = 0, shrink = 0;
};

/// The positive root of (3), or 0 if there is none that is finite. It is solved for alpha sqrt(V), with m in units of sqrt(V)
/// and n in units of V, so that squares do not overflow.
inline double confidence_multiplier(double margin, double variance, double phi, double n) {
  const double deviation = std::sqrt(variance), missing = phi * deviation - margin;
  if (!(missing > 0)) return 0;
  const double phi2 = phi * phi, m = margin / deviation, ratio = n / variance, stiffness = ratio * (ratio + phi2);
  const double half = m * (2 * ratio + phi2) / 2, root = phi / 2 * std::sqrt(phi2 * m * m + 4 * stiffness);
  const double scaled = m > 0 ? missing / deviation * (phi + m) / (half + root) : (root - half) / stiffness;
  const double alpha = scaled / deviation;
  return std::isfinite(alpha) && alpha > 0 ? alpha : 0;
}

/// The step with this multiplier, by (2). sigma is a quotient in which nothing cancels.
inline ConfidenceStep confidence_step(double alpha, double variance, double phi) {
  if (alpha == 0) return {};
  const double deviation = std::sqrt(variance), pull = alpha * phi * deviation;
  const double sigma = deviation * 2 / (std::sqrt(pull * pull + 4) + pull);
  const ConfidenceStep step{alpha, alpha * phi / sigma};
  return std::isfinite(step.shrink) ? step : ConfidenceStep{};
}

/// SCW-I, or SCW-II with the squared loss. The weight of a fraction of an example multiplies C. The variances are restricted to
/// diagonal ones as in DiagonalVariance.
struct SoftConfidenceRule {
  using State = DiagonalVariance;
  static constexpr bool sums_updates = true;

  double phi, C;
  bool squared_loss;

  double quiet_margin(double, double) const { return std::numeric_limits<double>::infinity(); }

  ConfidenceStep step(double margin, double variance, double weight) const {
    const double n = squared_loss ? variance + 1 / (2 * weight * C) : variance;
    const double alpha = confidence_multiplier(margin, variance, phi, n);
    return confidence_step(squared_loss ? alpha : std::min(weight * C, alpha), variance, phi);
  }

  /// A mistake enters the sum v even if its step is too small or too large for a number.
  Change update(const auto& x, const SecondOrderInput& s, WeightsView w, State& state) const {
    const ConfidenceStep found = step(s.margin(), state.of_score(x, s), s.weight);
    if (found.along == 0 && !s.mistake) return Change::none;
    state.update(x, s, found.along, found.shrink, 0.0, w);
    return Change::weights;
  }
};

}  // namespace novikoff
