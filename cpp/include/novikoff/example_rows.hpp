// Examples with named features, as a reader builds them: rows of columns and values, labels, weights and ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "novikoff/name_table.hpp"

namespace novikoff {

struct ExampleLimits {
  std::size_t features = 100'000;  // of a row
  std::size_t name = 1'000;        // bytes of a name
  std::size_t id = 200;            // bytes of an id
  std::size_t line = 1 << 20;      // bytes of an example
};

/// An example that is refused: its place among all examples of the text, and what is wrong. "{}" in the message stands for the
/// value.
struct BadExample {
  std::size_t place;
  std::string message, value;
};

enum class FeatureKind : std::uint8_t { named, text, none };

/// The examples of a text, without those that are refused.
///
/// A name that is not in the table has the column `new_column - k`, where k is its place among `new_names`; a label that is not
/// in the table has the code `new_code - k`.
struct ExampleRows {
  static constexpr std::int32_t new_column = -1, no_label = -1, new_code = -2;

  std::vector<std::int32_t> offsets{0}, columns, codes;
  std::vector<double> values, weights;  // one weight per example, if any was given
  std::vector<FeatureKind> features;
  std::vector<std::pair<std::size_t, std::size_t>> spans;  // where each example is in the text
  std::vector<std::int64_t> places;                        // of each example among all of the text, refused ones included
  std::string ids, texts;
  std::vector<std::size_t> id_ends, text_ends;  // of each example, if any was given
  std::vector<BadExample> bad;
  StringTable new_names, new_labels;
  LabelKind new_kind = LabelKind::none;  // of the new labels
  std::size_t width = 0;                 // more than any column of a known name
  bool is_array = false;

  std::size_t count() const { return codes.size(); }
};

/// When the tables are locked: by the caller for all rows, from the begin of each row to its end, or only while the names and
/// the label of a row are looked up at its end, which does not allow `add_index`.
enum class Locking : std::uint8_t { by_caller, rows, lookups };

/// Builds one row after the other. The tables do not change: names and labels that they lack are collected when their row is
/// complete, and only if it `collects`; otherwise an unknown name gets a column that no name has.
class RowBuilder {
 public:
  RowBuilder(ExampleRows& rows, NameTable& names, LabelTable& labels, const ExampleLimits& limits, bool collects,
             Locking locking = Locking::by_caller)
      : rows_(rows), names_(names), labels_(labels), limits_(limits), collects_(collects), locking_(locking) {
    lock();
    rows_.width = width();
    unlock();
  }
  RowBuilder(const RowBuilder&) = delete;
  RowBuilder& operator=(const RowBuilder&) = delete;
  ~RowBuilder() { unlock(); }

  void begin() {
    if (locking_ != Locking::lookups) begin_lookups();
    keys_.clear();
    fresh_.clear();
    copies_.clear();
    id_ = text_ = label_ = {};
    label_kind_ = LabelKind::none;
    features_ = FeatureKind::none;
    weight_ = 1;
    has_id_ = false;
    problem_.clear();
  }

  /// Each of these returns false if the example is refused, and then `refuse` was called.
  ///
  /// A name must be followed by 16 readable bytes and exist until the row ends, unless it `is_temporary`. Its column is looked
  /// up at the end of the row: until then, the table's memory is on its way to the processor.
  [[gnu::always_inline]] bool add_feature(std::string_view name, double value, bool is_temporary = false) {
    features_ = FeatureKind::named;
    if (name.size() > limits_.name || size() >= limits_.features) [[unlikely]]
      return refuse_feature(name);
    keys_.push_back({is_temporary ? StringKey::of(copies_.emplace_back(name)) : StringKey::padded(name), size()});
    if (locking_ != Locking::lookups) names_.prefetch(keys_.back().key);
    rows_.columns.push_back(StringTable::absent);
    rows_.values.push_back(value);
    return true;
  }
  /// Adds a feature whose name is a number in digits, without leading zeros.
  [[gnu::always_inline]] bool add_index(std::uint64_t index, std::string_view name, double value) {
    const std::int32_t column = names_.find_index(index);
    if (column == StringTable::absent || size() >= limits_.features || name.size() > limits_.name)
      return add_feature(name, value);
    features_ = FeatureKind::named;
    if (!names_.is_first(column)) [[unlikely]]
      return refuse("feature {} occurs twice", name);
    rows_.columns.push_back(column);
    rows_.values.push_back(value);
    return true;
  }
  [[gnu::noinline]] bool refuse_feature(std::string_view name) {
    if (name.size() > limits_.name) return refuse("a feature name is longer than " + std::to_string(limits_.name) + " bytes");
    return refuse("it has more than " + std::to_string(limits_.features) + " features");
  }
  bool set_label(LabelKind kind, std::string_view label) {
    if (kind == LabelKind::text && label.size() > limits_.name)
      return refuse("a label is longer than " + std::to_string(limits_.name) + " bytes");
    if (kind == LabelKind::text && label.find('\0') != label.npos) return refuse("a label has the character U+0000");
    label_kind_ = kind;
    label_.assign(label);
    return true;
  }
  bool set_id(std::string_view id) {
    if (id.empty()) return refuse("the id is empty");
    if (id.size() > limits_.id) return refuse("an id is longer than " + std::to_string(limits_.id) + " bytes");
    id_.assign(id);
    has_id_ = true;
    return true;
  }
  bool set_weight(double weight) {
    if (!(weight > 0)) return refuse("weight must be a positive number");
    weight_ = weight;
    return true;
  }
  void set_text(std::string_view text) {
    features_ = FeatureKind::text;
    text_.assign(text);
  }
  void set_named() { features_ = FeatureKind::named; }

