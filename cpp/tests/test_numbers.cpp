// Decimal numbers: the same bits as the C library's, which rounds correctly, for text of every shape.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "novikoff/numbers.hpp"
#include "novikoff/random.hpp"

using namespace novikoff;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int many = 10'000;
#else
constexpr int many = 50'000;
#endif

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
bool same_bits(double a, double b) { return check::same_bits(a, b); }

/// A text with so many bytes behind it, and no more.
std::vector<char> exactly(std::string_view text, std::size_t behind) {
  std::vector<char> exact(text.begin(), text.end());
  exact.insert(exact.end(), behind, '\n');
  exact.shrink_to_fit();
  return exact;
}

/// Where a number ends in a text, if there is one, with the value. The short way must not differ from the long one.
template <class Float>
std::optional<std::pair<std::size_t, Float>> scan(std::string_view text) {
  const std::vector<char> exact = exactly(text, 8), more = exactly(text, 16);
  const Decimal number = scan_decimal(exact.data());
  Float value = 0;
  const char* end = read_number(more.data(), value);
  if (!number.end) {
    CHECK(!end);
    return {};
  }
  const std::pair found(static_cast<std::size_t>(number.end - exact.data()), convert<Float>(number));
  CHECK(std::isfinite(found.second) ? end == more.data() + found.first && same_bits(value, found.second) : !end);
  return found;
}

/// Reads a text that is a number as double and as float, and says which it was if the C library reads another.
void check_number(const std::string& text) {
  const auto wide = scan<double>(text);
  const auto narrow = scan<float>(text);
  const bool good = wide && narrow && wide->first == text.size() && narrow->first == text.size() &&
                    check::same_bits(wide->second, std::strtod(text.c_str(), nullptr)) &&
                    same_bits(narrow->second, std::strtof(text.c_str(), nullptr));
  if (!good) std::fprintf(stderr, "%.80s\n", text.c_str());
  CHECK(good);
}

std::string random_digits(Random& random, std::size_t count) {
  std::string digits;
  for (std::size_t k = 0; k < count; ++k) digits += static_cast<char>('0' + random.below(10));
  return digits;
}

/// Digits with a point somewhere among them or at either end.
std::string with_point(std::string digits, Random& random) {
  digits.insert(random.below(digits.size() + 1), 1, '.');
  return digits;
}

std::string exponent(Random& random, std::int64_t most) {
  const auto power = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * most + 1))) - most;
  const std::string plus = power >= 0 && random.below(2) ? "+" : "";
  return (random.below(2) ? "e" : "E") + plus + std::to_string(power);
}

std::string sign(Random& random) {
  const char* signs[] = {"", "", "-", "+"};
  return signs[random.below(4)];
}

/// Finite, positive and of any size, all exponents alike.
double random_double(Random& random) { return std::bit_cast<double>(random.below(0x7FE0000000000000ULL)); }
float random_float(Random& random) { return std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x7F000000ULL))); }

/// All digits of a number: nothing is rounded.
std::string all_digits(long double number) {
  char text[1200];
  std::snprintf(text, sizeof text, "%.1100Le", number);
  std::string whole(text);
  const std::size_t e = whole.find('e');
  const std::size_t last = whole.find_last_not_of('0', e - 1);
  return whole.substr(0, last + 1) + whole.substr(e);
}

/// The same number with so many digits, cut off and not rounded.
std::string cut(const std::string& digits, std::size_t count) {
  const std::size_t e = digits.find('e');
  return e <= count + 1 ? digits : digits.substr(0, count + 1) + digits.substr(e);
}

/// A digit more behind the others: the smallest step away from zero that the text can take.
std::string a_little_more(const std::string& digits) {
  std::string more = digits;
  return more.insert(digits.find('e'), digits.find('.') < digits.find('e') ? "00000000000000000001" : ".00000000000000000001");
}

/// One less in the last digit, and nines behind it.
std::string a_little_less(const std::string& digits) {
  std::string less = digits;
  std::size_t last = digits.find('e') - 1;
  if (less[last] == '.') --last;
  if (less[last] == '0') return digits;
  --less[last];
  return less.insert(digits.find('e'), digits.find('.') < digits.find('e') ? "99999999999999999999" : ".99999999999999999999");
}

/// A number exactly in the middle of two neighbours, the neighbours of that middle, and rounded shorter.
void check_middle(long double middle, Random& random) {
  const std::string digits = all_digits(middle);
  check_number(digits);
  check_number(a_little_more(digits));
  check_number(a_little_less(digits));
  for (std::size_t count = 15; count <= 25; ++count) {
    const std::string shorter = cut(digits, count);
    check_number(shorter);
    check_number(a_little_less(shorter));
    check_number(sign(random) + "000" + shorter);
  }
}

}  // namespace

TEST(short_decimals_are_those_of_the_c_library) {
  Random random{1};
  for (int k = 0; k < many; ++k) {
    check_number(sign(random) + random_digits(random, 1 + random.below(8)));
    check_number(sign(random) + with_point(random_digits(random, 1 + random.below(8)), random));
    check_number(with_point(random_digits(random, 1 + random.below(8)), random) + exponent(random, 30));
  }
}

