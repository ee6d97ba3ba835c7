// An online learner: a rule, and the binary problems that it solves, one for two classes and one per class for more; or one
// problem of all classes together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "novikoff/batch.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/joint_hypothesis.hpp"
#include "novikoff/joint_pass.hpp"
#include "novikoff/one_example.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/row.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/running_balance.hpp"
#include "novikoff/scale.hpp"
#include "novikoff/shared_scale.hpp"

namespace novikoff {

struct Learner {
  Rule rule;
  Geometry geometry;
  Tie tie = Tie::mistake;
  std::vector<Hypothesis> problems{};
  SharedScale scale{};                                  // of learners that scale the columns; the problems share it
  SeenScratch seen{};                                   // scratch of the scale
  std::optional<JointHypothesis> joint = std::nullopt;  // instead of them, if all classes are learned together
  RunningBalance balance{};                             // of the examples that were learned with balanced weights
  std::size_t shared_width = 0;                         // a number of columns that all problems have

  /// Number of problems, or of classes that are learned together.
  std::size_t count() const { return joint ? joint->classes() : problems.size(); }

  /// The number of columns of rows as they are seen, given that of rows as they come.
  std::size_t width(std::size_t columns) const { return scale ? scale->width(columns) : columns; }

  /// Whether the problems have probabilities.
  bool is_calibrated() const { return !problems.empty() && problems[0].calibration; }

  /// Adds a problem with this positive class, or a class that is learned together with the others.
  void add(Hypothesis h) {
    if (joint) return joint->add_class();
    shared_width = std::min(shared_width, h.weights.size());
    problems.push_back(std::move(h));
  }

  /// Replaces the problems.
  void replace(std::vector<Hypothesis> others) {
    shared_width = 0;
    problems = std::move(others);
  }

  /// Removes all problems after the first ones, with the examples of their classes in the balance.
  void keep(std::size_t kept) {
    if (joint) {
      joint->keep_classes(kept);
      balance.keep(kept);
    } else if (kept < problems.size()) {
      if (const std::int32_t code = problems[kept].positive; code >= 0) balance.keep(static_cast<std::size_t>(code));
      problems.resize(kept);
    }
  }

  /// One pass over rows that were examined.
  PassReport learn(std::size_t problem, const AnyRows& any_rows, const Batch& batch) {
    return std::visit(
        [&](const auto& rows) {
          if (joint) return pass_jointly(rows, batch, rule, geometry, *joint);
          Hypothesis& h = problems[problem];
          h.resize(rows.columns);
          return pass(rows, batch, rule, geometry, tie, h);
        },
        any_rows);
  }

  /// A first pass over a whole matrix: each row is examined when it is learned from. Returns the number of rows before the
  /// first bad one; unless that is all of them, the learner must be discarded.
  std::size_t learn_unseen(std::size_t problem, const AnyRows& any_rows, const Batch& batch, std::span<double> squared_norms,
                           PassReport& report) {
    return std::visit(
        [&](const auto& rows) {
          Hypothesis& h = problems[problem];
          h.resize(rows.columns);
          return pass_unseen(rows, batch, squared_norms, rule, geometry, tie, h, report);
        },
        any_rows);
  }

  /// Learns from one example, in all problems.
  void learn_one(const Row auto& x, std::size_t columns, double squared_norm, std::int32_t code, double weight) {
    if (joint) joint->resize(width(columns));
    if (width(columns) > shared_width) {  // with many classes, to look at each of them takes long
      for (Hypothesis& h : problems) h.resize(width(columns));
      shared_width = width(columns);
    }
    if (!scale) {
      if (is_calibrated()) calibrate(x, code, weight);
      return learn_seen(x, squared_norm, code, weight);
    }
    Scale& own = scale.own();
    own.resize(columns);
    if (is_calibrated()) seen.apply(own, x, [&](const auto& u) { calibrate(u, code, weight); });
    seen.see(own, x, weight, [&](const auto& u, double norm2, double copy) { learn_seen(u, norm2, code, copy); });
  }

  /// Learns from an example as it is seen, in all problems or all classes together.
  void learn_seen(const Row auto& u, double squared_norm, std::int32_t code, double weight) {
    PassReport report;
    if (joint) {
      std::vector<double> scores(joint->classes());
      joint->score(u, scores);
      return learn_jointly(u, code, weight, squared_norm, rule, geometry, *joint, scores, report);
    }
    for (Hypothesis& h : problems) {
      const double y = code == h.positive ? 1.0 : -1.0;
      novikoff::learn(u, y, weight, squared_norm, rule, geometry, tie, h, nullptr, report);
    }
  }

  /// Learns probabilities from the scores of an example, as it is seen before anything of it is counted.
  void calibrate(const Row auto& u, std::int32_t code, double weight) {
    for (Hypothesis& h : problems) {
      if (!h.calibration) continue;
      std::vector<double> scratch(scratch_size(h, h.weights.size()));
      h.calibration->learn(code == h.positive ? 1.0 : -1.0, score(h, u, h.weights.size(), tie, scratch), weight);
    }
  }
};

}  // namespace novikoff
