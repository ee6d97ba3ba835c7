// Line search for convex functions that are piecewise linear or quadratic.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace novikoff {

/// The first and second derivative along a direction.
struct Slope {
  double first = 0, second = 0;

  void operator+=(const Slope& other) {
    first += other.first;
    second += other.second;
  }
};

/// Returns a step >= 0 at which the derivative is about 0, given a function that returns the Slope at a step.
///
/// Newton's method on the derivative, safeguarded by a bracket. The search ends when the first derivative is at most
/// `slope_ratio` times its value at 0 and the remaining Newton step is short. The second condition matters if the rows have
/// very different costs: then the derivative can be relatively small although the step is far too long.
double minimize_along_line(const auto& slope_at, double slope_ratio) {
  constexpr int max_trials = 60;
  constexpr double max_extrapolation = 16;  // largest ratio of two trial steps in a row while no step was too long
  constexpr double newton_closeness = 0.1;  // the remaining Newton step, in proportion to the step
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double start = slope_at(0.0).first;
  if (start >= 0) return 0;
  double low = 0, high = infinity, step = 1;
  for (int trial = 0; trial < max_trials; ++trial) {
    const Slope slope = slope_at(step);
    if (std::abs(slope.first) <= std::min(-slope_ratio * start, newton_closeness * slope.second * step)) break;
    (slope.first < 0 ? low : high) = step;
    step = slope.second > 0 ? step - slope.first / slope.second : infinity;
    if (high == infinity)
      step = std::min(std::max(step, 2 * low), max_extrapolation * low);
    else if (!(low < step && step < high))
      step = high > 4 * low && low > 0 ? std::sqrt(low * high) : 0.5 * (low + high);
  }
  return step;
}

}  // namespace novikoff
