// The scale of a learner, which learners that learn together may share.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "novikoff/scale.hpp"

namespace novikoff {

/// A scale or none. Copies do not share it. Those who share it may only be changed together; who is changed alone gets a copy
/// of its own before. Each owner must be guarded by a lock of its own, which all of them hold when they are changed together.
class SharedScale {
 public:
  SharedScale() = default;
  SharedScale(std::optional<Scale> scale) {
    if (scale) held_ = std::make_shared<Scale>(std::move(*scale));
  }
  SharedScale(const SharedScale& other) : SharedScale(std::optional<Scale>(other)) {}
  SharedScale(SharedScale&&) noexcept = default;
  SharedScale& operator=(SharedScale other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~SharedScale() = default;

  operator std::optional<Scale>() const { return held_ ? std::optional<Scale>(*held_) : std::nullopt; }
  explicit operator bool() const { return held_ != nullptr; }
  const Scale& operator*() const { return *held_; }
  const Scale* operator->() const { return held_.get(); }

  /// The scale, to be changed alone.
  Scale& own() {
    if (held_.use_count() > 1) held_ = std::make_shared<Scale>(*held_);
    std::atomic_thread_fence(std::memory_order_acquire);  // the last one that left has read all it wanted
    return *held_;
  }

  /// Lets all of them share one scale, and nobody else. Returns false, without an effect, unless all are equal.
  static bool unite(std::span<SharedScale* const> all) {
    const std::shared_ptr<Scale>& first = all.front()->held_;
    for (const SharedScale* other : all)
      if (!first || !other->held_ || (other->held_ != first && !(*other->held_ == *first))) return false;
    bool are_alone = first.use_count() == static_cast<long>(all.size());
    for (const SharedScale* other : all) are_alone &= other->held_ == first;
    if (are_alone) {
      std::atomic_thread_fence(std::memory_order_acquire);
      return true;
    }
    const auto shared = std::make_shared<Scale>(*first);
    for (SharedScale* other : all) other->held_ = shared;
    return true;
  }

  /// The scale, to be changed with all that share it.
  Scale& of_all() { return *held_; }

 private:
  std::shared_ptr<Scale> held_;
};

}  // namespace novikoff
