// Reads examples from JSON: {"x": {name: value, ...}, "y": label, "weight": number, "id": "..."}, or "text" instead of "x".
//
// The reader is strict: each key at most once, no other keys, and of RFC 8259 nothing but what an example needs, so there is no
// nesting that could exhaust the stack.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "novikoff/example_rows.hpp"
#include "novikoff/json_string.hpp"
#include "novikoff/numbers.hpp"

namespace novikoff {

constexpr std::size_t example_padding = 64;  // readable bytes after the text, which are 0

/// Reads examples from a text that is followed by `example_padding` zero bytes.
class ExampleJson {
 public:
  ExampleJson(std::string_view text, RowBuilder& builder, const ExampleLimits& limits)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()), builder_(builder), limits_(limits) {}

  /// Reads lines, of which empty ones are skipped. After an example that is refused, the next line is read. Returns how many
  /// lines there were.
  std::size_t read_lines(std::size_t first_place) {
    std::size_t place = first_place;
    while (p_ < end_) {
      const auto* stop = static_cast<const char*>(std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_)));
      const char *line_end = stop ? stop : end_, *whole = end_, *start = p_;
      end_ = line_end;
      const bool is_long = static_cast<std::size_t>(line_end - start) > limits_.line;
      if (skip_blank() < end_ || is_long) {
        builder_.begin();
        if (is_long)
          builder_.refuse("it is longer than " + std::to_string(limits_.line) + " bytes");
        else if (read_example() && skip_blank() < end_)
          builder_.refuse("something follows the example");
        builder_.end(place, offset(start), offset(line_end));
      }
      ++place;
      end_ = whole;
      p_ = stop ? stop + 1 : end_;
    }
    return place - first_place;
  }

  /// Reads one example, or an array of them. Ends at the first one that is refused. Returns whether it is an array.
  bool read_document() {
    const bool is_array = skip_blank() < end_ && *p_ == '[';
    std::size_t place = 0;
    if (!is_array) {
      if (read_one(0) && skip_blank() < end_) fail(0, "something follows the example");
      return false;
    }
    ++p_;
    if (skip_blank() < end_ && *p_ == ']') {
      ++p_;
    } else {
      for (;; ++place) {
        if (!read_one(place)) return true;
        if (!take(',')) break;
      }
      if (!take(']')) {
        fail(place, "a comma or ] is missing after it");
        return true;
      }
    }
    if (skip_blank() < end_) fail(place, "something follows the array");
    return true;
  }

 private:
  std::size_t offset(const char* p) const { return static_cast<std::size_t>(p - begin_); }

  const char* skip_blank() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n')) ++p_;
    return p_;
  }
  bool take(char byte) {
    if (skip_blank() >= end_ || *p_ != byte) return false;
    ++p_;
    return true;
  }
  bool refuse(const char* message) { return builder_.refuse(message); }

  void fail(std::size_t place, const char* message) {
    builder_.begin();
    builder_.refuse(message);
    builder_.end(place, 0, 0);
  }

  bool read_one(std::size_t place) {
    builder_.begin();
    skip_blank();
    const char* start = p_;
    if (read_example() && static_cast<std::size_t>(p_ - start) > limits_.line)
      builder_.refuse("it is longer than " + std::to_string(limits_.line) + " bytes");
    return builder_.end(place, offset(start), offset(p_));
  }

  bool read_example() {
    if (!take('{')) return refuse("it is not a JSON object");
    unsigned seen = 0;
    if (take('}')) return refuse("it has neither x nor text, nor an id");
    do {
      std::string_view key;
      if (!read_string(key)) return false;
      const unsigned bit = key == "x"        ? 1u
                           : key == "y"      ? 2u
                           : key == "id"     ? 4u
                           : key == "weight" ? 8u
                           : key == "text"   ? 16u
                                             : 0u;
      if (bit == 0) return builder_.refuse("key {} is unknown. The keys of an example are x or text, y, weight and id", key);
      if (seen & bit) return builder_.refuse("key {} occurs twice", key);
      seen |= bit;
      if (!take(':')) return refuse("a colon is missing after a key");
      skip_blank();
      if (!(bit == 1 ? read_features() : bit == 2 ? read_label() : bit == 8 ? read_weight() : read_text(bit == 4)))
        return false;
    } while (take(','));
    if (!take('}')) return refuse("a comma or } is missing");
    if ((seen & 17) == 17) return refuse("it has both x and text");
    if ((seen & 21) == 0) return refuse("it has neither x nor text, nor an id");
    return true;
  }

  bool read_string(std::string_view& text) {
    if (!take('"')) return refuse("a string in double quotes is missing");
    text = strings_.read(p_, end_);
    return !strings_.problem || builder_.refuse(std::string("a string ") + strings_.problem);
  }

  bool read_features() {
    if (!take('{')) return refuse("x must be an object of features");
    builder_.set_named();
    if (take('}')) return true;
    do {
      p_ = read_plain(skip_blank());
      std::string_view name;
      if (!read_string(name)) return false;
      if (p_ < end_ && *p_ == ':') [[likely]]
        ++p_;
      else if (!take(':'))
        return refuse("a colon is missing after the name of a feature");
      if (!read_value(name)) return false;
    } while (take(','));
    return take('}') || refuse("a comma or } is missing after a feature");
  }

  /// Reads features as long as they are as most are: a name without escapes, a colon, and a number with one digit before its
  /// point and others behind it, with a space before it or not, and a comma. Returns where the next one begins.
  const char* read_plain(const char* p) {
    while (p < end_ && *p == '"') {
      const char* name = p + 1;
      const char* quote = JsonStrings::end_of_plain(name, end_);
      if (quote >= end_ || quote[0] != '"' || quote[1] != ':') break;
      const char* number = quote + 2 + (quote[2] == ' ');
      const char* digits = number + (*number == '-');
      if (!is_digit(digits[0]) || digits[1] != '.' || !is_digit(digits[2])) break;
      double value = 0;
      const char* stop = novikoff::read_number(number, value);
      if (!stop || stop >= end_ || *stop != ',') break;
      if (!builder_.add_feature({name, static_cast<std::size_t>(quote - name)}, value)) break;
      p = stop + 1 + (stop[1] == ' ');
    }
    return p;
  }

  bool read_value(std::string_view name) {
    skip_blank();
    const char first = p_ < end_ ? *p_ : '\0';
    if (first == '"') {
      name_.assign(name);  // the next string may take its place
      name_.push_back('=');
      std::string_view text;
      if (!read_string(text)) return false;
      name_.append(text);
      return builder_.add_feature(name_, 1.0, true);
    }
    if (first == 't' || first == 'f') {
      bool value = false;
      return read_boolean(value) && builder_.add_feature(name, value ? 1.0 : 0.0, !is_in_text(name));
    }
    double value = 0;
    if (!read_number(value)) return builder_.refuse("feature {} must be a finite number, a string, true or false", name);
    return builder_.add_feature(name, value, !is_in_text(name));
  }
  /// Whether a string is part of the text, because it has no escapes.
  bool is_in_text(std::string_view name) const { return name.data() >= begin_ && name.data() <= end_; }

  /// A number as JSON has it, and finite. Returns false, without a message, if there is none.
  bool read_number(double& value) {
    const char* digits = p_ + (*p_ == '-');  // the byte at the end of the text is 0
    if (!is_digit(*digits) || (*digits == '0' && is_digit(digits[1]))) return false;
    const char* q = digits;
    while (is_digit(*q)) ++q;
    if (*q == '.' && !is_digit(q[1])) return false;
    const char* stop = novikoff::read_number(p_, value);
    if (!stop || stop > end_) return false;
    if (*stop == '.' || is_digit(*stop) || (*stop | 0x20) == 'e') return false;
    p_ = stop;
    return true;
  }
  static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

  bool read_boolean(bool& value) {
    for (const std::string_view word : {std::string_view("true"), std::string_view("false")})
      if (static_cast<std::size_t>(end_ - p_) >= word.size() && std::string_view(p_, word.size()) == word) {
        value = word.size() == 4;
        p_ += word.size();
        return true;
      }
    return refuse("a word is neither true nor false");
  }

  bool read_label() {
    const char first = p_ < end_ ? *p_ : '\0';
    if (first == '"') {
      std::string_view text;
      return read_string(text) && builder_.set_label(LabelKind::text, text);
    }
    if (first == 't' || first == 'f') {
      bool value = false;
      return read_boolean(value) && builder_.set_label(LabelKind::boolean, value ? "true" : "false");
    }
    if (first == 'n' && end_ - p_ >= 4 && std::string_view(p_, 4) == "null") {
      p_ += 4;
      return true;
    }
    const char* start = p_;
    double value = 0;
    if (!read_number(value)) return refuse("a label must be a string, an integer, true or false");
    return set_integer(std::string_view(start, static_cast<std::size_t>(p_ - start)), value);
  }

  /// 1.0 and 1e0 are the integer 1.
  bool set_integer(std::string_view digits, double value) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size()) {
      if (!(std::abs(value) <= 9007199254740992.0) || value != std::floor(value))
        return builder_.refuse("label {} is not an integer of 64 bits. Use a string for other labels", digits);
      number = static_cast<std::int64_t>(value);
    }
    return builder_.set_label(LabelKind::integer, std::to_string(number));
  }

  bool read_weight() {
    double weight = 0;
    return read_number(weight) ? builder_.set_weight(weight) : refuse("weight must be a positive number");
  }

  bool read_text(bool is_id) {
    std::string_view text;
    if (p_ < end_ && *p_ != '"') return refuse(is_id ? "the id must be a string" : "text must be a string");
    if (!read_string(text)) return false;
    if (is_id) return builder_.set_id(text);
    builder_.set_text(text);
    return true;
  }

  const char *begin_, *p_, *end_;
  RowBuilder& builder_;
  const ExampleLimits& limits_;
  JsonStrings strings_;
  std::string name_;
};

}  // namespace novikoff
