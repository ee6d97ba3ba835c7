// The joint machine of K classes (Crammer and Singer 2001), and passes of dual block coordinate descent over its rows
// (Keerthi, Sundararajan, Chang, Hsieh and Lin 2008).
//
// Primal:  min over u_k, b_k:  lambda/2 sum_k |u_k|^2 + kappa/2 sum_k b_k^2 + sum_i c_i max_k g_ik - s x_i.u_y - b_y,
//          g_ik = s x_i.u_k + b_k + [k != y_i]
// Dual:    max over alpha:     sum_i c_i (1 - alpha_iy) - sum_k |sum_i a_ik s x_i|^2 / (2 lambda) - sum_k (sum_i a_ik)^2 / (2
// kappa),
//          alpha_ik >= 0,  sum_k alpha_ik = 1,  a_ik = c_i ([k = y_i] - alpha_ik)
//
//   x_i, y_i   row and the code of its class      c_i     cost of the row
//   lambda     s^2 / C                            s       power of two that brings the rows to about unit length
//   kappa      1 / C for penalised intercepts; 0 for free ones, and then sum_i a_ik = 0 for every class k
//
// The row i distributes the mass 1 over the classes. alpha_ik for k != y_i is the dual variable of the class k, and alpha_iy
// is what they leave of 1. At the optimum u_k = sum_i a_ik s x_i / lambda, and a row has mass only on classes with the largest
// g_ik. The part of the duality gap that belongs to a row is c_i (max_k g_ik - sum_k alpha_ik g_ik).
//
// If all other rows stay, the best masses of row i are the point of the simplex next to alpha_i + g_i / A with
// A = c_i (|s x_i|^2 / lambda + rho): see docs/theory.md J3.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "novikoff/blocks.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/random.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// The classes, costs and scale of a joint machine. An empty `costs` means that every cost is 1.
struct JointProblem {
  std::span<const std::int32_t> codes;
  std::size_t classes;
  std::span<const double> costs;
  double scale;
  double constant;  // the feature of the intercepts: 1, or 0 if there are none

  std::size_t code(std::size_t i) const { return static_cast<std::size_t>(codes[i]); }
  double cost(std::size_t i) const { return costs.empty() ? 1.0 : costs[i]; }
};

/// The weights of all classes, columns x `stride`, of which the first K of each column are used: those of one column lie side
/// by side. Single precision halves the time of a pass, and is accurate enough until the gap is small.
template <class Real>
struct JointWeights {
  Real* values;
  std::size_t stride;
};

/// sums[k] = x.v_k for W classes.
template <std::size_t W, class Real>
void class_products(const Row auto& x, const Real* v, std::size_t stride, double* sums) {
  Real sum[W] = {};
  x.for_each([&](std::size_t j, double entry) {
    if (entry == 0) return;  // dense rows may be mostly zeros
    const auto value = static_cast<Real>(entry);
    const Real* const w = v + j * stride;
    for (std::size_t k = 0; k < W; ++k) sum[k] += value * w[k];
  });
  for (std::size_t k = 0; k < W; ++k) sums[k] = static_cast<double>(sum[k]);
}

/// Calls use(first, width) with a compile-time width for blocks of classes whose sums fit into registers.
void for_each_class_block(std::size_t classes, auto&& use) {
  std::size_t first = 0;
  const auto take = [&]<std::size_t W>(std::integral_constant<std::size_t, W> width) {
    for (; first + W <= classes; first += W) use(first, width);
  };
  take(std::integral_constant<std::size_t, 20>{});
  take(std::integral_constant<std::size_t, 16>{});
  take(std::integral_constant<std::size_t, 12>{});
  take(std::integral_constant<std::size_t, 8>{});
  take(std::integral_constant<std::size_t, 4>{});
  take(std::integral_constant<std::size_t, 2>{});
  take(std::integral_constant<std::size_t, 1>{});
}

/// g[k] = s x.u_k + b_k + [k != y]. g has room for `stride` entries; those beyond K are not used.
template <class Real>
void class_scores(const Row auto& x, const JointProblem& problem, std::size_t i, JointWeights<Real> v, const double* b,
                  double* g) {
  for_each_class_block(
      v.stride, [&](std::size_t first, auto width) { class_products<width()>(x, v.values + first, v.stride, g + first); });
  for (std::size_t k = 0; k < problem.classes; ++k) g[k] = problem.scale * g[k] + problem.constant * b[k] + 1;
  g[problem.code(i)] -= 1;
}

