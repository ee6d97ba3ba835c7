// Hashes feature names and assigns columns to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "novikoff/bytes.hpp"

namespace novikoff {

namespace detail {

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t key_a = 0x8C5F0B5D3A1E9C47ULL, key_b = 0xD1B54A32D192ED03ULL, key_c = 0xA24BAED4963EE407ULL;

}  // namespace detail

/// A 64-bit hash of bytes, the same in every process, on every machine and in every release: models depend on it.
/// Pairs of words are folded by 64 x 64 -> 128 bit products. The last 16 bytes are read as two words that may overlap,
/// which loses nothing since the length goes into the last fold.
inline std::uint64_t hash_key(std::string_view text) {
  using namespace detail;
  std::uint64_t hash = key_a;
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left > 16; p += 16, left -= 16) hash = fold(load<std::uint64_t>(p) ^ key_b, load<std::uint64_t>(p + 8) ^ hash);
  std::uint64_t low = 0, high = 0;
  if (left >= 8) {
    low = load<std::uint64_t>(p);
    high = load<std::uint64_t>(p + left - 8);
  } else if (left >= 4) {
    low = load<std::uint32_t>(p);
    high = load<std::uint32_t>(p + left - 4);
  } else if (left > 0) {
    const auto byte = [p](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])); };
    low = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
  }
  return fold(text.size() ^ key_c, fold(low ^ key_b, high ^ hash));
}

/// Integers hash apart from the text of their digits, and all differently: every step can be undone.
inline std::uint64_t hash_key(std::int64_t number) {
  std::uint64_t hash = static_cast<std::uint64_t>(number) + detail::key_c;
  hash = (hash ^ (hash >> 32)) * detail::key_a;
  hash = (hash ^ (hash >> 29)) * detail::key_b;
  return hash ^ (hash >> 32);
}

/// Hash to column, columns given out in order of first appearance. Open addressing with linear probing, at most half
/// full. Two keys with one 64-bit hash share a column: among a million keys the chance of any is below 3e-8.
class KeyTable {
 public:
  static constexpr std::int64_t absent = -1;

  std::size_t size() const { return size_; }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()], 0, 3); }

  std::int64_t find(std::uint64_t hash) const {
    for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
      if (slots_[i].column == absent) return absent;
      if (slots_[i].hash == hash) return slots_[i].column;
    }
  }

  /// Whether `count` more keys fit without a new table.
  bool has_room(std::size_t count = 1) const { return 2 * (size_ + count) <= slots_.size(); }

  /// Makes room for one more key, so that adding it needs no memory.
  void make_room() {
    if (!has_room()) grow();
  }

  std::int64_t find_or_add(std::uint64_t hash) {
    make_room();
    std::size_t i = hash & mask();
    for (; slots_[i].column != absent; i = (i + 1) & mask())
      if (slots_[i].hash == hash) return slots_[i].column;
    slots_[i] = {hash, static_cast<std::int64_t>(size_++)};
    return slots_[i].column;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::int64_t column = absent;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.column == absent) continue;
      std::size_t i = slot.hash & mask();
      while (slots_[i].column != absent) i = (i + 1) & mask();
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t size_ = 0;
};

}  // namespace novikoff