  bool refuse(std::string message, std::string_view value = {}) {
    if (problem_.empty()) problem_ = std::move(message), value_.assign(value);
    return false;
  }

  /// Ends a row that lies at [begin, end) of the text. Keeps it, unless it was refused. Returns whether it was kept.
  bool end(std::size_t place, std::size_t begin, std::size_t end) {
    if (locking_ == Locking::lookups) begin_lookups();
    const bool is_kept = finish(place, begin, end);
    unlock();
    return is_kept;
  }

 private:
  /// A feature whose column is looked up at the end of the row.
  struct Unresolved {
    StringKey key;
    std::size_t place;  // in the row
  };

  /// Number of features of the row.
  std::size_t size() const { return rows_.columns.size() - static_cast<std::size_t>(rows_.offsets.back()); }

  void begin_lookups() {
    lock();
    names_.begin_row();
  }
  void lock() {
    if (locking_ == Locking::by_caller || is_locked_) return;
    names_.mutex.lock_in_turn();
    labels_.mutex.lock();
    is_locked_ = true;
  }
  void unlock() {
    if (!is_locked_) return;
    is_locked_ = false;
    labels_.mutex.unlock();
    names_.mutex.unlock();
  }

  bool finish(std::size_t place, std::size_t begin, std::size_t end) {
    const auto before = static_cast<std::size_t>(rows_.offsets.back());
    if (problem_.empty() && find_columns()) check_names();
    if (problem_.empty()) check_label();
    if (!problem_.empty()) {
      rows_.columns.resize(before);
      rows_.values.resize(before);
      if (value_.size() > 200) value_.resize(200);
      rows_.bad.push_back({place, problem_, value_});
      return false;
    }
    if (names_.buckets() > 0) merge_columns();
    const std::size_t known = names_.size();
    for (std::size_t k = 0; k < fresh_.size(); ++k) {
      const Unresolved& own = keys_[fresh_[k]];
      rows_.columns[before + own.place] =
          collects_ ? ExampleRows::new_column - rows_.new_names.find_or_add(own.key) : static_cast<std::int32_t>(known + k);
    }
    if (!collects_ && !fresh_.empty()) rows_.width = std::max(rows_.width, known + fresh_.size());
    if (collects_) rows_.width = width();
    rows_.offsets.push_back(static_cast<std::int32_t>(rows_.columns.size()));
    rows_.codes.push_back(code());
    rows_.features.push_back(features_);
    rows_.spans.push_back({begin, end});
    rows_.places.push_back(static_cast<std::int64_t>(place));
    keep_rare();
    return true;
  }

  std::size_t width() const { return std::max<std::size_t>(1, names_.buckets() > 0 ? names_.buckets() : names_.size()); }

  /// Finds the columns of all names that have one.
  bool find_columns() {
    if (rows_.columns.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      return refuse("the text has too many features");
    std::int32_t* columns = rows_.columns.data() + rows_.offsets.back();
    constexpr std::size_t ahead = 8;  // names whose memory is on its way to the processor
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (locking_ == Locking::lookups && k + ahead < keys_.size()) names_.prefetch(keys_[k + ahead].key);
      const std::int32_t column = names_.find(keys_[k].key);
      if (column == StringTable::absent)
        fresh_.push_back(k);
      else if (names_.buckets() == 0 && !names_.is_first(column))
        return refuse("feature {} occurs twice", keys_[k].key.text);
      columns[keys_[k].place] = column;
    }
    return true;
  }

  void check_names() {
    if (fresh_.size() > 1) {
      std::vector<std::string_view> sorted;
      for (std::size_t k : fresh_) sorted.push_back(keys_[k].key.text);
      std::sort(sorted.begin(), sorted.end());
      if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        refuse("feature {} occurs twice", *twice);
    }
    if (collects_ && !fresh_.empty() && !has_room_for_names())
      refuse("the model would have more than " + std::to_string(names_.most()) + " feature names (setting max_names)");
  }

