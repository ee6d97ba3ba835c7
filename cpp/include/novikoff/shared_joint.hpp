// Learning and scoring batches with a learner of several classes together that several threads share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "novikoff/joint_pass.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/shared_learner.hpp"
#include "novikoff/turns.hpp"

namespace novikoff {

/// As `learn_all`, for classes that are learned together. Each update needs the scores of all classes, so that there is one
/// thread.
inline void learn_all_jointly(Learner& learner, const AnyRows& any_rows, const Batch& batch,
                              std::span<const std::span<double>> scores, Turns& turns) {
  constexpr std::chrono::microseconds time_of_block{30};
  std::visit(
      [&](const auto& rows, const auto& rule) {
        detail::BlockLength length;
        Batch block = batch;
        block.scores_begin = batch.begin;
        for (block.end = batch.begin; block.end < batch.end;) {
          if (turns.waiting()) turns.give_way();
          const std::size_t count = length.rows(time_of_block);
          block.begin = block.end;
          block.end = std::min(batch.end, block.begin + (turns.waiting() ? 1 : count));
          length.time([&] { pass_jointly(rows, block, rule, learner.geometry, *learner.joint, scores); });
        }
      },
      any_rows, learner.rule);
}

/// As `score_all`, for classes that are learned together.
inline std::size_t score_all_jointly(const Learner& learner, std::span<const std::size_t> classes, const AnyRows& any_rows,
                                     std::span<double> scores, std::unique_lock<ReadTurn>& turn) {
  constexpr std::size_t rows_between_checks = 64;
  return std::visit(
      [&](const auto& rows) {
        const JointHypothesis* joint = &*learner.joint;
        std::optional<JointHypothesis> copy;
        std::vector<double> own(joint->classes());
        Repeats repeats;
        for (std::size_t i = 0; i < rows.count; ++i) {
          if (i % rows_between_checks == 0 && i > 0 && turn.owns_lock() && turn.mutex()->turns.is_awaited()) {
            joint = &copy.emplace(*joint);
            turn.unlock();
          }
          const auto x = rows[i];
          if (!std::isfinite(x.examine(rows.columns, repeats))) return i;
          joint->score(x, own);
          for (std::size_t k = 0; k < classes.size(); ++k) scores[k * rows.count + i] = own[classes[k]];
        }
        return rows.count;
      },
      any_rows);
}

}  // namespace novikoff
