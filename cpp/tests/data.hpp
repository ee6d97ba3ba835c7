// Numbers for the tests: some whose sums are exact in any order, some whose sums are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "novikoff/random.hpp"

/// From -4 to 4: sums of products of a few thousand of them are exact, in float as in double.
inline double small_integer(novikoff::Random& random) { return static_cast<double>(random.below(9)) - 4; }

/// In [-1, 1), with all 53 bits in use.
inline double real(novikoff::Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-52 - 1; }

inline std::vector<double> reals(std::size_t size, std::uint64_t seed) {
  novikoff::Random random{seed};
  std::vector<double> values(size);
  for (double& value : values) value = real(random);
  return values;
}

inline std::vector<double> small_integers(std::size_t size, std::uint64_t seed) {
  novikoff::Random random{seed};
  std::vector<double> values(size);
  for (double& value : values) value = small_integer(random);
  return values;
}
