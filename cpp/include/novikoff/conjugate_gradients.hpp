// The Newton step of the soft margin with one unknown a free row, by conjugate gradients (Hestenes and Stiefel 1952).
//
// With U the rows (s x, 1) that are free, Theta = c / width and R = diag(lambda, ..., lambda, kappa), the step d solves
// (R + U' Theta U) d = -g. In q = Theta U d this is
//
//   (Theta^-1 + U R^-1 U') q = -U R^-1 g,     d = -R^-1 (g + U' q),
//
// which needs no vector of columns but one, and whose rows, divided by their diagonal, are all alike however long the examples
// are. Where the intercept is free, kappa = 0: it is the multiplier of sum q = -g_b, and every iterate has that sum.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/soft_margin.hpp"

namespace novikoff {

struct Ridge {
  double lambda, kappa;
};

struct Accuracy {
  double residual;  // relative to the first one
  std::size_t most_steps;
};

template <class Rows>
class RowSystem {
 public:
  RowSystem(const Rows& rows, const Examples& examples, std::span<const std::int64_t> free, double width, const Ridge& ridge,
            std::size_t threads)
      : rows_(rows),
        examples_(examples),
        free_(free),
        ridge_(ridge),
        softness_(free.size()),
        level_(free.size()),
        halves_{free.size(), free.size() < 2 ? 1u : 2u},
        threads_(threads),
        sums_(halves_.count * rows.columns) {
    for (std::size_t k = 0; k < free.size(); ++k) {
      const auto i = static_cast<std::size_t>(free[k]);
      softness_[k] = width / examples.cost(i);
      level_[k] = 1 / (softness_[k] + scaled_norm(rows[i], examples.scale) / ridge.lambda + constant_product());
      total_level_ += level_[k];
    }
  }

  /// The direction d; returns how many steps it took.
  std::size_t solve(std::span<const double> gradient, const Accuracy& accuracy, std::span<double> direction) {
    const std::size_t n = free_.size();
    std::vector<double> q(n), rest(n), step(n), along(n), moved(n);
    const bool given_sum = ridge_.kappa == 0 && examples_.constant != 0;
    if (given_sum)
      for (std::size_t k = 0; k < n; ++k) q[k] = -gradient.back() * level_[k] / total_level_;
    times(q, moved);
    for (std::size_t k = 0; k < n; ++k) {
      const auto x = rows_[static_cast<std::size_t>(free_[k])];
      const double constant = ridge_.kappa > 0 ? examples_.constant * gradient.back() / ridge_.kappa : 0;
      rest[k] = -examples_.scale * x.dot(gradient.data()) / ridge_.lambda - constant - moved[k];
    }
    condition(rest, given_sum, step);
    along = step;
    const double first = dot(rest, step);
    double size = first;
    std::size_t taken = 0;
    while (taken < accuracy.most_steps && size > accuracy.residual * accuracy.residual * first) {
      times(along, moved);
      const double length = size / dot(along, moved);
      if (!std::isfinite(length)) break;
      for (std::size_t k = 0; k < n; ++k) {
        q[k] += length * along[k];
        rest[k] -= length * moved[k];
      }
      condition(rest, given_sum, step);
      const double before = size;
      size = dot(rest, step);
      for (std::size_t k = 0; k < n; ++k) along[k] = step[k] + size / before * along[k];
      ++taken;
    }
    gather(q);
    for (std::size_t j = 0; j < rows_.columns; ++j) direction[j] = -(gradient[j] + sums_[j]) / ridge_.lambda;
    double total = 0;
    for (const double value : q) total += value;
    if (given_sum)
      direction.back() = n > 0 ? -mean(rest) : -gradient.back();
    else
      direction.back() = ridge_.kappa > 0 ? -(gradient.back() + examples_.constant * total) / ridge_.kappa : 0;
    return taken;
  }

 private:
  const Rows& rows_;
  const Examples& examples_;
  std::span<const std::int64_t> free_;
  Ridge ridge_;
  std::vector<double> softness_, level_;
  Blocks halves_;
  std::size_t threads_;
  std::vector<double> sums_;
  double total_level_ = 0;

  double constant_product() const { return ridge_.kappa > 0 ? examples_.constant * examples_.constant / ridge_.kappa : 0; }

  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }
  double mean(const std::vector<double>& values) const { return dot(level_, values) / total_level_; }

  /// Divides by the diagonal, without a change of the sum of q where that is given.
  void condition(const std::vector<double>& rest, bool given_sum, std::vector<double>& step) const {
    const double shift = given_sum ? mean(rest) : 0;
    for (std::size_t k = 0; k < rest.size(); ++k) step[k] = level_[k] * (rest[k] - shift);
  }

  /// sums_[j] = sum q s x_j, in two halves that are added in order.
  void gather(const std::vector<double>& q) {
    const std::size_t columns = rows_.columns;
    halves_.for_each(threads_, [&](std::size_t half, std::size_t first, std::size_t last) {
      double* const own = sums_.data() + half * columns;
      std::fill_n(own, columns, 0.0);
      for (std::size_t k = first; k < last; ++k)
        rows_[static_cast<std::size_t>(free_[k])].add_to(own, q[k] * examples_.scale);
    });
    if (halves_.count == 2)
      for (std::size_t j = 0; j < columns; ++j) sums_[j] += sums_[columns + j];
  }

  void times(const std::vector<double>& q, std::vector<double>& product) {
    gather(q);
    double total = 0;
    for (const double value : q) total += value;
    halves_.for_each(threads_, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) {
        const auto x = rows_[static_cast<std::size_t>(free_[k])];
        product[k] = softness_[k] * q[k] + examples_.scale * x.dot(sums_.data()) / ridge_.lambda + constant_product() * total;
      }
    });
  }
};

}  // namespace novikoff
