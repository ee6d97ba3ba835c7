// A value that may be absent. As std::optional, but its owner only has a pointer to it: the problems of a learner with many
// classes stay small if they lack most of what a problem may have.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace novikoff {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(std::optional<T> value) {
    if (value) emplace(std::move(*value));
  }
  Boxed(T value) { emplace(std::move(value)); }
  Boxed(const Boxed& other) {
    if (other) emplace(*other);
  }
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Boxed() = default;

  operator std::optional<T>() const& { return held_ ? std::optional<T>(*held_) : std::nullopt; }
  operator std::optional<T>() && { return held_ ? std::optional<T>(std::move(*held_)) : std::nullopt; }

  explicit operator bool() const { return held_ != nullptr; }
  bool has_value() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }
  T value_or(T otherwise) const { return held_ ? *held_ : std::move(otherwise); }

  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    held_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return *held_;
  }
  void reset() { held_.reset(); }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace novikoff
