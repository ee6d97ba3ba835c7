// A lock for a learner that is read while it learns: many readers, or one writer, which lets readers in after each row.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace novikoff {

/// Many readers or one writer.
///
/// Readers come first: a reader waits only for the writer that is inside, not for those that wait, and a writer with a long
/// batch calls `give_way` whenever `waiting` says so. Then all waiting readers come in, and this writer continues before any
/// other, so that other writers see its whole batch or nothing of it. Writers take their turns in the order in which they came.
/// So that readers who follow each other without a gap cannot keep a writer out, at most `max_passes` readers may pass a
/// waiting writer; those who come later wait for it.
///
/// Taking a turn that is free is one atomic operation. Everything else happens under a mutex, and a turn is handed over: who
/// leaves decides who is next, before it wakes anybody.
class Turns {
 public:
  static constexpr std::size_t max_passes = 1000;

  bool try_read() {
    std::uint64_t now = state_.load(std::memory_order_relaxed);
    while (!(now & (writing | queued)))
      if (state_.compare_exchange_weak(now, now + reader, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    return false;
  }

  void read() {
    if (try_read()) return;
    std::unique_lock lock(guard_);
    std::uint64_t now = state_.load(std::memory_order_relaxed);
    for (;;) {
      if (now & writing || (writer_waits() && passes_ >= max_passes)) {
        if (now & queued || state_.compare_exchange_weak(now, now | queued, std::memory_order_relaxed)) break;
      } else if (state_.compare_exchange_weak(now, now + reader, std::memory_order_acquire, std::memory_order_relaxed)) {
        if (writer_waits()) ++passes_;
        return;
      }
    }
    readers_waiting_.fetch_add(1, std::memory_order_relaxed);
    was_awaited_.store(true, std::memory_order_relaxed);
    await(lock, readers_,
          [this, round = round_.load(std::memory_order_relaxed)] { return round_.load(std::memory_order_acquire) != round; });
  }

  void end_read() {
    if (state_.fetch_sub(reader, std::memory_order_acq_rel) - reader != queued) return;
    const std::lock_guard lock(guard_);
    if (state_.load(std::memory_order_acquire) != queued) return;  // somebody came in, or was let in, meanwhile
    if (!let_writer_in()) let_readers_in();
  }

  bool try_write() {
    std::uint64_t nobody = 0;
    return state_.compare_exchange_strong(nobody, writing, std::memory_order_acquire, std::memory_order_relaxed);
  }

  void write() {
    if (try_write()) return;
    std::unique_lock lock(guard_);
    std::uint64_t now = state_.load(std::memory_order_relaxed);
    for (;;) {
      if (now & ~queued || writer_waits()) {
        if (now & queued || state_.compare_exchange_weak(now, now | queued, std::memory_order_relaxed)) break;
      } else if (state_.compare_exchange_weak(now, now | writing, std::memory_order_acquire, std::memory_order_relaxed)) {
        return;
      }
    }
    writers_.wait(lock, [this, ticket = tickets_++] { return served_ > ticket; });
  }

  void end_write() {
    std::uint64_t alone = writing;
    if (state_.compare_exchange_strong(alone, 0, std::memory_order_release, std::memory_order_relaxed)) return;
    const std::lock_guard lock(guard_);
    if (readers_waiting() > 0 || !let_writer_in()) let_readers_in();
  }

  /// For the writer that is inside: whether a reader waits.
  bool waiting() const { return readers_waiting() > 0; }

  /// For the writer that is inside: lets the waiting readers in, and returns when they have left.
  void give_way() {
    std::unique_lock lock(guard_);
    if (readers_waiting() == 0) return;
    returning_.store(true, std::memory_order_relaxed);
    let_readers_in();
    await(lock, returned_, [this] { return !returning_.load(std::memory_order_acquire); });
  }

  /// Whether a reader has ever had to wait.
  bool was_awaited() const { return was_awaited_.load(std::memory_order_relaxed); }

  /// For a reader that is inside: whether anybody waits, which can only be a writer or readers behind it.
  bool is_awaited() const { return state_.load(std::memory_order_relaxed) & queued; }

  /// Makes the lock free. For the only thread of a forked process, in which those who held or awaited the lock do not exist.
  static void renew(Turns& turns) { new (&turns) Turns; }

 private:
  static constexpr std::uint64_t writing = 1, queued = 2, reader = 4;  // queued: somebody waits, so take the mutex

  std::size_t readers_waiting() const { return readers_waiting_.load(std::memory_order_relaxed); }
  bool writer_waits() const { return returning_.load(std::memory_order_relaxed) || tickets_ > served_; }

  /// Waits for a condition that needs no lock. A row takes about a microsecond, and to sleep and wake up fifty or more, so the
  /// condition is tried for a while before the thread sleeps.
  static void await(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, const auto& holds) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds patience{100};
    lock.unlock();
    for (const Clock::time_point start = Clock::now(); Clock::now() - start < patience; std::this_thread::yield())
      for (int k = 0; k < 200; ++k)
        if (holds()) return;
    lock.lock();
    changed.wait(lock, holds);
  }

  /// Hands the lock, which nobody else holds, to all waiting readers.
  void let_readers_in() {
    const std::size_t count = readers_waiting_.exchange(0, std::memory_order_relaxed);
    state_.store(count * reader | (writer_waits() ? queued : 0), std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);  // last: readers may leave at once
    readers_.notify_all();
  }

  /// Hands the lock, which nobody else holds, to the writer whose turn it is, if one waits.
  bool let_writer_in() {
    if (!writer_waits()) return false;
    passes_ = 0;
    const bool returns = returning_.load(std::memory_order_relaxed);
    if (!returns) ++served_;
    const bool others = tickets_ > served_ || readers_waiting() > 0;
    state_.store(writing | (others ? queued : 0), std::memory_order_release);
    if (returns) {
      returning_.store(false, std::memory_order_release);
      returned_.notify_one();
    } else {
      writers_.notify_all();
    }
    return true;
  }

  std::atomic<std::uint64_t> state_{0};  // flags, and the number of readers inside times `reader`
  std::atomic<std::size_t> readers_waiting_{0};
  std::atomic<bool> was_awaited_{false};
  std::mutex guard_;  // of everything below, and of the flag `queued`
  std::condition_variable readers_, writers_, returned_;
  std::atomic<std::uint64_t> round_{0};     // how often waiting readers were let in
  std::uint64_t tickets_ = 0, served_ = 0;  // of waiting writers
  std::atomic<bool> returning_{false};      // whether a writer gave way and waits for its return
  std::size_t passes_ = 0;                  // readers that came in while a writer waited
};

/// A turn as reader, in the form that std::unique_lock and std::lock_guard take.
struct ReadTurn {
  Turns& turns;
  bool try_lock() { return turns.try_read(); }
  void lock() { turns.read(); }
  void unlock() { turns.end_read(); }
};

/// A turn as writer.
struct WriteTurn {
  Turns& turns;
  bool try_lock() { return turns.try_write(); }
  void lock() { turns.write(); }
  void unlock() { turns.end_write(); }
};

/// Turns as writer of several learners at once. Nobody waits for one of them while he has another, because a thread that forks
/// does so as a reader.
class WriteTurns {
 public:
  explicit WriteTurns(std::vector<Turns*> all) : all_(std::move(all)) {}

  void lock() {
    for (std::size_t first = 0; first < all_.size();) {
      all_[first]->write();
      first = try_others(first);
    }
  }
  void unlock() {
    for (Turns* turns : all_) turns->end_write();
  }

  /// For the writer that is inside: whether a reader waits, or has ever had to.
  bool waiting() const { return std::ranges::any_of(all_, &Turns::waiting); }
  bool was_awaited() const { return std::ranges::any_of(all_, &Turns::was_awaited); }

  /// For the writer that is inside: lets the waiting readers in, and returns when they have left. If there are several turns,
  /// other writers may come in, too.
  void give_way() {
    if (all_.size() == 1) return all_[0]->give_way();
    unlock();
    lock();
  }

 private:
  /// Takes the turns other than the first one. If one is not free, ends all others, and returns it.
  std::size_t try_others(std::size_t first) {
    for (std::size_t busy = 0; busy < all_.size(); ++busy) {
      if (busy == first || all_[busy]->try_write()) continue;
      for (std::size_t taken = 0; taken < all_.size(); ++taken)
        if (taken < busy || taken == first) all_[taken]->end_write();
      return busy;
    }
    return all_.size();
  }

  std::vector<Turns*> all_;
};

}  // namespace novikoff