/// v_k += change_k x for all classes. Most changes of a step are 0.
template <class Real>
void add_to_classes(const Row auto& x, std::span<const double> change, JointWeights<Real> v) {
  constexpr std::size_t few = 3;
  std::size_t changed[few], count = 0;
  for (std::size_t k = 0; k < change.size() && count <= few; ++k)
    if (change[k] != 0 && count++ < few) changed[count - 1] = k;
  if (count > few) {
    x.for_each([&](std::size_t j, double value) {
      Real* const w = v.values + j * v.stride;
      for (std::size_t k = 0; k < change.size(); ++k) w[k] += static_cast<Real>(change[k] * value);
    });
    return;
  }
  if (count == 2) {
    const auto by = static_cast<Real>(change[changed[0]]), by_other = static_cast<Real>(change[changed[1]]);
    Real *const w = v.values + changed[0], *const other = v.values + changed[1];
    x.for_each([&](std::size_t j, double entry) {
      const auto value = static_cast<Real>(entry);
      const Real sum = w[j * v.stride] + by * value, other_sum = other[j * v.stride] + by_other * value;
      w[j * v.stride] = sum;
      other[j * v.stride] = other_sum;
    });
    return;
  }
  for (std::size_t c = 0; c < count; ++c) {
    const auto by = static_cast<Real>(change[changed[c]]);
    Real* const w = v.values + changed[c];
    x.for_each([&](std::size_t j, double value) { w[j * v.stride] += by * static_cast<Real>(value); });
  }
}

/// Replaces z by the point of the simplex z_k >= 0, sum_k z_k = 1 that is next to it (Michelot 1986). If only one entry is
/// left, it is exactly 1.
inline void project_to_simplex(std::span<double> z) {
  const double top = *std::max_element(z.begin(), z.end());
  for (double& value : z) value -= top;  // differences keep their digits if all entries are large
  double threshold = -1;                 // entries at or below it become 0
  for (std::size_t used = 0, before = z.size() + 1; used != before;) {
    double sum = 0;
    before = used;
    used = 0;
    for (const double value : z)
      if (value > threshold) {
        sum += value;
        ++used;
      }
    threshold = std::max(threshold, (sum - 1) / static_cast<double>(used));
  }
  for (double& value : z) value = std::max(0.0, value - threshold);
}

/// How far a row is from the optimum of its own masses.
struct RowState {
  double violation;  // max g - min of g over the classes with mass: 0 at the optimum
  double lead;       // if all mass is on the class with the largest g: how far the next one is behind; else below 0
  double gap;        // max g - sum alpha g

  static RowState of(std::span<const double> alpha, std::span<const double> g) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double top = -infinity, second = -infinity, least = infinity, sole = -infinity, mean = 0;
    for (std::size_t k = 0; k < g.size(); ++k) {  // without branches, which would be hard to predict
      const double value = g[k], mass = alpha[k], lesser = value < top ? value : top;
      second = lesser > second ? lesser : second;
      top = value > top ? value : top;
      const double used = mass > 0 ? value : infinity;
      least = used < least ? used : least;
      sole = mass == 1 ? value : sole;
      mean += mass * value;
    }
    return {top - least, sole == top ? top - second : -1.0, std::max(0.0, top - mean)};
  }
};

/// What one pass found: the largest violation, the number of rows that are still active, and the sum of the rows' parts of the
/// duality gap, each as it was when its row was visited.
struct JointPassSummary {
  double violation = 0;
  std::size_t active = 0, visits = 0;
  double gap = 0;
};

/// How many passes a row still rests, and how long it rested last. A row that keeps all of its mass on the best class rests for
/// 1 pass, then for 3, 7 and 15; one that moves is visited in every pass.
struct Rest {
  static constexpr unsigned longest = 4;  // passes are 2^level - 1
  std::uint8_t state;                     // level in the upper four bits, passes in the lower

  bool skip() {
    if ((state & 15) == 0) return false;
    --state;
    return true;
  }
  void begin() {
    const unsigned level = std::min<unsigned>(state / 16 + 1, longest);
    state = static_cast<std::uint8_t>(16 * level + (1u << level) - 1);
  }
  void end() { state = 0; }
};

/// What a pass reads and writes besides the rows and the problem.
template <class Real>
struct JointState {
  std::span<double> alpha;  // rows x K
  JointWeights<Real> v;
  std::span<double> b;                    // K intercepts
  std::span<const double> squared_norms;  // |s x_i|^2
  std::span<Rest> rests;
};

/// Moves the masses of one row along its scores, and projects them to the simplex. Fills `change` with c (old - new).
inline void redistribute(std::span<double> own, std::span<const double> g, double cost, double curvature,
                         std::span<double> change) {
  std::copy(own.begin(), own.end(), change.begin());
  if (curvature > 0) {
    for (std::size_t k = 0; k < own.size(); ++k) own[k] += g[k] / curvature;
    project_to_simplex(own);
  } else {  // a row of zeros without intercepts: its scores cannot change
    const auto best = std::max_element(g.begin(), g.end()) - g.begin();
    std::fill(own.begin(), own.end(), 0.0);
    own[static_cast<std::size_t>(best)] = 1;
  }
  for (std::size_t k = 0; k < own.size(); ++k) change[k] = cost * (change[k] - own[k]);
}