TEST(decimals_of_up_to_25_digits_are_those_of_the_c_library) {
  Random random{2};
  for (int k = 0; k < many; ++k) {
    check_number(sign(random) + with_point(random_digits(random, 1 + random.below(25)), random));
    check_number(with_point(random_digits(random, 15 + random.below(11)), random) + exponent(random, 40));
    check_number(with_point(random_digits(random, 1 + random.below(25)), random) + exponent(random, 350));
  }
}

TEST(the_shortest_text_of_any_double_and_any_float_gives_it_back) {
  Random random{3};
  for (int k = 0; k < many; ++k) {
    char text[40];
    const double wide = random_double(random);
    const float narrow = random_float(random);
    std::snprintf(text, sizeof text, "%.17g", wide);
    check_number(text);
    CHECK(check::same_bits(scan<double>(text)->second, wide));
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(narrow));
    check_number(text);
    CHECK(same_bits(scan<float>(text)->second, narrow));
    std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(random.below(1ULL << 52)));  // subnormal
    check_number(text);
    std::snprintf(text, sizeof text, "%.9g",
                  static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random.below(1 << 23)))));
    check_number(text);
  }
}

TEST(a_number_in_the_middle_of_two_doubles_goes_to_the_even_one) {
  Random random{4};
  for (int k = 0; k < many / 200; ++k) {
    const double number = random_double(random);
    const auto above = static_cast<long double>(std::nextafter(number, std::numeric_limits<double>::infinity()));
    check_middle((static_cast<long double>(number) + above) / 2, random);
    const double plain = static_cast<double>(random.next() >> 11) * std::ldexp(1.0, static_cast<int>(random.below(100)) - 90);
    const auto next = static_cast<long double>(std::nextafter(plain, std::numeric_limits<double>::infinity()));
    check_middle((static_cast<long double>(plain) + next) / 2, random);
  }
}

TEST(a_number_in_the_middle_of_two_floats_goes_to_the_even_one) {
  Random random{5};
  for (int k = 0; k < many / 100; ++k) {
    const float number = random_float(random);
    const auto above = static_cast<long double>(std::nextafter(number, std::numeric_limits<float>::infinity()));
    check_middle((static_cast<long double>(number) + above) / 2, random);
    const float plain = static_cast<float>(random.next() >> 40) * std::ldexp(1.0f, static_cast<int>(random.below(60)) - 40);
    const auto next = static_cast<long double>(std::nextafter(plain, std::numeric_limits<float>::infinity()));
    check_middle((static_cast<long double>(plain) + next) / 2, random);
  }
}

TEST(a_number_just_off_the_middle_of_two_floats_is_not_rounded_twice) {
  Random random{6};
  for (int k = 0; k < many / 10; ++k) {
    const float number =
        std::ldexp(static_cast<float>((random.next() >> 41) + (1 << 23)), static_cast<int>(random.below(20)) - 24);
    const double middle = (static_cast<double>(number) + std::nextafter(number, 1e30f)) / 2;
    char text[64];
    std::snprintf(text, sizeof text, "%.30f", middle);
    std::string digits(text);
    check_number(digits);
    check_number(digits + "1");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() != '.') {
      --digits.back();
      check_number(digits + "99999999999999");
    }
  }
}

TEST(the_ends_of_the_range_are_those_of_the_c_library) {
  Random random{7};
  for (long double end : {static_cast<long double>(std::numeric_limits<double>::max()),
                          static_cast<long double>(std::numeric_limits<double>::min()),
                          static_cast<long double>(std::numeric_limits<double>::denorm_min()),
                          static_cast<long double>(std::numeric_limits<float>::max()),
                          static_cast<long double>(std::numeric_limits<float>::min()),
                          static_cast<long double>(std::numeric_limits<float>::denorm_min()), 1.0L, 9007199254740992.0L})
    for (long double factor : {0.25L, 0.5L, 0.75L, 1.0L, 1.5L, 2.0L, 1 + std::ldexp(1.0L, -25), 1 + std::ldexp(1.0L, -54),
                               1 - std::ldexp(1.0L, -25), 1 - std::ldexp(1.0L, -54)})
      check_middle(end * factor, random);
  for (const char* text : {"1e308",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "1e999999999999999999999",
                           "0e999999999999999999999",
                           "0.0e-999999999999999999999",
                           "-0",
                           "-0.0e5",
                           "1e-323",
                           "4.9e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "1e-400",
                           "-1e-400",
                           "-1e400",
                           "1e-999999999999999999999",
                           "3.4028235e38",
                           "3.4028236e38",
                           "3.40282357e38",
                           "1.17549435e-38",
                           "1.4e-45",
                           "7.006492321624085e-46",
                           "7.006492321624086e-46",
                           "1e-46"})
    check_number(text);
}

