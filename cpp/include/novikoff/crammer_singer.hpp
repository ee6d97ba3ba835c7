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

/// sums[k] = x.v_k for the classes from `first` to `first` + W - 1. The weights of a column lie side by side for all classes.
template <std::size_t W>
void class_products(const Row auto& x, const double* v, std::size_t classes, double* sums) {
  double sum[W] = {};
  x.for_each([&](std::size_t j, double value) {
    if (value == 0) return;  // dense rows may be mostly zeros
    const double* const w = v + j * classes;
    for (std::size_t k = 0; k < W; ++k) sum[k] += value * w[k];
  });
  std::copy_n(sum, W, sums);
}

/// Calls use(first, width) with a compile-time width for blocks of classes whose sums fit into registers.
void for_each_class_block(std::size_t classes, auto&& use) {
  std::size_t first = 0;
  const auto take = [&]<std::size_t W>(std::integral_constant<std::size_t, W> width) {
    for (; first + W <= classes; first += W) use(first, width);
  };
  take(std::integral_constant<std::size_t, 16>{});
  take(std::integral_constant<std::size_t, 12>{});
  take(std::integral_constant<std::size_t, 10>{});
  take(std::integral_constant<std::size_t, 8>{});
  take(std::integral_constant<std::size_t, 6>{});
  take(std::integral_constant<std::size_t, 4>{});
  take(std::integral_constant<std::size_t, 3>{});
  take(std::integral_constant<std::size_t, 2>{});
  take(std::integral_constant<std::size_t, 1>{});
}

/// g[k] = s x.u_k + b_k + [k != y] for the weights v, which are (columns + 1) x K in C order, with the intercepts last.
void class_scores(const auto& rows, const JointProblem& problem, std::size_t i, std::span<const double> v,
                  std::span<double> g) {
  const auto x = rows[i];
  for_each_class_block(problem.classes, [&](std::size_t first, auto width) {
    class_products<width()>(x, v.data() + first, problem.classes, g.data() + first);
  });
  const double* const b = v.data() + rows.columns * problem.classes;
  for (std::size_t k = 0; k < problem.classes; ++k) g[k] = problem.scale * g[k] + problem.constant * b[k] + 1;
  g[problem.code(i)] -= 1;
}

/// v_k += change_k x for all classes. Most changes of a step are 0.
void add_to_classes(const Row auto& x, std::span<const double> change, double* v) {
  const std::size_t classes = change.size();
  std::size_t changed[4], count = 0;
  for (std::size_t k = 0; k < classes && count <= 4; ++k)
    if (change[k] != 0) {
      if (count < 4) changed[count] = k;
      ++count;
    }
  if (count == 2) {
    const std::size_t p = changed[0], q = changed[1];
    const double by_p = change[p], by_q = change[q];
    x.for_each([&](std::size_t j, double value) {
      double* const w = v + j * classes;
      w[p] += by_p * value;
      w[q] += by_q * value;
    });
  } else if (count <= 4) {
    x.for_each([&](std::size_t j, double value) {
      double* const w = v + j * classes;
      for (std::size_t c = 0; c < count; ++c) w[changed[c]] += change[changed[c]] * value;
    });
  } else {
    x.for_each([&](std::size_t j, double value) {
      double* const w = v + j * classes;
      for (std::size_t k = 0; k < classes; ++k) w[k] += change[k] * value;
    });
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
    double top = g[0], second = -std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::infinity();
    double mean = 0;
    std::size_t best = 0;
    for (std::size_t k = 0; k < g.size(); ++k) {
      if (k > 0 && g[k] > top) {
        second = top;
        top = g[k];
        best = k;
      } else if (k > 0) {
        second = std::max(second, g[k]);
      }
      if (alpha[k] > 0) {
        least = std::min(least, g[k]);
        mean += alpha[k] * g[k];
      }
    }
    return {top - least, alpha[best] == 1 ? top - second : -1.0, std::max(0.0, top - mean)};
  }
};

/// What one pass found: the largest violation, the number of rows that are still active, and the sum of the rows' parts of the
/// duality gap, each as it was when its row was visited.
struct JointPassSummary {
  double violation = 0;
  std::size_t active = 0;
  double gap = 0;
};

