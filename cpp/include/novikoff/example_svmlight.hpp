// Reads examples from svmlight text: a label, then index:value pairs; what follows # is a comment. The names of the features
// are their indices in digits.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "novikoff/bytes.hpp"
#include "novikoff/decimal_text.hpp"
#include "novikoff/example_rows.hpp"
#include "novikoff/numbers.hpp"

namespace novikoff {

class ExampleSvmlight {
 public:
  ExampleSvmlight(std::string_view text, RowBuilder& builder, const ExampleLimits& limits)
      : text_(text), builder_(builder), limits_(limits) {}

  /// Reads lines, of which empty ones are skipped. Returns how many there were.
  std::size_t read_lines(std::size_t first_place) {
    std::size_t place = first_place;
    for (std::size_t at = 0; at < text_.size(); ++place) {
      const std::size_t stop = std::min(text_.find('\n', at), text_.size());
      read_line(place, at, stop);
      at = stop + 1;
    }
    return place - first_place;
  }

 private:
  void read_line(std::size_t place, std::size_t begin, std::size_t end) {
    std::string_view rest = text_.substr(begin, end - begin);
    const bool is_long = rest.size() > limits_.line;
    rest = rest.substr(0, rest.find('#'));
    std::string_view token = next(rest);
    if (token.empty() && !is_long) return;
    builder_.begin();
    if (is_long) {
      builder_.refuse("it is longer than " + std::to_string(limits_.line) + " bytes");
    } else if (read_label(token)) {
      builder_.set_named();
      do {
        rest.remove_prefix(read_plain(rest));
        token = next(rest);
      } while (!token.empty() && read_feature(token));
    }
    builder_.end(place, begin, end);
  }

  static std::string_view next(std::string_view& rest) {
    constexpr std::string_view blank = " \t\r";
    rest.remove_prefix(std::min(rest.find_first_not_of(blank), rest.size()));
    const std::string_view token = rest.substr(0, rest.find_first_of(blank));
    rest.remove_prefix(token.size());
    return token;
  }

  /// Reads features as long as they are as nearly all are: up to seven digits, a colon, and a number that ends at a blank.
  /// Returns how many bytes they have.
  std::size_t read_plain(std::string_view rest) {
    const char *p = rest.data(), *end = p + rest.size();
    for (;;) {
      const char* name = p;
      while (name < end && *name == ' ') ++name;
      const std::uint64_t word = load<std::uint64_t>(name);  // what follows the text is readable
      const int size = std::countr_zero(detail::other_than_digits(word) | std::uint64_t{1} << 63) / 8;
      const char* colon = name + size;
      if (size == 0 || (*name == '0' && size > 1) || colon >= end || *colon != ':') break;
      double value = 0;
      const char* stop = novikoff::read_number(colon + 1, value);
      if (!stop || stop > end || (stop < end && *stop != ' ')) break;
      if (!builder_.add_index(detail::first_digits(word, size), {name, static_cast<std::size_t>(size)}, value)) break;
      p = stop;
    }
    return static_cast<std::size_t>(p - rest.data());
  }

  bool read_label(std::string_view token) {
    const std::string_view digits = token[0] == '+' ? token.substr(1) : token;
    double value = 0;
    if (!read_number(digits, value) || std::abs(value) > 9007199254740992.0 || value != std::floor(value))
      return builder_.refuse("label {} is not an integer", token);
    return builder_.set_label(LabelKind::integer, std::to_string(static_cast<std::int64_t>(value)));
  }

  bool read_feature(std::string_view token) {
    const std::size_t colon = token.find(':');
    const std::string_view name = token.substr(0, colon);
    if (name == "qid") return true;
    std::int64_t index = 0;
    double value = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (colon == token.npos || error != std::errc{} || stop != name.data() + name.size() || index < 0)
      return builder_.refuse("{} is not a feature index:value", token);
    if (!read_number(token.substr(colon + 1), value)) return builder_.refuse("the value of {} is not a finite number", token);
    return builder_.add_feature(std::to_string(index), value, true);
  }

  static bool read_number(std::string_view digits, double& value) {
    const auto [stop, error] = parse_decimal(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && stop == digits.data() + digits.size() && std::isfinite(value);
  }

  std::string_view text_;
  RowBuilder& builder_;
  const ExampleLimits& limits_;
};

}  // namespace novikoff
