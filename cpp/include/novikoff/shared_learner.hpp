// Learning and scoring batches with a learner that several threads share.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
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
#include "novikoff/turns.hpp"

namespace novikoff {

/// One of the learners that learn from the same batch.
struct Member {
  Learner* learner;
  /// Empty, or for each problem an empty span, or one that gets the score of each row before it is learned from.
  std::span<const std::span<double>> scores;
};

namespace detail {

/// The number of rows that are learned in all problems before waiting readers are let in: so many that a block takes about
/// `target`. Blocks keep the weights of a problem in the cache.
class BlockLength {
 public:
  using Clock = std::chrono::steady_clock;

  /// The rows of the next block, which should take the time `target`.
  std::size_t rows(Clock::duration target) {
    if (target < target_) rows_ = 1;
    target_ = target;
    return rows_;
  }

  /// Calls `learn_block` and adapts the length to the time it takes, which is returned.
  Clock::duration time(const auto& learn_block) {
    const Clock::time_point start = Clock::now();
    learn_block();
    const Clock::duration elapsed = Clock::now() - start;
    if (elapsed > target_)
      rows_ = std::max<std::size_t>(1, rows_ / 2);
    else if (elapsed < target_ / 2)
      rows_ = std::min(most, 2 * rows_);
    return elapsed;
  }

 private:
  static constexpr std::size_t most = 1 << 20;
  Clock::duration target_{0};
  std::size_t rows_ = 1;
};

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
  SharedPass(std::span<const Member> members, const Rows& rows, const Batch& batch, WriteTurns& turns)
      : rows_(rows), batch_(batch), end_(batch.end), turns_(turns) {
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
    BlockLength length;
    while (next_block(length, on_one_thread)) {
      const auto elapsed = length.time([&] {
        in_parts([&] {
          for (std::size_t q = 0; q < problems; ++q) learn(q);
        });
      });
      const auto left = static_cast<double>(end_ - batch_.end) / static_cast<double>(batch_.end - batch_.begin);
      if (threads > 1 && problems > 1 && left * std::chrono::duration<double>(elapsed) > worth_threads)
        return run_on(std::min(threads, problems));
    }
  }

 private:
  using Time = BlockLength::Clock::duration;
  struct Problem {
    const Learner& learner;
    Hypothesis& hypothesis;
    std::span<double> scores;         // of the batch
    std::vector<double> part_scores;  // of a part of it
    std::vector<double> scratch;
  };
  static constexpr std::chrono::microseconds on_one_thread{30}, on_threads{200};
  static constexpr std::chrono::milliseconds without_readers{20};
  static constexpr std::size_t cached_weights = 1 << 16;        // half a megabyte
  static constexpr std::chrono::milliseconds worth_threads{2};  // to start threads costs about 0.1 ms

  void run_on(std::size_t threads) {
    BlockLength length;
    Crew crew(problems_.size(), threads, [this](std::size_t q) { learn(q); });
    while (next_block(length, on_threads)) length.time([&] { in_parts([&] { crew.learn_block(); }); });
  }

  /// Calls `learn_part` for the rows of the block: for all at once, or part by part as they are seen with a running scale.
  void in_parts(const auto& learn_part) {
    if (!seen_) return learn_part();
    seen_->begin(batch_.begin, batch_.end);
    while (seen_->next()) learn_part();
  }

  /// The time that a block should take. If the weights of all problems do not fit into the cache, short blocks take up to three
  /// times as long, because the cache loses the weights of each problem while the others learn. So blocks of such learners are
  /// long until a reader has had to wait once.
  Time time_of_block(Time with_readers) const {
    const std::size_t problems = problems_.size();
    const bool fits = problems < 2 || problems * rows_.columns <= cached_weights;
    return fits || turns_.was_awaited() ? with_readers : Time(without_readers);
  }

