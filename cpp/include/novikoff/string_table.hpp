// A dictionary of strings: each different string has a code, in order of first appearance.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/bytes.hpp"
#include "novikoff/keys.hpp"

namespace novikoff {

/// A string in the form in which it is looked up. One of at most 16 bytes is two words, padded with zeros, so that two of
/// the same size are equal if their words are; `low` of a longer one is its hash.
struct StringKey {
  static constexpr std::size_t max_short = 16;

  std::string_view text;
  std::uint64_t low = 0, high = 0, hash = 0;

  /// Makes the key of a string that is followed by readable memory: 16 bytes from its begin are read.
  static StringKey padded(std::string_view text) {
    if (text.size() > max_short) return of_long(text);
    const std::uint64_t low = load<std::uint64_t>(text.data()) & masks[text.size()][0];
    const std::uint64_t high = load<std::uint64_t>(text.data() + 8) & masks[text.size()][1];
    return of_words(text, low, high);
  }

  static StringKey of(std::string_view text) {
    if (text.size() > max_short) return of_long(text);
    std::array<char, max_short> bytes{};
    std::copy_n(text.data(), text.size(), bytes.data());
    return of_words(text, load<std::uint64_t>(bytes.data()), load<std::uint64_t>(bytes.data() + 8));
  }

  static std::uint64_t hash_words(std::uint64_t low, std::uint64_t high, std::size_t size) {
    return detail::fold(low ^ detail::key_b, high ^ (detail::key_a + size));
  }

 private:
  static constexpr std::array<std::array<std::uint64_t, 2>, max_short + 1> masks = [] {
    std::array<std::array<std::uint64_t, 2>, max_short + 1> masks{};
    for (std::size_t size = 0; size <= max_short; ++size)
      for (std::size_t k = 0; k < size; ++k) masks[size][k / 8] |= std::uint64_t{0xFF} << (8 * (k % 8));
    return masks;
  }();

  static StringKey of_words(std::string_view text, std::uint64_t low, std::uint64_t high) {
    return {text, low, high, hash_words(low, high, text.size())};
  }

  static StringKey of_long(std::string_view text) {
    const std::uint64_t hash = hash_key(text);
    return {text, hash, 0, hash};
  }
};

/// Strings and their codes, compared byte by byte, so that two strings never share a code. Open addressing with linear probing,
/// at most half full.
class StringTable {
 public:
  static constexpr std::int32_t without_code = -1;  // strings that have been added as such
  static constexpr std::int32_t absent = -2;

  /// Number of codes.
  std::size_t size() const { return strings_.size(); }

  std::string_view operator[](std::size_t code) const { return {bytes_.data() + strings_[code].offset, strings_[code].size}; }

  /// Returns the code of a string; `without_code` or `absent`.
  std::int32_t find(const StringKey& key) const {
    if (used_ == 0) return absent;
    return slots_[slot_of(key)].code;
  }

  void prefetch(const StringKey& key) const {
    if (used_ > 0) __builtin_prefetch(&slots_[key.hash & mask()], 0, 3);
  }

  std::int32_t find_or_add(const StringKey& key) {
    if (const std::int32_t code = find(key); code != absent) return code;
    if (size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - 16)
      throw std::length_error("A column has more than 2^31 different strings.");
    const auto code = static_cast<std::int32_t>(size());
    const std::size_t offset = insert(key, code);
    strings_.push_back({offset, static_cast<std::uint32_t>(key.text.size())});
    return code;
  }

  /// Adds a string that `find` tells apart, and that has no code.
  void add_without_code(const StringKey& key) {
    if (find(key) == absent) insert(key, without_code);
  }

 private:
  struct Slot {
    std::uint64_t low = 0, high = 0;  // of the key; `high` of a long string is where its bytes begin
    std::uint32_t size = 0;
    std::int32_t code = absent;
  };

  struct Entry {
    std::size_t offset = 0;
    std::uint32_t size = 0;
  };

  /// Returns the slot of a string, or the empty one where it would be.
  std::size_t slot_of(const StringKey& key) const {
    std::size_t i = key.hash & mask();
    while (slots_[i].code != absent && !is_equal(slots_[i], key)) i = (i + 1) & mask();
    return i;
  }

  bool is_equal(const Slot& slot, const StringKey& key) const {
    if (slot.low != key.low || slot.size != key.text.size()) return false;
    if (slot.size <= StringKey::max_short) return slot.high == key.high;
    return std::memcmp(bytes_.data() + slot.high, key.text.data(), slot.size) == 0;
  }

  /// Adds a string that is absent, and returns where its bytes begin.
  std::size_t insert(const StringKey& key, std::int32_t code) {
    if (key.text.size() > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("A string exceeds 2^32 bytes.");
    if (2 * (used_ + 1) > slots_.size()) grow();
    const std::size_t offset = bytes_.size();
    bytes_.append(key.text);
    const bool is_short = key.text.size() <= StringKey::max_short;
    slots_[slot_of(key)] = {key.low, is_short ? key.high : offset, static_cast<std::uint32_t>(key.text.size()), code};
    ++used_;
    return offset;
  }

  std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(16, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.code == absent) continue;
      const bool is_short = slot.size <= StringKey::max_short;
      std::size_t i = (is_short ? StringKey::hash_words(slot.low, slot.high, slot.size) : slot.low) & mask();
      while (slots_[i].code != absent) i = (i + 1) & mask();
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::string bytes_;           // of all strings
  std::vector<Entry> strings_;  // by code
};

}  // namespace novikoff
