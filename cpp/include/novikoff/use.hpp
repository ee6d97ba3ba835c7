// Who uses an object: any number of readers, or one thread that changes it. Nobody waits: who cannot come in gets an error.
#pragma once

#ifndef _WIN32
#include <pthread.h>
#endif

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>

namespace novikoff {

/// The readers of an object, or the thread that changes it.
///
/// The thread that changes it may call functions that read or change a part of it, but not while such a function runs: a rule
/// in Python cannot reach the learner that calls it. A forked process has only the thread that forked. There the readers are
/// gone, and an object that another thread was changing, of which half a change may be left, refuses every use.
class Use {
 public:
  void begin_writing() {
    notice_fork();
    std::int64_t nobody = 0;
    if (!state_.compare_exchange_strong(nobody, writing, std::memory_order_acquire)) refuse(nobody);
    writer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  void end_writing() {
    writer_.store({}, std::memory_order_relaxed);
    state_.store(0, std::memory_order_release);
  }
  void begin_reading() {
    notice_fork();
    std::int64_t now = state_.load(std::memory_order_relaxed);
    do {
      if (now < 0) refuse(now);
    } while (!state_.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_relaxed));
  }
  void end_reading() {
    std::int64_t now = state_.load(std::memory_order_relaxed);
    while (now > 0 && !state_.compare_exchange_weak(now, now - 1, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  /// Whether this thread changes the object.
  bool is_mine() const { return writer_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

 private:
  friend class Reading;
  friend class Writing;
  static constexpr std::int64_t writing = -1, abandoned = -2;

  [[noreturn]] static void refuse(std::int64_t state) {
    constexpr const char* advice = "Use one estimator per thread, or a lock.";
    if (state == abandoned)
      throw std::runtime_error(
          "another thread was changing this estimator when the process was forked. Fit it or load it again.");
    throw std::runtime_error(std::string(state < 0 ? "this estimator is being changed. " : "this estimator is being read. ") +
                             advice);
  }

  /// In a forked process, before the first use: the child has one thread then.
  void notice_fork() {
    const std::uint32_t now = forks().load(std::memory_order_relaxed);
    if (fork_.load(std::memory_order_relaxed) == now) [[likely]]
      return;
    fork_.store(now, std::memory_order_relaxed);
    const std::int64_t state = state_.load(std::memory_order_relaxed);
    if (state > 0) state_.store(0, std::memory_order_relaxed);
    if (state == writing && !is_mine()) state_.store(abandoned, std::memory_order_relaxed);
  }

  /// The number of forks between the first process and this one.
  static std::atomic<std::uint32_t>& forks() {
    static std::atomic<std::uint32_t> count{0};
#ifndef _WIN32
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
#endif
    return count;
  }

  std::atomic<std::int64_t> state_{0};  // the number of readers; below 0 if a thread changes the object
  std::atomic<std::thread::id> writer_{};
  std::atomic<std::uint32_t> fork_{forks().load(std::memory_order_relaxed)};
  bool is_busy_ = false;  // whether a function of the writer runs
};

/// A function that changes the object runs.
class Writing {
 public:
  explicit Writing(Use& use) : use_(use), is_nested_(use.is_mine()) {
    if (!is_nested_) use_.begin_writing();
    if (use_.is_busy_) Use::refuse(Use::writing);
    use_.is_busy_ = true;
  }
  ~Writing() {
    use_.is_busy_ = false;
    if (!is_nested_) use_.end_writing();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  Use& use_;
  bool is_nested_;
};

/// A function that reads the object runs.
class Reading {
 public:
  explicit Reading(Use& use) : use_(use), is_nested_(use.is_mine()) {
    if (!is_nested_)
      use_.begin_reading();
    else if (use_.is_busy_)
      Use::refuse(Use::writing);
  }
  ~Reading() {
    if (!is_nested_) use_.end_reading();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Use& use_;
  bool is_nested_;
};

}  // namespace novikoff
