// Loads bytes of a text as little-endian numbers on any machine, and counts them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace novikoff {

/// Loads eight or four bytes as a little-endian number.
template <class Word>
std::uint64_t load(const char* bytes) {
  Word word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, sizeof(Word));
  } else {
    for (std::size_t i = 0; i < sizeof(Word); ++i)
      word |= static_cast<Word>(static_cast<Word>(static_cast<unsigned char>(bytes[i])) << (8 * i));
  }
  return word;
}

/// Counts a byte. The inner counters are single bytes, which compilers turn into vectors, so they are summed after 255 steps.
inline std::size_t count_byte(std::string_view text, char byte) {
  constexpr std::size_t lanes = 32, turns = 255;
  std::size_t count = 0;
  while (text.size() >= lanes) {
    std::uint8_t counts[lanes] = {};
    for (std::size_t turn = 0; turn < turns && text.size() >= lanes; ++turn, text.remove_prefix(lanes))
      for (std::size_t i = 0; i < lanes; ++i) counts[i] = static_cast<std::uint8_t>(counts[i] + (text[i] == byte));
    for (std::size_t i = 0; i < lanes; ++i) count += counts[i];
  }
  for (char c : text) count += c == byte;
  return count;
}

}  // namespace novikoff
