// The soft-margin support vector machine of one binary problem, and the passes over its rows that solvers are made of.
//
// Primal:  min over w, b:  lambda/2 |w|^2 + kappa/2 b^2 + sum_i c_i l(1 - m_i),     m_i = y_i (s x_i.w + b)
// Dual:    max over alpha: sum_i c_i (alpha_i - ridge/2 alpha_i^2) - |sum_i a_i y_i s x_i|^2 / (2 lambda)
//                          - (sum_i a_i y_i)^2 / (2 kappa),     0 <= alpha_i <= top,     a_i = c_i alpha_i
//
//   x_i, y_i   row and label, -1 or +1         c_i     cost of the row
//   l          loss (losses.hpp)               s       power of two that brings the rows to about unit length
//   lambda     s^2 / C                         kappa   1 / C for a penalised intercept; 0 for a free one, and then
//                                                      sum_i a_i y_i = 0
//
// This is the problem of the user divided by C, so that alpha_i = a_i / c_i; at the optimum w = sum_i a_i y_i s x_i / lambda.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/blocks.hpp"
#include "novikoff/lanes.hpp"
#include "novikoff/line_search.hpp"
#include "novikoff/losses.hpp"
#include "novikoff/rows.hpp"

namespace novikoff {

/// The labels, costs and scale of one binary problem. An empty `costs` means that every cost is 1.
struct BinaryProblem {
  std::span<const std::int32_t> codes;
  std::int32_t positive;  // the code of the class that is +1
  std::span<const double> costs;
  double scale;
  double constant;  // the feature of the intercept: 1, or 0 if there is no intercept

  double sign(std::size_t i) const { return codes[i] == positive ? 1.0 : -1.0; }
  double cost(std::size_t i) const { return costs.empty() ? 1.0 : costs[i]; }
  /// y (s x.w + b) for v = (w, b).
  double margin(const Row auto& x, std::size_t i, std::span<const double> v) const {
    return sign(i) * (scale * x.dot(v.data()) + constant * v.back());
  }
};

/// Sums over the rows of one class.
struct ClassSums {
  double a = 0, a_slack = 0, a_alpha = 0;  // sum a, sum a (1 - m), sum a alpha

  void operator+=(const ClassSums& other) {
    a += other.a;
    a_slack += other.a_slack;
    a_alpha += other.a_alpha;
  }
};

/// Sums over both classes, the negative one first, and the loss of all rows.
struct DualSums {
  std::array<ClassSums, 2> of_class;
  double loss = 0;

  void operator+=(const DualSums& other) {
    for (std::size_t k = 0; k < 2; ++k) of_class[k] += other.of_class[k];
    loss += other.loss;
  }
};

/// sum += a s x. If C |x|^2 is huge, a is tiny and a s can be subnormal, which loses digits: then s x is computed first.
void add_scaled(const Row auto& x, double a, double scale, double* sum) {
  if (const double factor = a * scale; std::isnormal(factor) || a == 0)
    x.add_to(sum, factor);
  else
    x.for_each([&](std::size_t j, double value) { sum[j] += a * (scale * value); });
}

/// |s x|^2. The values are scaled before they are squared, so that the square neither overflows nor underflows.
double scaled_squared_norm(const Row auto& x, double scale) {
  double sum = 0;
  x.for_each([&](std::size_t, double value) { sum += (scale * value) * (scale * value); });
  return sum;
}

/// margins[i] = y_i (s x_i.w + b) for v = (w, b). For a direction v this is the rate of change of the margins.
void compute_margins(const auto& rows, const BinaryProblem& problem, std::span<const double> v, const Blocks& blocks,
                     std::size_t threads, std::span<double> margins) {
  blocks.for_each(threads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) margins[i] = problem.margin(rows[i], i, v);
  });
}

