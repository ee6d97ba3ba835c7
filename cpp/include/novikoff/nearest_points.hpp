// The nearest points of the convex hulls of two classes, by sequential minimal optimisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace novikoff {

/// The dual problem of the hard margin,
///
///   min over a >= 0:  1/2 sum_ij a_i a_j y_i y_j K_ij - sum_i a_i,     with sum_i y_i a_i = 0 if `balanced`,
///
/// where K_ij = x_i.x_j. It is balanced if the intercept is free. See docs/theory.md, section E.
///
/// Sequential minimal optimisation (Platt 1998): each step changes two variables, chosen by second-order information (Fan, Chen
/// and Lin 2005, WSS 2); without the constraint, one variable. The scores f_i = sum_j a_j y_j K_ij are updated in every step.
struct NearestPoints {
  std::span<const double> products;  // K in row-major order
  std::span<const double> signs;
  bool balanced;

  static constexpr double min_curvature = 1e-12;  // relative to K_ii + K_jj, for rows that are (nearly) equal

  struct Progress {
    std::size_t steps = 0;
    double violation = std::numeric_limits<double>::infinity();  // largest violation of an optimality condition on a margin
  };

  std::size_t count() const { return signs.size(); }
  const double* row(std::size_t i) const { return products.data() + i * count(); }

  /// Stops when the violation is at most `accuracy`, after `max_steps` steps, or when sum a exceeds `max_sum`: then the hulls
  /// are too close for this method, or they meet. Updates a and scores.
  Progress descend(std::span<double> a, std::span<double> scores, double accuracy, std::size_t max_steps,
                   double max_sum) const {
    State state{a,
                scores,
                std::vector<double>(count()),
                std::vector<double>(count()),
                std::vector<double>(count()),
                std::vector<double>(count())};
    for (std::size_t k = 0; k < count(); ++k) {
      state.squares[k] = row(k)[k];
      mark(state, k);
    }
    Progress progress;
    double sum = std::accumulate(a.begin(), a.end(), 0.0);
    while (true) {
      const Choice choice = balanced ? two_rows(state) : one_row(state);
      progress.violation = choice.violation;
      if (choice.violation <= accuracy || progress.steps == max_steps || sum > max_sum) return progress;
      sum += balanced ? move_two(choice, state) : move_one(choice, state);
      ++progress.steps;
    }
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  /// Plain vectors, so that the loops below have no branches and can be vectorised.
  struct State {
    std::span<double> a, scores;
    std::vector<double> squares;     // K_ii
    std::vector<double> rise, fall;  // 0 if y a may increase or decrease, else `never`
    std::vector<double> gains;       // of a step with the row and the one chosen first
  };
  struct Choice {
    double violation;
    std::size_t i = 0, j = 0;
  };

  void mark(State& state, std::size_t k) const {
    state.rise[k] = signs[k] > 0 || state.a[k] > 0 ? 0 : never;
    state.fall[k] = signs[k] < 0 || state.a[k] > 0 ? 0 : never;
  }

  /// The largest value, in several lanes so that it can be vectorised.
  template <class Value>
  double largest(Value value_of) const {
    constexpr std::size_t lanes = 8;
    double best[lanes];
    std::fill(best, best + lanes, never);
    std::size_t k = 0;
    for (; k + lanes <= count(); k += lanes)
      for (std::size_t l = 0; l < lanes; ++l) {
        const double value = value_of(k + l);
        best[l] = value > best[l] ? value : best[l];
      }
    for (; k < count(); ++k) best[0] = std::max(best[0], value_of(k));
    return *std::max_element(best, best + lanes);
  }

  /// The index of the first entry with this value.
  template <class Value>
  std::size_t where(double value, Value value_of) const {
    std::size_t k = 0;
    while (k + 1 < count() && value_of(k) != value) ++k;
    return k;
  }

  static double curvature(double one, double other, double product) {
    const double total = one + other, found = total - 2 * product, least = min_curvature * total + min_curvature;
    return found > least ? found : least;
  }

  /// Rows on the margin have y - f = b. At the optimum, max of y - f over the rows where y a may increase is at most the min
  /// over those where it may decrease. The first row attains that maximum; the second promises the largest decrease with it.
  Choice two_rows(State& state) const {
    const double *const y = signs.data(), *const f = state.scores.data(), *const squares = state.squares.data();
    const double *const rise = state.rise.data(), *const fall = state.fall.data();
    const auto up = [=](std::size_t k) { return (y[k] - f[k]) + rise[k]; };
    const double highest = largest(up);
    const double lowest = -largest([=](std::size_t k) { return (f[k] - y[k]) + fall[k]; });
    const std::size_t i = where(highest, up);
    const double square = squares[i], *const from = row(i);
    double* const gains = state.gains.data();
    for (std::size_t k = 0; k < count(); ++k) {
      const double lower = (highest - (y[k] - f[k])) + fall[k], apart = lower > 0 ? lower : 0;
      gains[k] = apart * apart / curvature(square, squares[k], from[k]);
    }
    const auto gain = [=](std::size_t k) { return gains[k]; };
    return {highest - lowest, i, where(largest(gain), gain)};
  }

  /// Changes two variables; returns the change of sum a.
  double move_two(const Choice& choice, State& state) const {
    const auto [_, i, j] = choice;
    const std::span<double> a = state.a, f = state.scores;
    const double *const from = row(i), *const to = row(j);
    double step = ((signs[i] - f[i]) - (signs[j] - f[j])) / curvature(state.squares[i], state.squares[j], from[j]);
    if (signs[i] < 0) step = std::min(step, a[i]);
    if (signs[j] > 0) step = std::min(step, a[j]);
    a[i] = std::max(0.0, a[i] + signs[i] * step);
    a[j] = std::max(0.0, a[j] - signs[j] * step);
    for (std::size_t k = 0; k < count(); ++k) f[k] += step * (from[k] - to[k]);
    mark(state, i);
    mark(state, j);
    return (signs[i] - signs[j]) * step;
  }

  /// The row that promises the largest decrease, and the largest violation of a margin.
  Choice one_row(State& state) const {
    const double *const y = signs.data(), *const f = state.scores.data(), *const a = state.a.data();
    double *const gains = state.gains.data(), *const squares = state.squares.data();
    const auto lack = [=](std::size_t k) {
      const double missing = 1 - y[k] * f[k], short_of = missing > 0 ? missing : 0;
      return a[k] > 0 ? missing : short_of;
    };
    const double worst = largest([=](std::size_t k) { return std::abs(lack(k)); });
    for (std::size_t k = 0; k < count(); ++k) gains[k] = lack(k) * lack(k) / (squares[k] + min_curvature);
    const auto gain = [=](std::size_t k) { return gains[k]; };
    return {worst, where(largest(gain), gain)};
  }

  /// Changes one variable; returns the change of sum a.
  double move_one(const Choice& choice, State& state) const {
    const std::size_t i = choice.i;
    const std::span<double> a = state.a, f = state.scores;
    const double before = a[i];
    a[i] = std::max(0.0, before + (1 - signs[i] * f[i]) / (state.squares[i] + min_curvature));
    const double step = signs[i] * (a[i] - before);
    const double* const own = row(i);
    for (std::size_t k = 0; k < count(); ++k) f[k] += step * own[k];
    return a[i] - before;
  }
};

}  // namespace novikoff
