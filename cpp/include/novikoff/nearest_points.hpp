// The nearest points of the convex hulls of two classes, by sequential minimal optimisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
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
    State state(a, count());
    for (std::size_t k = 0; k < count(); ++k) {
      state.squares[k] = row(k)[k];
      state.left[k] = signs[k] - scores[k];
      mark(state, k);
    }
    Progress progress;
    double sum = std::accumulate(a.begin(), a.end(), 0.0);
    Extremes extremes = balanced ? shift(state, 0, row(0), row(0)) : Extremes{};
    while (true) {
      const Choice choice = balanced ? two_rows(state, extremes) : one_row(state);
      progress.violation = choice.violation;
      if (choice.violation <= accuracy || progress.steps == max_steps || sum > max_sum) break;
      sum += balanced ? move_two(choice, state, extremes) : move_one(choice, state);
      ++progress.steps;
    }
    for (std::size_t k = 0; k < count(); ++k) scores[k] = signs[k] - state.left[k];
    return progress;
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();
  typedef double Pair __attribute__((vector_size(16)));  // two rows at a time, on any processor that can
  static constexpr std::size_t pairs = 4, chunk = 64;    // pairs that are handled side by side, and rows between comparisons

  /// Plain vectors, so that the loops below have no branches and can be vectorised.
  struct State {
    State(std::span<double> dual, std::size_t count) : a(dual), left(count), squares(count), rise(count), fall(count) {}

    std::span<double> a;
    std::vector<double> left;        // y - f
    std::vector<double> squares;     // K_ii
    std::vector<double> rise, fall;  // 0 if y a may increase or decrease, else `never`
  };
  struct Choice {
    double violation;
    std::size_t i = 0, j = 0;
  };
  /// The largest y - f of the rows that may rise, with the first row of its chunk, and the least of those that may fall.
  struct Extremes {
    double highest = never, lowest = -never;
    std::size_t first = 0;
  };

  void mark(State& state, std::size_t k) const {
    state.rise[k] = signs[k] > 0 || state.a[k] > 0 ? 0 : never;
    state.fall[k] = signs[k] < 0 || state.a[k] > 0 ? 0 : never;
  }

  template <class Number>
  static Number larger(Number a, Number b) {
    return a > b ? a : b;
  }

  template <class Number>
  static Number squared(Number a) {
    return a * a;
  }

  template <class Number>
  static Number curvature(double one, Number other, Number product) {
    const Number total = one + other;
    return larger(total - 2 * product, min_curvature * total + min_curvature);
  }

  static Pair pair(const double* values) {
    Pair both;
    std::memcpy(&both, values, sizeof both);
    return both;
  }

  static double largest(const Pair* some) {
    const Pair found = larger(larger(some[0], some[1]), larger(some[2], some[3]));
    return larger<double>(found[0], found[1]);
  }

  /// The largest of some quotients gain / curvature, compared without a division.
  template <class Number>
  struct Quotients {
    Number gain{}, curvature = Number{} + 1;

    void add(Number other_gain, Number other_curvature) {
      const auto is_larger = other_gain * curvature > gain * other_curvature;
      gain = is_larger ? other_gain : gain;
      curvature = is_larger ? other_curvature : curvature;
    }
  };

  /// Moves f by step (K_i - K_j), where `from` and `to` are rows i and j of K, and finds the extremes in the same pass.
  Extremes shift(State& state, double step, const double* from, const double* to) const {
    Extremes found;
    double* const left = state.left.data();
    const double *const rise = state.rise.data(), *const fall = state.fall.data();
    for (std::size_t first = 0; first < count(); first += chunk) {
      const std::size_t last = std::min(first + chunk, count());
      Pair high[pairs], low[pairs];
      std::fill(high, high + pairs, Pair{never, never});
      std::fill(low, low + pairs, Pair{never, never});
      std::size_t k = first;
      for (; k + 2 * pairs <= last; k += 2 * pairs)
        for (std::size_t l = 0; l < pairs; ++l) {
          const std::size_t at = k + 2 * l;
          const Pair value = pair(left + at) - step * (pair(from + at) - pair(to + at));
          std::memcpy(left + at, &value, sizeof value);
          high[l] = larger(value + pair(rise + at), high[l]);
          low[l] = larger(pair(fall + at) - value, low[l]);
        }
      for (; k < last; ++k) {
        left[k] -= step * (from[k] - to[k]);
        high[0][0] = larger(left[k] + rise[k], high[0][0]);
        low[0][0] = larger(fall[k] - left[k], low[0][0]);
      }
      const double highest = largest(high);
      found.lowest = std::min(found.lowest, -largest(low));
      if (highest > found.highest) found.highest = highest, found.first = first;
    }
    return found;
  }

  /// Rows on the margin have y - f = b. At the optimum, max of y - f over the rows where y a may increase is at most the min
  /// over those where it may decrease. The first row attains that maximum; the second promises the largest decrease with it,
  /// which is d^2 / c for a difference d and a curvature c.
  Choice two_rows(const State& state, const Extremes& extremes) const {
    const double *const left = state.left.data(), *const squares = state.squares.data(), *const fall = state.fall.data();
    const double highest = extremes.highest;
    std::size_t i = extremes.first;
    while (i + 1 < count() && left[i] + state.rise[i] != highest) ++i;
    const double square = squares[i], *const from = row(i);
    const auto gain_of = [=](auto below, auto may_fall) { return squared(larger((highest - below) + may_fall, 0 * below)); };
    Quotients<double> best;
    std::size_t j = i;
    for (std::size_t first = 0; first < count(); first += chunk) {
      const std::size_t last = std::min(first + chunk, count());
      Quotients<Pair> found[pairs];
      std::size_t k = first;
      for (; k + 2 * pairs <= last; k += 2 * pairs)
        for (std::size_t l = 0; l < pairs; ++l) {
          const std::size_t at = k + 2 * l;
          found[l].add(gain_of(pair(left + at), pair(fall + at)), curvature(square, pair(squares + at), pair(from + at)));
        }
      const double before = best.gain, beside = best.curvature;
      for (; k < last; ++k) best.add(gain_of(left[k], fall[k]), curvature(square, squares[k], from[k]));
      for (const Quotients<Pair>& some : found)
        for (std::size_t l = 0; l < 2; ++l) best.add(some.gain[l], some.curvature[l]);
      if (best.gain != before || best.curvature != beside) j = first;
    }
    const auto is_best = [&](std::size_t k) {
      return gain_of(left[k], fall[k]) == best.gain && curvature(square, squares[k], from[k]) == best.curvature;
    };
    while (j + 1 < count() && !is_best(j)) ++j;
    return {highest - extremes.lowest, i, j};
  }

  /// Changes two variables; returns the change of sum a.
  double move_two(const Choice& choice, State& state, Extremes& extremes) const {
    const auto [_, i, j] = choice;
    const std::span<double> a = state.a;
    const double *const from = row(i), *const to = row(j);
    double step = (state.left[i] - state.left[j]) / curvature(state.squares[i], state.squares[j], from[j]);
    if (signs[i] < 0) step = std::min(step, a[i]);
    if (signs[j] > 0) step = std::min(step, a[j]);
    a[i] = std::max(0.0, a[i] + signs[i] * step);
    a[j] = std::max(0.0, a[j] - signs[j] * step);
    mark(state, i);
    mark(state, j);
    extremes = shift(state, step, from, to);
    return (signs[i] - signs[j]) * step;
  }

  /// The row that promises the largest decrease, and the largest violation of a margin.
  Choice one_row(const State& state) const {
    Choice choice{0};
    double best = 0;
    for (std::size_t k = 0; k < count(); ++k) {
      const double missing = signs[k] * state.left[k], lack = state.a[k] > 0 ? missing : larger(missing, 0.0);
      const double gain = lack * lack / (state.squares[k] + min_curvature);
      choice.violation = larger(std::abs(lack), choice.violation);
      if (gain > best) best = gain, choice.i = k;
    }
    return choice;
  }

  /// Changes one variable; returns the change of sum a.
  double move_one(const Choice& choice, State& state) const {
    const std::size_t i = choice.i;
    double& own = state.a[i];
    const double before = own;
    own = std::max(0.0, before + signs[i] * state.left[i] / (state.squares[i] + min_curvature));
    const double step = signs[i] * (own - before);
    const double* const from = row(i);
    for (std::size_t k = 0; k < count(); ++k) state.left[k] -= step * from[k];
    return own - before;
  }
};

}  // namespace novikoff
