// Splits UTF-8 text into words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "novikoff/bytes.hpp"
#include "novikoff/unicode.hpp"

namespace novikoff {

namespace detail {

/// The ends of the ranges of characters of one, two and three bytes, and of Unicode.
constexpr char32_t end_of_one = 0x80, end_of_two = 0x800, end_of_three = 0x10000, end_of_unicode = 0x110000;
constexpr char32_t not_a_character = ~char32_t{0};

struct Decoded {
  char32_t character = not_a_character;
  std::size_t size = 1;
};

/// Decodes the character at the first of `left` bytes, at least one. It is invalid if it is truncated, overlong, a surrogate,
/// or beyond the last character of Unicode.
inline Decoded decode(const unsigned char* bytes, std::size_t left) {
  const unsigned char lead = bytes[0];
  if (lead < end_of_one) return {lead, 1};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead > 0xF7 || size > left) return {};
  char32_t character = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((bytes[i] & 0xC0) != 0x80) return {};
    character = character << 6 | (bytes[i] & 0x3F);
  }
  constexpr std::array<char32_t, 5> least{0, 0, end_of_one, end_of_two, end_of_three};
  const bool surrogate = character >= 0xD800 && character < 0xE000;
  if (character < least[size] || character >= end_of_unicode || surrogate) return {};
  return {character, size};
}

/// Writes a character, and returns where its bytes end.
inline char* encode(char32_t character, char* out) {
  const auto put = [&out](char32_t byte) { *out++ = static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto put_low = [&put, character](int shift) { put(0x80 | (character >> shift & 0x3F)); };
  if (character < end_of_one) {
    put(character);
  } else if (character < end_of_two) {
    put(0xC0 | character >> 6), put_low(0);
  } else if (character < end_of_three) {
    put(0xE0 | character >> 12), put_low(6), put_low(0);
  } else {
    put(0xF0 | character >> 18), put_low(12), put_low(6), put_low(0);
  }
  return out;
}

/// Returns the range that holds a character, or nullptr; ranges are sorted.
template <class Range, std::size_t n>
const Range* range_of(const Range (&ranges)[n], char32_t character) {
  const Range* range =
      std::partition_point(ranges, ranges + n, [character](const Range& other) { return other.last < character; });
  return range != ranges + n && range->first <= character ? range : nullptr;
}

inline char32_t find_lower(char32_t character) {
  const unicode::Lower* range = range_of(unicode::lowers, character);
  if (!range || (character - range->first) % range->step != 0) return character;
  return static_cast<char32_t>(static_cast<std::int32_t>(character) + range->shift);
}

/// The characters of words. Those below 0x10000 are in a table, which is built on first use.
class Letters {
 public:
  static const Letters& all() {
    static const Letters letters;
    return letters;
  }

  /// Returns the lower case of a word character, one character regardless of its context; 0 for all other characters.
  char32_t lower(char32_t character) const {
    if (character < lower_.size()) return lower_[character];
    return range_of(unicode::words, character) ? find_lower(character) : 0;
  }

 private:
  Letters() : lower_(end_of_three) {
    for (const unicode::Range& range : unicode::words)
      for (char32_t c = range.first; c <= range.last && c < end_of_three; ++c)
        lower_[c] = static_cast<std::uint16_t>(find_lower(c));
  }

  std::vector<std::uint16_t> lower_;
};

/// The next 64 bytes of a text.
struct Block {
  static constexpr std::size_t size = 64;

  std::uint64_t words = 0;  // one bit per byte: whether it is a word character
  bool ascii = true;        // all bytes are ASCII; otherwise `words` is not valid
};

/// Classifies 64 bytes at once, and writes them in lower case if required. Compilers turn this loop without branches into
/// vector instructions, which they cannot do with a table lookup.
inline Block look_at(const unsigned char* bytes, bool lowercase, char* lowered) {
  std::array<unsigned char, Block::size> word;
  unsigned char all = 0;
  for (std::size_t i = 0; i < Block::size; ++i) {
    const unsigned char c = bytes[i], small = c | 0x20;
    const bool letter = static_cast<unsigned char>(small - 'a') < 26, digit = static_cast<unsigned char>(c - '0') < 10;
    word[i] = letter | digit | (c == '_');
    lowered[i] = static_cast<char>(lowercase && letter ? small : c);
    all |= c;
  }
  Block block;
  block.ascii = all < end_of_one;
  // Multiplying eight bytes of 0 or 1 by this number gathers them in the highest eight bits.
  constexpr std::uint64_t side_by_side = 0x0102040810204080ULL;
  for (std::size_t i = 0; i < Block::size; i += 8)
    block.words |= (load<std::uint64_t>(reinterpret_cast<const char*>(&word[i])) * side_by_side >> 56) << i;
  return block;
}

}  // namespace detail

