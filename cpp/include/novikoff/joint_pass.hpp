// The loop of online learners of several classes that are learned together: predict, count, update two classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "novikoff/class_pair.hpp"
#include "novikoff/joint_hypothesis.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/second_order.hpp"

namespace novikoff {

/// The class with the largest score of all that have occurred but `own`, the earliest if several have it; none if there is no
/// other class. So it makes no difference whether classes were known from the start.
inline std::optional<std::size_t> strongest_rival(const JointHypothesis& joint, std::span<const double> scores,
                                                  std::size_t own) {
  std::optional<std::size_t> rival;
  for (std::int32_t code : joint.met) {
    const auto k = static_cast<std::size_t>(code);
    if (k != own && (!rival || scores[k] > scores[*rival])) rival = k;
  }
  return rival;
}

/// An example of a class, and the class that is strongest beside it: the vector z of docs/theory.md J5.
struct KeslerExample {
  std::int32_t own, rival;
  double scale;
  bool intercept;
};

/// The update by one copy of an example, whose z is not 0. Returns whether there is one. The only second-order rule that learns
/// classes together is that of AROW.
template <Row X>
bool update_jointly(const X& x, const RuleInput& s, const KeslerExample& z, const Rule& rule, JointHypothesis& joint) {
  if (joint.variance) {
    const auto& arow = std::get<DiagonalArowRule>(rule);
    ClassPair pair{joint, z.own, z.rival};
    const SecondOrderInput input{s, z.scale, z.intercept, false};  // AROW does not ask whether it is a mistake
    const Change change = with_distinct_columns(x, joint.variance->terms,
                                                [&](const auto& distinct) { return arow.update(distinct, input, pair, pair); });
    if (change == Change::none) return false;
    joint.count_added(s.weight == 1, s.weight == 1 ? 0.0 : s.weight);
    return true;
  }
  const double tau = step_of(rule, s);
  if (tau == 0) return false;
  joint.add(x, z.own, tau * z.scale, z.intercept);
  joint.add(x, z.rival, -(tau * z.scale), z.intercept);
  joint.count_update(s, tau, x.size);
  return true;
}

/// Counts all copies of an example with z = 0, which changes no weights. Returns whether it counts as an update.
inline bool count_zero_jointly(const RuleInput& s, std::int64_t whole, double part, const Rule& rule, JointHypothesis& joint) {
  if (joint.variance)
    joint.count_added(whole, part);
  else if (step_of(rule, s) != 0)
    joint.stand_still(whole, part);
  else
    return false;
  return true;
}

/// Learns from one example of class `code` as often as its weight says, as `learn` of one_example.hpp does for two classes.
/// `scores` are those of the example, and are computed again after each update.
template <Row X>
void learn_jointly(const X& x, std::int32_t code, double weight, double squared_norm, const Rule& rule,
                   const Geometry& geometry, JointHypothesis& joint, std::span<double> scores, PassReport& report) {
  if (!(weight > 0)) return;
  const auto own = static_cast<std::size_t>(code);
  const auto [norm2, scale] = Scaled(squared_norm, geometry);
  joint.squared_radius = std::max(joint.squared_radius, norm2);
  joint.energy += weight * norm2;
  if (joint.examples_of[own].value() == 0) joint.met.push_back(code);
  const auto count = [&](std::int64_t copies, double part, bool mistake) {
    joint.examples.add(copies, part);
    joint.examples_of[own].add(copies, part);
    if (mistake) joint.mistakes.add(copies, part);
  };

  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  for (bool is_first = true; whole > 0 || part > 0; is_first = false) {
    if (!is_first) joint.score(x, scores);
    const auto rival = strongest_rival(joint, scores, own);
    if (!rival) return count(whole, part, false);  // while there is one class, no prediction is wrong.  docs/theory.md J6
    const double lead = scale * (scores[own] - scores[*rival]);
    const RuleInput s{1.0, lead, 2 * norm2, whole > 0 ? 1.0 : part, joint.length2.value(), joint.steps.value()};
    const bool mistake = is_mistake(s.y, lead, Tie::mistake);
    report.smallest_margin = std::min(report.smallest_margin, lead);
    report.mistaken |= mistake;
    if (norm2 == 0) {
      report.moved |= count_zero_jointly(s, whole, part, rule, joint);
      return count(whole, part, mistake);
    }
    const KeslerExample z{code, static_cast<std::int32_t>(*rival), scale, geometry.intercept};
    if (!update_jointly(x, s, z, rule, joint)) return count(whole, part, mistake);
    report.moved = true;
    if (whole > 0) {
      count(1, 0.0, mistake);
      --whole;
    } else {
      count(0, part, mistake);
      part = 0;
    }
  }
}

/// Visits positions [begin, end) of the batch. The rows must have been examined: their squared norms are known. `outputs` is
/// empty, or has for each class an empty span, or one that gets the score of each row before it is learned from.
template <class Rows>
PassReport pass_jointly(const Rows& rows, const Batch& batch, const Rule& rule, const Geometry& geometry,
                        JointHypothesis& joint, std::span<const std::span<double>> outputs = {}) {
  joint.resize(rows.columns);
  std::vector<double> scores(joint.classes());
  PassReport report;
  for (std::size_t p = batch.begin; p < batch.end; ++p) {
    const std::size_t i = batch.order.empty() ? p : static_cast<std::size_t>(batch.order[p]);
    const auto x = batch.order.empty() ? row_in_sequence(rows, p) : row_in_order(rows, batch.order, p);
    joint.score(x, scores);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (!outputs[k].empty()) outputs[k][i - batch.scores_begin] = scores[k];
    const double weight = batch.weights.empty() ? 1.0 : batch.weights[i];
    learn_jointly(x, batch.codes[i], weight, batch.squared_norms[i], rule, geometry, joint, scores, report);
  }
  return report;
}

}  // namespace novikoff
