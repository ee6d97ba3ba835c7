// Learning a batch in all binary problems of a learner or of several, and scoring rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "novikoff/joining_thread.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/scale.hpp"
#include "novikoff/seen_rows.hpp"

namespace novikoff {

/// One of the learners that learn from the same batch.
struct Member {
  Learner* learner;
  /// Empty, or for each problem an empty span, or one that gets the score of each row before it is learned from.
  std::span<const std::span<double>> scores;
};

namespace detail {

/// Threads that share the problems of each block. They wait for each other at its end, when all problems are at the same row.
class Crew {
 public:
  /// `work(q)` is called for all problems q < count in each block.
  Crew(std::size_t count, std::size_t threads, auto work)
      : count_(count), work_(std::move(work)), meeting_(static_cast<std::ptrdiff_t>(threads)) {
    others_.reserve(threads);  // a failure to allocate later would leave threads at the barrier
    std::size_t started = 1;
    try {
      for (; started < threads; ++started) others_.emplace_back([this] { follow(); });
    } catch (const std::system_error&) {  // no more threads: those that run share the work
      for (; started < threads; ++started) meeting_.arrive_and_drop();
    }
  }
  ~Crew() {
    done_ = true;
    meeting_.arrive_and_wait();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void learn_block() {
    next_ = 0;
    meeting_.arrive_and_wait();
    share();
    meeting_.arrive_and_wait();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void follow() {
    for (;;) {
      meeting_.arrive_and_wait();
      if (done_) return;
      share();
      meeting_.arrive_and_wait();
    }
  }
  void share() {
    try {
      for (std::size_t q = next_++; q < count_; q = next_++) work_(q);
    } catch (...) {
      const std::lock_guard lock(guard_);
      if (!failure_) failure_ = std::current_exception();
      next_ = count_;
    }
  }

  std::size_t count_;
  std::function<void(std::size_t)> work_;
  std::barrier<> meeting_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> done_{false};
  std::mutex guard_;
  std::exception_ptr failure_;
  std::vector<JoiningThread> others_;
};

/// The batch, one block of rows after the other.
template <class Rows>
class SharedPass {
 public:
  SharedPass(std::span<const Member> members, const Rows& rows, const Batch& batch)
      : rows_(rows), batch_(batch), end_(batch.end) {
    bool is_scored = false;
    for (const Member& member : members) {
      Learner& learner = *member.learner;
      is_scored |= !member.scores.empty() || learner.is_calibrated();
      for (std::size_t q = 0; q < learner.problems.size(); ++q) {
        Hypothesis& h = learner.problems[q];
        const std::span<double> scores = q < member.scores.size() ? member.scores[q] : std::span<double>{};
        const std::size_t scratch = scores.empty() && !h.calibration ? 0 : scratch_size(h, learner.width(rows.columns));
        problems_.push_back({learner, h, scores, {}, std::vector<double>(scratch)});
      }
    }
    if (Learner& first = *members.front().learner; first.scale) seen_.emplace(first.scale.of_all(), rows, batch, is_scored);
    batch_.end = batch_.scores_begin = batch_.begin;
  }

  void run(std::size_t threads) {
    const std::size_t problems = problems_.size();
    if (threads > 1 && problems > 1 && entries() * problems > worth_threads) return run_on(std::min(threads, problems));
    const bool fits = problems * rows_.columns <= cached_weights;
    const std::size_t length = problems < 2 ? end_ : rows_of(fits ? cached_entries : many_entries);
    while (next_block(length))
      in_parts([&] {
        for (std::size_t q = 0; q < problems; ++q) learn(q);
      });
  }

 private:
  struct Problem {
    const Learner& learner;
    Hypothesis& hypothesis;
    std::span<double> scores;         // of the batch
    std::vector<double> part_scores;  // of a part of it
    std::vector<double> scratch;
  };
  // If the weights of all problems fit into the cache, all of them learn a block of rows that fits, too. Otherwise blocks are
  // long, because the cache loses the weights of each problem while the others learn.
  static constexpr std::size_t cached_weights = 1 << 16;  // half a megabyte
  static constexpr std::size_t cached_entries = 1 << 12, many_entries = 1 << 20;
  static constexpr std::size_t worth_threads = 1 << 22;  // multiplications: to start threads costs about 0.1 ms

  void run_on(std::size_t threads) {
    Crew crew(problems_.size(), threads, [this](std::size_t q) { learn(q); });
    const std::size_t length = rows_of(many_entries / 8);
    while (next_block(length)) in_parts([&] { crew.learn_block(); });
  }

  std::size_t entries() const {
    if constexpr (requires { rows_.offsets; })
      return static_cast<std::size_t>(rows_.offsets[end_] - rows_.offsets[batch_.end]);
    else
      return (end_ - batch_.end) * rows_.columns;
  }

  /// The number of rows with about so many entries.
  std::size_t rows_of(std::size_t count) const {
    const std::size_t rows = end_ - batch_.end;
    return std::max<std::size_t>(1, count * rows / (entries() + rows + 1));
  }

  /// Calls `learn_part` for the rows of the block: for all at once, or part by part as they are seen with a running scale.
  void in_parts(const auto& learn_part) {
    if (!seen_) return learn_part();
    seen_->begin(batch_.begin, batch_.end);
    while (seen_->next()) learn_part();
  }

  /// Begins the next block of so many rows. Returns false at the end of the batch.
  bool next_block(std::size_t length) {
    batch_.begin = batch_.end;
    batch_.end = batch_.begin + std::min(length, end_ - batch_.begin);
    return batch_.begin < end_;
  }

  void learn(std::size_t q) {
    Problem& problem = problems_[q];
    if (seen_) return learn_seen(problem);
    Batch batch = batch_;
    batch.scores = problem.scores;
    pass_over(rows_, batch, problem);
  }

  void learn_seen(Problem& problem) {
    Batch part = seen_->batch();
    if (!problem.scores.empty()) {
      problem.part_scores.resize(seen_->size());
      part.scores = problem.part_scores;
    }
    pass_over(seen_->rows(), part, problem);
    if (!problem.scores.empty()) seen_->place_scores(part.scores, problem.scores);
  }

  template <class R>
  static void pass_over(const R& rows, const Batch& batch, Problem& problem) {
    const Learner& of = problem.learner;
    pass(rows, batch, of.rule, of.geometry, of.tie, problem.hypothesis, problem.scratch);
  }

  const Rows& rows_;
  std::optional<SeenRows<Rows>> seen_;  // of learners with a scale
  Batch batch_;                         // the present block
  std::size_t end_;
  std::vector<Problem> problems_;
};

}  // namespace detail

/// Learns rows [batch.begin, batch.end) in all problems of all members, in the order of the rows. The rows must have been
/// examined. Members that scale the columns must share one scale (SharedScale::unite), and then each row is scaled once.
inline void learn_together(std::span<const Member> members, const AnyRows& any_rows, const Batch& batch, std::size_t threads) {
  std::visit(
      [&](const auto& rows) {
        for (const Member& member : members)
          for (Hypothesis& h : member.learner->problems) h.resize(member.learner->width(rows.columns));
        if (SharedScale& scale = members.front().learner->scale) scale.of_all().resize(rows.columns);
        const bool compiled = std::ranges::none_of(
            members, [](const Member& m) { return std::holds_alternative<CallbackRule>(m.learner->rule); });
        detail::SharedPass(members, rows, batch).run(compiled ? threads : 1);
      },
      any_rows);
}

/// The same for one learner. `scores` is as in Member.
inline void learn_all(Learner& learner, const AnyRows& any_rows, const Batch& batch, std::span<const std::span<double>> scores,
                      std::size_t threads) {
  if (learner.scale) learner.scale.own();
  const Member member{&learner, scores};
  learn_together({&member, 1}, any_rows, batch, threads);
}

/// Scores of all rows in some problems: `scores` has one row of numbers per problem. Returns the number of rows before the
/// first bad one; unless that is all, the scores are not valid.
inline std::size_t score_all(const Learner& learner, std::span<const std::size_t> problems, const AnyRows& any_rows,
                             std::span<double> scores) {
  return std::visit(
      [&](const auto& rows) {
        const std::size_t columns = learner.width(rows.columns);
        std::vector<double> scratch;
        Repeats repeats;
        const auto place_score = [&](std::size_t k, std::size_t i, const auto& x) {
          const Hypothesis& h = learner.problems[problems[k]];
          scratch.resize(scratch_size(h, columns));
          scores[k * rows.count + i] = score(h, x, columns, learner.tie, scratch);
        };
        if (learner.scale) {  // each row is scaled once, and then scored in all problems
          SeenScratch seen;
          for (std::size_t i = 0; i < rows.count; ++i) {
            const auto x = rows[i];
            if (!std::isfinite(x.examine(rows.columns, repeats))) return i;
            seen.apply(*learner.scale, x, [&](const auto& u) {
              for (std::size_t k = 0; k < problems.size(); ++k) place_score(k, i, u);
            });
          }
          return rows.count;
        }
        for (std::size_t k = 0; k < problems.size(); ++k)
          for (std::size_t i = 0; i < rows.count; ++i) {
            const auto x = rows[i];
            if (k == 0 && !std::isfinite(x.examine(rows.columns, repeats))) return i;
            place_score(k, i, x);
          }
        return rows.count;
      },
      any_rows);
}

}  // namespace novikoff