/// The words of one text at a time: maximal runs of at least two word characters. They are written with a single space between
/// them, so that an n-gram is a substring.
class Words {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  explicit Words(bool lowercase) : lowercase_(lowercase) {}

  /// Reads a text, which replaces the last one. Returns the position of its first byte that is not UTF-8, or npos.
  std::size_t read(std::string_view text) {
    begin(text);
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t block = i / Block::size, end = std::min(text.size(), (block + 1) * Block::size);
      if (blocks_[block].ascii) {  // then i is its first byte, because no longer character reaches into it
        add_ascii(lowered_.data() + i, blocks_[block].words);
        i = end;
      }
      while (i < end) {
        const std::size_t size = add_character(text, i);
        if (size == 0) return i;
        i += size;
      }
    }
    pen_.end_word(written_.data());
    *pen_.next = static_cast<std::size_t>(pen_.word - written_.data());
    count_ = static_cast<std::size_t>(pen_.next - begins_.data());
    return npos;
  }

  std::size_t count() const { return count_; }

  /// Returns words i to i + n - 1, joined by spaces.
  std::string_view ngram(std::size_t i, std::size_t n) const {
    return {written_.data() + begins_[i], begins_[i + n] - 1 - begins_[i]};
  }

 private:
  using Block = detail::Block;

  static constexpr std::size_t copied = 16;  // bytes per copy

  /// The position of the next character.
  struct Pen {
    char *word = nullptr, *out = nullptr;  // begin and end of the word being written
    std::size_t* next = nullptr;           // where its begin is stored
    std::size_t longer = 0;                // bytes minus characters of the word
    bool open = false;                     // whether the next character belongs to it

    /// Ends a word. The next begins after a space, or in its place if the word is too short.
    void end_word(const char* written) {
      *next = static_cast<std::size_t>(word - written);
      const bool is_word = out - word >= static_cast<std::ptrdiff_t>(longer + 2);
      next += is_word;
      *out = ' ';
      word = is_word ? out + 1 : word;
      out = word;
      longer = 0;
    }
  };

  void begin(std::string_view text) {
    const std::size_t blocks = (text.size() + Block::size - 1) / Block::size, padded = blocks * Block::size;
    const auto room_for = [](auto& array, std::size_t size) { array.resize(std::max(array.size(), size)); };
    room_for(blocks_, blocks);
    room_for(lowered_, padded + copied);
    room_for(written_, padded + padded / 2 + copied);  // lower case turns two bytes into at most three
    room_for(begins_, padded / 2 + 2);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    for (std::size_t k = 0; k < text.size() / Block::size; ++k)
      blocks_[k] = detail::look_at(bytes + k * Block::size, lowercase_, lowered_.data() + k * Block::size);
    if (const std::size_t left = text.size() % Block::size) {
      std::array<unsigned char, Block::size> last{};
      std::copy_n(bytes + text.size() - left, left, last.data());
      blocks_[blocks - 1] = detail::look_at(last.data(), lowercase_, lowered_.data() + text.size() - left);
    }
    pen_ = {.word = written_.data(), .out = written_.data(), .next = begins_.data()};
    count_ = 0;
  }

  /// Adds the words of an ASCII block; each 1 bit of `words` is a word character.
  void add_ascii(const char* block, std::uint64_t words) {
    Pen pen = pen_;  // a local copy can stay in registers while characters are written
    const bool open = words >> (Block::size - 1);
    if (!(words & 1)) pen.open = false;
    while (words != 0) {
      const int first = std::countr_zero(words), size = std::countr_one(words >> first);
      if (!pen.open) pen.end_word(written_.data());
      pen.open = false;
      for (int i = 0; i < size; i += static_cast<int>(copied)) std::memcpy(pen.out + i, block + first + i, copied);
      pen.out += size;
      words &= words + (std::uint64_t{1} << first);
    }
    pen.open = open;
    pen_ = pen;
  }

  /// Adds the character at position i. Returns its size, or 0 if it is invalid.
  std::size_t add_character(std::string_view text, std::size_t i) {
    const auto [character, size] = detail::decode(reinterpret_cast<const unsigned char*>(text.data()) + i, text.size() - i);
    if (character == detail::not_a_character) return 0;
    const char32_t lower = detail::Letters::all().lower(character);
    if (lower != 0) {
      if (!pen_.open) pen_.end_word(written_.data());
      char* const end = detail::encode(lowercase_ ? lower : character, pen_.out);
      pen_.longer += static_cast<std::size_t>(end - pen_.out) - 1;
      pen_.out = end;
    }
    pen_.open = lower != 0;
    return size;
  }

  bool lowercase_;
  std::vector<Block> blocks_;
  std::vector<char> lowered_, written_;
  std::vector<std::size_t> begins_;  // begin of every word, and one past the space after the last
  std::size_t count_ = 0;
  Pen pen_;
};

}  // namespace novikoff
