// The one loop of all online learners: predict, count, move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "novikoff/hypothesis.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// What stands beside the rows of a batch. Empty spans stand for the ordinary: weights all 1, the order as it comes,
/// duals and scores not kept.
struct Batch {
  std::span<const std::int32_t> codes;    // the class of each row
  std::span<const double> weights;        // how many copies of it
  std::span<const double> squared_norms;  // |x|^2
  std::span<const std::int64_t> order;    // the rows to visit
  std::span<double> duals;                // each row's total step
  std::size_t begin = 0, end = 0;         // positions of the order, or rows
  std::span<double> scores = {};          // each row's score before it is learned from
};

struct PassReport {
  bool moved = false;
  bool mistaken = false;
  double smallest_margin = std::numeric_limits<double>::infinity();  // of y v.u, before any move

  void add(const PassReport& later) {
    moved |= later.moved;
    mistaken |= later.mistaken;
    smallest_margin = std::min(smallest_margin, later.smallest_margin);
  }
};

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
    if (norm2 == 0) {  // a move along u = 0 changes nothing, so all copies make theirs at once
      h.stand_still(whole, part);
      if (dual) *dual += weight;
      report.moved = true;
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

/// The score of one example: by the last hypothesis, the average of all, or their vote. `scratch` is all zero and, for
/// votes, as wide as the weights.
double score(const Hypothesis& h, const Row auto& x, Tie tie, std::vector<double>& scratch) {
  if (h.votes) return h.votes->score(x, scratch, tie == Tie::positive ? 1.0 : 0.0);
  if (h.average) {
    const Hypothesis::AveragedVector v{h};
    return x.dot(v) + v.bias();
  }
  return x.dot(h.weights.data()) + h.bias;
}

/// Row `i` of a matrix whose rows are read one after the other: while it is read, what lies a few kilobytes on is fetched,
/// as the hardware does not look beyond the end of a page.
auto row_in_sequence(const auto& rows, std::size_t i) {
  auto x = rows[i];
  if constexpr (requires { x.ahead; }) x.ahead = 384;
  return x;
}

/// Squared lengths of rows [begin, end); returns the first row that is not good, or `end`.
std::size_t examine(const auto& rows, std::size_t begin, std::size_t end, std::span<double> squared_norms) {
  for (std::size_t i = begin; i < end; ++i) {
    squared_norms[i] = row_in_sequence(rows, i).examine(rows.columns);
    if (!std::isfinite(squared_norms[i])) return i;
  }
  return end;
}

/// Row `order[p]`, while one that comes later is fetched.
auto row_in_order(const auto& rows, std::span<const std::int64_t> order, std::size_t p) {
  constexpr std::size_t later = 4;
  const auto row_at = [&](std::size_t q) { return rows[static_cast<std::size_t>(order[q])]; };
  if constexpr (requires { rows[0].prefetch(); })
    if (p + later < order.size()) row_at(p + later).prefetch();
  return row_at(p);
}

/// Visits rows [begin, end) of the batch in order. They are good: their squared lengths are known.
template <class Rows, class Rule>
PassReport pass(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry, Tie tie, Hypothesis& h) {
  PassReport report;
  std::vector<double> scratch(h.votes && !batch.scores.empty() ? h.weights.size() : 0);
  for (std::size_t p = batch.begin; p < batch.end; ++p) {
    const std::size_t i = batch.order.empty() ? p : static_cast<std::size_t>(batch.order[p]);
    const auto x = batch.order.empty() ? row_in_sequence(rows, p) : row_in_order(rows, batch.order, p);
    if (!batch.scores.empty()) batch.scores[i] = score(h, x, tie, scratch);
    const double y = batch.codes[i] == h.positive ? 1.0 : -1.0;
    const double weight = batch.weights.empty() ? 1.0 : batch.weights[i];
    learn(x, y, weight, batch.squared_norms[i], rule, geometry, tie, h, batch.duals.empty() ? nullptr : &batch.duals[i],
          report);
  }
  return report;
}

}  // namespace novikoff
