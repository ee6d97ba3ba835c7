// Parses decimal numbers, correctly rounded to the nearest double, with ties to even.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <type_traits>

#include "novikoff/bytes.hpp"
#include "novikoff/decimal_text.hpp"

namespace novikoff {

namespace detail {

constexpr std::uint64_t every_byte(std::uint64_t byte) { return byte * 0x0101010101010101ULL; }

/// Returns the highest bit of every byte that is not a digit, where byte minus '0' is above 9. A carry from such a byte only
/// affects the bytes after it.
inline std::uint64_t other_than_digits(std::uint64_t word) {
  const std::uint64_t t = word ^ every_byte('0');
  return ((t + every_byte(0x80 - 10)) | t) & every_byte(0x80);
}

/// Returns the value of eight digits, combined in pairs, fours and eight.
inline std::uint64_t eight_digits(std::uint64_t word) {
  constexpr std::uint64_t pairs = 0x000000FF000000FFULL;
  const std::uint64_t t = word * 10 + (word >> 8);
  return ((t & pairs) * (100 + (1000000ULL << 32)) + ((t >> 16) & pairs) * (1 + (10000ULL << 32))) >> 32;
}

/// Returns the value of the first `count` digits, at most 7, which are shifted behind zeros in two steps.
inline std::uint64_t first_digits(std::uint64_t word, int count) {
  return eight_digits((word ^ every_byte('0')) << (56 - 8 * count) << 8);
}

/// Parses sixteen digits at once; returns false if there are fewer.
inline bool take_sixteen(const char* p, std::uint64_t& number) {
#ifdef __SSE2__
  const __m128i t = _mm_sub_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), _mm_set1_epi8('0'));
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(t, _mm_set1_epi8(9)), t)) != 0xFFFF) return false;
  const __m128i zero = _mm_setzero_si128();
  const __m128i tens = _mm_set1_epi32(1 << 16 | 10), hundreds = _mm_set1_epi32(1 << 16 | 100);
  const __m128i pairs =
      _mm_packs_epi32(_mm_madd_epi16(_mm_unpacklo_epi8(t, zero), tens), _mm_madd_epi16(_mm_unpackhi_epi8(t, zero), tens));
  const __m128i fours = _mm_madd_epi16(pairs, hundreds);
  const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  number = (both & 0xFFFFFFFF) * 100'000'000 + (both >> 32);
  return true;
#else
  const std::uint64_t upper = load<std::uint64_t>(p), lower = load<std::uint64_t>(p + 8);
  number = eight_digits(upper ^ every_byte('0')) * 100'000'000 + eight_digits(lower ^ every_byte('0'));
  return (other_than_digits(upper) | other_than_digits(lower)) == 0;
#endif
}

constexpr std::array<std::uint64_t, 20> integer_powers = [] {
  std::array<std::uint64_t, 20> p{1};
  for (std::size_t k = 1; k < p.size(); ++k) p[k] = 10 * p[k - 1];
  return p;
}();

constexpr std::array<double, 23> exact_powers = [] {  // 10^22 is the last power of ten that is a double
  std::array<double, 23> p{1};
  for (std::size_t k = 1; k < p.size(); ++k) p[k] = 10 * p[k - 1];
  return p;
}();

/// Approximates 5^e: top 2^exponent <= 5^e < (top + 1) 2^exponent, with the highest bit of top set.
struct PowerOfFive {
  std::uint64_t top = 0;
  int exponent = 0;
};

constexpr int max_power = 27;  // 5^27 is below 2^63

constexpr std::array<PowerOfFive, 2 * max_power + 1> powers_of_five = [] {
  std::array<PowerOfFive, 2 * max_power + 1> powers{};
  powers[max_power] = {1ULL << 63, -63};
  std::uint64_t five = 1;
  for (std::size_t k = 1; k <= max_power; ++k) {
    five *= 5;
    const int width = 64 - std::countl_zero(five);
    powers[max_power + k] = {five << (64 - width), width - 64};
    std::uint64_t quotient = 0, rest = 1ULL << (width - 1);  // 2^(63 + width) / 5^k, one bit a step
    for (int bit = 0; bit < 64; ++bit) {
      rest *= 2;
      quotient = 2 * quotient + (rest >= five);
      if (rest >= five) rest -= five;
    }
    powers[max_power - k] = {quotient, -63 - width};
  }
  return powers;
}();

/// Computes mantissa 10^exponent by one operation on exact doubles, which rounds once (Clinger 1990); NaN if they are not
/// exact.
inline double compose_exactly(std::uint64_t mantissa, std::int64_t exponent) {
  const auto exact = static_cast<double>(mantissa);
  if (mantissa >> 53 != 0 || exponent < -22 || exponent > 22) return std::numeric_limits<double>::quiet_NaN();
  return exponent < 0 ? exact / exact_powers[static_cast<std::size_t>(-exponent)]
                      : exact * exact_powers[static_cast<std::size_t>(exponent)];
}

