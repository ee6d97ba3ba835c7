// Splits delimited text (CSV and its relatives) into records and fields.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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

/// A byte to look for in words of eight.
struct Pattern {
  std::uint64_t bytes;

  explicit Pattern(char byte) : bytes(static_cast<unsigned char>(byte) * ones) {}

  /// Returns the highest bit of every byte that is equal. Only the lowest of these bits is reliable.
  std::uint64_t first_in(std::uint64_t word) const {
    const std::uint64_t t = word ^ bytes;
    return (t - ones) & ~t & (ones << 7);
  }

 private:
  static constexpr std::uint64_t ones = 0x0101010101010101ULL;
};

/// Returns the first of some bytes from `p` on. It must exist, and seven bytes after it must be readable.
template <class... Patterns>
const char* find_first(const char* p, const Patterns&... patterns) {
  for (;; p += 8) {
    const std::uint64_t word = load<std::uint64_t>(p), found = (patterns.first_in(word) | ...);
    if (found != 0) return p + std::countr_zero(found) / 8;
  }
}

/// Returns the first `byte` from `p` on, or null.
inline const char* find_byte(const char* p, const char* end, const Pattern& pattern, char byte) {
  for (; end - p >= 8; p += 8)
    if (const std::uint64_t found = pattern.first_in(load<std::uint64_t>(p))) return p + std::countr_zero(found) / 8;
  for (; p < end; ++p)
    if (*p == byte) return p;
  return nullptr;
}

inline bool is_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

}  // namespace detail

// The two kinds of delimiters. Text that they look at ends with a line end.

/// One character after each field but the last.
struct SingleDelimiter {
  char delimiter;
  detail::Pattern at_delimiter{delimiter}, at_line_feed{'\n'};

  bool ends_field(const char* p) const { return *p == delimiter || detail::is_line_end(p); }

  /// Returns the delimiter or line feed that ends an unquoted field.
  const char* find_end(const char* p) const { return detail::find_first(p, at_delimiter, at_line_feed); }

  /// Moves from the end of a field to its delimiter, or to the line feed.
  const char* settle(const char* p) const { return p + (*p == '\r'); }

  /// Moves from a delimiter to the next field.
  const char* next_field(const char* p) const { return p + 1; }
};

/// Blanks between fields.
struct BlankRuns {
  detail::Pattern at_space{' '}, at_tab{'\t'}, at_line_feed{'\n'};

  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  bool ends_field(const char* p) const { return is_blank(*p) || detail::is_line_end(p); }
  const char* find_end(const char* p) const { return detail::find_first(p, at_space, at_tab, at_line_feed); }
  const char* settle(const char* p) const {
    while (is_blank(*p)) ++p;
    return p + (*p == '\r' && p[1] == '\n');
  }
  const char* next_field(const char* p) const { return p; }
};

/// Calls `each(end)` with the position after each complete record, in order. The text begins where a record does.
template <class Each>
void for_each_record_end(std::string_view text, const Dialect& dialect, const Each& each) {
  const char* const first = text.data();
  const char* const end = first + text.size();
  const detail::Pattern at_quote(dialect.quote), at_line_feed('\n');
  const auto find_quote = [&](const char* p) { return detail::find_byte(p, end, at_quote, dialect.quote); };
  const auto begins_field = [&](const char* p) {
    if (p > first && dialect.has_blank_runs()) return dialect.is_blank(p[-1]) || p[-1] == '\n';
    if (dialect.trim)
      while (p > first && dialect.is_blank(p[-1])) --p;
    return p == first || p[-1] == dialect.delimiter || p[-1] == '\n';
  };
  const auto find_close = [&](const char* p) {  // two quotes inside of quotes stand for one
    p = find_quote(p);
    while (p && p + 1 < end && p[1] == dialect.quote) p = find_quote(p + 2);
    return p;
  };
  const bool has_quotes = dialect.quote != Dialect::without_quote && text.find(dialect.quote) != text.npos;
  for (const char* p = first; p;) {
    const char* open = has_quotes ? find_quote(p) : nullptr;
    while (open && !begins_field(open)) open = find_quote(open + 1);
    const char* const outside = open ? open : end;
    while ((p = detail::find_byte(p, outside, at_line_feed, '\n'))) each(static_cast<std::size_t>(++p - first));
    const char* close = open ? find_close(open + 1) : nullptr;
    while (close && close + 2 < end && close[1] == dialect.delimiter && close[2] == dialect.quote)
      close = find_close(close + 3);
    p = close ? close + 1 : nullptr;
  }
}

/// Returns the position after the last complete record, or 0.
inline std::size_t record_end(std::string_view text, const Dialect& dialect) {
  std::size_t last = 0;
  for_each_record_end(text, dialect, [&](std::size_t end) { last = end; });
  return last;
}

/// Returns the positions after some of the records, each the first that is at least `step` bytes after the one before, and the
/// size of the text. A record that is not complete ends with the text.
inline std::vector<std::size_t> cut_records(std::string_view text, const Dialect& dialect, std::size_t step) {
  if (text.size() <= step && !text.empty()) return {text.size()};
  std::vector<std::size_t> cuts;
  for_each_record_end(text, dialect, [&](std::size_t end) {
    if (end - (cuts.empty() ? 0 : cuts.back()) >= step) cuts.push_back(end);
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