  /// Lets readers in and begins the next block. Returns false at the end of the batch.
  bool next_block(BlockLength& length, Time with_readers) {
    if (turns_.waiting()) turns_.give_way();
    const std::size_t rows = length.rows(time_of_block(with_readers));
    batch_.begin = batch_.end;
    batch_.end = std::min(end_, batch_.begin + (turns_.waiting() ? 1 : rows));
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
  WriteTurns& turns_;
};

}  // namespace detail

/// Learns rows [batch.begin, batch.end) in all problems of all members, in the order of the rows. The rows must have been
/// examined, and the caller must have the turns as writer and keep other writers out. Waiting readers are let in between blocks
/// of rows, when all problems have learned the same rows. Members that scale the columns must share one scale
/// (SharedScale::unite), and then each row is scaled once.
inline void learn_together(std::span<const Member> members, const AnyRows& any_rows, const Batch& batch, std::size_t threads,
                           WriteTurns& turns) {
  std::visit(
      [&](const auto& rows) {
        for (const Member& member : members) {
          Learner& learner = *member.learner;
          for (Hypothesis& h : learner.problems) {  // new weights are 0 as if they were missing: readers may come in between
            h.resize(learner.width(rows.columns));
            if (turns.waiting()) turns.give_way();
          }
        }
        if (SharedScale& scale = members.front().learner->scale) scale.of_all().resize(rows.columns);
        const bool compiled = std::ranges::none_of(
            members, [](const Member& m) { return std::holds_alternative<CallbackRule>(m.learner->rule); });
        detail::SharedPass(members, rows, batch, turns).run(compiled ? threads : 1);
      },
      any_rows);
}

/// The same for one learner. `scores` is as in Member.
inline void learn_all(Learner& learner, const AnyRows& any_rows, const Batch& batch, std::span<const std::span<double>> scores,
                      std::size_t threads, Turns& turns) {
  if (learner.scale) learner.scale.own();
  const Member member{&learner, scores};
  WriteTurns own({&turns});
  learn_together({&member, 1}, any_rows, batch, threads, own);
}

namespace detail {

constexpr std::size_t rows_between_checks = 64;

/// `score_all` of a learner with a running scale: each row is scaled once, and then scored in all problems.
template <class Rows>
std::size_t score_seen(const Learner& learner, std::span<const std::size_t> problems, const Rows& rows,
                       std::span<double> scores, std::unique_lock<ReadTurn>& turn) {
  std::optional<Scale> copied_scale;
  std::vector<Hypothesis> copies;
  std::vector<const Hypothesis*> held;
  for (std::size_t q : problems) held.push_back(&learner.problems[q]);
  const Scale* scale = &*learner.scale;
  const std::size_t columns = learner.width(rows.columns);
  SeenScratch seen;
  std::vector<double> scratch;
  Repeats repeats;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (i > 0 && i % rows_between_checks == 0 && turn.owns_lock() && turn.mutex()->turns.is_awaited()) {
      copies.reserve(problems.size());
      for (const Hypothesis*& h : held) h = &copies.emplace_back(*h);
      copied_scale = *scale;
      scale = &*copied_scale;
      turn.unlock();
    }
    const auto x = rows[i];
    if (!std::isfinite(x.examine(rows.columns, repeats))) return i;
    seen.apply(*scale, x, [&](const auto& u) {
      for (std::size_t k = 0; k < problems.size(); ++k) {
        scratch.resize(scratch_size(*held[k], columns));
        scores[k * rows.count + i] = score(*held[k], u, columns, learner.tie, scratch);
      }
    });
  }
  return rows.count;
}

}  // namespace detail

/// Scores of all rows in some problems at one moment: `scores` has one row of numbers per problem. The caller has a turn as
/// reader. If a writer waits for its end, the problems are copied and the turn ends. Returns the number of rows before the
/// first bad one; unless that is all, the scores are not valid.
inline std::size_t score_all(const Learner& learner, std::span<const std::size_t> problems, const AnyRows& any_rows,
                             std::span<double> scores, std::unique_lock<ReadTurn>& turn) {
  using detail::rows_between_checks;
  return std::visit(
      [&](const auto& rows) {
        if (learner.scale) return detail::score_seen(learner, problems, rows, scores, turn);
        std::vector<Hypothesis> copies;
        Repeats repeats;
        const auto problem = [&](std::size_t k) -> const Hypothesis& {
          return turn.owns_lock() ? learner.problems[problems[k]] : copies[k + copies.size() - problems.size()];
        };
        const auto leave_if_awaited = [&](std::size_t k) {
          if (!turn.owns_lock() || !turn.mutex()->turns.is_awaited()) return;
          for (std::size_t p = k; p < problems.size(); ++p) copies.push_back(learner.problems[problems[p]]);
          turn.unlock();
        };
        for (std::size_t k = 0; k < problems.size(); ++k) {
          std::vector<double> scratch(scratch_size(problem(k), rows.columns));
          for (std::size_t i = 0; i < rows.count; ++i) {
            if (i % rows_between_checks == 0 && i + k > 0) leave_if_awaited(k);
            const auto x = rows[i];
            if (k == 0 && !std::isfinite(x.examine(rows.columns, repeats))) return i;
            scores[k * rows.count + i] = score(problem(k), x, rows.columns, learner.tie, scratch);
          }
        }
        return rows.count;
      },
      any_rows);
}

}  // namespace novikoff
