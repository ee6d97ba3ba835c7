// Splits delimited text (CSV and its relatives) into records and fields.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/bytes.hpp"

namespace novikoff {

/// How fields and numbers are written. A record ends at a line end that is not inside quotes; lines end with LF or CR LF.
///
/// A field is quoted if it begins with the quote; a doubled quote stands for one, and what follows the closing quote is added
/// as it is. Quotes elsewhere are ordinary characters.
struct Dialect {
  static constexpr char without_quote = '\0';

  char delimiter = ',';        // a blank stands for a run of blanks; those at both ends of a line are then ignored
  char quote = '"';            // or `without_quote`
  char decimal = '.';          // the decimal point
  std::string thousands = {};  // between groups of three digits; empty for none
  bool trim = true;            // remove blanks around fields, also around and inside of their quotes

  bool has_blank_runs() const { return delimiter == ' '; }
  bool is_quote(char c) const { return c == quote && quote != without_quote; }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter != '\t'); }
  bool skips_blanks() const { return trim || has_blank_runs(); }

  const char* skip_blanks(const char* p) const {
    while (is_blank(*p)) ++p;
    return p;
  }

  std::string_view trimmed(std::string_view text) const {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
  }
};

namespace detail {

/// Returns the highest bit of every byte that equals `byte`. Only the lowest of these bits is reliable.
inline std::uint64_t first_equal(std::uint64_t word, unsigned char byte) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  const std::uint64_t t = word ^ (byte * ones);
  return (t - ones) & ~t & (ones << 7);
}

/// Returns the first of some characters from `p` on. It must exist, and seven bytes after it must be readable.
template <class... Byte>
const char* find_first(const char* p, Byte... bytes) {
  for (;; p += 8) {
    const std::uint64_t word = load<std::uint64_t>(p), found = (first_equal(word, static_cast<unsigned char>(bytes)) | ...);
    if (found != 0) return p + std::countr_zero(found) / 8;
  }
}

inline bool is_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

}  // namespace detail

// The two kinds of delimiters. Text that they look at ends with a line end.

/// One character after each field but the last.
struct SingleDelimiter {
  char delimiter;

  bool ends_field(const char* p) const { return *p == delimiter || detail::is_line_end(p); }

  /// Returns the delimiter or line feed that ends an unquoted field.
  const char* find_end(const char* p) const { return detail::find_first(p, delimiter, '\n'); }

  /// Moves from the end of a field to its delimiter, or to the line feed.
  const char* settle(const char* p) const { return p + (*p == '\r'); }

  /// Moves from a delimiter to the next field.
  const char* next_field(const char* p) const { return p + 1; }
};

/// Blanks between fields.
struct BlankRuns {
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  bool ends_field(const char* p) const { return is_blank(*p) || detail::is_line_end(p); }
  const char* find_end(const char* p) const { return detail::find_first(p, ' ', '\t', '\n'); }
  const char* settle(const char* p) const {
    while (is_blank(*p)) ++p;
    return p + (*p == '\r' && p[1] == '\n');
  }
  const char* next_field(const char* p) const { return p; }
};

/// Calls `each(begin, end)` with the parts of a text that are outside quotes, in order. Returns false if the text ends inside
/// quotes. The text begins where a record does.
template <class Each>
bool for_each_unquoted(std::string_view text, const Dialect& dialect, const Each& each) {
  const char* const first = text.data();
  const char* const end = first + text.size();
  const auto find_quote = [&](const char* p) {
    return p < end ? static_cast<const char*>(std::memchr(p, dialect.quote, static_cast<std::size_t>(end - p))) : nullptr;
  };
  const auto begins_field = [&](const char* p) {
    if (p > first && dialect.has_blank_runs()) return dialect.is_blank(p[-1]) || p[-1] == '\n';
    if (dialect.trim)
      while (p > first && dialect.is_blank(p[-1])) --p;
    return p == first || p[-1] == dialect.delimiter || p[-1] == '\n';
  };
  const char* begin = first;
  if (dialect.quote != Dialect::without_quote) {
    for (const char* p = find_quote(begin); p; p = find_quote(p)) {
      if (!begins_field(p)) {
        ++p;
        continue;
      }
      each(begin, p);
      const char* close = find_quote(p + 1);
      while (close && close + 1 < end && close[1] == dialect.quote) close = find_quote(close + 2);
      if (!close) return false;
      begin = p = close + 1;
    }
  }
  each(begin, end);
  return true;
}

/// Returns the position after the last complete record, or 0.
inline std::size_t record_end(std::string_view text, const Dialect& dialect) {
  std::size_t last = 0;
  for_each_unquoted(text, dialect, [&](const char* begin, const char* end) {
    while (end > begin && end[-1] != '\n') --end;
    if (end > begin) last = static_cast<std::size_t>(end - text.data());
  });
  return last;
}

/// Returns the positions after some of the records, each the first that is at least `step` bytes after the one before, and the
/// size of the text. A record that is not complete ends with the text.
inline std::vector<std::size_t> cut_records(std::string_view text, const Dialect& dialect, std::size_t step) {
  std::vector<std::size_t> cuts;
  const char* next = text.data() + std::min(text.size(), step);
  for_each_unquoted(text, dialect, [&](const char* begin, const char* end) {
    for (begin = std::max(begin, next); begin < end; begin = std::max(begin, next)) {
      const auto* feed = static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
      if (!feed) return;
      begin = feed + 1;
      cuts.push_back(static_cast<std::size_t>(begin - text.data()));
      next = begin + std::min(step, text.size() - cuts.back());
    }
  });
  if (!text.empty() && (cuts.empty() || cuts.back() < text.size())) cuts.push_back(text.size());
  return cuts;
}

/// Whether a record consists of blanks only.
inline bool is_blank_record(std::string_view record, const Dialect& dialect) {
  if (record.ends_with('\n')) record.remove_suffix(1);
  if (record.ends_with('\r')) record.remove_suffix(1);
  return std::all_of(record.begin(), record.end(), [&](char c) { return dialect.is_blank(c); });
}

/// Returns the line at which each record begins that is not blank.
inline std::vector<std::int64_t> record_lines(std::string_view text, const Dialect& dialect) {
  std::vector<std::int64_t> lines;
  std::int64_t line = 0;
  std::size_t begin = 0;
  for (std::size_t end : cut_records(text, dialect, 0)) {
    const std::string_view record = text.substr(begin, end - begin);
    if (!is_blank_record(record, dialect)) lines.push_back(line);
    line += std::count(record.begin(), record.end(), '\n');
    begin = end;
  }
  return lines;
}

}  // namespace novikoff
