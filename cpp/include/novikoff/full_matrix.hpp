// The second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005) and AROW (Crammer, Kulesza and Dredze 2009) with the
// full matrix of products of columns.
//
// Both keep A = a I + sum u u' and v = sum y u over the examples that caused an update, and predict by the sign of w.u with
// w = A^-1 v. The second-order perceptron makes an update on a mistake, AROW also if the margin y w.u is below 1. For AROW this
// is another form of the rule in its paper: its covariance is r A^-1 with a = r.  docs/theory.md L2 and L3.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "novikoff/rows.hpp"
#include "novikoff/second_order_input.hpp"

namespace novikoff {

/// A = U D U' with U upper triangular, 1 on its diagonal, and D diagonal; and v. The intercept is first, then the columns.
///
/// The update is method C1 of Gill, Golub, Murray and Saunders (1974) from the last column to the first, so that a new column
/// is appended in memory and does not change the bits of earlier ones: columns may appear at any time. A pivot D_j is a plus
/// what it gained. An update adds alpha p_j^2 >= 0 to the gain, which rounding cannot make negative, so all pivots remain at
/// least a, and U D U' is positive definite whatever was rounded. The weights move by recursive least squares, w += (y - w.u)
/// p A^-1 u with the new A, because A w = v are the normal equations of ridge regression to the labels: no digits cancel
/// however long rows are, as they do if w is solved from v. An update takes about 1.5 n^2 multiplications for n columns.
struct FullMatrix {
  struct Column {
    double gain = 0;  // D_j - a
    double sum = 0;   // of y u over the updates
  };

  double a;
  std::vector<Column> columns;
  Column bias;
  std::vector<double> upper;  // entries of U above the diagonal, column after column: the j-th has j of them
  double trace = 0;           // sum of |u|^2 over the updates

  explicit FullMatrix(double start = 1) : a(start) { resize(0); }

  void resize(std::size_t count) {
    upper.resize(entries(count));  // first: memory may run out
    u_.resize(count + 1);
    gain_.resize(count + 1);
    columns.resize(count);
  }

  /// Number of entries of `upper` for so many columns.
  static constexpr std::size_t entries(std::size_t columns) { return (columns + 1) * columns / 2; }

  /// A += p u u', v += p y u for a copy of weight p, and w solves A w = v. An example so long that an entry could overflow is
  /// added to v alone, which all proofs are made from, and does not change w.
  void add(const auto& x, const SecondOrderInput& s, WeightsView w) {
    std::fill(u_.begin(), u_.end(), 0.0);
    x.for_each([&](std::size_t j, double value) { u_[j + 1] = s.scale * value; });
    u_[0] = s.intercept ? s.scale : 0.0;
    const double step = s.weight * s.y;
    for (std::size_t j = 0; j < size(); ++j) at(j).sum += step * u_[j];
    const double total = trace + s.weight * s.squared_norm;
    if (!is_safe(total)) return;
    trace = total;
    double score = u_[0] * w.bias;
    for (std::size_t j = 1; j < size(); ++j) score += u_[j] * w.columns[j - 1];
    update(s.weight);
    const double error = s.y - score;
    w.bias += error * gain_[0];
    for (std::size_t j = 1; j < size(); ++j) w.columns[j - 1] += error * gain_[j];
  }

 private:
  std::size_t size() const { return columns.size() + 1; }
  Column& at(std::size_t j) { return j == 0 ? bias : columns[j - 1]; }
  double* column(std::size_t j) { return upper.data() + (j == 0 ? 0 : entries(j - 1)); }

  /// Entries of U are at most sqrt(T/a) with T = a + trace, what is left of u during an update is at most |u| T/a, and the
  /// numbers behind a solution are not larger.
  bool is_safe(double total) const {
    constexpr double most = 1e280;
    const double T = a + total;
    return T * std::sqrt(T) / a < most && T * T / a < most;
  }

  /// Changes U and D by p u u', and computes the gain p A^-1 u with the new A. Its product with U' is beta, with which the
  /// columns change: the entries of D^-1 U^-1 u are those of u where their column begins, times alpha / p, over the new pivot.
  void update(double p) {
    double alpha = p;
    for (std::size_t j = size(); j-- > 0;) {
      gain_[j] = 0;
      const double entry = u_[j];
      if (entry == 0) continue;
      Column& own = at(j);
      const double before = a + own.gain;
      own.gain += alpha * entry * entry;
      const double after = a + own.gain;
      gain_[j] = alpha * entry / after;
      change_column(column(j), j, entry, gain_[j]);
      alpha *= before / after;
    }
    for (std::size_t j = 0; j < size(); ++j) gain_[j] -= DenseRow<double>{column(j), j, 1}.dot(gain_.data());
  }

  /// Takes what belongs to a column out of u, and changes the column by what is left of it.
  void change_column(double* own, std::size_t count, double entry, double beta) {
    double* const rest = u_.data();
    for (std::size_t i = 0; i < count; ++i) {
      rest[i] -= entry * own[i];
      own[i] += beta * rest[i];
    }
  }

  std::vector<double> u_, gain_;  // scratch
};

/// Updates at margins below 1 (AROW), or on mistakes (the second-order perceptron). A fraction p of an example has p times its
/// losses, which adds p u u' to A and p y u to v.
struct FullMatrixRule {
  using State = FullMatrix;
  static constexpr bool sums_updates = true;

  double a = 1;
  bool has_margin = false;

  State start() const { return State(a); }
  double quiet_margin(double, double) const { return has_margin ? 1 : 0; }

  Change update(const auto& x, const SecondOrderInput& s, WeightsView w, State& state) const {
    if (has_margin ? !(s.margin() < 1) : !s.mistake) return Change::none;
    state.add(x, s, w);
    return Change::weights;
  }
};

}  // namespace novikoff
