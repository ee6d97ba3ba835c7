// Dual coordinate descent for the soft margin (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008, algorithms 1 and 3).
//
// The dual problem of soft_margin.hpp is solved one variable at a time. With v = (w, b) kept equal to the primal point of
// alpha, the derivative of the negative dual by alpha_i is c_i (ridge alpha_i - (1 - m_i)), and the minimum over alpha_i is
//
//   alpha_i <- clip(alpha_i - (ridge alpha_i - (1 - m_i)) / (c_i (|s x_i|^2 / lambda + rho) + ridge), 0, top).
//
// Shrinking (algorithm 3): a row at a bound whose derivative lies beyond those of all rows of the pass before is skipped.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "novikoff/random.hpp"
#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// The quadratic terms of the dual.
struct DualPenalty {
  double lambda;
  double rho;  // 1 / kappa; for a free intercept the weight of the constraint sum a y = 0; 0 without an intercept
};

/// What one pass found, divided by the costs: the largest and the least projected derivative of the visited rows, the number of
/// rows that are still active, the sum of the contributions to the duality gap, each as it was when its row was visited, and
/// the mean absolute change of the derivative of a row by its own step, over the rows that could move.
struct PassSummary {
  double largest = -std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::infinity();
  std::size_t active = 0;
  double gap = 0;
  double step = 0;
};

/// The derivatives beyond which a row at a bound is skipped, from the summary of the pass before.
struct ShrinkingLimits {
  explicit ShrinkingLimits(const PassSummary& before)
      : above(before.largest <= 0 ? std::numeric_limits<double>::infinity() : before.largest),
        below(before.least >= 0 ? -std::numeric_limits<double>::infinity() : before.least) {}

  bool exclude(double alpha, double top, double derivative) const {
    return (alpha == 0 && derivative > above) || (alpha == top && derivative < below);
  }

  double above, below;
};

/// Sets one bit per row: 1 if the row can be skipped, judged by its margin.
void mark_shrunk(const Loss& loss, std::span<const double> alpha, std::span<const double> margins, const PassSummary& before,
                 std::span<std::uint8_t> shrunk) {
  const ShrinkingLimits limits(before);
  std::fill(shrunk.begin(), shrunk.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    const int skipped = limits.exclude(alpha[i], loss.top, loss.ridge * alpha[i] - (1 - margins[i]));
    shrunk[i / 8] = static_cast<std::uint8_t>(shrunk[i / 8] | (skipped << (i % 8)));
  }
}

/// Fills `order` with the active rows, then the shrunk ones, and returns the number of active rows.
inline std::size_t order_active_first(std::span<const std::uint8_t> shrunk, std::span<std::int32_t> order) {
  const auto active =
      order.size() - std::accumulate(shrunk.begin(), shrunk.end(), std::size_t{0}, [](std::size_t sum, std::uint8_t byte) {
        return sum + static_cast<std::size_t>(std::popcount(byte));
      });
  std::size_t next[2] = {0, active};
  for (std::size_t i = 0; i < order.size(); ++i) order[next[(shrunk[i / 8] >> (i % 8)) & 1]++] = static_cast<std::int32_t>(i);
  return active;
}

/// One pass over the first `before.active` rows of `order`, shuffled. Updates alpha and v; rows that are shrunk move to the end
/// of the active part of `order`.
template <class Rows>
PassSummary descend(const Rows& rows, const BinaryProblem& problem, const Loss& loss, const DualPenalty& penalty,
                    std::span<double> alpha, std::span<const double> squared_norms, std::span<std::int32_t> order,
                    std::span<double> v, const PassSummary& before, Random& random) {
  constexpr std::size_t fetch_offset = 12, fetch_values = 4;  // rows ahead: first the position of a row, then its values
  PassSummary now;
  now.active = before.active;
  shuffle(order.first(now.active), random);
  const ShrinkingLimits limits(before);
  const double per_dual = problem.scale / penalty.lambda;  // dw / da; the product alpha s could underflow
  std::size_t free = 0;
  for (std::size_t k = 0; k < now.active; ++k) {
    if constexpr (requires(const Rows& r) { r.expect(0); }) {
      if (k + fetch_offset < now.active) {
        const auto coming = static_cast<std::size_t>(order[k + fetch_offset]);
        rows.expect(coming);
        __builtin_prefetch(&alpha[coming], 1);
        __builtin_prefetch(&squared_norms[coming]);
        __builtin_prefetch(&problem.codes[coming]);
      }
      if (k + fetch_values < now.active) rows[static_cast<std::size_t>(order[k + fetch_values])].prefetch();
    }
    const auto i = static_cast<std::size_t>(order[k]);
    const auto x = rows[i];
    const double old = alpha[i], slack = 1 - problem.margin(x, i, v), derivative = loss.ridge * old - slack;
    now.gap += problem.cost(i) * (loss.value(std::max(slack, 0.0)) - old * (slack - 0.5 * loss.ridge * old));
    if (limits.exclude(old, loss.top, derivative)) {
      std::swap(order[k--], order[--now.active]);
      continue;
    }
    const bool at_bound = (old == 0 && derivative > 0) || (old == loss.top && derivative < 0);
    now.largest = std::max(now.largest, at_bound ? 0.0 : derivative);
    now.least = std::min(now.least, at_bound ? 0.0 : derivative);
    if (at_bound || derivative == 0) continue;
    const double cost = problem.cost(i), curvature = cost * (squared_norms[i] / penalty.lambda + penalty.rho) + loss.ridge;
    const double minimum = curvature > 0 ? old - derivative / curvature : (derivative < 0 ? loss.top : 0.0);
    alpha[i] = std::clamp(minimum, 0.0, loss.top);
    now.step += std::abs(alpha[i] - old) * curvature;
    ++free;
    const double change = cost * (alpha[i] - old) * problem.sign(i);
    if (change == 0) continue;
    x.add_to(v.data(), change * per_dual);
    v.back() += change * penalty.rho;
  }
  if (free > 0) now.step /= static_cast<double>(free);
  return now;
}

}  // namespace novikoff
