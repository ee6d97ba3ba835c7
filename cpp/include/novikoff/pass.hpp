// The loop of all online learners: predict, count, update.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "novikoff/asking.hpp"
#include "novikoff/examine.hpp"
#include "novikoff/forgetting.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// Labels, weights and outputs of a batch of rows. An empty span selects the default: weights of 1, rows in sequence, duals
/// and scores not stored.
struct Batch {
  std::span<const std::int32_t> codes;         // the class of each row
  std::span<const double> weights;             // the weight of each row
  std::span<const double> squared_norms;       // |x|^2
  std::span<const std::int64_t> order;         // the rows to visit
  std::span<double> duals;                     // each row's total step
  std::size_t begin = 0, end = 0;              // positions of the order, or rows
  std::span<double> scores = {};               // each row's score before it is learned from
  std::size_t scores_begin = 0;                // the row of the first score
  std::span<const double> score_weights = {};  // what the score of each row counts in a calibration; the weight by default

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  double score_weight(std::size_t i) const { return score_weights.empty() ? weight(i) : score_weights[i]; }
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

/// |u|^2 of a row of squared norm |x|^2, without the private feature, and the factor by which x is scaled.
struct Scaled {
  double squared_norm, scale = 1;

  Scaled(double squared_norm_of_row, const Geometry& geometry)
      : squared_norm(squared_norm_of_row + (geometry.intercept ? 1.0 : 0.0)) {
    if (geometry.normalize && squared_norm > 0) {
      scale = 1 / std::sqrt(squared_norm);
      squared_norm = 1;
    }
    squared_norm += geometry.delta * geometry.delta;
  }
};

/// Learns from one example as often as its weight says: an integer weight k is k copies, one after the other, and a fraction
/// is one last copy whose weight the rule sees. Once a copy causes no update, the remaining ones are counted at once.
template <Row X, class Rule>
void learn(const X& x, double y, double weight, double squared_norm, const Rule& rule, const Geometry& geometry, Tie tie,
           Hypothesis& h, double* dual, PassReport& report) {
  if (!(weight > 0)) return;
  const auto [norm2, scale] = Scaled(squared_norm, geometry);
  h.squared_radius = std::max(h.squared_radius, norm2);
  h.energy += weight * norm2;
  if constexpr (std::is_same_v<Rule, SelectiveRule>)
    return learn_selectively(x, y, weight, norm2, scale, rule, geometry.intercept, h, report);
  if (h.memory) return learn_and_forget(x, y, weight, norm2, scale, rule, geometry.intercept, tie, h, report);

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

/// Learns from one copy of an example by a second-order rule. Returns whether another copy could change anything.
template <SecondOrderRule Rule>
bool learn_copy(const Row auto& x, const SecondOrderInput& s, const Rule& rule, Hypothesis& h, double* dual,
                PassReport& report) {
  const Change change = h.learn_second_order(x, s, rule);
  if (dual && (Rule::sums_updates ? change == Change::weights : s.mistake)) *dual += s.weight;
  report.mistaken |= s.mistake;
  report.moved |= change == Change::weights;
  h.count(s.y, s.weight == 1, s.weight == 1 ? 0.0 : s.weight, s.mistake);
  return change != Change::none || s.mistake;
}

/// Counts an example with u = 0, which changes no weight. If it is a mistake, it enters the sum v, which it does not change.
inline void count_zero(double y, std::int64_t whole, double part, bool mistake, Hypothesis& h, double* dual,
                       PassReport& report) {
  if (mistake) {
    h.count_added(whole, part);
    if (dual) *dual += static_cast<double>(whole) + part;
    report.mistaken = report.moved = true;
  }
  h.count(y, whole, part, mistake);
}

/// The same for second-order rules.
template <Row X, SecondOrderRule Rule>
void learn(const X& x, double y, double weight, double squared_norm, const Rule& rule, const Geometry& geometry, Tie tie,
           Hypothesis& h, double* dual, PassReport& report) {
  if (!(weight > 0)) return;
  const auto [norm2, scale] = Scaled(squared_norm, geometry);
  h.squared_radius = std::max(h.squared_radius, norm2);
  h.energy += weight * norm2;

  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    const double score = scale * (x.dot(h.weights.data()) + h.bias);
    const RuleInput s{y, score, norm2, whole > 0 ? 1.0 : part, h.length2.value(), h.steps.value()};
    const bool mistake = is_mistake(y, score, tie);
    report.smallest_margin = std::min(report.smallest_margin, s.margin());
    if (norm2 == 0) return count_zero(y, whole, part, mistake, h, dual, report);
    const bool may_change = learn_copy(x, {s, scale, geometry.intercept, mistake}, rule, h, dual, report);
    if (whole > 0)
      --whole;
    else
      part = 0;
    if (!may_change) {
      h.count(y, whole, part, false);
      return;
    }
  }
}

/// The first entries of a vector, and 0 beyond them.
template <class Vector>
struct Padded {
  Vector first;
  std::size_t size;
  double operator[](std::size_t j) const { return j < size ? first[j] : 0.0; }
};

/// The score of one example: by the last weights, their average, or the vote of all. Weights of columns that the problem has
/// not seen are 0. For votes, `scratch` must hold as many zeros as there are weights and columns.
double score(const Hypothesis& h, const Row auto& x, std::size_t columns, Tie tie, std::vector<double>& scratch) {
  if (h.votes) return h.votes->score(x, scratch, tie == Tie::positive ? 1.0 : 0.0);
  const std::size_t known = h.weights.size();
  if (h.average) {
    const Hypothesis::AveragedVector v{h};
    return (columns <= known ? x.dot(v) : x.dot(Padded<Hypothesis::AveragedVector>{v, known})) + v.bias();
  }
  const double stored =
      (columns <= known ? x.dot(h.weights.data()) : x.dot(Padded<const double*>{h.weights.data(), known})) + h.bias;
  return h.memory ? h.memory->scale * stored : stored;
}

/// As many zeros as scoring a row of so many columns needs.
inline std::size_t scratch_size(const Hypothesis& h, std::size_t columns) {
  return h.votes ? std::max(h.weights.size(), columns) : 0;
}

/// Row `order[p]`. A later row is prefetched, and before that where it begins.
[[gnu::always_inline]] inline auto row_in_order(const auto& rows, std::span<const std::int64_t> order, std::size_t p) {
  constexpr std::size_t later = 4, much_later = 12;
  const auto index_at = [&](std::size_t q) { return static_cast<std::size_t>(order[q]); };
  if constexpr (requires { rows[0].prefetch(); }) {
    if (p + much_later < order.size()) rows.expect(index_at(p + much_later));
    if (p + later < order.size()) rows[index_at(p + later)].prefetch();
  }
  return rows[index_at(p)];
}

/// The counts of a problem while rows of weight 1 are learned. They are kept here, where the compiler can hold them in
/// registers, and are entered in the problem before it is updated or read.
template <class Rule>
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
    if constexpr (requires { rule_.quiet_margin(squared_length_, steps_); })
      quiet_margin_ = rule_.quiet_margin(squared_length_, steps_);
    examples_ = positives_ = 0;
  }

  Hypothesis& h_;
  const Rule& rule_;
  double squared_radius_, energy_, squared_length_, steps_, bias_;
  double quiet_margin_ = std::numeric_limits<double>::infinity();
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

