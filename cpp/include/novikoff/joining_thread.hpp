// A thread that is joined when it is destroyed.
#pragma once

#include <thread>
#include <utility>

namespace novikoff {

/// As std::jthread without its stop token, which the standard library of macOS does not have.
class JoiningThread {
 public:
  template <class Work>
  explicit JoiningThread(Work&& work) : thread_(std::forward<Work>(work)) {}
  JoiningThread(JoiningThread&&) noexcept = default;
  JoiningThread& operator=(JoiningThread&&) = delete;
  ~JoiningThread() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace novikoff
