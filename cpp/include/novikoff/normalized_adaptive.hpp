// Normalised adaptive gradient descent, NAG (Ross, Mineiro and Langford 2013, algorithm 2): the scale of a column does not
// matter.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "novikoff/second_order_input.hpp"

namespace novikoff {

/// What is kept per column: the largest |u_j| so far, the sum of squared gradients, and the sum of y u over the mistakes, from
/// which proofs are made; and two numbers for all.
struct NormalizedState {
  struct Column {
    double scale = 0, squares = 0, sum = 0;
  };

  std::vector<Column> columns;
  Column bias;
  double norms = 0;  // N, the sum of sum_j (u_j / scale_j)^2 over all examples
  double time = 0;   // t, the number of examples other than u = 0

  void resize(std::size_t count) { columns.resize(count); }
};

enum class AdaptiveLoss { logistic, hinge, squared };

/// The derivative of a loss by the score.
inline double slope_of(AdaptiveLoss loss, double y, double score) {
  switch (loss) {
    case AdaptiveLoss::hinge:
      return y * score < 1 ? -y : 0.0;
    case AdaptiveLoss::squared:
      return 2 * (score - y);
    default:
      return -y / (1 + std::exp(y * score));
  }
}

/// For an example (u, y) of weight p:
///
///   1. For columns with |u_j| above scale_j: w_j *= scale_j / |u_j|, and scale_j = |u_j|.
///   2. N += p sum_j (u_j/scale_j)^2 and t += p.
///   3. With g_j = p l'(w.u) u_j:  G_j += g_j^2,  w_j -= learning_rate sqrt(t/N) g_j / (scale_j sqrt(G_j)).
///
/// The prediction that is served, and counted if it is a mistake, is that of the weights before step 1, as in Vowpal Wabbit,
/// because a served model is a plain linear one; the gradient in step 3 is at the weights after step 1, as in the paper. They
/// differ for an example with a larger entry than all before in its column. If all values of a column are multiplied by a power
/// of two, all scores from the column's second value on keep their bits.
///
/// No mistake bound is claimed. The sum of the mistaken examples is kept, which proves what it proves of any learner.
struct NormalizedAdaptiveRule {
  using State = NormalizedState;
  static constexpr bool sums_updates = false;

  double learning_rate = 0.5;
  AdaptiveLoss loss = AdaptiveLoss::logistic;

  /// N and t change with every example.
  double quiet_margin(double, double) const { return std::numeric_limits<double>::infinity(); }

  Change update(const auto& x, const SecondOrderInput& s, WeightsView w, State& state) const {
    const auto for_each = [&](auto&& use) {
      x.for_each([&](std::size_t j, double value) {
        if (value != 0) use(s.scale * value, w.columns[j], state.columns[j]);
      });
      if (s.intercept) use(s.scale, w.bias, state.bias);
    };
    bool rescaled = false;
    double norm = 0;
    for_each([&](double value, double& weight, State::Column& column) {
      const double size = std::abs(value);
      if (size > column.scale) {
        weight *= column.scale / size;
        rescaled |= column.scale > 0;
        column.scale = size;
      }
      const double ratio = value / column.scale;
      norm += ratio * ratio;
      if (s.mistake) column.sum += s.weight * s.y * value;
    });
    state.norms += s.weight * norm;
    state.time += s.weight;
    double score = s.score;
    if (rescaled) {
      score = 0;
      for_each([&](double value, double weight, const State::Column&) { score += value * weight; });
    }
    const double slope = s.weight * slope_of(loss, s.y, score);
    if (slope == 0 || !std::isfinite(slope)) return rescaled ? Change::weights : Change::state;
    const double rate = learning_rate * std::sqrt(state.time / state.norms);
    for_each([&](double value, double& weight, State::Column& column) {
      const double gradient = slope * value, total = column.squares + gradient * gradient;
      if (!(total > 0 && std::isfinite(total))) return;  // the square underflows or overflows
      column.squares = total;
      const double step = rate * (gradient / std::sqrt(total)) / column.scale;
      if (std::isfinite(step)) weight -= step;
    });
    return Change::weights;
  }
};

}  // namespace novikoff
