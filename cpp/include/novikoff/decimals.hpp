// Doubles of few decimal places as integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace novikoff {

/// Writes integers m of which m / power are the values, to the bit. Returns whether there are such integers of 32 bits for all
/// values.
inline bool to_mantissas(std::span<const double> values, double power, std::int32_t* mantissas) {
  constexpr std::size_t part = 512;  // after which it is given up if a value is not exact
  constexpr double limit = 2147483648.0;
  for (std::size_t begin = 0; begin < values.size(); begin += part) {
    unsigned wrong = 0;
    for (std::size_t i = begin; i < std::min(begin + part, values.size()); ++i) {
      const double rounded = std::nearbyint(values[i] * power);
      const bool fits = std::abs(rounded) < limit;  // not if it is NaN
      mantissas[i] = static_cast<std::int32_t>(fits ? rounded : 0.0);
      const double given_back = mantissas[i] / power;
      wrong |= !fits | (std::bit_cast<std::uint64_t>(given_back) != std::bit_cast<std::uint64_t>(values[i]));
    }
    if (wrong) return false;
  }
  return true;
}

}  // namespace novikoff