/// The sums of the dual variables that `response` gives for the margins. `class_vectors` receives sum a y (s x, 1) of the
/// negative class, then of the positive class. Every block of rows has its own sums, so that threads do not change the bits.
DualSums dual_sums(const auto& rows, const BinaryProblem& problem, const Loss& loss, std::span<const double> centres,
                   std::span<const double> margins, const Response& response, const Blocks& blocks, std::size_t threads,
                   std::span<double> class_vectors) {
  const std::size_t width = rows.columns + 1;
  std::vector<double> parts((blocks.count - 1) * 2 * width);
  std::vector<DualSums> sums(blocks.count);
  blocks.for_each(threads, [&](std::size_t block, std::size_t first, std::size_t last) {
    double* const own = block == 0 ? class_vectors.data() : parts.data() + (block - 1) * 2 * width;
    if (block == 0) std::fill_n(own, 2 * width, 0.0);
    DualSums total;
    for (std::size_t i = first; i < last; ++i) {
      const double cost = problem.cost(i), slack = 1 - margins[i];
      const double alpha = response.at(centres[i], margins[i]), a = cost * alpha, sign = problem.sign(i);
      total.loss += loss.value(std::max(slack, 0.0), cost);
      if (a == 0) continue;
      const std::size_t k = sign > 0;
      total.of_class[k] += ClassSums{a, a * slack, a * alpha};
      add_scaled(rows[i], a * sign, problem.scale, own + k * width);
      own[k * width + rows.columns] += a * sign * problem.constant;
    }
    sums[block] = total;
  });
  for (std::size_t block = 1; block < blocks.count; ++block) {
    sums[0] += sums[block];
    for (std::size_t j = 0; j < 2 * width; ++j) class_vectors[j] += parts[(block - 1) * 2 * width + j];
  }
  return sums[0];
}

/// sum_i c_i l(1 - m_i).
double total_loss(const BinaryProblem& problem, const Loss& loss, std::span<const double> margins, const Blocks& blocks,
                  std::size_t threads) {
  return blocks.sum<double>(threads, [&](std::size_t first, std::size_t last) {
    double total = 0;
    for (std::size_t i = first; i < last; ++i) total += loss.value(std::max(0.0, 1 - margins[i]), problem.cost(i));
    return total;
  });
}

/// The derivatives of the smoothed loss at `step` along a direction in which the margins change at the given rates. Rows are
/// summed in four lanes.
inline Slope smoothed_slope(const BinaryProblem& problem, std::span<const double> centres, std::span<const double> margins,
                            std::span<const double> rates, double step, const Response& response, const Blocks& blocks,
                            std::size_t threads) {
  using Four = Lanes<4>;
  const Four zero, one = Four::all(1), top = Four::all(response.top);
  return blocks.sum<Slope>(threads, [&](std::size_t first, std::size_t last) {
    Four fall, bend;
    const auto add = [&](const Four& centre, const Four& margin, const Four& rate,
                         const Four& cost) __attribute__((always_inline)) {
      const Four alpha = response.keep * centre + response.rate * (one - (margin + step * rate)), weighted = cost * rate;
      fall += weighted * smaller(larger(alpha, zero), top);
      bend += where_between(zero, alpha, top, weighted * rate);
    };
    std::size_t i = first;
    for (; i + 4 <= last; i += 4)
      add(Four::load(&centres[i]), Four::load(&margins[i]), Four::load(&rates[i]),
          problem.costs.empty() ? one : Four::load(&problem.costs[i]));
    Four centre, margin = one, rate, cost;  // of the last rows; a rate of 0 adds nothing
    for (std::size_t k = 0; i < last; ++i, ++k) {
      centre.set(k, centres[i]);
      margin.set(k, margins[i]);
      rate.set(k, rates[i]);
      cost.set(k, problem.cost(i));
    }
    add(centre, margin, rate, cost);
    const auto total = [](const Four& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
    return Slope{-total(fall), response.rate * total(bend)};
  });
}

/// The length of the step along such a direction at which the smoothed objective is least. `linear` and `quadratic` are the
/// derivatives of the regularisation at the step 0.
inline double best_step(const BinaryProblem& problem, std::span<const double> centres, std::span<const double> margins,
                        std::span<const double> rates, double linear, double quadratic, const Response& response,
                        double slope_ratio, const Blocks& blocks, std::size_t threads) {
  return minimize_along_line(
      [&](double step) {
        Slope slope = smoothed_slope(problem, centres, margins, rates, step, response, blocks, threads);
        slope += Slope{linear + step * quadratic, quadratic};
        return slope;
      },
      slope_ratio);
}

/// The rows with a cost whose alpha is strictly between its bounds. They are counted first: a vector that grows by doubling
/// would take twice the memory.
inline std::vector<std::int64_t> free_rows(const BinaryProblem& problem, std::span<const double> centres,
                                           std::span<const double> margins, const Response& response) {
  const auto is_free = [&](std::size_t i) { return problem.cost(i) > 0 && response.is_free(centres[i], margins[i]); };
  std::size_t count = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) count += is_free(i);
  std::vector<std::int64_t> found;
  found.reserve(count);
  for (std::size_t i = 0; i < margins.size(); ++i)
    if (is_free(i)) found.push_back(static_cast<std::int64_t>(i));
  return found;
}

}  // namespace novikoff
