// The one loop of all online learners: predict, count, move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "novikoff/hypothesis.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// What stands beside the rows of a batch. Empty spans stand for the ordinary: weights all 1, the order as it comes,
/// duals not kept.
struct Batch {
  std::span<const std::int32_t> codes;      // the class of each row
  std::span<const double> weights;          // how many copies of it
  std::span<double> squared_norms;          // |x|^2
  std::span<const std::int64_t> order;      // the rows to visit
  std::span<double> duals;                  // each row's total step
  std::size_t begin = 0, end = 0;           // positions of the order, or rows
  bool examined = false;                    // false: squared_norms are found on the way, bad rows too
};

struct PassReport {
  static constexpr std::int64_t none = -1;
  bool moved = false;
  bool mistaken = false;
  double smallest_margin = std::numeric_limits<double>::infinity();  // of y v.u, before any move
  std::int64_t bad_row = none;  // the pass stops before a row that is not finite or out of bounds
};

/// A row is good if its squared length is a finite number and its indices lie in the matrix.
bool is_good(const Row auto& x, double squared_norm, std::size_t columns) {
  return std::isfinite(squared_norm) && x.in_bounds(columns);
}

/// One example, as often as its weight says: an integer weight k is k copies in a row, and a fraction is one last copy
/// with its weight handed to the rule. Copies that find nothing to change are counted at once.
template <Row X, class Rule>
void learn(const X& x, double y, double weight, double squared_norm, const Rule& rule, const Geometry& geometry, Tie tie,
           Hypothesis& h, double* dual, PassReport& report) {
  if (!(weight > 0)) return;
  double norm2 = squared_norm + (geometry.intercept ? 1.0 : 0.0);
  double scale = 1;
  if (geometry.normalize && norm2 > 0) {
    scale = 1 / std::sqrt(norm2);
    norm2 = 1;
  }
  norm2 += geometry.delta * geometry.delta;
  h.squared_radius = std::max(h.squared_radius, norm2);
  h.energy += weight * norm2;

  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    double score = scale * (x.dot(h.weights.data()) + h.bias);
    if (dual && geometry.delta > 0) score += y * geometry.delta * geometry.delta * *dual;
    const Standing s{y, score, norm2, whole > 0 ? 1.0 : part, h.length2.value(), h.steps.value()};
    const bool mistake = is_mistake(y, score, tie);
    const double tau = rule.step(s);
    report.smallest_margin = std::min(report.smallest_margin, s.margin());
    report.mistaken |= mistake;
    if (tau == 0) {
      h.count(y, whole, part, mistake);
      return;
    }
    h.move(x, s, tau, scale, geometry.intercept);
    if (dual) *dual += tau;
    report.moved = true;
    if (whole > 0) {
      h.count(y, 1, 0.0, mistake);
      --whole;
    } else {
      h.count(y, 0, part, mistake);
      part = 0;
    }
  }
}

/// Visits rows [begin, end) of the batch in order. While one row is learned, those a few kilobytes on are fetched.
template <class Rows, class Rule>
PassReport pass(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry, Tie tie, Hypothesis& h) {
  constexpr std::size_t ahead = 8;
  PassReport report;
  const auto row_at = [&](std::size_t p) { return batch.order.empty() ? p : static_cast<std::size_t>(batch.order[p]); };
  for (std::size_t p = batch.begin; p < batch.end; ++p) {
    if (p + ahead < batch.end) rows[row_at(p + ahead)].prefetch();
    const std::size_t i = row_at(p);
    const auto x = rows[i];
    if (!batch.examined) {
      batch.squared_norms[i] = x.squared_norm();
      if (!is_good(x, batch.squared_norms[i], rows.columns)) {
        report.bad_row = static_cast<std::int64_t>(i);
        return report;
      }
    }
    const double y = batch.codes[i] == h.positive ? 1.0 : -1.0;
    const double weight = batch.weights.empty() ? 1.0 : batch.weights[i];
    learn(x, y, weight, batch.squared_norms[i], rule, geometry, tie, h, batch.duals.empty() ? nullptr : &batch.duals[i],
          report);
  }
  return report;
}

/// Squared lengths of rows [begin, end); returns the first row that is not good, or PassReport::none.
template <class Rows>
std::int64_t examine(const Rows& rows, std::size_t begin, std::size_t end, std::span<double> squared_norms) {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = begin; i < end; ++i) {
    if (i + ahead < end) rows[i + ahead].prefetch();
    const auto x = rows[i];
    squared_norms[i] = x.squared_norm();
    if (!is_good(x, squared_norms[i], rows.columns)) return static_cast<std::int64_t>(i);
  }
  return PassReport::none;
}

}  // namespace novikoff
