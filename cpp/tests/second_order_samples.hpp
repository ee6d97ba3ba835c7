// The second-order rules, and whether two problems that they learned are the same.
#pragma once

#include <variant>

#include "novikoff/arow.hpp"
#include "novikoff/normalized_adaptive.hpp"
#include "novikoff/second_order.hpp"
#include "novikoff/soft_confidence.hpp"
#include "samples.hpp"

inline Hypothesis second_order(SecondOrder::State state, std::size_t columns) {
  Hypothesis h;
  h.second.emplace(SecondOrder{std::move(state)});
  h.resize(columns);
  return h;
}

/// Calls use(rule, state) for every second-order rule and its state at the start.
inline void for_each_second_order(auto&& use) {
  use(DiagonalArowRule{0.5, 0}, DiagonalVariance{});
  use(DiagonalArowRule{0.5, 0.1}, DiagonalVariance{});
  use(SoftConfidenceRule{1.2, 0.7, false}, DiagonalVariance{});
  use(SoftConfidenceRule{1.2, 0.7, true}, DiagonalVariance{});
  use(NormalizedAdaptiveRule{0.5, AdaptiveLoss::logistic}, NormalizedState{});
  use(NormalizedAdaptiveRule{0.5, AdaptiveLoss::hinge}, NormalizedState{});
  use(NormalizedAdaptiveRule{0.5, AdaptiveLoss::squared}, NormalizedState{});
}

inline bool same(const DiagonalVariance::Column& a, const DiagonalVariance::Column& b) {
  return same_bits(a.variance, b.variance) && same_bits(a.sum, b.sum);
}
inline bool same(const NormalizedState::Column& a, const NormalizedState::Column& b) {
  return same_bits(a.scale, b.scale) && same_bits(a.squares, b.squares) && same_bits(a.sum, b.sum);
}
inline bool same_columns(const auto& a, const auto& b) {
  bool are_same = a.columns.size() == b.columns.size() && same(a.bias, b.bias);
  for (std::size_t j = 0; are_same && j < a.columns.size(); ++j) are_same = same(a.columns[j], b.columns[j]);
  return are_same;
}
inline bool same(const DiagonalVariance& a, const DiagonalVariance& b) { return same_columns(a, b); }
inline bool same(const NormalizedState& a, const NormalizedState& b) {
  return same_columns(a, b) && same_bits(a.norms, b.norms) && same_bits(a.time, b.time);
}

/// The sum v of a problem, the intercept last.
inline std::vector<double> sum_of(const Hypothesis& h) {
  return std::visit(
      [](const auto& state) {
        std::vector<double> sum;
        for (const auto& column : state.columns) sum.push_back(column.sum);
        sum.push_back(state.bias.sum);
        return sum;
      },
      h.second->state);
}

/// Every bit but those of the energy.
inline bool same_second_order(const Hypothesis& a, const Hypothesis& b) {
  const bool same_state = std::visit(
      []<class A, class B>(const A& s, const B& t) {
        if constexpr (std::is_same_v<A, B>) return same(s, t);
        return false;
      },
      a.second->state, b.second->state);
  return same_state && same_bits(a.weights, b.weights) && same_bits(a.bias, b.bias) && same(a.examples, b.examples) &&
         same(a.mistakes, b.mistakes) && same(a.positives, b.positives) && same(a.steps, b.steps) && a.updates == b.updates &&
         same_bits(a.length2.sum, b.length2.sum) && same_bits(a.length2.carry, b.length2.carry) &&
         same_bits(a.length2_error, b.length2_error) && same_bits(a.rounding, b.rounding) &&
         same_bits(a.squared_radius, b.squared_radius) && same_bits(a.margin_bound, b.margin_bound);
}

/// u of row i, the intercept last.
inline std::vector<double> with_one(const Sample& sample, std::size_t i) {
  std::vector<double> u(sample.row(i), sample.row(i) + sample.columns);
  u.push_back(1);
  return u;
}

/// The weights, the intercept last.
inline std::vector<double> with_bias(const Hypothesis& h) {
  std::vector<double> w = h.weights;
  w.push_back(h.bias);
  return w;
}

inline bool all_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  bool are_near = a.size() == b.size();
  for (std::size_t j = 0; are_near && j < a.size(); ++j) are_near = std::abs(a[j] - b[j]) <= tolerance * (1 + std::abs(b[j]));
  return are_near;
}
