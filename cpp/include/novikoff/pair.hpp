// A helper thread for many short pieces of work in a row, for which starting threads would be too slow.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>

#include "novikoff/joining_thread.hpp"

namespace novikoff {

/// Runs the two halves of a piece of work on this thread and a helper, which spins while it waits. If the helper has not begun
/// its half when this thread has finished its own, because no core is free, this thread does both.
class Pair {
 public:
  explicit Pair(bool with_helper) {
    if (!with_helper) return;
    try {
      helper_.emplace([this] { help(); });
    } catch (const std::system_error&) {  // no thread available: this one does both halves
    }
  }

  ~Pair() { stopped_ = true; }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  /// Calls work(0) and work(1).
  template <class Work>
  void both(const Work& work) {
    if (!helper_) {
      work(0);
      work(1);
      return;
    }
    work_ = &work;
    call_ = [](const void* what) { (*static_cast<const Work*>(what))(1); };
    const std::uint64_t ticket = asked_.load(std::memory_order_relaxed) + 1;
    asked_.store(ticket, std::memory_order_release);
    work(0);
    if (claim(ticket))
      work(1);
    else
      while (done_.load(std::memory_order_acquire) != ticket) std::this_thread::yield();
  }

 private:
  static constexpr int spins_before_yield = 4000;

  const void* work_ = nullptr;
  void (*call_)(const void*) = nullptr;
  std::atomic<std::uint64_t> asked_{0}, claimed_{0}, done_{0};
  std::atomic<bool> stopped_{false};
  std::optional<JoiningThread> helper_;  // the last member: it ends before the others do

  bool claim(std::uint64_t ticket) {
    std::uint64_t before = ticket - 1;
    return claimed_.compare_exchange_strong(before, ticket, std::memory_order_acq_rel);
  }

  void help() {
    int idle = 0;
    for (std::uint64_t seen = 0; !stopped_.load(std::memory_order_relaxed);) {
      const std::uint64_t ticket = asked_.load(std::memory_order_acquire);
      if (ticket == seen) {
        if (++idle > spins_before_yield) std::this_thread::yield();
        continue;
      }
      seen = ticket;
      idle = 0;
      if (!claim(ticket)) continue;
      call_(work_);
      done_.store(ticket, std::memory_order_release);
    }
  }
};

}  // namespace novikoff
