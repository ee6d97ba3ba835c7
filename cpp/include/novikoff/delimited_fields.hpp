// Reads the fields of delimited text: strings without their quotes, and numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/bytes.hpp"
#include "novikoff/delimited.hpp"
#include "novikoff/numbers.hpp"
#include "novikoff/string_table.hpp"

namespace novikoff {

constexpr std::size_t field_padding = 32;  // readable bytes after a text whose fields are read

/// What a number field holds.
enum class NumberKind { number, missing, invalid };

namespace detail {

/// Reads [-] digits [point digits] of up to 7 digits each. Returns where it ends, or null for other numbers. One division of
/// exact doubles rounds correctly (Clinger 1990).
inline const char* read_short(const char* p, char point, double& value) {
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t word = load<std::uint64_t>(p), others = other_than_digits(word);
  if (others == 0) return nullptr;
  const int whole = std::countr_zero(others) / 8;
  std::uint64_t mantissa = first_digits(word, whole);
  p += whole;
  int fraction = 0;
  if (*p == point) {
    word = load<std::uint64_t>(++p);
    others = other_than_digits(word);
    if (others == 0) return nullptr;
    fraction = std::countr_zero(others) / 8;
    mantissa = mantissa * integer_powers[static_cast<std::size_t>(fraction)] + first_digits(word, fraction);
    p += fraction;
  }
  if (whole + fraction == 0) return nullptr;
  const auto exact = static_cast<double>(mantissa);
  const double size = fraction == 0 ? exact : exact / exact_powers[static_cast<std::size_t>(fraction)];
  value = negative ? -size : size;
  return p;
}

inline bool is_digit(char c) { return '0' <= c && c <= '9'; }

inline bool is_word(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace detail

/// Reads the text of a number: its form depends on the dialect, and some words mean a missing value.
class NumberReader {
 public:
  NumberReader(const Dialect& dialect, std::span<const std::string> missing) : decimal_(dialect.decimal) {
    thousands_ = dialect.thousands;
    for (const std::string& word : missing) {
      double value = 0;
      if (parse(word, value)) missing_numbers_.push_back(value);
      missing_.add_without_code(StringKey::of(word));
    }
  }

  /// Whether a number may have been written as one of the words for a missing value.
  bool may_be_missing(double value) const {
    return std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end();
  }

  /// Reads a text without blanks around it. `value` is NaN unless it is a number.
  NumberKind read(std::string_view text, double& value) {
    const bool missing = text.empty() || missing_.find(StringKey::of(text)) != StringTable::absent;
    if (!missing && parse(text, value)) return NumberKind::number;
    value = std::numeric_limits<double>::quiet_NaN();
    if (!missing && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    return missing || detail::is_word(text, "nan") ? NumberKind::missing : NumberKind::invalid;
  }

 private:
  bool parse(std::string_view text, double& value) {
    if (!rewrite(text)) return false;
    const std::size_t size = written_.size();
    written_.append(field_padding, '\0');
    return read_number(written_.data(), value) == written_.data() + size;
  }

  /// Writes a number with a decimal point and without separators of thousands; returns false if it cannot be one.
  bool rewrite(std::string_view text) {
    written_.clear();
    if (!thousands_.empty() && text.find(thousands_) != text.npos && !take_groups(text)) return false;
    for (char c : text) {
      if (c == '.' && decimal_ != '.') return false;
      written_ += c == decimal_ ? '.' : c;
    }
    return true;
  }

  /// Moves [sign] and groups of three digits, of which the first may be shorter, from the text.
  bool take_groups(std::string_view& text) {
    if (text.starts_with('-') || text.starts_with('+')) {
      written_ += text.front();
      text.remove_prefix(1);
    }
    const auto take = [&] {
      const auto end = std::find_if_not(text.begin(), text.end(), detail::is_digit);
      const auto size = static_cast<std::size_t>(end - text.begin());
      written_ += text.substr(0, size);
      text.remove_prefix(size);
      return size;
    };
    const std::size_t first = take();
    if (first < 1 || first > 3) return false;
    while (text.starts_with(thousands_)) {
      text.remove_prefix(thousands_.size());
      if (take() != 3) return false;
    }
    return true;
  }

  char decimal_;
  std::string thousands_;
  StringTable missing_;
  std::vector<double> missing_numbers_;
  std::string written_;
};

/// Reads one field after the other. The text ends with a line feed, after which `field_padding` bytes are readable; if its last
/// field has an open quote, the first of them is a quote.
template <class Delimiter>
class FieldReader {
 public:
  FieldReader(const Dialect& dialect, Delimiter delimiter, const NumberReader& numbers, const char* end)
      : dialect_(dialect), delimiter_(delimiter), numbers_(numbers), end_(end) {
    // Otherwise a number could not be read before its end is known.
    constexpr std::string_view of_numbers = "0123456789+-.eE";
    reads_ahead_ = of_numbers.find(dialect.delimiter) == of_numbers.npos && dialect.delimiter != dialect.decimal &&
                   of_numbers.find(dialect.quote) == of_numbers.npos && dialect.quote != dialect.decimal;
  }

  /// Whether the last field was not closed by a quote.
  bool is_unclosed() const { return unclosed_; }

  /// Reads the field at `p`; returns the delimiter or line feed after it. `text` is valid until the next field is read, and 16
  /// bytes from its begin are readable.
  const char* take_text(const char* p, std::string_view& text) {
    if (dialect_.is_blank(*p) && dialect_.skips_blanks()) p = dialect_.skip_blanks(p);
    if (dialect_.is_quote(*p)) return take_quoted(p, text);
    const char* const end = delimiter_.find_end(p);
    const char* last = end;
    if (*end == '\n' && last > p && last[-1] == '\r') --last;
    if (dialect_.trim)
      while (last > p && dialect_.is_blank(last[-1])) --last;
    text = {p, static_cast<std::size_t>(last - p)};
    return delimiter_.settle(end);
  }

  /// Reads the field at `p` as a number. `text` is set if it is invalid.
  const char* take_number(const char* p, double& value, NumberKind& kind, std::string_view& text) {
    if (reads_ahead_) [[likely]] {
      const char* const begin = dialect_.skip_blanks(p);
      if (delimiter_.ends_field(begin)) {
        value = std::numeric_limits<double>::quiet_NaN();
        kind = NumberKind::missing;
        return delimiter_.settle(begin);
      }
      const char* const end = read_ahead(begin, begin == p, value);
      if (end && !numbers_.may_be_missing(value)) [[likely]] {
        kind = NumberKind::number;
        return delimiter_.settle(end);
      }
    }
    const char* const end = take_text(p, text);
    text = dialect_.trimmed(text);
    kind = numbers_.read(text, value);
    return end;
  }

  const char* skip(const char* p) {
    std::string_view text;
    return take_text(p, text);
  }

 private:
  /// Reads a number, which may be in quotes, if the field ends after it; otherwise returns null.
  const char* read_ahead(const char* p, bool first, double& value) const {
    const bool quoted = dialect_.is_quote(*p) && (first || dialect_.skips_blanks());
    const char* const begin = p + quoted;
    const char* end = detail::read_short(begin, dialect_.decimal, value);
    if (end && (end = find_end_of_number(end, quoted))) [[likely]]
      return end;
    if (dialect_.decimal != '.') return nullptr;
    end = read_number(begin, value);
    return end ? find_end_of_number(end, quoted) : nullptr;
  }

  /// Returns where the field ends if nothing but the closing quote and blanks follow; otherwise null.
  const char* find_end_of_number(const char* p, bool quoted) const {
    if (quoted && !dialect_.is_quote(*p++)) return nullptr;
    if (delimiter_.ends_field(p)) [[likely]]
      return p;
    p = dialect_.skip_blanks(p);
    return delimiter_.ends_field(p) ? p : nullptr;
  }

  const char* take_quoted(const char* p, std::string_view& text) {
    const char* const close = detail::find_first(++p, at_quote_);
    if (close[1] == dialect_.quote || close >= end_ || !delimiter_.ends_field(close + 1)) return join_quoted(p, text);
    text = {p, static_cast<std::size_t>(close - p)};
    if (dialect_.trim && (dialect_.is_blank(*p) || dialect_.is_blank(close[-1]))) text = dialect_.trimmed(text);
    return delimiter_.settle(close + 1);
  }

  /// Reads a quoted field from after its first quote on, with doubled quotes inside or more text after the last.
  [[gnu::noinline]] const char* join_quoted(const char* p, std::string_view& text) {
    joined_.clear();
    const char* close = detail::find_first(p, at_quote_);
    for (; close < end_ && close[1] == dialect_.quote; close = detail::find_first(p, at_quote_)) {
      joined_.append(p, close + 1);
      p = close + 2;
    }
    if (close >= end_) {
      unclosed_ = true;
      return end_ - 1;
    }
    joined_.append(p, close);
    const char* end = close + 1;
    if (!delimiter_.ends_field(end) && dialect_.trim) end = dialect_.skip_blanks(end);
    if (!delimiter_.ends_field(end)) {
      end = delimiter_.find_end(close + 1);
      joined_.append(close + 1, *end == '\n' && end[-1] == '\r' ? end - 1 : end);
    }
    const std::size_t size = joined_.size();
    joined_.append(field_padding, '\0');
    text = std::string_view(joined_).substr(0, size);
    if (dialect_.trim) text = dialect_.trimmed(text);
    return delimiter_.settle(end);
  }

  Dialect dialect_;
  Delimiter delimiter_;
  NumberReader numbers_;
  const char* end_;
  detail::Pattern at_quote_{dialect_.quote};
  bool reads_ahead_ = true, unclosed_ = false;
  std::string joined_;  // a field with doubled quotes, or with more after its quotes
};

}  // namespace novikoff
