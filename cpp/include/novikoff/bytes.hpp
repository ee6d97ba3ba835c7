// Loads bytes of a text as little-endian numbers on any machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

}  // namespace novikoff
