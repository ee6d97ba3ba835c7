// The loop of all online learners: predict, count, update.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "novikoff/batch.hpp"
#include "novikoff/examine.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/one_example.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// The counts of a problem while rows of weight 1 are learned. They are kept here, where the compiler can hold them in
/// registers, and are entered in the problem before it is updated or read.
class OpenTally {
 public:
  OpenTally(Hypothesis& h, const Rule& rule) : h_(h), rule_(rule) { begin(); }

  /// Counts an example, of which nothing was learned yet.
  void meet(double squared_norm) {
    squared_radius_ = std::max(squared_radius_, squared_norm);
    energy_ += squared_norm;
  }
  /// Counts an example that was predicted right and caused no update.
  void pass_over(double y) {
    ++examples_;
    positives_ += y > 0;
  }
  RuleInput input(double y, double score, double squared_norm) const {
    return {y, score, squared_norm, 1.0, squared_length_, steps_};
  }
  double bias() const { return bias_; }
  /// An example with a larger margin is predicted right and causes no update.
  double quiet_margin() const { return quiet_margin_; }

  /// Calls `change` with the problem, which has all counts.
  void close_for(auto&& change) {
    end();
    change(h_);
    begin();
  }
  void end() {
    h_.squared_radius = squared_radius_;
    h_.energy = energy_;
    h_.count_quiet(examples_, positives_);
  }

 private:
  void begin() {
    squared_radius_ = h_.squared_radius;
    energy_ = h_.energy;
    squared_length_ = h_.length2.value();
    steps_ = h_.steps.value();
    bias_ = h_.bias;
    quiet_margin_ = quiet_margin_of(rule_, squared_length_, steps_);
    examples_ = positives_ = 0;
  }

  Hypothesis& h_;
  const Rule& rule_;
  double squared_radius_, energy_, squared_length_, steps_, bias_, quiet_margin_;
  std::int64_t examples_, positives_;
};

/// Learns from an example of weight 1 that is a mistake or causes an update by the step `tau`.
void learn_whole(const Row auto& x, const RuleInput& s, double tau, double scale, bool intercept, bool mistake, Hypothesis& h,
                 double* dual, PassReport& report) {
  report.mistaken |= mistake;
  if (tau != 0) {
    if (s.squared_norm == 0)  // an update along u = 0 does not change v
      h.stand_still(1, 0.0);
    else
      h.move(x, s, tau, scale, intercept);
    if (dual) *dual += s.squared_norm == 0 ? 1.0 : tau;
    report.moved = true;
  }
  h.count(s.y, 1, 0.0, mistake);
}

/// The squared norms of rows that were examined.
struct KnownNorms {
  std::span<const double> squared_norms;

  double norm(const Row auto&, std::size_t i) const { return squared_norms[i]; }
  ProductAndNorm measure(const Row auto& x, std::size_t i, const double* w) const { return {x.dot(w), squared_norms[i]}; }
};

/// As `visit`, for a learner that forgets: for each row by itself.
template <class Rows>
std::size_t visit_each(const Rows& rows, const Batch& batch, auto& norms, const Rule& rule, const Geometry& geometry, Tie tie,
                       Hypothesis& h, std::vector<double>& scratch, PassReport& report) {
  std::size_t p = batch.begin;
  for (; p < batch.end; ++p) {
    const std::size_t i = batch.order.empty() ? p : static_cast<std::size_t>(batch.order[p]);
    const auto x = rows[i];
    const double squared_norm = norms.norm(x, i);
    if (!std::isfinite(squared_norm)) break;
    const double y = batch.codes[i] == h.positive ? 1.0 : -1.0;
    if (!batch.scores.empty() || h.calibration) {
      const double given = score(h, x, rows.columns, tie, scratch);
      if (!batch.scores.empty()) batch.scores[i - batch.scores_begin] = given;
      if (h.calibration) h.calibration->learn(y, given, batch.score_weight(i));
    }
    learn(x, y, batch.weight(i), squared_norm, rule, geometry, tie, h, nullptr, report);
  }
  return p;
}