/// Computes mantissa 10^exponent, or NaN if the fast path cannot decide how to round.
///
/// mantissa 5^e is bracketed by a product of two words (the algorithm of Eisel and Lemire, Lemire 2021), whose upper word is
/// too small by less than 2. The 54 leading bits of that word are then right, and the rest is not zero, unless the bits after
/// them are all zeros or all ones. That happens mostly for short numbers, which are exact.
inline double compose(std::uint64_t mantissa, std::int64_t exponent) {
  if (mantissa >> 32 == 0 || exponent < -max_power || exponent > max_power) return compose_exactly(mantissa, exponent);
  const PowerOfFive& power = powers_of_five[static_cast<std::size_t>(exponent + max_power)];
  const int zeros = std::countl_zero(mantissa);
  __extension__ using Wide = unsigned __int128;
  const auto upper = static_cast<std::uint64_t>((static_cast<Wide>(mantissa << zeros) * power.top) >> 64);
  const int behind = 9 + static_cast<int>(upper >> 63);  // bits after the leading 54
  const std::uint64_t leading = upper >> behind;
  const std::uint64_t ones = (1ULL << behind) - 1, left = upper & ones;
  if (left == 0 || left == ones) [[unlikely]]
    return compose_exactly(mantissa, exponent);
  const std::uint64_t rounded = (leading >> 1) + (leading & 1);  // 2^52 to 2^53, both included
  const std::int64_t scale = behind + 1 + 64 + power.exponent - zeros + exponent;
  return std::bit_cast<double>((static_cast<std::uint64_t>(scale + 52 + 1023) << 52) + (rounded - (1ULL << 52)));
}

}  // namespace detail

/// A number in a text, from `begin` to `end`; `end` is null if there is none.
struct Decimal {
  const char* begin = nullptr;  // after the sign
  const char* end = nullptr;
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;
  bool negative = false;
  bool whole = true;  // the mantissa holds all digits
};

