// The svmlight format once more, word by word with the standard library: slow, and easy to believe.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "novikoff/rows.hpp"
#include "novikoff/svmlight_reader.hpp"
#include "novikoff/svmlight_writer.hpp"

namespace plain {

template <class Float>
using Bits = std::conditional_t<std::is_same_v<Float, float>, std::uint32_t, std::uint64_t>;

/// What was read: the arrays, bit for bit, or nothing but the line that is not good.
template <class Float>
struct Result {
  std::vector<Bits<Float>> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> row_ends;
  std::vector<std::uint64_t> labels;
  std::size_t lines = 0;
  std::int64_t smallest = novikoff::max_index + 1, largest = -1;
  std::size_t bad_line = 0;  // 0 if all are good
  bool operator==(const Result&) const = default;

  static Result bad(std::size_t line) {
    Result result;
    result.bad_line = line;
    return result;
  }
};

inline std::vector<std::string> split(std::string_view text, std::string_view ends) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (ends.find(c) == ends.npos)
      words.back() += c;
    else
      words.emplace_back();
  }
  return words;
}

/// Removes the digits that a word begins with; whether there were any.
inline bool drop_digits(std::string_view& word) {
  const std::size_t count = std::min(word.find_first_not_of("0123456789"), word.size());
  word.remove_prefix(count);
  return count > 0;
}

inline bool drop_one_of(std::string_view& word, std::string_view characters) {
  const bool there = !word.empty() && characters.find(word[0]) != characters.npos;
  word.remove_prefix(there);
  return there;
}

inline bool is_integer(std::string_view word) {
  drop_one_of(word, "-");
  return drop_digits(word) && word.empty();
}

inline bool is_decimal(std::string_view word) {
  drop_one_of(word, "+-");
  bool digits = drop_digits(word);
  if (drop_one_of(word, ".")) digits |= drop_digits(word);
  if (!digits) return false;
  if (!drop_one_of(word, "eE")) return word.empty();
  drop_one_of(word, "+-");
  return drop_digits(word) && word.empty();
}

template <class Float>
std::optional<Float> finite(const std::string& word) {
  if (!is_decimal(word)) return {};
  Float value;
  if constexpr (std::is_same_v<Float, float>)
    value = std::strtof(word.c_str(), nullptr);
  else
    value = std::strtod(word.c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Features by their columns, if all of them are good.
template <class Float>
std::optional<std::map<std::int32_t, Float>> features_of(std::span<const std::string> words, novikoff::IndexRange range) {
  std::map<std::int32_t, Float> row;
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    if (colon == word.npos || !is_integer(word.substr(0, colon))) return {};
    const std::int64_t index = std::strtoll(word.c_str(), nullptr, 10);
    if (index < range.base || index > range.last) return {};
    const std::optional<Float> value = finite<Float>(word.substr(colon + 1));
    if (!value || !row.emplace(static_cast<std::int32_t>(index - range.base), *value).second) return {};
  }
  return row;
}

/// Whole numbers of up to 19 digits must be doubles.
inline bool keeps_digits(std::string word, double label) {
  if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
  word.erase(0, word.find_first_not_of('0'));
  const bool whole = word.find_first_not_of("0123456789") == word.npos && word.size() <= 19;
  return !whole || std::strtoull(word.c_str(), nullptr, 10) == static_cast<unsigned long long>(std::abs(label));
}

template <class Float>
Result<Float> read(std::string_view text, novikoff::IndexRange range) {
  Result<Float> result;
  std::vector<std::string> lines = split(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) {
    ++result.lines;
    std::vector<std::string> words = split(line.substr(0, line.find('#')), " \t\r");
    std::erase(words, "");
    if (words.empty()) continue;
    const std::optional<double> label = finite<double>(words[0]);
    const bool query = words.size() > 1 && words[1].starts_with("qid:") && is_integer(words[1].substr(4));
    const auto row = features_of<Float>(std::span(words).subspan(query ? 2 : 1), range);
    if (!label || !keeps_digits(words[0], *label) || !row) return Result<Float>::bad(result.lines);
    for (const auto& [column, value] : *row) {
      result.columns.push_back(column);
      result.values.push_back(std::bit_cast<Bits<Float>>(value));
      result.smallest = std::min(result.smallest, column + range.base);
      result.largest = std::max(result.largest, column + range.base);
    }
    result.labels.push_back(std::bit_cast<std::uint64_t>(*label));
    result.row_ends.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

// ---- the same by the kernels -----------------------------------------------------------------------------------------

/// Memory that ends where the text ends, for the sanitizer to see a byte read too many.
class Exact {
 public:
  explicit Exact(std::string_view text) : size_(text.size()), bytes_(new char[text.size()]) {
    if (size_ > 0) std::memcpy(bytes_.get(), text.data(), size_);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

/// What a reader has read. After a bad line the reader must be as it was before the block.
template <class Float>
Result<Float> result_of(novikoff::SvmlightReader<Float>& reader) {
  Result<Float> result;
  for (std::size_t k = 0; k < reader.values.size(); ++k) result.values.push_back(std::bit_cast<Bits<Float>>(reader.values[k]));
  for (std::size_t k = 0; k < reader.columns.size(); ++k) result.columns.push_back(reader.columns[k]);
  for (std::size_t k = 0; k < reader.row_ends.size(); ++k) result.row_ends.push_back(reader.row_ends[k]);
  for (std::size_t k = 0; k < reader.labels.size(); ++k)
    result.labels.push_back(std::bit_cast<std::uint64_t>(reader.labels[k]));
  result.lines = reader.lines, result.smallest = reader.smallest, result.largest = reader.largest;
  return result;
}

/// Feeds blocks, each in memory of its own, until one is bad.
template <class Float>
Result<Float> feed(novikoff::SvmlightReader<Float>& reader, std::span<const std::string_view> blocks) {
  for (std::string_view block : blocks) {
    const Exact text(block);
    if (const auto bad = reader.feed(text.view())) return Result<Float>::bad(bad->line);
  }
  return result_of(reader);
}

/// A text, cut at the first line end behind every `step` bytes.
inline std::vector<std::string_view> cut_every(std::string_view text, std::size_t step) {
  std::vector<std::string_view> blocks;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n', std::min(step, text.size())), text.size() - 1) + 1;
    blocks.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return blocks;
}

/// The rows that were read as the writer writes them.
template <class Float>
std::string text_of(const Result<Float>& result, std::int64_t base) {
  std::vector<Float> values;
  std::vector<double> labels;
  std::vector<std::int32_t> columns(result.columns.begin(), result.columns.end());
  std::vector<std::int64_t> offsets{0};
  for (auto bits : result.values) values.push_back(std::bit_cast<Float>(bits));
  for (auto bits : result.labels) labels.push_back(std::bit_cast<double>(bits));
  offsets.insert(offsets.end(), result.row_ends.begin(), result.row_ends.end());
  const novikoff::CsrRows<Float> rows{values.data(), columns.data(), offsets.data(), labels.size(), 0};
  std::string text;
  novikoff::append_svmlight(text, rows, labels, base, 0, labels.size());
  return text;
}

}  // namespace plain
