// The names of columns, in the order of the columns: text or integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "novikoff/keys.hpp"

namespace novikoff {

/// A feature name whose text belongs to somebody else.
struct Name {
  const char* text = nullptr;  // null: the name is an integer
  std::int64_t value = 0;      // the integer, or the number of bytes of the text, which is UTF-8

  static Name of(std::string_view text) { return {text.data() ? text.data() : "", static_cast<std::int64_t>(text.size())}; }
  static Name of(std::int64_t number) { return {nullptr, number}; }

  bool is_text() const { return text != nullptr; }
  std::string_view view() const { return {text, static_cast<std::size_t>(value)}; }
  std::uint64_t hash() const { return is_text() ? hash_key(view()) : hash_key(value); }
};

/// All names one after the other in one array, so that a copy of a million names is a copy of two arrays.
class Names {
 public:
  std::size_t size() const { return ends_.size(); }
  std::size_t byte_count() const { return bytes_.size(); }

  /// Has no effect if memory runs out.
  void add(const Name& name) {
    if (ends_.size() == ends_.capacity()) ends_.reserve(2 * ends_.size() + 16);
    const char* from = name.is_text() ? name.text : reinterpret_cast<const char*>(&name.value);
    bytes_.insert(bytes_.end(), from, from + (name.is_text() ? static_cast<std::size_t>(name.value) : sizeof name.value));
    ends_.push_back(bytes_.size() << 1 | static_cast<std::size_t>(name.is_text()));
  }

  /// The name of a column. It is valid until the next one is added.
  Name operator[](std::size_t i) const {
    const char* first = bytes_.data() + (i == 0 ? 0 : ends_[i - 1] >> 1);
    if (ends_[i] & 1)
      return Name::of(std::string_view(first, static_cast<std::size_t>(bytes_.data() + (ends_[i] >> 1) - first)));
    std::int64_t number = 0;
    std::memcpy(&number, first, sizeof number);
    return Name::of(number);
  }

 private:
  std::vector<char> bytes_;        // of each name: UTF-8, or an integer of eight bytes
  std::vector<std::size_t> ends_;  // where each name ends, times 2, plus 1 if it is text
};

/// The columns of features that have names: a table of names, or a fixed number of buckets.
struct Columns {
  KeyTable table;
  Names names;                 // by column; empty with buckets
  std::int64_t buckets = 0;    // 0: a table
  std::uint64_t revision = 0;  // how often all names were replaced

  std::size_t count() const { return buckets > 0 ? static_cast<std::size_t>(buckets) : table.size(); }

  /// The column of a name; a new one if the name is new. Has no effect if memory runs out.
  std::int64_t find_or_add(std::uint64_t hash, const Name& name) {
    const std::int64_t known = table.find(hash);
    if (known != KeyTable::absent) return known;
    table.make_room();
    names.add(name);
    return table.find_or_add(hash);
  }
};

}  // namespace novikoff