namespace detail {

/// Appends the digits from `p` on to the mantissa, eight at a time; returns where they end.
inline const char* take_digits(const char* p, Decimal& number) {
  std::uint64_t word = load<std::uint64_t>(p), others = other_than_digits(word);
  for (; others == 0; word = load<std::uint64_t>(p += 8), others = other_than_digits(word))
    number.mantissa = number.mantissa * integer_powers[8] + eight_digits(word ^ every_byte('0'));
  const int count = std::countr_zero(others) / 8;
  number.mantissa = number.mantissa * integer_powers[static_cast<std::size_t>(count)] + first_digits(word, count);
  return p + count;
}

/// [e [sign] digits]; returns where it ends, or null if the digits are missing.
inline const char* take_exponent(const char* p, Decimal& number) {
  if ((*p | 0x20) != 'e') return p;
  const bool minus = *++p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char* first = p;
  std::int64_t power = 0;
  for (; '0' <= *p && *p <= '9'; ++p)
    if (power < 1'000'000'000'000'000) power = 10 * power + (*p - '0');  // larger exponents give the same result
  number.exponent += minus ? -power : power;
  return p == first ? nullptr : p;
}

/// Counts the digits from p to end, starting with the first that is not 0, without the point.
inline std::ptrdiff_t significant_digits(const char* p, const char* end) {
  while (p < end && (*p == '0' || *p == '.')) ++p;
  std::ptrdiff_t digits = 0;
  for (; p < end; ++p) digits += *p != '.';
  return digits;
}

}  // namespace detail

/// Scans [sign] digits [. digits] [e [sign] digits], with at least one digit before the exponent: what Python's `float`
/// accepts, except infinity, NaN and underscores.
///
/// The end of the text is not checked: a byte that is not part of a number must follow, and seven more bytes after it.
inline Decimal scan_decimal(const char* p) {
  Decimal number;
  number.negative = *p == '-';
  p += *p == '-' || *p == '+';
  number.begin = p;
  const auto first = static_cast<unsigned char>(*p - '0');
  if (first < 10 && p[1] == '.') [[likely]] {
    number.mantissa = first;
    ++p;
  } else {
    p = detail::take_digits(p, number);
  }
  auto digits = p - number.begin;
  if (*p == '.') {
    const char* fraction = ++p;
    p = detail::take_digits(p, number);
    number.exponent = fraction - p;
    digits += p - fraction;
  }
  if (digits > 19) [[unlikely]]
    number.whole = detail::significant_digits(number.begin, p) <= 19;
  if (digits > 0) number.end = detail::take_exponent(p, number);
  return number;
}

namespace detail {

/// Whether a number outside the range of doubles is too large, rather than too small.
inline bool is_large(const Decimal& number) {
  std::int64_t places = 0;  // digits before the point from the first nonzero one on, or minus the zeros after the point
  const char* p = number.begin;
  while (p < number.end && *p == '0') ++p;
  const char* first = p;
  while (p < number.end && '0' <= *p && *p <= '9') ++p;
  places = p - first;
  std::int64_t fraction = 0;
  if (p < number.end && *p == '.') {
    const char* point = ++p;
    while (p < number.end && *p == '0') ++p;
    if (places == 0) places = point - p;
    while (p < number.end && '0' <= *p && *p <= '9') ++p;
    fraction = p - point;
  }
  return places + number.exponent + fraction > 0;
}

/// The slow path, for numbers of many digits or near the midpoint of two doubles.
template <class Float>
Float convert_slowly(const Decimal& number) {
  Float value = 0;
  const auto [end, error] = parse_decimal(number.begin, number.end, value);
  if (error == std::errc::result_out_of_range)
    value = is_large(number) ? std::numeric_limits<Float>::infinity() : Float{0};
  else if (error != std::errc{} || end != number.end)  // for example out of memory
    throw std::runtime_error("A decimal number could not be converted.");
  return number.negative ? -value : value;
}

/// Whether a double does not determine the nearest float: it is the midpoint of two, or in the subnormal range of floats.
inline bool near_midpoint(double value) {
  constexpr std::uint64_t behind = (1ULL << 29) - 1;
  return (std::bit_cast<std::uint64_t>(value) & behind) == 1ULL << 28 ||
         (value < std::numeric_limits<float>::min() && value != 0);
}

}  // namespace detail

/// Returns the value of Float nearest to a number; infinity if it is too large.
template <class Float>
Float convert(const Decimal& number) {
  const double value = number.whole ? detail::compose(number.mantissa, number.exponent) : std::nan("");
  if constexpr (std::is_same_v<Float, double>) {
    if (std::isnan(value)) [[unlikely]]
      return detail::convert_slowly<double>(number);
  } else {
    if (std::isnan(value) || detail::near_midpoint(value)) [[unlikely]]
      return detail::convert_slowly<Float>(number);
  }
  const auto rounded = static_cast<Float>(value);
  return number.negative ? -rounded : rounded;
}

namespace detail {

/// Reads any finite number by the general path.
template <class Float>
[[gnu::noinline]] const char* read_any(const char* p, Float& value) {
  const Decimal number = scan_decimal(p);
  if (number.end) value = convert<Float>(number);
  return number.end && std::isfinite(value) ? number.end : nullptr;
}

}  // namespace detail

/// Reads a number as `scan_decimal` and `convert` do; returns where it ends, or null if there is no finite number. There is a
/// fast path for one digit, a point and up to 18 further digits, which most numbers of data files are. Fifteen bytes after the
/// one that ends the number must be readable.
template <class Float>
[[gnu::always_inline]] inline const char* read_number(const char* p, Float& value) {
  using namespace detail;
  const bool negative = *p == '-';
  const char* q = p + negative;
  const auto first = static_cast<unsigned char>(*q - '0');
  if (first > 9 || q[1] != '.') return read_any(p, value);
  std::uint64_t mantissa = first, sixteen = 0;
  const char* fraction = q += 2;
  std::uint64_t word = load<std::uint64_t>(q);
  if (const std::uint64_t others = other_than_digits(word); others != 0) {
    const int count = std::countr_zero(others) / 8;
    const auto place = static_cast<std::size_t>(count);
    if ((q[count] | 0x20) == 'e') return read_any(p, value);
    const double size = static_cast<double>(mantissa * integer_powers[place] + first_digits(word, count)) / exact_powers[place];
    if (std::is_same_v<Float, float> && near_midpoint(size)) [[unlikely]]
      return read_any(p, value);
    value = static_cast<Float>(negative ? -size : size);
    return q + count;
  }
  if (take_sixteen(q, sixteen)) {
    mantissa = mantissa * integer_powers[16] + sixteen;
    q += 16;
    // There may be none, one or two more digits. A branch would be mispredicted often, so there is none.
    const unsigned next = static_cast<unsigned char>(q[0] - '0'), last = static_cast<unsigned char>(q[1] - '0');
    const unsigned one = next < 10, two = one & (last < 10);
    mantissa = mantissa * integer_powers[one + two] + one * next * (1 + 9 * two) + two * last;
    q += one + two;
  } else {
    mantissa = mantissa * integer_powers[8] + eight_digits(word ^ every_byte('0'));
    word = load<std::uint64_t>(q += 8);
    const int count = std::countr_zero(other_than_digits(word)) / 8;
    mantissa = mantissa * integer_powers[static_cast<std::size_t>(count)] + first_digits(word, count);
    q += count;
  }
  const auto digits = q - fraction;
  if ('0' <= *q && *q <= '9') return read_any(p, value);
  if ((*q | 0x20) == 'e') return read_any(p, value);
  const double size = compose(mantissa, -digits);
  if (std::isnan(size) || (std::is_same_v<Float, float> && near_midpoint(size))) [[unlikely]]
    return read_any(p, value);
  const auto rounded = static_cast<Float>(size);
  value = negative ? -rounded : rounded;
  return q;
}

}  // namespace novikoff
