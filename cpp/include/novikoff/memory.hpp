// How a learner forgets: the weights v shrink, by `forget` at each update and by a half-life at each example.
// docs/theory.md M. To shrink costs one multiplication, because v is a factor times the weights that are stored.
#pragma once

#include <algorithm>

namespace novikoff {

struct Memory {
  double forget = 0;   // the fraction of v that an update forgets first
  double fade = 1;     // the factor of v before each example
  double scale = 1;    // v is this times the stored weights
  double longest = 0;  // the largest |v| after an update, with a bound on its rounding error

  /// A power of two, so that a multiplication by it does not round.
  static constexpr double unit = 1.0 / (1ull << 32);

  /// What a copy of an example leaves of v before it is predicted. A fraction of an example has that fraction of the effect.
  double kept_by_example(double copy) const { return 1 - copy * (1 - fade); }

  /// What an update by a copy of an example leaves of v before it adds to it.
  double kept_by_update(double copy) const { return 1 - copy * forget; }

  /// Whether a copy that causes no update leaves v as it is.
  bool rests() const { return fade == 1; }

  void note_length(double stored_length) { longest = std::max(longest, scale * stored_length); }
};

}  // namespace novikoff
