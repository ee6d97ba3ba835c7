// The Newton step of the soft margin by conjugate gradients (Hestenes and Stiefel 1952), with one unknown per free row.
//
// Let U be the free rows (s x, 1), Theta = diag(c / width), R = diag(lambda, ..., lambda, kappa) and g the gradient. The Newton
// step d solves (R + U' Theta U) d = -g. With q = Theta U d this becomes
//
//   (Theta^-1 + U R^-1 U') q = -U R^-1 g,     d = -R^-1 (g + U' q).
//
// The second form, preconditioned by its diagonal, is well scaled even if some rows are much longer than others. For a free
// intercept kappa = 0: the intercept d_b is then the multiplier of the constraint sum q = -g_b, which every iterate satisfies.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "novikoff/pair.hpp"
#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// The regularisation of the weights and of the intercept.
struct Penalty {
  double lambda, kappa;
};

struct StoppingRule {
  double residual;  // relative to the first residual
  std::size_t max_steps;
};

/// Products with s^2 X X' for some rows X of a dense matrix, read in place.
template <class Rows>
class DirectProduct {
 public:
  DirectProduct(const Rows& rows, double scale, std::span<const std::int64_t> some)
      : rows_(rows), scale_(scale), some_(some), sums_{std::vector<double>(rows.columns), std::vector<double>(rows.columns)} {}

  void operator()(const std::vector<double>& q, std::vector<double>& product, Pair& pair) {
    const auto begin = [&](int half) { return q.size() / 2 * static_cast<std::size_t>(half); };
    const auto end = [&](int half) { return half == 0 ? q.size() / 2 : q.size(); };
    pair.both([&](int half) {
      std::vector<double>& sum = sums_[static_cast<std::size_t>(half)];
      std::fill(sum.begin(), sum.end(), 0.0);
      for (std::size_t k = begin(half); k < end(half); ++k) add_scaled(row(k), q[k], scale_, sum.data());
    });
    for (std::size_t j = 0; j < rows_.columns; ++j) sums_[0][j] += sums_[1][j];
    pair.both([&](int half) {
      for (std::size_t k = begin(half); k < end(half); ++k) product[k] = scale_ * row(k).dot(sums_[0].data());
    });
  }
  std::size_t size() const { return some_.size() * rows_.columns; }

 private:
  auto row(std::size_t k) const { return rows_[static_cast<std::size_t>(some_[k])]; }

  const Rows& rows_;
  double scale_;
  std::span<const std::int64_t> some_;
  std::array<std::vector<double>, 2> sums_;
};

/// Products with s^2 X X' for some sparse rows X. The rows are copied twice, by row and by column, without the columns that
/// occur in a single row: such a column only adds to the diagonal. Both products are then sequential reads, and the vectors
/// between them stay in the cache.
class CompactProduct {
 public:
  CompactProduct(const auto& rows, double scale, std::span<const std::int64_t> some) : own_(some.size()) {
    const auto row = [&](std::size_t k) { return rows[static_cast<std::size_t>(some[k])]; };
    std::vector<std::uint32_t> place(rows.columns);
    for (std::size_t k = 0; k < some.size(); ++k) row(k).for_each([&](std::size_t j, double) { ++place[j]; });
    by_column_.starts = {0};
    for (std::uint32_t& count : place) {
      const bool is_shared = count > 1;
      if (is_shared) by_column_.starts.push_back(by_column_.starts.back() + count);
      count = is_shared ? static_cast<std::uint32_t>(by_column_.starts.size() - 1) : 0;  // from 1; 0: not kept
    }
    const std::size_t kept = by_column_.starts.back();
    by_column_.reserve(kept);
    by_row_.reserve(kept);
    by_row_.starts = {0};
    std::vector<std::size_t> next(by_column_.starts.begin(), by_column_.starts.end() - 1);
    for (std::size_t k = 0; k < some.size(); ++k) {
      std::size_t end = by_row_.starts.back();
      row(k).for_each([&](std::size_t j, double value) {
        const double x = scale * value;
        if (place[j] == 0) {
          own_[k] += x * x;
          return;
        }
        by_row_.set(end++, place[j] - 1, x);
        by_column_.set(next[place[j] - 1]++, static_cast<std::uint32_t>(k), x);
      });
      by_row_.starts.push_back(end);
    }
    sums_.resize(next.size());
    by_column_.cut();
    by_row_.cut();
  }

