// The loop of all online learners: predict, count, update.
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

/// Labels, weights and outputs of a batch of rows. An empty span selects the default: weights of 1, rows in sequence, duals
/// and scores not stored.
struct Batch {
  std::span<const std::int32_t> codes;    // the class of each row
  std::span<const double> weights;        // the weight of each row
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

/// Learns from one example as often as its weight says: an integer weight k is k copies, one after the other, and a fraction
/// is one last copy whose weight the rule sees. Once a copy causes no update, the remaining ones are counted at once.
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
    const RuleInput s{y, score, norm2, whole > 0 ? 1.0 : part, h.length2.value(), h.steps.value()};
    const bool mistake = is_mistake(y, score, tie);
    const double tau = rule.step(s);
    report.smallest_margin = std::min(report.smallest_margin, s.margin());
    report.mistaken |= mistake;
    if (tau == 0) {
      h.count(y, whole, part, mistake);
      return;
    }
    if (norm2 == 0) {  // an update along u = 0 does not change v, so all copies are counted at once
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

/// The score of one example: by the last weights, their average, or the vote of all. For votes, `scratch` must hold as many
/// zeros as there are weights.
double score(const Hypothesis& h, const Row auto& x, Tie tie, std::vector<double>& scratch) {
  if (h.votes) return h.votes->score(x, scratch, tie == Tie::positive ? 1.0 : 0.0);
  if (h.average) {
    const Hypothesis::AveragedVector v{h};
    return x.dot(v) + v.bias();
  }
  return x.dot(h.weights.data()) + h.bias;
}

/// Row `i` of a matrix whose rows are read in sequence. Reading it prefetches a few kilobytes ahead, because the hardware
/// does not prefetch beyond the end of a page.
auto row_in_sequence(const auto& rows, std::size_t i) {
  auto x = rows[i];
  if constexpr (requires { x.ahead; }) x.ahead = 384;
  return x;
}

/// Squared norms of rows [begin, end). Returns the first bad row (see Row::examine), or `end`.
std::size_t examine(const auto& rows, std::size_t begin, std::size_t end, std::span<double> squared_norms) {
  for (std::size_t i = begin; i < end; ++i) {
    squared_norms[i] = row_in_sequence(rows, i).examine(rows.columns);
    if (!std::isfinite(squared_norms[i])) return i;
  }
  return end;
}

/// Row `order[p]`. A later row is prefetched.
auto row_in_order(const auto& rows, std::span<const std::int64_t> order, std::size_t p) {
  constexpr std::size_t later = 4;
  const auto row_at = [&](std::size_t q) { return rows[static_cast<std::size_t>(order[q])]; };
  if constexpr (requires { rows[0].prefetch(); })
    if (p + later < order.size()) row_at(p + later).prefetch();
  return row_at(p);
}

/// Visits positions [begin, end) of the batch. The rows must have been examined: their squared norms are known.
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
