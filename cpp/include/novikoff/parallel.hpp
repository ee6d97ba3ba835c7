// A loop over independent pieces of work on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <vector>

#include "novikoff/joining_thread.hpp"

namespace novikoff {

/// Calls work(0), ..., work(count - 1) on this thread and up to `threads` - 1 more, or fewer if the system cannot start so
/// many. The first exception stops the loop and is rethrown here.
inline void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<JoiningThread> others;
    try {
      for (std::size_t t = 1; t < threads && t < count; ++t) others.emplace_back(run);
    } catch (const std::system_error&) {  // no more threads: those that run share the work
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace novikoff
