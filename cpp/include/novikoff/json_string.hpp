// Strings of JSON text.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "novikoff/bytes.hpp"
#include "novikoff/numbers.hpp"
#include "novikoff/text.hpp"

namespace novikoff {

/// Reads the strings of a text, strictly as RFC 8259 demands: valid UTF-8, no control characters, no half of a surrogate pair.
class JsonStrings {
 public:
  /// What is wrong with the last string; null if nothing is.
  const char* problem = nullptr;

  /// Returns the first byte from `p` on that does not stand for itself in a string; `end` if there is none before it.
  static const char* end_of_plain(const char* p, const char* end) {
    for (; end - p >= 8; p += 8)
      if (const std::uint64_t special = not_plain(load<std::uint64_t>(p))) return p + std::countr_zero(special) / 8;
    while (p < end && !not_plain(detail::every_byte(static_cast<unsigned char>(*p)))) ++p;
    return p;
  }

  /// Reads a string whose first byte after the opening quote is at `p`. Returns its content and sets `p` behind the closing
  /// quote; at a problem, sets `p` where it is. The content is part of the text, or is valid until the next call.
  std::string_view read(const char*& p, const char* end) {
    problem = nullptr;
    const char* begin = p;
    p = end_of_plain(p, end);
    if (p < end && *p == '"') return {begin, static_cast<std::size_t>(p++ - begin)};
    return read_any(begin, p, end);
  }

 private:
  /// Bytes whose highest bit is set, for the first of the eight that does not stand for itself, and for some after it.
  static std::uint64_t not_plain(std::uint64_t word) {
    using detail::every_byte;
    const auto zeros = [](std::uint64_t bytes) { return (bytes - every_byte('\1')) & ~bytes; };
    const std::uint64_t controls = (word - every_byte(' ')) & ~word;
    return (word | controls | zeros(word ^ every_byte('"')) | zeros(word ^ every_byte('\\'))) & every_byte(0x80);
  }

  std::string_view read_any(const char* begin, const char*& p, const char* end) {
    text_.assign(begin, p);
    while (p < end) {
      const auto [character, size] =
          detail::decode(reinterpret_cast<const unsigned char*>(p), static_cast<std::size_t>(end - p));
      if (character == '"') {
        ++p;
        return text_;
      }
      if (character == detail::not_a_character) return refuse("is not valid UTF-8");
      if (character < ' ') return refuse("has a control character, which must be escaped");
      if (character == '\\') {
        if (!read_escape(p, end)) return {};
      } else {
        text_.append(p, size);
        p += size;
      }
    }
    return refuse("is not closed");
  }

  bool read_escape(const char*& p, const char* end) {
    constexpr std::string_view letters = "\"\\/bfnrt", special = "\"\\/\b\f\n\r\t";
    const char letter = p + 1 < end ? p[1] : '\0';
    if (letter == 'u') return read_unicode(p, end);
    const std::size_t place = letter == '\0' ? letters.npos : letters.find(letter);
    if (place == letters.npos) {
      refuse("has an unknown escape");
      return false;
    }
    text_.push_back(special[place]);
    p += 2;
    return true;
  }

  bool read_unicode(const char*& p, const char* end) {
    char32_t character = 0, second = 0;
    const char* q = p;
    if (!read_unit(q, end, character)) return false;
    if (character >= 0xD800 && character < 0xE000) {
      if (character >= 0xDC00 || !read_unit(q, end, second) || second < 0xDC00 || second >= 0xE000) {
        refuse("has half of a surrogate pair");
        return false;
      }
      character = detail::end_of_three + (character - 0xD800) * 0x400 + (second - 0xDC00);
    }
    char bytes[4];
    text_.append(bytes, detail::encode(character, bytes));
    p = q;
    return true;
  }

  /// Reads \uXXXX.
  bool read_unit(const char*& p, const char* end, char32_t& unit) {
    std::uint32_t number = 0;
    const bool fits = end - p >= 6 && p[0] == '\\' && p[1] == 'u' && p[2] != '-';
    if (!fits || std::from_chars(p + 2, p + 6, number, 16).ptr != p + 6) {
      refuse("has an incomplete escape");
      return false;
    }
    unit = number;
    p += 6;
    return true;
  }

  std::string_view refuse(const char* why) {
    problem = why;
    return {};
  }

  std::string text_;
};

}  // namespace novikoff
