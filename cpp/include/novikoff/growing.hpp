// An array that grows at its end and whose memory can be handed over without a copy.
#pragma once

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace novikoff {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// Memory comes from realloc, which moves large arrays by remapping their pages instead of copying them. Pages that are
/// never written cost nothing, so that capacity may be reserved generously.
template <class T>
class Growing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Growing() = default;
  Growing(Growing&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, 0)) {}
  Growing& operator=(Growing&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  T* data() { return memory_.get(); }
  T& operator[](std::size_t i) { return memory_.get()[i]; }
  T* end() { return memory_.get() + size_; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(std::max(capacity, capacity_ + capacity_ / 2));
  }

  /// Reserves memory for a large array, on huge pages if the system has them, which make the first write to new memory cheaper.
  void expect(std::size_t capacity) {
    reserve(capacity);
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t page = 1 << 21;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(end()) + page - 1) / page * page;
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(data() + capacity_) / page * page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a hint; failure does not matter
#endif
  }

  /// New elements are uninitialized.
  void resize(std::size_t size) {
    reserve(size);
    size_ = size;
  }

  void push_back(T value) {
    resize(size_ + 1);
    memory_.get()[size_ - 1] = value;
  }

  /// Hands the memory over, and leaves an empty array.
  std::unique_ptr<T[], Free> release() {
    if (size_ < capacity_) reallocate(size_);
    size_ = capacity_ = 0;
    return std::move(memory_);
  }

 private:
  void reallocate(std::size_t capacity) {
    if (capacity > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    void* moved = std::realloc(memory_.get(), std::max<std::size_t>(1, capacity) * sizeof(T));
    if (!moved) throw std::bad_alloc();
    static_cast<void>(memory_.release());  // realloc owns it now
    memory_.reset(static_cast<T*>(moved));
    capacity_ = capacity;
  }

  std::unique_ptr<T[], Free> memory_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace novikoff
