// The Newton step of the soft margin with one unknown a free row, by conjugate gradients (Hestenes and Stiefel 1952).
//
// With U the rows (s x, 1) that are free, Theta = c / width and R = diag(lambda, ..., lambda, kappa), the step d solves
// (R + U' Theta U) d = -g. In q = Theta U d this is
//
//   (Theta^-1 + U R^-1 U') q = -U R^-1 g,     d = -R^-1 (g + U' q),
//
// whose rows, divided by their diagonal, are all alike however long the examples are. Where the intercept is free, kappa = 0:
// it is the multiplier of sum q = -g_b, and every iterate has that sum.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/pair.hpp"
#include "novikoff/soft_margin.hpp"

namespace novikoff {

struct Ridge {
  double lambda, kappa;
};

struct Accuracy {
  double residual;  // relative to the first one
  std::size_t most_steps;
};

/// Products with s^2 X X' for a few rows X of a dense matrix, read where they lie.
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

/// The same for sparse rows, from a copy of them by rows and by columns, so that each value is only read and the vectors
/// between them stay in the cache. A column that occurs in one row alone adds to its own square, and is kept there.
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
      count = is_shared ? static_cast<std::uint32_t>(by_column_.starts.size() - 1) : 0;  // from 1 up; 0 is for no place
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
    /// Where the second half of the values begins.
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

/// The system of a Newton step, by free rows.
template <class Rows>
class RowSystem {
 public:
  RowSystem(const Rows& rows, const Examples& examples, std::span<const std::int64_t> free, double width, const Ridge& ridge,
            std::size_t threads)
      : rows_(rows),
        examples_(examples),
        free_(free),
        ridge_(ridge),
        product_(rows, examples.scale, free),
        pair_(threads > 1 && product_.size() > worth_a_helper) {
    for (const std::int64_t row : free) {
      const auto i = static_cast<std::size_t>(row);
      softness_.push_back(width / examples.cost(i));
      const double square = scaled_norm(rows[i], examples.scale) / ridge.lambda + constant_product();
      level_.push_back(1 / (softness_.back() + square));
      total_level_ += level_.back();
    }
  }

  /// The direction d and its q; returns how many steps it took.
  std::size_t solve(std::span<const double> gradient, const Accuracy& accuracy, std::span<double> direction,
                    std::span<double> answer) {
    std::vector<double> q = start(gradient.back()), rest = residual(gradient, q), step(q.size()), moved(q.size());
    double multiplier = centre(rest);
    condition(rest, step);
    std::vector<double> along = step;
    const double first = dot(rest, step);
    double size = first;
    std::size_t taken = 0;
    for (; taken < accuracy.most_steps && size > accuracy.residual * accuracy.residual * first; ++taken) {
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
    step_from(gradient, q, multiplier, direction);
    std::copy(q.begin(), q.end(), answer.begin());
    return taken;
  }

 private:
  static constexpr std::size_t worth_a_helper = 20'000;  // values

  const Rows& rows_;
  const Examples& examples_;
  std::span<const std::int64_t> free_;
  Ridge ridge_;
  typename ProductOf<Rows>::type product_;
  Pair pair_;
  std::vector<double> softness_, level_;
  double total_level_ = 0;

  bool sum_is_given() const { return ridge_.kappa == 0 && examples_.constant != 0; }
  double constant_product() const { return ridge_.kappa > 0 ? examples_.constant * examples_.constant / ridge_.kappa : 0; }
  double mean(const std::vector<double>& values) const { return dot(level_, values) / total_level_; }

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

  std::vector<double> start(double slope) const {
    std::vector<double> q(free_.size());
    if (sum_is_given())
      for (std::size_t k = 0; k < q.size(); ++k) q[k] = -slope * level_[k] / total_level_;
    return q;
  }
  std::vector<double> residual(std::span<const double> gradient, const std::vector<double>& q) {
    std::vector<double> rest(q.size());
    times(q, rest);
    const double constant = ridge_.kappa > 0 ? examples_.constant * gradient.back() / ridge_.kappa : 0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const auto x = rows_[static_cast<std::size_t>(free_[k])];
      rest[k] = -examples_.scale * x.dot(gradient.data()) / ridge_.lambda - constant - rest[k];
    }
    return rest;
  }
  double centre(std::vector<double>& rest) const {
    if (!sum_is_given() || rest.empty()) return 0;
    const double m = mean(rest);
    for (double& value : rest) value -= m;
    return m;
  }
  void times(const std::vector<double>& q, std::vector<double>& product) {
    product_(q, product, pair_);
    const double shift = constant_product() * sum(q);
    for (std::size_t k = 0; k < q.size(); ++k) product[k] = softness_[k] * q[k] + product[k] / ridge_.lambda + shift;
  }
  /// Divides by the diagonal, without a change of the sum of q where that is given.
  void condition(const std::vector<double>& rest, std::vector<double>& step) const {
    const double shift = sum_is_given() ? mean(rest) : 0;
    for (std::size_t k = 0; k < rest.size(); ++k) step[k] = level_[k] * (rest[k] - shift);
  }
  void step_from(std::span<const double> gradient, const std::vector<double>& q, double multiplier,
                 std::span<double> direction) const {
    std::copy(gradient.begin(), gradient.end(), direction.begin());
    for (std::size_t k = 0; k < q.size(); ++k)
      add_scaled(rows_[static_cast<std::size_t>(free_[k])], q[k], examples_.scale, direction.data());
    for (double& d : direction) d /= -ridge_.lambda;
    if (sum_is_given())
      direction.back() = q.empty() ? -gradient.back() : -multiplier;
    else
      direction.back() = ridge_.kappa > 0 ? -(gradient.back() + examples_.constant * sum(q)) / ridge_.kappa : 0;
  }
};

}  // namespace novikoff
