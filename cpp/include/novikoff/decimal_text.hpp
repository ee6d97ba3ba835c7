// Decimal text as a floating-point number, correctly rounded, with any standard library.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>
#include <type_traits>

#ifndef _WIN32
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#endif

namespace novikoff {

#ifndef _WIN32
/// As std::from_chars for finite numbers, by the C library: the standard library of macOS 14 does not have it for
/// floating-point numbers. "inf" and "nan" are not numbers here.
template <class Float>
std::from_chars_result parse_with_c_library(const char* begin, const char* end, Float& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);  // a point separates decimals, whatever the user chose
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  const char* p = begin < end && *begin == '-' ? begin + 1 : begin;
  const bool begins = p < end && (is_digit(*p) || (*p == '.' && p + 1 < end && is_digit(p[1])));
  if (!begins) return {begin, std::errc::invalid_argument};
  while (p < end && (is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E' || *p == '+' || *p == '-')) ++p;
  const std::string text(begin, p);  // which a zero ends, as the function requires
  char* stop = nullptr;
  Float found;
  if constexpr (std::is_same_v<Float, float>)
    found = strtof_l(text.c_str(), &stop, plain);
  else
    found = strtod_l(text.c_str(), &stop, plain);
  const char* last = begin + (stop - text.c_str());
  const auto is_zero = [&] {
    for (const char* c = begin; c < last && *c != 'e' && *c != 'E'; ++c)
      if ('1' <= *c && *c <= '9') return false;
    return true;
  };
  if (std::isinf(found) || (found == 0 && !is_zero())) return {last, std::errc::result_out_of_range};
  value = found;
  return {last, std::errc{}};
}
#endif

/// As std::from_chars, which leaves `value` as it is if the text is not a number or out of range.
template <class Float>
std::from_chars_result parse_decimal(const char* begin, const char* end, Float& value) {
#if defined(__cpp_lib_to_chars) || defined(_WIN32)
  return std::from_chars(begin, end, value);
#else
  return parse_with_c_library(begin, end, value);
#endif
}

}  // namespace novikoff
