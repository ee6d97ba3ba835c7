// Looking at rows before anything is learned from them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>

namespace novikoff {

/// Squared lengths of rows [begin, end); returns the first row that is not good, or `end`.
std::size_t examine(const auto& rows, std::size_t begin, std::size_t end, std::span<double> squared_norms) {
  for (std::size_t i = begin; i < end; ++i) {
    squared_norms[i] = rows[i].examine(rows.columns);
    if (!std::isfinite(squared_norms[i])) return i;
  }
  return end;
}

/// Examines all rows in a thread of its own, so that a pass can follow close behind.
class Examiner {
 public:
  Examiner(const auto& rows, std::span<double> squared_norms)
      : thread_([this, &rows, squared_norms] {
          std::size_t begin = 0;
          while (begin < rows.count && !cancelled_) {
            const std::size_t end = std::min(begin + block, rows.count);
            const std::size_t good = examine(rows, begin, end, squared_norms);
            publish(good, good < end || end == rows.count);
            if (good < end) return;
            begin = end;
          }
        }) {}

  Examiner(const Examiner&) = delete;
  Examiner& operator=(const Examiner&) = delete;

  ~Examiner() {
    cancelled_ = true;
    thread_.join();
  }

  /// Waits until the first `rows` rows are known to be good, or one before them is known not to be; returns how many are.
  std::size_t wait_for(std::size_t rows) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return good_ >= rows || ended_; });
    return good_;
  }

  static constexpr std::size_t block = 4096;

 private:
  void publish(std::size_t good, bool ended) {
    {
      const std::lock_guard lock(mutex_);
      good_ = good;
      ended_ = ended;
    }
    news_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::size_t good_ = 0;
  bool ended_ = false;
  std::atomic<bool> cancelled_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace novikoff
