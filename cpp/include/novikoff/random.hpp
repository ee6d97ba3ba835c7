// A small seeded generator: one per call, never a global.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace novikoff {

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random {
  std::uint64_t state;

  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// A number in [0, bound), every one as likely: draws from the uneven end of the range are thrown away.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (0 - bound) % bound;
    std::uint64_t draw = next();
    while (draw < uneven) draw = next();
    return draw % bound;
  }
};

/// Fisher and Yates's shuffle, in place.
void shuffle(auto&& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

}  // namespace novikoff
