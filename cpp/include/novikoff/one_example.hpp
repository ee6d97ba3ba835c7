// Learning from one example, and scoring one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "novikoff/forgetting.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/row.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/second_order.hpp"

namespace novikoff {

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

/// The update by a copy of an example in which no column occurs twice. `added` becomes whether it enters the sum v.
template <Row X>
Change update(const X& x, const SecondOrderInput& s, const Rule& rule, Hypothesis& h, bool& added) {
  return ask_rule(rule, Change::none, [&]<SecondOrderRule R>(const R& r) {
    const Change change = r.update(x, s, WeightsView{h.weights, h.bias}, std::get<typename R::State>(h.second->state));
    added = R::sums_updates ? change == Change::weights : s.mistake;
    return change;
  });
}

/// Learns from one copy of an example by a second-order rule. Returns whether another copy could change anything.
[[gnu::always_inline]] inline bool learn_copy(const Row auto& x, const SecondOrderInput& s, const Rule& rule, Hypothesis& h,
                                              double* dual, PassReport& report) {
  bool added = false;
  const Change change =
      with_distinct_columns(x, h.second->terms, [&](const auto& distinct) { return update(distinct, s, rule, h, added); });
  if (added) h.count_added(s.weight == 1, s.weight == 1 ? 0.0 : s.weight);
  if (added && dual) *dual += s.weight;
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

/// As `learn`, by a second-order rule.
void learn_second_order(const Row auto& x, double y, double weight, double norm2, double scale, const Rule& rule,
                        bool intercept, Tie tie, Hypothesis& h, double* dual, PassReport& report) {
  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    const double score = scale * (x.dot(h.weights.data()) + h.bias);
    const RuleInput s{y, score, norm2, whole > 0 ? 1.0 : part, h.length2.value(), h.steps.value()};
    const bool mistake = is_mistake(y, score, tie);
    report.smallest_margin = std::min(report.smallest_margin, s.margin());
    if (norm2 == 0) return count_zero(y, whole, part, mistake, h, dual, report);
    const bool may_change = learn_copy(x, {s, scale, intercept, mistake}, rule, h, dual, report);
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

/// Learns from one example as often as its weight says: an integer weight k is k copies, one after the other, and a fraction
/// is one last copy whose weight the rule sees. Once a copy causes no update, the remaining ones are counted at once.
template <Row X>
void learn(const X& x, double y, double weight, double squared_norm, const Rule& rule, const Geometry& geometry, Tie tie,
           Hypothesis& h, double* dual, PassReport& report) {
  if (!(weight > 0)) return;
  const auto [norm2, scale] = Scaled(squared_norm, geometry);
  h.squared_radius = std::max(h.squared_radius, norm2);
  h.energy += weight * norm2;
  if (h.second) return learn_second_order(x, y, weight, norm2, scale, rule, geometry.intercept, tie, h, dual, report);
  if (h.memory) return learn_and_forget(x, y, weight, norm2, scale, rule, geometry.intercept, tie, h, report);

  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    double score = scale * (x.dot(h.weights.data()) + h.bias);
    if (dual && geometry.delta > 0) score += y * geometry.delta * geometry.delta * *dual;
    const RuleInput s{y, score, norm2, whole > 0 ? 1.0 : part, h.length2.value(), h.steps.value()};
    const bool mistake = is_mistake(y, score, tie);
    const double tau = step_of(rule, s);
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

}  // namespace novikoff