  void operator()(const std::vector<double>& q, std::vector<double>& product, Pair& pair) {
    pair.both([&](int half) { by_column_.times(q, sums_, half); });
    pair.both([&](int half) { by_row_.times(sums_, product, half); });
    for (std::size_t k = 0; k < q.size(); ++k) product[k] += own_[k] * q[k];
  }
  std::size_t size() const { return by_row_.values.size(); }

 private:
  struct Lines {
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> places;
    std::vector<double> values;
    std::array<std::size_t, 3> halves{};

    void reserve(std::size_t size) {
      places.resize(size);
      values.resize(size);
    }
    void set(std::size_t at, std::uint32_t place, double value) {
      places[at] = place;
      values[at] = value;
    }
    /// Finds the line at which the second half of the values begins.
    void cut() {
      const auto middle = std::lower_bound(starts.begin(), starts.end() - 1, values.size() / 2);
      halves = {0, static_cast<std::size_t>(middle - starts.begin()), starts.size() - 1};
    }
    void times(const std::vector<double>& vector, std::vector<double>& product, int half) const {
      const auto h = static_cast<std::size_t>(half);
      for (std::size_t line = halves[h]; line < halves[h + 1]; ++line) {
        double even = 0, odd = 0;
        std::size_t e = starts[line];
        for (; e + 2 <= starts[line + 1]; e += 2) {
          even += values[e] * vector[places[e]];
          odd += values[e + 1] * vector[places[e + 1]];
        }
        if (e < starts[line + 1]) even += values[e] * vector[places[e]];
        product[line] = even + odd;
      }
    }
  };

  Lines by_row_, by_column_;
  std::vector<double> own_, sums_;
};

template <class Rows>
struct ProductOf {
  using type = CompactProduct;
};
template <class T>
struct ProductOf<DenseRows<T>> {
  using type = DirectProduct<DenseRows<T>>;
};

/// The linear system of a Newton step in q.
template <class Rows>
class RowSystem {
 public:
  RowSystem(const Rows& rows, const BinaryProblem& problem, std::span<const std::int64_t> free, double width,
            const Penalty& penalty, std::size_t threads)
      : rows_(rows),
        problem_(problem),
        free_(free),
        penalty_(penalty),
        product_(rows, problem.scale, free),
        pair_(threads > 1 && product_.size() > min_values_for_helper) {
    for (const std::int64_t row : free) {
      const auto i = static_cast<std::size_t>(row);
      inverse_theta_.push_back(width / problem.cost(i));
      const double square = scaled_squared_norm(rows[i], problem.scale) / penalty.lambda + intercept_product();
      inverse_diagonal_.push_back(1 / (inverse_theta_.back() + square));
      total_inverse_diagonal_ += inverse_diagonal_.back();
    }
  }

  /// Computes the direction d and its q; returns the number of steps.
  std::size_t solve(std::span<const double> gradient, const StoppingRule& stop, std::span<double> direction,
                    std::span<double> answer) {
    std::vector<double> q = start(gradient.back());
    const auto [steps, multiplier] = conjugate_gradients(residual(gradient, q), stop, q);
    direction_from(gradient, q, multiplier, direction);
    std::copy(q.begin(), q.end(), answer.begin());
    return steps;
  }

  /// Solves (Theta^-1 + U R^-1 U') q = right from q = 0; returns the number of steps.
  std::size_t solve_for(std::vector<double> right, const StoppingRule& stop, std::vector<double>& q) {
    q.assign(free_.size(), 0.0);
    return conjugate_gradients(std::move(right), stop, q).first;
  }

 private:
  static constexpr std::size_t min_values_for_helper = 20'000;  // values