/// Visits positions [begin, end) of the batch. `norms` is KnownNorms or an Examiner. If the squared norm of a row is not
/// finite, the row is bad and the visit ends. Returns the position of the bad row, or `end`. `scratch` is that of `score`; it
/// is used if the batch asks for scores, or the problem for probabilities.
template <class Rows>
std::size_t visit(const Rows& given_rows, const Batch& given, auto& norms, const Rule& rule, const Geometry& given_geometry,
                  Tie tie, Hypothesis& h, std::vector<double>& scratch, PassReport& report) {
  if (h.memory) return visit_each(given_rows, given, norms, rule, given_geometry, tie, h, scratch, report);
  const Rows rows = given_rows;  // copies, which no store to memory can change, so that the compiler keeps them in registers
  const Batch batch = given;
  const Geometry geometry = given_geometry;
  const double* const weights = h.weights.data();
  const double private_square = batch.duals.empty() ? 0.0 : geometry.delta * geometry.delta;
  const bool is_plain = batch.scores.empty() && batch.weights.empty() && !h.calibration;
  const bool scores_products = !h.average && !h.votes && !h.calibration;  // a score is what the loop computes anyway
  const std::int32_t positive = h.positive;
  static constexpr double signs[] = {-1.0, 1.0};  // a table, because a branch on labels is hard to predict
  OpenTally tally(h, rule);
  std::size_t p = batch.begin;
  for (; p < batch.end; ++p) {
    const std::size_t i = batch.order.empty() ? p : static_cast<std::size_t>(batch.order[p]);
    const auto x = batch.order.empty() ? row_in_sequence(rows, p) : row_in_order(rows, batch.order, p);
    if (batch.order.empty())
      expect_in_sequence(batch, p);
    else
      expect_in_order(batch, p);
    const double y = signs[static_cast<std::size_t>(batch.codes[i] == positive)];
    double* const dual = batch.duals.empty() ? nullptr : &batch.duals[i];
    auto [product, squared_norm] = is_plain ? norms.measure(x, i, weights) : ProductAndNorm{0.0, norms.norm(x, i)};
    if (!std::isfinite(squared_norm)) [[unlikely]]
      break;
    if (!is_plain) {
      product = x.dot(weights);
      if (scores_products) {
        if (!batch.scores.empty()) batch.scores[i - batch.scores_begin] = product + tally.bias();
      } else if (!batch.scores.empty() || h.calibration) {
        tally.close_for([&](Hypothesis&) {
          const double given = score(h, x, rows.columns, tie, scratch);
          if (!batch.scores.empty()) batch.scores[i - batch.scores_begin] = given;
          if (h.calibration) h.calibration->learn(y, given, batch.score_weight(i));
        });
      }
      if (const double weight = batch.weight(i); weight != 1) {
        if (weight > 0)
          tally.close_for([&](Hypothesis&) { learn(x, y, weight, squared_norm, rule, geometry, tie, h, dual, report); });
        continue;
      }
    }
    const auto [norm2, scale] = Scaled(squared_norm, geometry);
    tally.meet(norm2);
    double score = scale * (product + tally.bias());
    if (private_square > 0) score += y * private_square * *dual;
    const RuleInput s = tally.input(y, score, norm2);
    report.smallest_margin = std::min(report.smallest_margin, s.margin());
    if (s.margin() > tally.quiet_margin()) {
      tally.pass_over(y);
      continue;
    }
    const bool mistake = is_mistake(y, score, tie);
    if (h.second) {
      tally.close_for([&](Hypothesis&) {
        if (norm2 > 0)
          learn_copy(x, {s, scale, geometry.intercept, mistake}, rule, h, dual, report);
        else
          count_zero(y, 1, 0.0, mistake, h, dual, report);
      });
    } else {
      const double tau = step_of(rule, s);
      if (tau == 0 && !mistake)
        tally.pass_over(y);
      else
        tally.close_for([&](Hypothesis&) { learn_whole(x, s, tau, scale, geometry.intercept, mistake, h, dual, report); });
    }
  }
  tally.end();
  return p;
}

/// Visits positions [begin, end) of the batch. The rows must have been examined: their squared norms are known.
template <class Rows>
PassReport pass(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry, Tie tie, Hypothesis& h,
                std::vector<double>& scratch) {
  PassReport report;
  KnownNorms known{batch.squared_norms};
  visit(rows, batch, known, rule, geometry, tie, h, scratch, report);
  return report;
}

template <class Rows>
PassReport pass(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry, Tie tie, Hypothesis& h) {
  std::vector<double> scratch(batch.scores.empty() && !h.calibration ? 0 : scratch_size(h, rows.columns));
  return pass(rows, batch, rule, geometry, tie, h, scratch);
}

/// A pass over rows that were not examined: each row is examined just before it is learned from. Fills `squared_norms`. Returns
/// the number of rows before the first bad one; unless that is all of them, the hypothesis must be discarded.
template <class Rows>
std::size_t pass_unseen(const Rows& rows, Batch batch, std::span<double> squared_norms, const Rule& rule,
                        const Geometry& geometry, Tie tie, Hypothesis& h, PassReport& report) {
  batch.begin = 0;
  batch.end = rows.count;
  std::vector<double> scratch(batch.scores.empty() && !h.calibration ? 0 : scratch_size(h, rows.columns));
  Examiner examiner(rows, batch.order.empty(), squared_norms);
  const std::size_t visited = visit(rows, batch, examiner, rule, geometry, tie, h, scratch, report);
  if (visited == rows.count || batch.order.empty()) return visited;
  return examine(rows, 0, rows.count, squared_norms);  // the bad row that was found need not be the first
}

}  // namespace novikoff
