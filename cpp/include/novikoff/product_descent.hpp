// The dual problem of the soft margin over the matrix of products of its rows, by sequential minimal optimisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace novikoff {

/// One binary problem in the space of its rows, with signed dual variables t_i = y_i a_i:
///
///   max over t:  sum_i y_i t_i - 1/2 sum_ij t_i t_j (rate K_ij + offset) - 1/2 sum_i ridge_i t_i^2,
///                0 <= y_i t_i <= top_i,     and sum_i t_i = 0 if `balanced`.
///
///   K         products of the rows             rate     1 / lambda, or what brings K to that
///   ridge_i   ridge of the loss / c_i          offset   1 / kappa for a penalised intercept, else 0
///   top_i     largest a_i, c_i top             balanced whether the intercept is free
///
/// This is the dual of soft_margin.hpp. The scores without a free intercept are f_i = sum_j t_j (rate K_ij + offset), and the
/// gradient is g_i = y_i - f_i - ridge_i t_i. At the optimum of a balanced problem the largest gradient of the rows that may
/// rise is at most the least gradient of those that may fall, and the intercept lies between them; of other problems, both
/// are 0.
///
/// Each step changes two variables, chosen by second-order information (Fan, Chen and Lin 2005, WSS 2); one, if the problem is
/// not balanced.
struct ProductProblem {
  std::span<const double> products;  // K in row-major order
  std::span<const double> signs, tops, ridges;
  double rate, offset;
  bool balanced;

  /// The bounds on the optimum at a point, and the intercept.
  struct Bounds {
    double primal, dual, intercept;

    double relative_gap() const { return primal > dual ? (primal - dual) / primal : 0.0; }
  };

  struct Progress {
    std::size_t steps = 0;
    Bounds bounds;
  };

  std::size_t count() const { return signs.size(); }
  const double* row(std::size_t i) const { return products.data() + i * count(); }