  const Rows& rows_;
  const BinaryProblem& problem_;
  std::span<const std::int64_t> free_;
  Penalty penalty_;
  typename ProductOf<Rows>::type product_;
  Pair pair_;
  std::vector<double> inverse_theta_, inverse_diagonal_;
  double total_inverse_diagonal_ = 0;

  bool sum_is_fixed() const { return penalty_.kappa == 0 && problem_.constant != 0; }
  double intercept_product() const { return penalty_.kappa > 0 ? problem_.constant * problem_.constant / penalty_.kappa : 0; }
  double mean(const std::vector<double>& values) const { return dot(inverse_diagonal_, values) / total_inverse_diagonal_; }

  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }
  static double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  }

  /// Improves q, whose residual is `rest`; returns the number of steps and the multiplier of the constraint on its sum.
  std::pair<std::size_t, double> conjugate_gradients(std::vector<double> rest, const StoppingRule& stop,
                                                     std::vector<double>& q) {
    std::vector<double> step(q.size()), moved(q.size());
    double multiplier = centre(rest);
    condition(rest, step);
    std::vector<double> along = step;
    const double first = dot(rest, step);
    double size = first;
    std::size_t taken = 0;
    for (; taken < stop.max_steps && size > stop.residual * stop.residual * first; ++taken) {
      times(along, moved);
      const double length = size / dot(along, moved);
      if (!std::isfinite(length)) break;
      for (std::size_t k = 0; k < q.size(); ++k) {
        q[k] += length * along[k];
        rest[k] -= length * moved[k];
      }
      multiplier += centre(rest);
      condition(rest, step);
      const double before = size;
      size = dot(rest, step);
      for (std::size_t k = 0; k < q.size(); ++k) along[k] = step[k] + size / before * along[k];
    }
    return {taken, multiplier};
  }
  std::vector<double> start(double slope) const {
    std::vector<double> q(free_.size());
    if (sum_is_fixed())
      for (std::size_t k = 0; k < q.size(); ++k) q[k] = -slope * inverse_diagonal_[k] / total_inverse_diagonal_;
    return q;
  }
  std::vector<double> residual(std::span<const double> gradient, const std::vector<double>& q) {
    std::vector<double> rest(q.size());
    times(q, rest);
    const double constant = penalty_.kappa > 0 ? problem_.constant * gradient.back() / penalty_.kappa : 0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const auto x = rows_[static_cast<std::size_t>(free_[k])];
      rest[k] = -problem_.scale * x.dot(gradient.data()) / penalty_.lambda - constant - rest[k];
    }
    return rest;
  }
  double centre(std::vector<double>& rest) const {
    if (!sum_is_fixed() || rest.empty()) return 0;
    const double m = mean(rest);
    for (double& value : rest) value -= m;
    return m;
  }
  void times(const std::vector<double>& q, std::vector<double>& product) {
    product_(q, product, pair_);
    const double shift = intercept_product() * sum(q);
    for (std::size_t k = 0; k < q.size(); ++k) product[k] = inverse_theta_[k] * q[k] + product[k] / penalty_.lambda + shift;
  }
  /// Divides by the diagonal; if the sum of q is fixed, the step has the sum 0.
  void condition(const std::vector<double>& rest, std::vector<double>& step) const {
    const double shift = sum_is_fixed() ? mean(rest) : 0;
    for (std::size_t k = 0; k < rest.size(); ++k) step[k] = inverse_diagonal_[k] * (rest[k] - shift);
  }
  void direction_from(std::span<const double> gradient, const std::vector<double>& q, double multiplier,
                      std::span<double> direction) const {
    std::copy(gradient.begin(), gradient.end(), direction.begin());
    for (std::size_t k = 0; k < q.size(); ++k)
      add_scaled(rows_[static_cast<std::size_t>(free_[k])], q[k], problem_.scale, direction.data());
    for (double& d : direction) d /= -penalty_.lambda;
    if (sum_is_fixed())
      direction.back() = q.empty() ? -gradient.back() : -multiplier;
    else
      direction.back() = penalty_.kappa > 0 ? -(gradient.back() + problem_.constant * sum(q)) / penalty_.kappa : 0;
  }
};

}  // namespace novikoff
