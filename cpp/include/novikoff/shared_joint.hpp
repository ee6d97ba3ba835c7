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

#include "novikoff/joint_hypothesis.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/scale.hpp"
#include "novikoff/seen_rows.hpp"
#include "novikoff/shared_learner.hpp"
#include "novikoff/turns.hpp"

namespace novikoff {

namespace detail {

/// The rows of a batch as a learner with a scale sees them, learned by all classes together.
template <class Rows>
class JointSeenRows {
 public:
  JointSeenRows(Scale& scale, const Rows& rows, const Batch& batch, std::span<const std::span<double>> scores)
      : seen_(scale, rows, batch, !scores.empty()), scores_(scores), part_scores_(scores.size()), outputs_(scores.size()) {}

  /// Learns rows [begin, end) of the batch.
  void learn(std::size_t begin, std::size_t end, Learner& learner) {
    seen_.begin(begin, end);
    while (seen_.next()) {
      for (std::size_t k = 0; k < scores_.size(); ++k) {
        part_scores_[k].resize(scores_[k].empty() ? 0 : seen_.size());
        outputs_[k] = part_scores_[k];
      }
      pass_jointly(seen_.rows(), seen_.batch(), learner.rule, learner.geometry, *learner.joint, outputs_);
      for (std::size_t k = 0; k < scores_.size(); ++k)
        if (!scores_[k].empty()) seen_.place_scores(part_scores_[k], scores_[k]);
    }
  }

 private:
  SeenRows<Rows> seen_;
  std::span<const std::span<double>> scores_;     // of the batch
  std::vector<std::vector<double>> part_scores_;  // of a part of it
  std::vector<std::span<double>> outputs_;
};

}  // namespace detail

/// As `learn_all`, for classes that are learned together. Each update needs the scores of all classes, so that there is one
/// thread.
inline void learn_all_jointly(Learner& learner, const AnyRows& any_rows, const Batch& batch,
                              std::span<const std::span<double>> scores, Turns& turns) {
  constexpr std::chrono::microseconds time_of_block{30};
  std::visit(
      [&]<class Rows>(const Rows& rows) {
        std::optional<detail::JointSeenRows<Rows>> seen;
        if (learner.scale) {
          Scale& scale = learner.scale.own();
          scale.resize(rows.columns);
          seen.emplace(scale, rows, batch, scores);
        }
        detail::BlockLength length;
        Batch block = batch;
        block.scores_begin = batch.begin;
        for (block.end = batch.begin; block.end < batch.end;) {
          if (turns.waiting()) turns.give_way();
          const std::size_t count = length.rows(time_of_block);
          block.begin = block.end;
          block.end = std::min(batch.end, block.begin + (turns.waiting() ? 1 : count));
          length.time([&] {
            if (seen) return seen->learn(block.begin, block.end, learner);
            pass_jointly(rows, block, learner.rule, learner.geometry, *learner.joint, scores);
          });
        }
      },
      any_rows);
}

/// As `score_all`, for classes that are learned together.
inline std::size_t score_all_jointly(const Learner& learner, std::span<const std::size_t> classes, const AnyRows& any_rows,
                                     std::span<double> scores, std::unique_lock<ReadTurn>& turn) {
  constexpr std::size_t rows_between_checks = 64;
  return std::visit(
      [&](const auto& rows) {
        const JointHypothesis* joint = &*learner.joint;
        std::optional<JointHypothesis> copy;
        std::optional<Scale> copied_scale;
        const Scale* scale = learner.scale ? &*learner.scale : nullptr;
        SeenScratch seen;
        std::vector<double> own(joint->classes());
        Repeats repeats;
        for (std::size_t i = 0; i < rows.count; ++i) {
          if (i % rows_between_checks == 0 && i > 0 && turn.owns_lock() && turn.mutex()->turns.is_awaited()) {
            joint = &copy.emplace(*joint);
            if (scale) scale = &copied_scale.emplace(*scale);
            turn.unlock();
          }
          const auto x = rows[i];
          if (!std::isfinite(x.examine(rows.columns, repeats))) return i;
          if (scale)
            seen.apply(*scale, x, [&](const auto& u) { joint->score(u, own); });
          else
            joint->score(x, own);
          for (std::size_t k = 0; k < classes.size(); ++k) scores[k * rows.count + i] = own[classes[k]];
        }
        return rows.count;
      },
      any_rows);
}

}  // namespace novikoff
