// An online learner: a rule, and the binary problems that it solves, one for two classes and one per class for more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "novikoff/hypothesis.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

struct Learner {
  Rule rule;
  Geometry geometry;
  Tie tie = Tie::mistake;
  std::vector<Hypothesis> problems;

  /// One pass over rows that were examined.
  PassReport learn(std::size_t problem, const AnyRows& any_rows, const Batch& batch) {
    return std::visit(
        [&](const auto& rows, const auto& r) {
          Hypothesis& h = problems[problem];
          h.resize(rows.columns);
          return pass(rows, batch, r, geometry, tie, h);
        },
        any_rows, rule);
  }

  /// A first pass over a whole matrix: each row is examined when it is learned from. Returns the number of rows before the
  /// first bad one; unless that is all of them, the learner must be discarded.
  std::size_t learn_unseen(std::size_t problem, const AnyRows& any_rows, const Batch& batch, std::span<double> squared_norms,
                           PassReport& report) {
    return std::visit(
        [&](const auto& rows, const auto& r) {
          Hypothesis& h = problems[problem];
          h.resize(rows.columns);
          return pass_unseen(rows, batch, squared_norms, r, geometry, tie, h, report);
        },
        any_rows, rule);
  }

  /// Learns from one example, in all problems.
  void learn_one(const Row auto& x, std::size_t columns, double squared_norm, std::int32_t code, double weight) {
    std::visit(
        [&](const auto& r) {
          for (Hypothesis& h : problems) {
            h.resize(columns);
            PassReport report;
            novikoff::learn(x, code == h.positive ? 1.0 : -1.0, weight, squared_norm, r, geometry, tie, h, nullptr, report);
          }
        },
        rule);
  }
};

}  // namespace novikoff
