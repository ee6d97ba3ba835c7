// The lock of a learner that is read while it learns, and the learner behind it. Run under the thread sanitizer as well.
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "novikoff/shared_learner.hpp"
#include "novikoff/turns.hpp"
#include "samples.hpp"

namespace {

constexpr int rounds = 2000;

/// Runs all jobs at once, each on its own thread.
void together(std::vector<std::function<void()>> jobs) {
  std::vector<std::jthread> threads;
  for (auto& job : jobs) threads.emplace_back(std::move(job));
}

/// Waits until something holds.
void await(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::yield();
}

/// Two numbers that are equal whenever no writer is at work.
struct Pair {
  long first = 0, second = 0;
};

Learner three_problems() {
  Learner learner{PerceptronRule{}, {}, Tie::mistake, {}};
  for (std::int32_t positive : {-1, 0, 1}) {
    learner.problems.emplace_back();
    learner.problems.back().positive = positive;
    learner.problems.back().average.emplace();
  }
  return learner;
}

}  // namespace

TEST(readers_share_and_writers_are_alone) {
  Turns turns;
  CHECK(turns.try_read() && turns.try_read() && !turns.try_write());
  turns.end_read();
  CHECK(!turns.try_write());
  turns.end_read();
  CHECK(turns.try_write() && !turns.try_read() && !turns.try_write());
  turns.end_write();
  CHECK(turns.try_write());
  turns.end_write();
}

TEST(several_turns_are_taken_whatever_readers_hold_meanwhile_and_nobody_waits_for_ever) {
  Turns one, other;
  Pair pair;
  std::atomic<long> torn{0};
  const auto write = [&](std::vector<Turns*> both) {
    WriteTurns turns(std::move(both));
    for (int k = 0; k < rounds; ++k) {
      const std::lock_guard mine(turns);
      ++pair.first;
      if (turns.waiting()) turns.give_way();
      ++pair.second;
    }
  };
  const auto read = [&](Turns& first, Turns& second) {  // as a thread that forks: it waits for one while it has another
    for (int k = 0; k < rounds; ++k) {
      ReadTurn a{first}, b{second};
      const std::lock_guard own(a), further(b);
      torn += pair.second > pair.first;
    }
  };
  together({[&] { write({&one, &other}); }, [&] { read(one, other); }, [&] { read(one, other); }});
  CHECK(pair.first == rounds && pair.second == rounds && torn == 0);
}

TEST(readers_never_see_half_a_change_of_several_writers) {
  Turns turns;
  Pair pair;
  std::atomic<long> torn{0};
  const auto write = [&] {
    for (int k = 0; k < rounds; ++k) {
      WriteTurn turn{turns};
      const std::lock_guard mine(turn);
      ++pair.first;
      ++pair.second;
    }
  };
  const auto read = [&] {
    for (int k = 0; k < rounds; ++k) {
      ReadTurn turn{turns};
      const std::lock_guard mine(turn);
      torn += pair.first != pair.second;
    }
  };
  together({write, read, write, read, write, read});
  CHECK(torn == 0 && pair.first == 3 * rounds && pair.second == 3 * rounds);
  CHECK(turns.try_write());
}

TEST(a_writer_that_gives_way_lets_readers_in_and_no_other_writer) {
  Turns turns;
  Pair pair;
  std::atomic<long> torn{0}, inside{0}, unfinished{0};
  std::atomic<bool> done{false};
  const auto batches = [&] {
    for (int k = 0; k < rounds / 20; ++k) {
      WriteTurn turn{turns};
      const std::lock_guard mine(turn);
      unfinished += ++inside > 1;
      for (int row = 0; row < 20; ++row) {
        ++pair.first;
        ++pair.second;
        if (turns.waiting()) turns.give_way();
      }
      --inside;
    }
  };
  const auto read = [&] {
    while (!done) {
      ReadTurn turn{turns};
      const std::lock_guard mine(turn);
      torn += pair.first != pair.second;
    }
  };
  std::jthread first(read), second(read);
  together({batches, batches});
  done = true;
  CHECK(torn == 0 && unfinished == 0 && pair.second == 2 * (rounds / 20) * 20);
}

TEST(a_reader_waits_for_one_row_and_comes_before_writers_that_wait) {
  Turns turns;
  CHECK(!turns.was_awaited());
  std::atomic<int> order{0}, reader_came{0}, writer_came{0};
  turns.write();
  std::jthread writer([&] {
    turns.write();
    writer_came = ++order;
    turns.end_write();
  });
  std::jthread reader([&] {
    turns.read();
    reader_came = ++order;
    turns.end_read();
  });
  await([&] { return turns.waiting(); });
  turns.give_way();
  CHECK(reader_came == 1 && writer_came == 0);
  turns.end_write();
  writer.join();
  CHECK(writer_came == 2);
  CHECK(turns.was_awaited());
}

TEST(readers_without_a_gap_do_not_keep_a_writer_out) {
  Turns turns;
  std::atomic<bool> written{false};
  turns.read();  // somebody reads all the time
  std::jthread writer([&] {
    turns.write();
    written = true;
    turns.end_write();
  });
  await([&] { return turns.is_awaited(); });
  for (std::size_t k = 0; k < Turns::max_passes; ++k) {
    turns.read();  // each comes before the last has left
    turns.end_read();
  }
  CHECK(!written);
  std::jthread late([&] {
    turns.read();
    CHECK(written);
    turns.end_read();
  });
  await([&] { return turns.waiting(); });
  turns.end_read();
  late.join();
  CHECK(written);
}

