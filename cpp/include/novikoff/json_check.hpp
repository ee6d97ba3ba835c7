// A check of JSON text that refuses what third-party parsers may not survive.
//
// Arrow's JSON reader (seen in pyarrow 26.0.1) ends the process with a segmentation fault at a row that is null, if it
// comes first, or last without a line end, and at values nested some thousand levels deep, which it visits by
// recursion; DuckDB's reader of JSON visits nested values by recursion, too. Text that passes here is UTF-8, has no
// control characters in strings, and consists of objects, whose brackets match and are not nested deeper than
// max_json_depth. Whether everything else is as JSON demands is left to the parser.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace novikoff {

constexpr std::size_t max_json_depth = 100;

/// Where a text is refused: the position of a byte in the latest block, and what is wrong with it.
struct BadJson {
  std::size_t position;
  const char* reason;
};

/// Checks objects one after the other, block by block.
class JsonCheck {
 public:
  std::optional<BadJson> feed(std::string_view block) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(block.data());
    const auto *end = begin + block.size(), *p = begin;
    ends_.clear();
    begin_ = begin;
    while (p != end) {
      const char* wrong = in_string_ ? string(p, end) : structure(p, end);
      if (wrong != nullptr) return BadJson{static_cast<std::size_t>(p - begin), wrong};
    }
    return std::nullopt;
  }

  /// The positions after the values that end in the latest block.
  const std::vector<std::int64_t>& ends() const { return ends_; }

  /// What is wrong if the text ends here; empty if nothing is.
  const char* unfinished() const {
    if (in_string_) return "a string is not closed";
    if (depth_ > 0) return closer_[depth_ - 1] == '}' ? "an object is not closed" : "a list is not closed";
    return "";
  }

 private:
  enum Kind : std::uint8_t { plain, quote, opening, closing, other };

  /// What a byte outside strings may be.
  static constexpr auto kinds = [] {
    std::array<Kind, 256> table{};
    for (std::size_t byte = 0; byte < 256; ++byte) table[byte] = byte < 0x21 || byte > 0x7e ? other : plain;
    for (char blank : {' ', '\t', '\r', '\n'}) table[static_cast<std::uint8_t>(blank)] = plain;
    table['"'] = quote;
    table['{'] = table['['] = opening;
    table['}'] = table[']'] = closing;
    return table;
  }();

  /// Bytes that end a run of ordinary characters in a string.
  static constexpr auto stops = [] {
    std::array<bool, 256> table{};
    for (std::size_t byte = 0; byte < 256; ++byte) table[byte] = byte < 0x20 || byte > 0x7f;
    table['"'] = table['\\'] = true;
    return table;
  }();

  static bool is_blank(std::uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

  /// Reads up to the next string or the end, and returns what is wrong with the byte at p, or null.
  const char* structure(const std::uint8_t*& p, const std::uint8_t* end) {
    for (;; ++p) {
      if (depth_ > 0) p = skip(p, end, kinds, structure_marks);
      if (p == end) return nullptr;
      if (depth_ == 0) {
        if (is_blank(*p)) continue;
        if (*p != '{') return "this is not an object";
      }
      switch (kinds[*p]) {
        case quote:
          in_string_ = true;
          ++p;
          return nullptr;
        case opening:
          if (depth_ == max_json_depth) return "the values are nested too deeply";
          closer_[depth_++] = *p == '{' ? '}' : ']';
          break;
        case closing:
          if (closer_[--depth_] != *p) return "the brackets do not match";
          if (depth_ == 0) ends_.push_back(p + 1 - begin_);
          break;
        default:
          return "there is a character outside of a string";
      }
    }
  }

  /// Reads up to the end of a string or of the text, and returns what is wrong with the byte at p, or null.
  const char* string(const std::uint8_t*& p, const std::uint8_t* end) {
    for (;; ++p) {
      if (p == end) return nullptr;
      if (continuations_ > 0) {
        if (!continue_sequence(*p)) return not_utf8;
        continue;
      }
      if (escaped_) {
        escaped_ = false;
        if (*p == '"' || *p == '\\') continue;
      }
      p = skip(p, end, stops, stop_marks);
      if (p == end) return nullptr;
      if (*p == '"') {
        in_string_ = false;
        ++p;
        return nullptr;
      }
      if (*p < 0x20) return "there is a control character in a string, or the string is not closed";
      if (*p == '\\') {
        escaped_ = true;
      } else {
        if (end - p >= 4) {  // the common case, without any state
          const int length = sequence_length(p);
          if (length == 0) return not_utf8;
          p += length - 1;
          continue;
        }
        if (!begin_sequence(*p)) return not_utf8;
      }
    }
  }

  /// Returns the first byte for which the table has anything but 0. `marks` has a bit in the bytes of a word that may be
  /// such bytes; the lowest of these bits is not before the first of them.
  template <class T, class Marks>
  static const std::uint8_t* skip(const std::uint8_t* p, const std::uint8_t* end, const std::array<T, 256>& table,
                                  Marks marks) {
    std::uint64_t word;
    while (end - p >= 8) {
      std::memcpy(&word, p, 8);
      const std::uint64_t found = marks(word);
      if (found == 0) {
        p += 8;
      } else if constexpr (std::endian::native == std::endian::little) {
        p += std::countr_zero(found) / 8;
        if (table[*p]) return p;
        ++p;
      } else {
        break;
      }
    }
    while (p != end && !table[*p]) ++p;
    return p;
  }

  static constexpr std::uint64_t ones = 0x0101010101010101;
  /// A byte of the result has its high bit set if that byte of the word is 0, and perhaps if a lower one is.
  static constexpr std::uint64_t zeros(std::uint64_t word) { return (word - ones) & ~word & (ones << 7); }
  static constexpr std::uint64_t below_blank(std::uint64_t word) { return (word - ones * 0x20) & ~word & (ones << 7); }
  static constexpr std::uint64_t stop_marks(std::uint64_t word) {
    return zeros(word ^ ones * '"') | zeros(word ^ ones * '\\') | below_blank(word) | (word & (ones << 7));
  }
  /// All brackets, and few other characters, differ from 0x7f in the bits of 0x26 only.
  static constexpr std::uint64_t structure_marks(std::uint64_t word) {
    return zeros(word ^ ones * '"') | zeros((word | ones * 0x26) ^ ones * 0x7f) | below_blank(word) | (word & (ones << 7));
  }

  /// The length of the character of several bytes at p, or 0 if there is none.
  static int sequence_length(const std::uint8_t* p) {
    const auto continues = [](std::uint8_t byte) { return (byte & 0xc0) == 0x80; };
    if (*p < 0xe0) return *p >= 0xc2 && continues(p[1]) ? 2 : 0;
    const unsigned two = p[0] << 8 | p[1];
    if (*p < 0xf0) return two >= 0xe0a0 && (two < 0xeda0 || two >= 0xee80) && continues(p[1]) && continues(p[2]) ? 3 : 0;
    return two >= 0xf090 && two < 0xf490 && continues(p[1]) && continues(p[2]) && continues(p[3]) ? 4 : 0;
  }

  /// Starts a character of several bytes as in table 3-7 of the Unicode standard.
  bool begin_sequence(std::uint8_t first) {
    if (first < 0xc2 || first > 0xf4) return false;
    continuations_ = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    lowest_ = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    highest_ = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return true;
  }

  bool continue_sequence(std::uint8_t next) {
    const bool fits = next >= lowest_ && next <= highest_;
    lowest_ = 0x80, highest_ = 0xbf;
    --continuations_;
    return fits;
  }

  static constexpr const char* not_utf8 = "the text is not UTF-8";

  std::vector<std::int64_t> ends_;
  const std::uint8_t* begin_ = nullptr;  // of the latest block
  std::array<std::uint8_t, max_json_depth> closer_{};
  std::size_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
  int continuations_ = 0;  // bytes that are still to come of a character
  std::uint8_t lowest_ = 0, highest_ = 0;
};

/// The number of different keys of the objects of a text that was checked, not counting those of objects in objects.
/// Keys that are written in different ways, as "a" and "\u0061", count as different.
inline std::size_t distinct_json_keys(std::string_view text) {
  std::unordered_set<std::string_view> keys;
  std::size_t depth = 0;
  bool is_key = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
      case '[':
        is_key = ++depth == 1;
        break;
      case '}':
      case ']':
        --depth;
        break;
      case ',':
        is_key = depth == 1;
        break;
      case '"': {
        const std::size_t begin = ++i;
        while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
        if (is_key) keys.insert(text.substr(begin, i - begin));
        is_key = false;
        break;
      }
      default:
        break;
    }
  }
  return keys.size();
}

}  // namespace novikoff