/// One pass over the first `before.active` rows of `order`, shuffled. Updates alpha, which is rows x K, and v; rows that are
/// shrunk, because their lead exceeds the largest violation of the pass before, move to the end of the active part of `order`.
template <class Rows>
JointPassSummary descend(const Rows& rows, const JointProblem& problem, const DualPenalty& penalty, std::span<double> alpha,
                         std::span<const double> squared_norms, std::span<std::int32_t> order, std::span<double> v,
                         const JointPassSummary& before, Random& random) {
  constexpr std::size_t fetch_offset = 12, fetch_values = 4;  // rows ahead: first the position of a row, then its values
  const std::size_t classes = problem.classes;
  std::vector<double> g(classes), change(classes);
  JointPassSummary now;
  now.active = before.active;
  shuffle(order.first(now.active), random);
  const double step = problem.scale / penalty.lambda;
  double* const b = v.data() + rows.columns * classes;
  for (std::size_t k = 0; k < now.active; ++k) {
    if constexpr (requires(const Rows& r) { r.expect(0); }) {
      if (k + fetch_offset < now.active) rows.expect(static_cast<std::size_t>(order[k + fetch_offset]));
      if (k + fetch_values < now.active) {
        const auto coming = static_cast<std::size_t>(order[k + fetch_values]);
        rows[coming].prefetch();
        __builtin_prefetch(&alpha[coming * classes], 1);
      }
    }
    const auto i = static_cast<std::size_t>(order[k]);
    const std::span<double> own = alpha.subspan(i * classes, classes);
    class_scores(rows, problem, i, v, g);
    const RowState state = RowState::of(own, g);
    const double cost = problem.cost(i);
    now.gap += cost * state.gap;
    if (state.lead > before.violation) {
      std::swap(order[k--], order[--now.active]);
      continue;
    }
    now.violation = std::max(now.violation, state.violation);
    if (state.violation <= 0) continue;
    const double curvature = cost * (squared_norms[i] / penalty.lambda + penalty.rho);
    std::copy(own.begin(), own.end(), change.begin());
    if (curvature > 0) {
      for (std::size_t c = 0; c < classes; ++c) own[c] += g[c] / curvature;
      project_to_simplex(own);
    } else {  // a row of zeros without intercepts: its scores cannot change
      const auto best = std::max_element(g.begin(), g.end()) - g.begin();
      std::fill(own.begin(), own.end(), 0.0);
      own[static_cast<std::size_t>(best)] = 1;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      change[c] = cost * (change[c] - own[c]);
      b[c] += change[c] * penalty.rho;
      change[c] *= step;
    }
    add_to_classes(rows[i], change, v.data());
  }
  return now;
}

/// Fills margins[i] = f_y - max over k != y of f_k, and sets one bit per row in `shrunk`: 1 if the row can be skipped.
template <class Rows>
void joint_margins(const Rows& rows, const JointProblem& problem, std::span<const double> alpha, std::span<const double> v,
                   double violation, const Blocks& blocks, std::size_t threads, std::span<double> margins,
                   std::span<std::uint8_t> shrunk) {
  const std::size_t classes = problem.classes;
  std::vector<std::uint8_t> idle(problem.codes.size());
  blocks.for_each(threads, [&](std::size_t, std::size_t first, std::size_t last) {
    std::vector<double> g(classes);
    for (std::size_t i = first; i < last; ++i) {
      class_scores(rows, problem, i, v, g);
      idle[i] = RowState::of(alpha.subspan(i * classes, classes), g).lead > violation || problem.cost(i) == 0;
      const double own = g[problem.code(i)];
      g[problem.code(i)] = -std::numeric_limits<double>::infinity();
      margins[i] = own + 1 - *std::max_element(g.begin(), g.end());
    }
  });
  std::fill(shrunk.begin(), shrunk.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < idle.size(); ++i) shrunk[i / 8] = static_cast<std::uint8_t>(shrunk[i / 8] | (idle[i] << (i % 8)));
}

/// sums = sum_i a_ik (s x_i, 1) for every class, (columns + 1) x K, with a_ik = c_i ([k = y_i] - alpha_ik).
template <class Rows>
void joint_sums(const Rows& rows, const JointProblem& problem, std::span<const double> alpha, std::span<double> sums) {
  const std::size_t classes = problem.classes;
  std::vector<double> a(classes);
  std::fill(sums.begin(), sums.end(), 0.0);
  double* const last = sums.data() + rows.columns * classes;
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
      last[k] += a[k];
      a[k] *= problem.scale;
    }
    add_to_classes(rows[i], a, sums.data());
  }
}

}  // namespace novikoff
