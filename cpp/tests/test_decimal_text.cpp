// Decimal text: the standard library and the C library, which is used where the former lacks it, agree.
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include "check.hpp"
#include "novikoff/decimal_text.hpp"

using namespace novikoff;

namespace {

template <class Float>
void check_agreement(std::string_view text) {
  Float expected = 7, found = 7;
  const auto one = parse_decimal(text.data(), text.data() + text.size(), expected);
  const auto other = parse_with_c_library(text.data(), text.data() + text.size(), found);
  CHECK(one.ptr == other.ptr && one.ec == other.ec);
  CHECK(found == expected && std::signbit(found) == std::signbit(expected));
}

}  // namespace

TEST(both_libraries_read_the_same_numbers) {
  for (std::string_view text : {"0",
                                "-0",
                                "1",
                                "-1.5",
                                ".5",
                                "5.",
                                "1e5",
                                "1E-5",
                                "1e+5",
                                "1e",
                                "1e+",
                                "0x10",
                                "1.2.3",
                                "12abc",
                                "",
                                "-",
                                "+1",
                                " 1",
                                ".",
                                "-.",
                                "e5",
                                "1e999",
                                "-1e999",
                                "1e-999",
                                "0e999",
                                "-0.0e-999",
                                "5e-324",
                                "2e-324",
                                "1e-310",
                                "1.7976931348623157e308",
                                "1.7976931348623159e308",
                                "3.4028236e38",
                                "1e-45",
                                "7e-46",
                                "1,5",
                                "9007199254740993",
                                "0.1000000000000000055511151231257827021181583404541015625"}) {
    check_agreement<double>(text);
    check_agreement<float>(text);
  }
}

TEST(both_libraries_round_alike) {
  std::mt19937_64 random(0);
  for (int k = 0; k < 20000; ++k) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    std::string text(digits.data(), end);
    check_agreement<double>(text);
    check_agreement<float>(text);
    const std::size_t exponent = text.find('e');
    text.insert(exponent == text.npos ? text.size() : exponent, text.find('.') == text.npos ? ".5" : "5");
    check_agreement<double>(text);
  }
}
