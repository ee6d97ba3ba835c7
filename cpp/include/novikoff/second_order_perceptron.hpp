// The second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005) with a diagonal matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "novikoff/second_order_input.hpp"

namespace novikoff {

/// What is kept per column: the sum of u_j^2 over the mistakes, and that of y u_j.
struct ColumnSquares {
  struct Column {
    double squares = 0, sum = 0;
  };

  std::vector<Column> columns;
  Column bias;

  void resize(std::size_t count) { columns.resize(count); }
};

/// After a mistake of weight p, v += p y u, A_j += p u_j^2 and w_j = v_j / A_j, where A_j is a at first.
///
/// The prediction is that of w, so a served model is a plain linear one: the matrix does not have the present example.
/// docs/theory.md L4 has the bound for this form.
struct DiagonalPerceptronRule {
  using State = ColumnSquares;
  static constexpr bool sums_updates = true;

  double a = 1;

  double quiet_margin(double, double) const { return 0; }

  Change update(const auto& x, const SecondOrderInput& s, WeightsView w, State& state) const {
    if (!s.mistake) return Change::none;
    constexpr double most = 1e300;  // so that a sum of squares does not overflow
    const auto add = [&](double value, double& weight, State::Column& column) {
      column.squares = std::min(most, column.squares + s.weight * value * value);
      column.sum += s.weight * s.y * value;
      weight = column.sum / (a + column.squares);
    };
    x.for_each([&](std::size_t j, double value) {
      if (value != 0) add(s.scale * value, w.columns[j], state.columns[j]);
    });
    if (s.intercept) add(s.scale, w.bias, state.bias);
    return Change::weights;
  }
};

}  // namespace novikoff
