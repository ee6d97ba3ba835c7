// Names of columns as JSON, and back: a list of texts and integers, in ASCII, without spaces.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "novikoff/json_string.hpp"
#include "novikoff/names.hpp"
#include "novikoff/text.hpp"

namespace novikoff {

namespace detail {

/// Appends \uXXXX.
inline void append_escape(std::string& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  const char escape[] = {'\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]};
  out.append(escape, sizeof escape);
}

/// How many of the first bytes are characters that JSON has as they are, which nearly all names consist of.
inline std::size_t plain_length(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] >= ' ' && text[size] <= '~' && text[size] != '"' && text[size] != '\\') ++size;
  return size;
}

/// Appends a text in quotes. It must be valid UTF-8.
inline void append_text(std::string& out, std::string_view text) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t plain = plain_length(text.substr(i));
    out.append(text, i, plain);
    if ((i += plain) == text.size()) break;
    const auto [character, size] = decode(reinterpret_cast<const unsigned char*>(text.data()) + i, text.size() - i);
    i += size;
    const std::size_t place = character < end_of_one ? special.find(static_cast<char>(character)) : special.npos;
    if (place != special.npos)
      out.append({'\\', letters[place]});
    else if (character < end_of_three)
      append_escape(out, character);
    else {
      append_escape(out, 0xD800 + (character - end_of_three) / 0x400);
      append_escape(out, 0xDC00 + character % 0x400);
    }
  }
  out.push_back('"');
}

/// Reads a list of names from JSON. Throws std::invalid_argument if it is anything else.
class NamesReader {
 public:
  explicit NamesReader(std::string_view json) : json_(json) {}

  Names read() {
    Names names;
    expect('[');
    if (next() != ']') do {
        if (next() == '"') {
          names.add(Name::of(read_text()));
        } else {
          names.add(Name::of(read_integer()));
        }
      } while (next() == ',' && ++at_);
    expect(']');
    if (next() != '\0' || at_ < json_.size()) refuse("something follows the list");
    return names;
  }

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw std::invalid_argument("the names are not a list of texts and integers in JSON: " + std::string(why) + " (byte " +
                                std::to_string(at_) + ").");
  }

  /// The next byte that is not white space; 0 at the end.
  char next() {
    while (at_ < json_.size() && std::string_view(" \t\n\r").find(json_[at_]) != std::string_view::npos) ++at_;
    return at_ < json_.size() ? json_[at_] : '\0';
  }
  void expect(char byte) {
    if (at_ >= json_.size() || next() != byte) refuse("a bracket, a comma or a name is missing");
    ++at_;
  }

  std::int64_t read_integer() {
    std::int64_t number = 0;
    const char *first = json_.data() + at_, *end = json_.data() + json_.size();
    const auto [last, error] = std::from_chars(first, end, number);
    const char* digits = first + (first < end && *first == '-');
    if (error == std::errc::result_out_of_range) refuse("an integer has more than 64 bits");
    if (error != std::errc{} || (*digits == '0' && last - digits > 1)) refuse("a name is neither a text nor an integer");
    at_ += static_cast<std::size_t>(last - first);
    return number;
  }

  std::string_view read_text() {
    const char* p = json_.data() + at_ + 1;
    const std::string_view text = strings_.read(p, json_.data() + json_.size());
    at_ = static_cast<std::size_t>(p - json_.data());
    if (strings_.problem) refuse((std::string("a text ") + strings_.problem).c_str());
    return text;
  }

  std::string_view json_;
  std::size_t at_ = 0;
  JsonStrings strings_;
};

}  // namespace detail

/// The names of columns [begin, end) as JSON.
inline std::string names_to_json(const Names& names, std::size_t begin, std::size_t end) {
  std::string json = "[";
  json.reserve(names.byte_count() + 3 * (end - begin) + 2);  // quotes and a comma for each
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) json.push_back(',');
    const Name name = names[i];
    if (name.is_text())
      detail::append_text(json, name.view());
    else
      json += std::to_string(name.value);
  }
  json.push_back(']');
  return json;
}

/// The names in a JSON list of texts and integers. Throws std::invalid_argument if it is anything else.
inline Names names_from_json(std::string_view json) { return detail::NamesReader(json).read(); }

}  // namespace novikoff