TEST(a_renewed_lock_is_free) {
  Turns turns;
  turns.write();
  Turns::renew(turns);
  CHECK(turns.try_read());
  Turns::renew(turns);
  CHECK(turns.try_write());
}

TEST(a_shared_learner_learns_the_same_bits_as_one_problem_after_the_other) {
  Sample sample = noise(3000, 6, 5);
  const AnyRows rows = sample.rows();
  Learner apart = three_problems();
  for (std::size_t q = 0; q < 3; ++q) apart.learn(q, rows, sample.batch());
  for (std::size_t threads : {1, 2, 8}) {
    Learner shared = three_problems();
    Turns turns;
    turns.write();
    learn_all(shared, rows, sample.batch(0, 1000), {}, threads, turns);
    learn_all(shared, rows, sample.batch(1000, 3000), {}, threads, turns);
    turns.end_write();
    for (std::size_t q = 0; q < 3; ++q) {
      CHECK(same_bits(shared.problems[q].weights, apart.problems[q].weights));
      CHECK(same_bits(shared.problems[q].average->weights, apart.problems[q].average->weights));
      CHECK(shared.problems[q].examples.whole == 3000);
    }
  }
}

TEST(scores_before_learning_are_those_of_a_pass_with_any_block) {
  Sample sample = noise(500, 4, 6);
  Learner apart = three_problems(), shared = three_problems();
  std::vector<double> expected(500), found(300);
  Batch batch = sample.batch();
  batch.scores = expected;
  apart.learn(1, sample.rows(), batch);
  Turns turns;
  turns.write();
  learn_all(shared, sample.rows(), sample.batch(0, 200), {}, 1, turns);
  const std::vector<std::span<double>> places{{}, found, {}};
  learn_all(shared, sample.rows(), sample.batch(200, 500), places, 1, turns);
  CHECK(same_bits(found, std::span(expected).subspan(200)));
}

TEST(copies_and_scores_beside_a_batch_are_those_of_some_row) {
  Sample sample = noise(4000, 8, 7);
  const AnyRows rows = sample.rows();
  Learner learner = three_problems();
  Turns turns;
  std::atomic<bool> done{false};
  std::atomic<long> torn{0}, copies{0};
  const auto copy = [&] {
    while (!done) {
      std::vector<Hypothesis> taken;
      {
        ReadTurn turn{turns};
        const std::lock_guard mine(turn);
        taken = learner.problems;
      }
      for (const Hypothesis& h : taken) torn += h.examples.whole != taken[0].examples.whole;
      ++copies;
    }
  };
  const auto score = [&] {
    const std::vector<std::size_t> problems{0, 2, 2};
    std::vector<double> scores(3 * 4000);
    while (!done) {
      ReadTurn turn{turns};
      std::unique_lock<ReadTurn> hold(turn);
      CHECK(score_all(learner, problems, rows, scores, hold) == 4000);
      torn += !same_bits(std::span(scores).subspan(4000, 4000), std::span(scores).subspan(8000));
    }
  };
  const Batch batch = sample.batch();
  const auto learn = [&](std::size_t threads) {
    for (int k = 0; k < 10; ++k) {
      WriteTurn turn{turns};
      const std::lock_guard mine(turn);
      learn_all(learner, rows, batch, {}, threads, turns);
    }
  };
  {
    std::jthread copier(copy), scorer(score);
    together({[&] { learn(1); }, [&] { learn(2); }});
    await([&] { return copies > 0; });
    done = true;
  }
  CHECK(torn == 0 && learner.problems[2].examples.whole == 20 * 4000);
}

TEST(a_long_score_continues_from_a_copy_if_a_writer_waits) {
  Sample sample = noise(20000, 8, 8);
  Learner learner = three_problems();
  learner.learn(0, sample.rows(), sample.batch());
  learner.learn(1, sample.rows(), sample.batch());
  const std::vector<std::size_t> problems{0, 1};
  std::vector<double> alone(40000), beside(40000);
  Turns turns;
  ReadTurn turn{turns};
  std::unique_lock<ReadTurn> hold(turn);
  score_all(learner, problems, sample.rows(), alone, hold);
  CHECK(hold.owns_lock());
  std::jthread writer([&] {
    turns.write();
    learner.problems.clear();
    turns.end_write();
  });
  await([&] { return turns.is_awaited(); });
  CHECK(score_all(learner, problems, sample.rows(), beside, hold) == 20000);
  CHECK(!hold.owns_lock() && same_bits(alone, beside));
}

TEST(weights_that_a_problem_lacks_count_as_zero) {
  Hypothesis h, wide;
  h.weights = {1, 2};
  wide.weights = {1, 2, 0, 0};
  const std::vector<double> x{3, 4, 5, 6};
  std::vector<double> scratch;
  const DenseRow<double> row{x.data(), 4, 1};
  CHECK(same_bits(score(h, row, 4, Tie::mistake, scratch), score(wide, row, 4, Tie::mistake, scratch)));
  for (Hypothesis* p : {&h, &wide})
    p->average.emplace(Average{std::vector<double>(p->weights.size(), 0.5), 0}), p->examples.add(2);
  wide.average->weights = {0.5, 0.5, 0, 0};
  CHECK(same_bits(score(h, row, 4, Tie::mistake, scratch), score(wide, row, 4, Tie::mistake, scratch)));
  CHECK(score(Hypothesis{}, row, 4, Tie::mistake, scratch) == 0);
}
