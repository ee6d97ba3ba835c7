// Probabilities from the scores of one binary problem.
#pragma once

#include <algorithm>
#include <cmath>

namespace novikoff {

/// e^x for x <= 0. The functions of C libraries differ in the last bit from machine to machine; this one does not.
inline double exp_of_negative(double x) {
  constexpr double log2_e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  if (!(x > -700)) return 0;
  const double k = std::floor(x * log2_e + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;  // at most ln(2)/2 in absolute value
  double sum = 1;
  for (int n = 14; n > 0; --n) sum = 1 + r * sum / n;  // Taylor's series: the first term left out is below 1e-18
  return std::ldexp(sum, static_cast<int>(k));
}

/// Online Platt scaling: the probability of the positive class is p = 1 / (1 + exp(-(a z + b))), where z is the score divided
/// by the mean absolute score so far, its own included. a and b follow the log loss of the scores that were given before their
/// labels were seen, by one Newton step per example:
///
///   H = d H + (1 - d) I + w p (1 - p) (z, 1)(z, 1)',   (a, b) += w (y - p) H^-1 (z, 1),   a >= 0.
///
/// It starts with a = 1, b = 0 and H = I, the prior of one example. All sums are decayed by d per example, because scores
/// drift: the weights of a learner grow. An example of weight w counts as w examples with the same score.
struct Calibration {
  static constexpr double decay = 0.999;
  static constexpr double log_decay = -0.0010005003335835335;  // log(decay)
  static constexpr double largest_argument = 30;               // of the exponential: probabilities from 1e-13

  double slope = 1, offset = 0;                                     // a and b
  double slope_curvature = 1, curvature = 0, offset_curvature = 1;  // H: its first entry, the one beside it, and its last
  double total = 0, weight = 0;                                     // decayed sums of the absolute scores and of their weights

  /// The probability of the positive class at a score.
  double probability(double score) const { return at(standardised(score)); }

  /// Learns from the score that was given to an example, and its label y = -1 or +1.
  void learn(double y, double score, double w) {
    if (!(w > 0) || !std::isfinite(score)) return;
    const double z = standardised(score), p = at(z), kept = w == 1 ? decay : exp_of_negative(w * log_decay);
    const double curve = w * p * (1 - p);
    slope_curvature = kept * slope_curvature + (1 - kept) + curve * z * z;
    curvature = kept * curvature + curve * z;
    offset_curvature = kept * offset_curvature + (1 - kept) + curve;
    const double determinant = slope_curvature * offset_curvature - curvature * curvature;
    const double residual = w * ((y > 0 ? 1.0 : 0.0) - p);
    if (determinant > 0) {  // it is, up to rounding: H is the sum of a positive definite matrix and of squares
      slope = std::max(0.0, slope + residual * (offset_curvature * z - curvature) / determinant);
      offset += residual * (slope_curvature - curvature * z) / determinant;
    }
    total = kept * total + w * std::abs(score);
    weight = kept * weight + w;
  }

 private:
  double standardised(double score) const {
    const double sum = total + std::abs(score);
    return sum > 0 && std::isfinite(sum) ? score / sum * (weight + 1) : 0.0;
  }
  double at(double z) const {
    const double argument = std::clamp(slope * z + offset, -largest_argument, largest_argument);
    const double e = exp_of_negative(-std::abs(argument));
    return argument >= 0 ? 1 / (1 + e) : e / (1 + e);
  }
};

}  // namespace novikoff