  /// Stops when the relative gap is at most `tol`, or after `max_steps` steps. Updates t, and the gradient, which must be that
  /// of t. The gap is computed each time that as many steps were made as there are rows; with `max_steps` of 0, only that.
  Progress descend(std::span<double> t, std::span<double> gradient, double tol, std::size_t max_steps) const {
    State state(*this, t, gradient);
    Progress progress;
    Extremes found = after_change(state, 0, row(0), row(0), 0);
    while (true) {
      const bool is_optimal = !(found.highest > found.lowest);
      if (progress.steps % count() == 0 || is_optimal || progress.steps == max_steps) {
        progress.bounds = bounds_at(t, gradient, found);
        if (progress.bounds.relative_gap() <= tol || is_optimal || progress.steps == max_steps) return progress;
      }
      const bool has_moved = balanced ? move_two(state, found) : move_one(state, found);
      if (!has_moved) max_steps = progress.steps;  // rounding: the chosen variables cannot change
      progress.steps += has_moved;
    }
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();
  static constexpr double min_curvature = 1e-13;  // relative, for rows that are (nearly) equal
  static constexpr std::size_t lanes = 8;

  /// Plain vectors, so that the loops below have no branches and can be vectorised.
  struct State {
    std::span<double> t, gradient;
    std::vector<double> rise, fall;  // 0 if t may increase or decrease, else `never`
    std::vector<double> diagonal;    // rate K_ii + ridge_i
    std::vector<double> zeros;

    State(const ProductProblem& problem, std::span<double> variables, std::span<double> slopes)
        : t(variables), gradient(slopes), rise(t.size()), fall(t.size()), diagonal(t.size()), zeros(t.size()) {
      for (std::size_t k = 0; k < t.size(); ++k) {
        diagonal[k] = problem.rate * problem.row(k)[k] + problem.ridges[k];
        mark(problem, k);
      }
    }

    void mark(const ProductProblem& problem, std::size_t k) {
      const double a = problem.signs[k] * t[k], top = problem.tops[k];
      const bool may_grow = a < top, may_shrink = a > 0, is_positive = problem.signs[k] > 0;
      rise[k] = (is_positive ? may_grow : may_shrink) ? 0.0 : never;
      fall[k] = (is_positive ? may_shrink : may_grow) ? 0.0 : never;
    }
  };

  /// The largest gradient of the rows that may rise, and the first row that has it; the least of those that may fall.
  struct Extremes {
    double highest, lowest;
    std::size_t riser;
  };

  /// The largest quotient of several, and where it is; the lanes are compared by products, because divisions are slow.
  struct Largest {
    double numerators[lanes] = {}, denominators[lanes], places[lanes] = {};

    Largest() { std::fill(denominators, denominators + lanes, 1.0); }

    void offer(std::size_t lane, double numerator, double denominator, double place) {
      const bool is_larger = numerator * denominators[lane] > numerators[lane] * denominator;
      numerators[lane] = is_larger ? numerator : numerators[lane];
      denominators[lane] = is_larger ? denominator : denominators[lane];
      places[lane] = is_larger ? place : places[lane];
    }
    /// The place of the largest quotient, or `none` if no quotient is above 0.
    std::size_t place(std::size_t none) const {
      std::size_t best = 0;
      for (std::size_t l = 1; l < lanes; ++l)
        if (numerators[l] * denominators[best] > numerators[best] * denominators[l]) best = l;
      return numerators[best] > 0 ? static_cast<std::size_t>(places[best]) : none;
    }
  };

  /// Subtracts scaled (one - other) + shift from the gradient, and returns its extremes.
  Extremes after_change(State& state, double scaled, const double* one, const double* other, double shift) const {
    double* const g = state.gradient.data();
    const double *const rise = state.rise.data(), *const fall = state.fall.data();
    double up[lanes], down[lanes];
    std::fill(up, up + lanes, never);
    std::fill(down, down + lanes, never);
    const auto visit = [&](std::size_t k, std::size_t l) {
      g[k] -= scaled * (one[k] - other[k]) + shift;
      const double above = g[k] + rise[k], below = fall[k] - g[k];
      up[l] = above > up[l] ? above : up[l];
      down[l] = below > down[l] ? below : down[l];
    };
    std::size_t k = 0;
    for (; k + lanes <= count(); k += lanes)
      for (std::size_t l = 0; l < lanes; ++l) visit(k + l, l);
    for (; k < count(); ++k) visit(k, 0);
    const double highest = *std::max_element(up, up + lanes), lowest = -*std::max_element(down, down + lanes);
    if (!balanced) return {std::max(highest, 0.0), std::min(lowest, 0.0), 0};
    std::size_t riser = 0;
    while (riser + 1 < count() && g[riser] + rise[riser] != highest) ++riser;
    return {highest, lowest, riser};
  }

  /// The row with the largest quotient of numerator(k) / denominator(k), or `count()` if none is above 0.
  std::size_t best_row(auto&& numerator, auto&& denominator) const {
    Largest largest;
    std::size_t k = 0;
    double place = 0;
    for (; k + lanes <= count(); k += lanes, place += lanes)
      for (std::size_t l = 0; l < lanes; ++l)
        largest.offer(l, numerator(k + l), denominator(k + l), place + static_cast<double>(l));
    for (; k < count(); ++k) largest.offer(0, numerator(k), denominator(k), static_cast<double>(k));
    return largest.place(count());
  }

  Bounds bounds_at(std::span<const double> t, std::span<const double> gradient, const Extremes& found) const {
    double intercept = 0;
    if (balanced && std::isfinite(found.highest) && std::isfinite(found.lowest))
      intercept = 0.5 * (found.highest + found.lowest);
    double linear = 0, square = 0, ridge = 0, loss = 0, nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count(); ++k) {
      if (tops[k] == 0) continue;
      const double own = ridges[k] * t[k], score = signs[k] - gradient[k] - own;
      const double margin = signs[k] * (score + intercept), slack = std::max(0.0, 1 - margin);
      linear += signs[k] * t[k];
      square += score * t[k];
      ridge += own * t[k];
      loss += ridges[k] > 0 ? 0.5 * slack * slack / ridges[k] : tops[k] * slack;
      nearest = std::min(nearest, margin);
    }
    const double half = 0.5 * std::max(0.0, square);
    double primal = half + loss;
    if (nearest > 0) primal = std::min(primal, half / (nearest * nearest));  // the plane stretched until no row has a loss
    return {primal, linear - half - 0.5 * ridge, intercept};
  }