TEST(very_long_numbers_are_those_of_the_c_library) {
  Random random{8};
  for (int k = 0; k < many / 2000; ++k) {
    check_number(with_point(random_digits(random, 1 + random.below(2000)), random));
    check_number("0." + std::string(random.below(400), '0') + random_digits(random, 1 + random.below(40)));
    check_number(random_digits(random, 1 + random.below(40)) + std::string(random.below(300), '0'));
    check_number(std::string(random.below(100), '0') + with_point(random_digits(random, 19 + random.below(3)), random));
    const auto zeros = static_cast<std::int64_t>(random.below(3000));
    const auto close = zeros + static_cast<std::int64_t>(random.below(40)) - 20;
    const std::string few = random_digits(random, 1 + random.below(20));
    check_number("0." + std::string(static_cast<std::size_t>(zeros), '0') + few + "e" + std::to_string(close));
    check_number(few + std::string(static_cast<std::size_t>(zeros), '0') + "e-" + std::to_string(std::abs(close)));
  }
  for (const char* power : {"1000", "-1000", "1600", "1700", "2000", "2300", "2400", "-1600", "-1700", "-2300", "-2400"}) {
    check_number("0." + std::string(2000, '0') + "1e" + power);
    check_number("000." + std::string(2000, '0') + "12345e" + power);
    check_number('1' + std::string(2000, '0') + "e" + power);
    check_number("00" + std::string(2000, '7') + "." + std::string(2000, '0') + "e" + power);
  }
  check_number(std::string(1 << 20, '0') + "1");
  check_number("0." + std::string(1 << 20, '0') + "1");
  check_number("0." + std::string(1 << 20, '0') + "1e1048577");
  check_number('1' + std::string(1 << 20, '0') + "e-1048576");
  check_number('1' + std::string(1 << 20, '0'));
  check_number("1e" + std::string(1 << 20, '0') + "5");
}

TEST(nineteen_digits_are_whole_wherever_zeros_and_the_point_stand) {
  Random random{9};
  const auto whole = [](const std::string& text) { return scan_decimal((text + std::string(8, '\n')).c_str()).whole; };
  for (int k = 0; k < 2000; ++k)
    for (std::size_t count = 17; count <= 21; ++count) {
      std::string digits = random_digits(random, count);
      if (random.below(4) == 0) digits.assign(count, '9');
      if (random.below(4) == 0) digits = "18446744073709551615" + digits;  // 2^64 - 1
      const std::size_t zeros = digits.find_first_not_of('0');
      const bool fits = zeros == digits.npos || digits.size() - zeros <= 19;
      const std::string padded = std::string(random.below(30), '0') + digits;
      CHECK(whole(padded) == fits);
      CHECK(whole(with_point(padded, random)) == fits);
      check_number(padded);
      check_number(with_point(padded, random) + exponent(random, 25));
    }
  for (const char* text :
       {"18446744073709551615", "18446744073709551616", "18446744073709551617", "9999999999999999999", "10000000000000000000",
        "9007199254740993", "9007199254740992.999999999", "4294967295", "4294967296"})
    check_number(text);
}

TEST(what_is_no_number_has_no_end) {
  for (const char* text :
       {"",     "+",   "-",    ".",   "+.",  "-.",       "e",  "e5",   ".e5",  "-e5",  "+-1", "-+1",   "--1",
        "++1",  "inf", "-inf", "nan", "NaN", "infinity", "x",  ":",    "1e",   "1e+",  "1e-", "1.e",   "1e+x",
        "1e 5", "1E",  ".5e",  " 1",  "\t1", "#1",       ",5", "\xFF", "\xB0", "\x90", "/",   "1e\xB5"})
    CHECK(!scan<double>(text) && !scan<float>(text));
}

TEST(a_number_ends_where_its_last_digit_or_its_point_does) {
  struct Case {
    const char* text;
    std::size_t end;
    double value;
  };
  for (const Case& c : {Case{"1.2.3", 3, 1.2},
                        {"1_000", 1, 1},
                        {"0x10", 1, 0},
                        {"1e5.5", 3, 1e5},
                        {"1e5e5", 3, 1e5},
                        {"5.", 2, 5},
                        {".5", 2, .5},
                        {"5.e1", 4, 50},
                        {"1,5", 1, 1},
                        {"12345678:", 8, 12345678},
                        {"123456789\xB0", 9, 123456789},
                        {"1 2", 1, 1},
                        {"7f", 1, 7},
                        {"7/", 1, 7},
                        {"1.5/", 3, 1.5},
                        {"1-5", 1, 1},
                        {"00012.500x", 9, 12.5},
                        {"+3", 2, 3},
                        {"-3#", 2, -3}}) {
    const auto found = scan<double>(c.text);
    CHECK(found && found->first == c.end && check::same_bits(found->second, c.value));
  }
}

TEST(every_byte_behind_digits_ends_them) {
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t count = 1; count <= 17; ++count) {
      const char c = static_cast<char>(byte);
      if (('0' <= c && c <= '9') || c == '.' || c == 'e' || c == 'E') continue;
      const std::string digits(count, '7');
      for (const std::string& text : {digits + c, digits + c + "7777777", digits + c + std::string(9, '\xFF')}) {
        const auto found = scan<double>(text);
        CHECK(found && found->first == count && check::same_bits(found->second, std::strtod(digits.c_str(), nullptr)));
      }
    }
}
