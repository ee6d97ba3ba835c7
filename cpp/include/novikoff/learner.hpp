// A rule and the binary questions it answers: one for two classes, one a class for more.
#pragma once

#include <algorithm>
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

using Rule = std::variant<PerceptronRule, FixedMarginRule, DynamicMarginRule, PassiveAggressiveRule, PassiveAggressiveIRule,
                          PassiveAggressiveIIRule>;

struct Learner {
  Rule rule;
  Geometry geometry;
  Tie tie = Tie::mistake;
  std::vector<Hypothesis> questions;

  /// A pass over rows that were examined.
  PassReport learn(std::size_t question, const AnyRows& any_rows, const Batch& batch) {
    return std::visit(
        [&](const auto& rows, const auto& r) {
          Hypothesis& h = questions[question];
          h.resize(rows.columns);
          return pass(rows, batch, r, geometry, tie, h);
        },
        any_rows, rule);
  }

  /// A first pass over a whole matrix: rows are examined a few at a time, and learned from while they are in the cache;
  /// all of them first if the pass goes back and forth. Returns how many rows are good; where that is not all of them, what
  /// was learned is of no use.
  std::size_t learn_unseen(std::size_t question, const AnyRows& any_rows, Batch batch, std::span<double> squared_norms,
                           PassReport& report) {
    return std::visit(
        [&](const auto& rows, const auto& r) {
          Hypothesis& h = questions[question];
          h.resize(rows.columns);
          const std::size_t block = batch.order.empty() ? 64 : rows.count;
          for (std::size_t begin = 0; begin < rows.count; begin += block) {
            batch.begin = begin;
            batch.end = std::min(begin + block, rows.count);
            if (const std::size_t good = examine(rows, batch.begin, batch.end, squared_norms); good < batch.end) return good;
            report.add(pass(rows, batch, r, geometry, tie, h));
          }
          return rows.count;
        },
        any_rows, rule);
  }

  /// One example, for all questions.
  void learn_one(const Row auto& x, std::size_t columns, double squared_norm, std::int32_t code, double weight) {
    std::visit(
        [&](const auto& r) {
          for (Hypothesis& h : questions) {
            h.resize(columns);
            PassReport report;
            novikoff::learn(x, code == h.positive ? 1.0 : -1.0, weight, squared_norm, r, geometry, tie, h, nullptr, report);
          }
        },
        rule);
  }
};

}  // namespace novikoff