/// One pass over the first `before.active` rows of `order`, shuffled. Steps are `relaxation` times as long as the best step for
/// each row alone: any factor below 2 increases the dual objective, and about 1.7 needs the fewest passes. Rows that are
/// shrunk, because their lead exceeds the largest violation of the pass before, move to the end of the active part of `order`;
/// rows that rest are skipped.
template <class Rows, class Real>
JointPassSummary descend(const Rows& rows, const JointProblem& problem, const DualPenalty& penalty, double relaxation,
                         const JointState<Real>& state, std::span<std::int32_t> order, const JointPassSummary& before,
                         Random& random) {
  constexpr std::size_t fetch_offset = 12, fetch_values = 4;  // rows ahead: first the position of a row, then its values
  const std::size_t classes = problem.classes;
  std::vector<double> scores(state.v.stride), change(classes);
  const std::span<const double> g(scores.data(), classes);
  JointPassSummary now;
  now.active = before.active;
  shuffle(order.first(now.active), random);
  const double step = problem.scale / penalty.lambda;
  for (std::size_t k = 0; k < now.active; ++k) {
    if constexpr (requires(const Rows& r) { r.expect(0); }) {
      if (k + fetch_offset < now.active) {
        const auto coming = static_cast<std::size_t>(order[k + fetch_offset]);
        rows.expect(coming);
        __builtin_prefetch(&state.rests[coming], 1);
      }
      if (k + fetch_values < now.active) {
        const auto coming = static_cast<std::size_t>(order[k + fetch_values]);
        if ((state.rests[coming].state & 15) == 0) {
          rows[coming].prefetch();
          __builtin_prefetch(&state.alpha[coming * classes], 1);
        }
      }
    }
    const auto i = static_cast<std::size_t>(order[k]);
    Rest& rest = state.rests[i];
    if (rest.skip()) continue;
    ++now.visits;
    const auto x = rows[i];
    const std::span<double> own = state.alpha.subspan(i * classes, classes);
    class_scores(x, problem, i, state.v, state.b.data(), scores.data());
    const RowState found = RowState::of(own, g);
    const double cost = problem.cost(i);
    now.gap += cost * found.gap;
    if (found.lead > before.violation) {
      std::swap(order[k--], order[--now.active]);
      continue;
    }
    now.violation = std::max(now.violation, found.violation);
    if (found.violation <= 0) {
      if (found.lead > 0) rest.begin();
      continue;
    }
    rest.end();
    redistribute(own, g, cost, cost * (state.squared_norms[i] / penalty.lambda + penalty.rho) / relaxation, change);
    for (std::size_t c = 0; c < classes; ++c) {
      state.b[c] += change[c] * penalty.rho;
      change[c] *= step;
    }
    add_to_classes(x, change, state.v);
  }
  return now;
}

/// Fills margins[i] = f_y - max over k != y of f_k, and sets one bit per row in `shrunk`: 1 if the row can be skipped.
template <class Rows>
void joint_margins(const Rows& rows, const JointProblem& problem, std::span<const double> alpha, JointWeights<const double> v,
                   std::span<const double> b, double violation, const Blocks& blocks, std::size_t threads,
                   std::span<double> margins, std::span<std::uint8_t> shrunk) {
  const std::size_t classes = problem.classes;
  std::vector<std::uint8_t> idle(problem.codes.size());
  blocks.for_each(threads, [&](std::size_t, std::size_t first, std::size_t last) {
    std::vector<double> g(v.stride);
    for (std::size_t i = first; i < last; ++i) {
      class_scores(rows[i], problem, i, v, b.data(), g.data());
      const RowState found = RowState::of(alpha.subspan(i * classes, classes), {g.data(), classes});
      idle[i] = found.lead > violation || problem.cost(i) == 0;
      const double own = g[problem.code(i)];
      g[problem.code(i)] = -std::numeric_limits<double>::infinity();
      margins[i] = own + 1 - *std::max_element(g.begin(), g.begin() + static_cast<std::ptrdiff_t>(classes));
    }
  });
  std::fill(shrunk.begin(), shrunk.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < idle.size(); ++i) shrunk[i / 8] = static_cast<std::uint8_t>(shrunk[i / 8] | (idle[i] << (i % 8)));
}

/// sums = sum_i a_ik s x_i, columns x K, and totals = sum_i a_ik, for every class, with a_ik = c_i ([k = y_i] - alpha_ik).
template <class Rows>
void joint_sums(const Rows& rows, const JointProblem& problem, std::span<const double> alpha, std::span<double> sums,
                std::span<double> totals) {
  const std::size_t classes = problem.classes;
  std::vector<double> a(classes);
  std::fill(sums.begin(), sums.end(), 0.0);
  std::fill(totals.begin(), totals.end(), 0.0);
  for (std::size_t i = 0; i < problem.codes.size(); ++i) {
    const std::size_t y = problem.code(i);
    const double cost = problem.cost(i);
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k)
      if (k != y) {
        a[k] = -cost * alpha[i * classes + k];
        total -= a[k];
      }
    if (total == 0) continue;
    a[y] = total;
    for (std::size_t k = 0; k < classes; ++k) {
      totals[k] += a[k];
      a[k] *= problem.scale;
    }
    add_to_classes(rows[i], a, JointWeights<double>{sums.data(), classes});
  }
}

}  // namespace novikoff