/// Prefetches what a batch has of a row that is visited a little later: it may be anywhere.
[[gnu::always_inline]] inline void expect_in_order(const Batch& batch, std::size_t p) {
  constexpr std::size_t later = 8;
  if (p + later >= batch.order.size()) return;
  const auto i = static_cast<std::size_t>(batch.order[p + later]);
  __builtin_prefetch(&batch.codes[i]);
  __builtin_prefetch(&batch.squared_norms[i]);
  if (!batch.duals.empty()) __builtin_prefetch(&batch.duals[i]);
}

/// The same if the rows are visited in sequence: arrays that are read as slowly as these are lost from the hardware's sight.
[[gnu::always_inline]] inline void expect_in_sequence(const Batch& batch, std::size_t p) {
  constexpr std::size_t later = 32;
  __builtin_prefetch(batch.squared_norms.data() + p + later);
  if (!batch.duals.empty()) __builtin_prefetch(batch.duals.data() + p + later, 1);
}

/// The squared norms of rows that were examined.
struct KnownNorms {
  std::span<const double> squared_norms;

  double norm(const Row auto&, std::size_t i) const { return squared_norms[i]; }
  ProductAndNorm measure(const Row auto& x, std::size_t i, const double* w) const { return {x.dot(w), squared_norms[i]}; }
};

/// As `visit`, for a learner that forgets, or asks for some labels only: for each row by itself.
template <class Rows, class Rule>
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
template <class Rows, class Rule>
std::size_t visit(const Rows& given_rows, const Batch& given, auto& norms, const Rule& rule, const Geometry& given_geometry,
                  Tie tie, Hypothesis& h, std::vector<double>& scratch, PassReport& report) {
  if (h.memory || h.asking) return visit_each(given_rows, given, norms, rule, given_geometry, tie, h, scratch, report);
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
    if constexpr (SecondOrderRule<Rule>) {
      tally.close_for([&](Hypothesis&) {
        if (norm2 > 0)
          learn_copy(x, {s, scale, geometry.intercept, mistake}, rule, h, dual, report);
        else
          count_zero(y, 1, 0.0, mistake, h, dual, report);
      });
    } else {
      const double tau = rule.step(s);
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
template <class Rows, class Rule>
PassReport pass(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry, Tie tie, Hypothesis& h,
                std::vector<double>& scratch) {
  PassReport report;
  KnownNorms known{batch.squared_norms};
  visit(rows, batch, known, rule, geometry, tie, h, scratch, report);
  return report;
}

template <class Rows, class Rule>
PassReport pass(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry, Tie tie, Hypothesis& h) {
  std::vector<double> scratch(batch.scores.empty() && !h.calibration ? 0 : scratch_size(h, rows.columns));
  return pass(rows, batch, rule, geometry, tie, h, scratch);
}

/// A pass over rows that were not examined: each row is examined just before it is learned from. Fills `squared_norms`. Returns
/// the number of rows before the first bad one; unless that is all of them, the hypothesis must be discarded.
template <class Rows, class Rule>
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
