// Learning a batch with all classes together, and scoring rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "novikoff/joint_hypothesis.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/scale.hpp"
#include "novikoff/seen_rows.hpp"

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
                              std::span<const std::span<double>> scores) {
  std::visit(
      [&]<class Rows>(const Rows& rows) {
        if (!learner.scale) {
          Batch all = batch;
          all.scores_begin = batch.begin;
          pass_jointly(rows, all, learner.rule, learner.geometry, *learner.joint, scores);
          return;
        }
        Scale& scale = learner.scale.own();
        scale.resize(rows.columns);
        detail::JointSeenRows<Rows>(scale, rows, batch, scores).learn(batch.begin, batch.end, learner);
      },
      any_rows);
}

/// As `score_all`, for classes that are learned together.
inline std::size_t score_all_jointly(const Learner& learner, std::span<const std::size_t> classes, const AnyRows& any_rows,
                                     std::span<double> scores) {
  return std::visit(
      [&](const auto& rows) {
        SeenScratch seen;
        std::vector<double> own(learner.joint->classes());
        Repeats repeats;
        for (std::size_t i = 0; i < rows.count; ++i) {
          const auto x = rows[i];
          if (!std::isfinite(x.examine(rows.columns, repeats))) return i;
          if (learner.scale)
            seen.apply(*learner.scale, x, [&](const auto& u) { learner.joint->score(u, own); });
          else
            learner.joint->score(x, own);
          for (std::size_t k = 0; k < classes.size(); ++k) scores[k * rows.count + i] = own[classes[k]];
        }
        return rows.count;
      },
      any_rows);
}

}  // namespace novikoff