  /// Whether the table could take the new names of the rows before, and those of this row.
  bool has_room_for_names() {
    std::size_t more = 0;
    for (std::size_t k : fresh_) more += rows_.new_names.find(keys_[k].key) == StringTable::absent;
    if (names_.has_room(rows_.new_names.size() + more)) return true;
    if (!names_.has_room(more)) return false;
    if (counted_at_ != names_.size()) {  // other threads may have added some of the new names meanwhile
      counted_at_ = names_.size();
      still_new_ = 0;
      for (std::size_t k = 0; k < rows_.new_names.size(); ++k)
        still_new_ += names_.find(rows_.new_names[k]) == StringTable::absent;
      counted_ = rows_.new_names.size();
    }
    return names_.has_room(still_new_ + (rows_.new_names.size() - counted_) + more);
  }

  void check_label() {
    if (label_kind_ == LabelKind::none) return;
    const LabelKind known = labels_.kind() != LabelKind::none ? labels_.kind() : rows_.new_kind;
    if (known != LabelKind::none && known != label_kind_) {
      refuse(std::string("label {} does not fit the labels of this model, which are ") + words_for(known), label_);
    } else if (collects_ && labels_.find(label_) < 0 && rows_.new_labels.find(StringKey::of(label_)) < 0) {
      std::size_t count = labels_.size();
      for (std::size_t k = 0; k < rows_.new_labels.size() && count < labels_.most(); ++k)
        count += labels_.find(rows_.new_labels[k]) < 0;
      if (count >= labels_.most())
        refuse("label {} would be one more than the " + std::to_string(labels_.most()) +
                   " labels that a model may have (setting max_classes)",
               label_);
    }
  }

  /// Sorts the columns of a hashed row, and adds the values of those that several names share.
  void merge_columns() {
    const auto begin = static_cast<std::size_t>(rows_.offsets.back());
    const std::size_t end = rows_.columns.size();
    entries_.clear();
    for (std::size_t k = begin; k < end; ++k) entries_.emplace_back(rows_.columns[k], rows_.values[k]);
    std::stable_sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t kept = begin;
    for (const auto& [column, value] : entries_) {
      if (kept > begin && rows_.columns[kept - 1] == column) {
        rows_.values[kept - 1] += value;
      } else {
        rows_.columns[kept] = column;
        rows_.values[kept++] = value;
      }
    }
    rows_.columns.resize(kept);
    rows_.values.resize(kept);
  }

  std::int32_t code() {
    if (label_kind_ == LabelKind::none) return ExampleRows::no_label;
    const std::int32_t code = labels_.find(label_);
    if (code >= 0 || !collects_) return code;
    rows_.new_kind = label_kind_;
    return ExampleRows::new_code - add_label(rows_.new_labels, label_kind_, label_);
  }

  /// Weights, ids and texts are kept from the first example on that has one.
  void keep_rare() {
    const std::size_t count = rows_.count();
    if (weight_ != 1 && rows_.weights.empty()) rows_.weights.resize(count - 1, 1.0);
    if (weight_ != 1 || !rows_.weights.empty()) rows_.weights.push_back(weight_);
    if (has_id_ && rows_.id_ends.empty()) rows_.id_ends.resize(count - 1, 0);
    if (has_id_ || !rows_.id_ends.empty()) {
      rows_.ids += id_;
      rows_.id_ends.push_back(rows_.ids.size());
    }
    const bool is_text = features_ == FeatureKind::text;
    if (is_text && rows_.text_ends.empty()) rows_.text_ends.resize(count - 1, 0);
    if (is_text || !rows_.text_ends.empty()) {
      rows_.texts += text_;
      rows_.text_ends.push_back(rows_.texts.size());
    }
  }

  ExampleRows& rows_;
  NameTable& names_;
  LabelTable& labels_;
  const ExampleLimits& limits_;
  bool collects_;
  Locking locking_;
  std::vector<Unresolved> keys_;    // names of the features
  std::vector<std::size_t> fresh_;  // those that have no column
  std::deque<std::string> copies_;  // names that the text does not contain as they are
  std::vector<std::pair<std::int32_t, double>> entries_;
  std::string id_, text_, label_, problem_, value_;
  LabelKind label_kind_ = LabelKind::none;
  FeatureKind features_ = FeatureKind::none;
  double weight_ = 1;
  bool has_id_ = false, is_locked_ = false;
  std::size_t counted_at_ = std::numeric_limits<std::size_t>::max();  // size of the table when the new names were counted
  std::size_t counted_ = 0, still_new_ = 0;                           // how many were counted, and how many it lacked then
};

}  // namespace novikoff
