// What a learner does by its rule: passes over rows, and learning from one example. The rule is looked up once, outside of the
// loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "novikoff/batch.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/joint_pass.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/one_example.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/row.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

namespace detail {

/// Calls `use` with the rule, which learns classes together.
auto with_joint_rule(const Rule& rule, const auto& use) {
  return std::visit(
      [&]<class R>(const R& r) -> decltype(use(PerceptronRule{})) {
        if constexpr (JointRule<R>)
          return use(r);
        else
          throw std::logic_error("this second-order rule does not learn classes together");
      },
      rule);
}

}  // namespace detail

template <class Rows>
PassReport RulePasses<Rows>::learn(const Learner& learner, Hypothesis& h, const Rows& rows, const Batch& batch,
                                   std::vector<double>& scratch) {
  return std::visit([&](const auto& rule) { return pass(rows, batch, rule, learner.geometry, learner.tie, h, scratch); },
                    learner.rule);
}

template <class Rows>
std::size_t RulePasses<Rows>::learn_unseen(const Learner& learner, Hypothesis& h, const Rows& rows, const Batch& batch,
                                           std::span<double> squared_norms, PassReport& report) {
  return std::visit(
      [&](const auto& rule) { return pass_unseen(rows, batch, squared_norms, rule, learner.geometry, learner.tie, h, report); },
      learner.rule);
}

template <class Rows>
PassReport RulePasses<Rows>::learn_jointly(Learner& learner, const Rows& rows, const Batch& batch,
                                           std::span<const std::span<double>> outputs) {
  return detail::with_joint_rule(learner.rule, [&](const auto& rule) {
    return pass_jointly(rows, batch, rule, learner.geometry, *learner.joint, outputs);
  });
}

template <Row X>
void learn_seen(Learner& learner, const X& u, double squared_norm, std::int32_t code, double weight) {
  PassReport report;
  if (learner.joint) {
    JointHypothesis& joint = *learner.joint;
    std::vector<double> scores(joint.classes());
    joint.score(u, scores);
    return detail::with_joint_rule(learner.rule, [&](const auto& rule) {
      learn_jointly(u, code, weight, squared_norm, rule, learner.geometry, joint, scores, report);
    });
  }
  std::visit(
      [&](const auto& rule) {
        for (Hypothesis& h : learner.problems) {
          const double y = code == h.positive ? 1.0 : -1.0;
          learn(u, y, weight, squared_norm, rule, learner.geometry, learner.tie, h, nullptr, report);
        }
      },
      learner.rule);
}

}  // namespace novikoff
