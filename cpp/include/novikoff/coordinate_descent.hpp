// Dual coordinate descent for the soft margin (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008, algorithms 1 and 3).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "novikoff/random.hpp"
#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// The dual as a descent sees it: what divides the products of rows, what an intercept adds to each of them, and the loss.
struct DualShape {
  double lambda;
  double rho;    // 1/kappa; for a free intercept the stiffness of sum y a = 0; 0 without one
  double ridge;  // what the loss adds to the second derivative by alpha: 1/2 for the squared hinge, else 0
  double top;
};

/// How far from optimal the rows of a pass were: the largest and the least of the projected derivatives. Rows at a bound
/// whose derivative lies beyond those of the pass before are set aside, behind the first `active` of the order. `gap` adds up
/// what each visited row had to do with the duality gap when it was visited.
struct Violations {
  double largest = -std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::infinity();
  std::size_t active = 0;
  double gap = 0;
};

/// The derivatives beyond which a row at a bound is set aside, given those of the pass before.
struct Limits {
  explicit Limits(const Violations& before)
      : above(before.largest <= 0 ? std::numeric_limits<double>::infinity() : before.largest),
        below(before.least >= 0 ? -std::numeric_limits<double>::infinity() : before.least) {}

  bool set_aside(double alpha, double top, double derivative) const {
    return (alpha == 0 && derivative > above) || (alpha == top && derivative < below);
  }

  double above, below;
};

/// Notes which rows their margins allow to be set aside, a bit a row.
inline void set_aside(const DualShape& shape, std::span<const double> alpha, std::span<const double> margins,
                      const Violations& before, std::span<std::uint8_t> aside) {
  const Limits limits(before);
  std::fill(aside.begin(), aside.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    const int idle = limits.set_aside(alpha[i], shape.top, shape.ridge * alpha[i] - (1 - margins[i]));
    aside[i / 8] = static_cast<std::uint8_t>(aside[i / 8] | (idle << (i % 8)));
  }
}

/// Puts the active rows first and those set aside behind them, and returns how many are active.
inline std::size_t line_up(std::span<const std::uint8_t> aside, std::span<std::int32_t> order) {
  const auto active =
      order.size() - std::accumulate(aside.begin(), aside.end(), std::size_t{0}, [](std::size_t sum, std::uint8_t byte) {
        return sum + static_cast<std::size_t>(std::popcount(byte));
      });
  std::size_t next[2] = {0, active};
  for (std::size_t i = 0; i < order.size(); ++i) order[next[(aside[i / 8] >> (i % 8)) & 1]++] = static_cast<std::int32_t>(i);
  return active;
}

/// One pass over the active rows, in a new random order. v = (w, b) follows alpha.
template <class Rows>
Violations descend(const Rows& rows, const Examples& examples, const DualShape& shape, std::span<double> alpha,
                   std::span<const double> norms, std::span<std::int32_t> order, std::span<double> v, const Violations& before,
                   Random& random) {
  constexpr std::size_t later = 12, soon = 4;  // rows ahead: where a row lies is fetched first, then the row itself
  Violations now;
  now.active = before.active;
  shuffle(order.first(now.active), random);
  const Limits limits(before);
  const double pace = examples.scale / shape.lambda;  // by which w follows; alpha s alone may be too small a number
  for (std::size_t k = 0; k < now.active; ++k) {
    if constexpr (requires(const Rows& r) { r.expect(0); }) {
      if (k + later < now.active) {
        const auto coming = static_cast<std::size_t>(order[k + later]);
        rows.expect(coming);
        __builtin_prefetch(&alpha[coming], 1);
        __builtin_prefetch(&norms[coming]);
        __builtin_prefetch(&examples.codes[coming]);
      }
      if (k + soon < now.active) rows[static_cast<std::size_t>(order[k + soon])].prefetch();
    }
    const auto i = static_cast<std::size_t>(order[k]);
    const auto x = rows[i];
    const double old = alpha[i], rest = 1 - examples.margin(x, i, v), derivative = shape.ridge * old - rest;
    const double excess = std::max(rest, 0.0), loss = shape.ridge > 0 ? excess * excess : excess;
    now.gap += examples.cost(i) * (loss - old * (rest - 0.5 * shape.ridge * old));
    if (limits.set_aside(old, shape.top, derivative)) {
      std::swap(order[k--], order[--now.active]);
      continue;
    }
    const bool held = (old == 0 && derivative > 0) || (old == shape.top && derivative < 0);
    now.largest = std::max(now.largest, held ? 0.0 : derivative);
    now.least = std::min(now.least, held ? 0.0 : derivative);
    if (held || derivative == 0) continue;
    const double cost = examples.cost(i), curvature = cost * (norms[i] / shape.lambda + shape.rho) + shape.ridge;
    const double wanted = curvature > 0 ? old - derivative / curvature : (derivative < 0 ? shape.top : 0.0);
    alpha[i] = std::clamp(wanted, 0.0, shape.top);
    const double change = cost * (alpha[i] - old) * examples.sign(i);
    if (change == 0) continue;
    x.add_to(v.data(), change * pace);
    v.back() += change * shape.rho;
  }
  return now;
}

}  // namespace novikoff
