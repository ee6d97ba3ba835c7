// The features and the labels of a model that is served: names as columns, and labels as codes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "novikoff/keys.hpp"
#include "novikoff/string_table.hpp"

namespace novikoff {

/// A lock that a thread may take again and again, for one row each, without keeping it from others for longer.
class TableMutex {
 public:
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }
  void lock() {
    waiting_.fetch_add(1);
    mutex_.lock();
    waiting_.fetch_sub(1);
  }
  /// Takes the lock after those who wait for it.
  void lock_in_turn() {
    while (waiting_.load() > 0) std::this_thread::yield();
    mutex_.lock();
  }

 private:
  std::mutex mutex_;
  std::atomic<int> waiting_{0};
};

/// Columns of names, in order of first appearance, or by hash if there are buckets. All calls need `mutex`.
class NameTable {
 public:
  TableMutex mutex;

  NameTable(std::size_t most, std::size_t buckets) : most_(most), buckets_(buckets) {}

  std::size_t size() const { return table_.size(); }
  std::size_t buckets() const { return buckets_; }
  bool has_room(std::size_t count) const { return count <= most_ - std::min(most_, table_.size()); }
  std::size_t most() const { return most_; }
  std::string_view operator[](std::size_t column) const { return table_[column]; }

  /// The column of a name; `StringTable::absent` if it has none.
  std::int32_t find(std::string_view name) const { return find(StringKey::of(name)); }
  std::int32_t find(const StringKey& name) const {
    return buckets_ > 0 ? static_cast<std::int32_t>(hash_key(name.text) % buckets_) : table_.find(name);
  }
  std::int32_t find_or_add(std::string_view name) { return find_or_add(StringKey::of(name)); }
  std::int32_t find_or_add(const StringKey& name) {
    if (buckets_ > 0) return find(name);
    const std::size_t before = table_.size();
    const std::int32_t column = table_.find_or_add(name);
    if (table_.size() > before) note_index(name.text, column);
    return column;
  }
  void prefetch(const StringKey& name) const { table_.prefetch(name); }

  /// The column of a name that is this number in digits, without leading zeros; `StringTable::absent` if it has none, or if
  /// the number is large. It is quicker than by its text.
  std::int32_t find_index(std::uint64_t index) const {
    return index < by_index_.size() ? by_index_[static_cast<std::size_t>(index)] : StringTable::absent;
  }

  /// Whether a column occurs for the first time since the last call of `begin_row`.
  bool is_first(std::int32_t column) {
    const auto place = static_cast<std::size_t>(column);
    if (place >= rows_.size()) rows_.resize(std::max(table_.size(), 2 * rows_.size()));
    if (rows_[place] == row_) return false;
    rows_[place] = row_;
    return true;
  }
  void begin_row() {
    if (++row_ != 0) return;
    std::fill(rows_.begin(), rows_.end(), 0);
    row_ = 1;
  }

 private:
  static constexpr std::size_t max_index_digits = 6;

  void note_index(std::string_view name, std::int32_t column) {
    if (name.empty() || name.size() > max_index_digits || (name[0] == '0' && name.size() > 1)) return;
    std::size_t index = 0;
    for (char digit : name) {
      if (digit < '0' || digit > '9') return;
      index = 10 * index + static_cast<std::size_t>(digit - '0');
    }
    if (index >= by_index_.size()) by_index_.resize(index + 1 + index / 4, StringTable::absent);
    by_index_[index] = column;
  }

  std::size_t most_, buckets_;
  StringTable table_;
  std::vector<std::int32_t> by_index_;  // columns of the names that are small numbers
  std::vector<std::uint32_t> rows_;     // the last row in which each column occurred
  std::uint32_t row_ = 0;
};

enum class LabelKind : std::uint8_t { none, text, integer, boolean };

inline const char* words_for(LabelKind kind) {
  return kind == LabelKind::text ? "strings" : kind == LabelKind::integer ? "integers" : "true and false";
}

/// Returns the code of a label in a table; it is added if it is new.
inline std::int32_t add_label(StringTable& table, LabelKind kind, std::string_view label) {
  const std::int32_t code = table.find_or_add(StringKey::of(label));
  if (kind == LabelKind::boolean && table.size() == 1)  // learners know both as soon as they see one of them
    table.find_or_add(StringKey::of(label == "true" ? "false" : "true"));
  return code;
}

/// Codes of labels, in order of first appearance. All labels are of one kind. All calls need `mutex`.
class LabelTable {
 public:
  TableMutex mutex;

  explicit LabelTable(std::size_t most) : most_(most) {}

  std::size_t size() const { return table_.size(); }
  std::size_t most() const { return most_; }
  LabelKind kind() const { return kind_; }
  std::string_view operator[](std::size_t code) const { return table_[code]; }
  std::int32_t find(std::string_view label) const { return table_.find(StringKey::of(label)); }

  std::int32_t find_or_add(LabelKind kind, std::string_view label) {
    kind_ = kind;
    return add_label(table_, kind, label);
  }

 private:
  std::size_t most_;
  LabelKind kind_ = LabelKind::none;
  StringTable table_;
};

}  // namespace novikoff
