// The best intercept for given weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// The derivative of the loss by the intercept, after a shift of the intercept.
double intercept_slope(const BinaryProblem& problem, const Loss& loss, std::span<const double> margins, double shift,
                       const Blocks& blocks, std::size_t threads) {
  return blocks.sum<double>(threads, [&](std::size_t first, std::size_t last) {
    double total = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double sign = problem.sign(i);
      total -= sign * problem.cost(i) * loss.derivative(1 - margins[i] - sign * shift);
    }
    return total;
  });
}

/// Finds the shift of the intercept that minimises the loss, up to `tolerance`, and applies it to the margins.
///
/// The loss is convex in the shift: if its derivative is d at one end of an interval of length h that contains the minimum, the
/// minimum is at most |d| h lower. The root of the derivative is bracketed and then found by the Illinois variant of regula
/// falsi (Dowell and Jarratt 1971), with a bisection in every third step.
double shift_intercept(const BinaryProblem& problem, const Loss& loss, std::span<double> margins, double tolerance,
                       const Blocks& blocks, std::size_t threads) {
  constexpr double first_step = 1e-3, step_growth = 4, longest_step = 1e12, resolution = 1e-15;
  const double start = intercept_slope(problem, loss, margins, 0, blocks, threads);
  if (start == 0) return 0;
  const double direction = start < 0 ? 1 : -1;
  const auto slope_at = [&](double shift) {
    return direction * intercept_slope(problem, loss, margins, shift, blocks, threads);
  };
  double inside = 0, outside = direction * first_step;  // the loss falls at `inside`, and no longer does at `outside`
  double slope_inside = direction * start, slope_outside = slope_at(outside);
  for (; std::abs(outside) < longest_step && slope_outside < 0; slope_outside = slope_at(outside)) {
    inside = outside;
    slope_inside = slope_outside;
    outside *= step_growth;
  }
  double weight_outside = slope_outside;  // Illinois: the value at an end that stays is halved
  for (int step = 1; std::abs(outside - inside) > resolution * std::max(1.0, std::abs(outside)) &&
                     slope_outside * std::abs(outside - inside) > tolerance;
       ++step) {
    const double fraction = step % 3 == 0 ? 0.5 : std::clamp(-slope_inside / (weight_outside - slope_inside), 0.01, 0.99);
    const double middle = inside + fraction * (outside - inside), slope = slope_at(middle);
    if (slope < 0) {
      inside = middle, slope_inside = slope, weight_outside = weight_outside / 2;
    } else {
      outside = middle, slope_outside = weight_outside = slope, slope_inside = slope_inside / 2;
    }
  }
  for (std::size_t i = 0; i < margins.size(); ++i) margins[i] += problem.sign(i) * outside;
  return outside;
}

}  // namespace novikoff
