// Several numbers that are computed with at once: one for each of a few classes, or of a few rows.
#pragma once

#include <cstddef>
#include <cstring>

namespace novikoff {

/// Two numbers, each of which is computed with as if it were alone.
typedef double Two __attribute__((vector_size(16)));

/// L numbers. Sums and products are computed in each place alone, so that each has the bits that it would have without the
/// others. They are kept in pairs, which every 64-bit processor has vector instructions for.
template <std::size_t L>
struct alignas(8 * L) Lanes {
  static constexpr std::size_t size = L;
  using Pair = Two;
  Pair pairs[L / 2] = {};

  static Lanes all(double value) {
    Lanes lanes;
    for (Pair& pair : lanes.pairs) pair = Pair{value, value};
    return lanes;
  }
  /// L numbers that lie one after the other in memory.
  [[gnu::always_inline]] static Lanes load(const double* from) {
    Lanes lanes;
    std::memcpy(lanes.pairs, from, sizeof lanes.pairs);
    return lanes;
  }
  [[gnu::always_inline]] static Lanes of(double a, double b, double c, double d)
    requires(L == 4)
  {
    return {{Pair{a, b}, Pair{c, d}}};
  }
  double operator[](std::size_t c) const { return pairs[c / 2][c % 2]; }
  void set(std::size_t c, double value) { pairs[c / 2][c % 2] = value; }

  [[gnu::always_inline]] Lanes& operator+=(const Lanes& other) {
    for (std::size_t k = 0; k < L / 2; ++k) pairs[k] += other.pairs[k];
    return *this;
  }
  [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes sum = a;
    sum += b;
    return sum;
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes difference;
    for (std::size_t k = 0; k < L / 2; ++k) difference.pairs[k] = a.pairs[k] - b.pairs[k];
    return difference;
  }
  [[gnu::always_inline]] friend Lanes operator*(double a, const Lanes& b) {
    Lanes product;
    for (std::size_t k = 0; k < L / 2; ++k) product.pairs[k] = a * b.pairs[k];
    return product;
  }
  [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, double b) { return b * a; }
  [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes product;
    for (std::size_t k = 0; k < L / 2; ++k) product.pairs[k] = a.pairs[k] * b.pairs[k];
    return product;
  }
  /// The smaller number of each place; that of `a` if they are equal or that of `b` is NaN.
  [[gnu::always_inline]] friend Lanes smaller(const Lanes& a, const Lanes& b) {
    Lanes least;
    for (std::size_t k = 0; k < L / 2; ++k) least.pairs[k] = b.pairs[k] < a.pairs[k] ? b.pairs[k] : a.pairs[k];
    return least;
  }
  /// The larger number of each place; that of `a` if they are equal or that of `b` is NaN.
  [[gnu::always_inline]] friend Lanes larger(const Lanes& a, const Lanes& b) {
    Lanes most;
    for (std::size_t k = 0; k < L / 2; ++k) most.pairs[k] = a.pairs[k] < b.pairs[k] ? b.pairs[k] : a.pairs[k];
    return most;
  }
  /// The number of `value` in the places where low < x < high, else 0.
  [[gnu::always_inline]] friend Lanes where_between(const Lanes& low, const Lanes& x, const Lanes& high, const Lanes& value) {
    Lanes chosen;
    for (std::size_t k = 0; k < L / 2; ++k)
      chosen.pairs[k] = ((low.pairs[k] < x.pairs[k]) & (x.pairs[k] < high.pairs[k])) ? value.pairs[k] : Pair{};
    return chosen;
  }
  /// Whether a > b in all places.
  [[gnu::always_inline]] friend bool all_above(const Lanes& a, const Lanes& b) {
    auto above = a.pairs[0] > b.pairs[0];
    for (std::size_t k = 1; k < L / 2; ++k) above &= a.pairs[k] > b.pairs[k];
    return (above[0] & above[1]) != 0;
  }
};

}  // namespace novikoff