  /// Changes the two variables that promise the largest increase with the one of the largest gradient.
  bool move_two(State& state, Extremes& found) const {
    double* const g = state.gradient.data();
    const double *const fall = state.fall.data(), *const diagonal = state.diagonal.data();
    const double highest = found.highest, twice = 2 * rate;
    const std::size_t i = found.riser;
    const double *const from = row(i), own = diagonal[i];
    const std::size_t j = best_row(
        [=](std::size_t k) {
          const double lower = (highest - g[k]) + fall[k], apart = lower > 0 ? lower : 0.0;
          return apart * apart;
        },
        [=](std::size_t k) { return curvature(own + diagonal[k], twice * from[k]); });
    if (j == count()) return false;
    double step = (highest - g[j]) / curvature(own + diagonal[j], twice * from[j]);
    step = std::min({step, room_above(state, i), room_below(state, j)});
    if (!(step > 0) || (state.t[i] + step == state.t[i] && state.t[j] - step == state.t[j])) return false;
    change(state, i, step);
    change(state, j, -step);
    g[i] -= ridges[i] * step;
    g[j] += ridges[j] * step;
    found = after_change(state, rate * step, from, row(j), 0);
    return true;
  }

  /// Changes the variable that promises the largest increase.
  bool move_one(State& state, Extremes& found) const {
    double* const g = state.gradient.data();
    const double *const rise = state.rise.data(), *const fall = state.fall.data(), *const diagonal = state.diagonal.data();
    const double common = offset;
    const std::size_t i = best_row(
        [=](std::size_t k) {
          const double up = g[k] + rise[k], down = fall[k] - g[k], more = up > down ? up : down, apart = more > 0 ? more : 0.0;
          return apart * apart;
        },
        [=](std::size_t k) { return curvature(diagonal[k] + common, 0.0); });
    if (i == count()) return false;
    double step = g[i] / curvature(diagonal[i] + offset, 0.0);
    step = step > 0 ? std::min(step, room_above(state, i)) : -std::min(-step, room_below(state, i));
    if (state.t[i] + step == state.t[i]) return false;
    change(state, i, step);
    g[i] -= ridges[i] * step;
    found = after_change(state, rate * step, row(i), state.zeros.data(), offset * step);
    return true;
  }

  /// Of equal rows it is 0, and the smallest number stands for that: the step then ends at a bound.
  static double curvature(double total, double product) {
    constexpr double smallest = std::numeric_limits<double>::min();
    const double found = total - product, least = found > 0 ? min_curvature * total + smallest : smallest;
    return found > least ? found : least;
  }

  double room_above(const State& state, std::size_t k) const { return (signs[k] > 0 ? tops[k] : 0.0) - state.t[k]; }
  double room_below(const State& state, std::size_t k) const { return state.t[k] - (signs[k] > 0 ? 0.0 : -tops[k]); }

  /// Changes one variable; a step that is the whole room ends exactly at the bound.
  void change(State& state, std::size_t k, double step) const {
    const double high = signs[k] > 0 ? tops[k] : 0.0, low = signs[k] > 0 ? 0.0 : -tops[k];
    const bool to_high = step > 0 && step == room_above(state, k), to_low = step < 0 && -step == room_below(state, k);
    state.t[k] = to_high ? high : to_low ? low : std::clamp(state.t[k] + step, low, high);
    state.mark(*this, k);
  }
};

}  // namespace novikoff
