// Checks any bytes as JSON: in one block and in several, with the result of a simple check of one byte after the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/json_check.hpp"
#include "target.hpp"

using namespace novikoff;
using fuzz::require;

namespace {

/// Line of the first error, or what is unfinished; and where values end.
struct Outcome {
  std::optional<std::size_t> bad_line;
  bool is_finished = true;
  std::vector<std::size_t> ends;
  bool operator==(const Outcome&) const = default;
};

std::size_t line_at(std::string_view text, std::size_t position) {
  return static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

/// The length of the UTF-8 character that a text begins with, or 0.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  std::uint32_t character = lead & (0xFFu >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) {
    if (k >= text.size() || static_cast<unsigned char>(text[k]) / 64 != 2) return 0;
    character = character * 64 + static_cast<unsigned char>(text[k]) % 64;
  }
  const bool is_overlong = (size == 3 && character < 0x800) || (size == 4 && character < 0x10000);
  return is_overlong || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF) ? 0 : size;
}

/// A character that the text's end cuts short is not an error yet.
bool is_cut_short(std::string_view text) {
  for (std::string_view rest : {"\x80", "\x80\x80", "\x80\x80\x80", "\xA0\x80", "\x90\x80\x80", "\xA0", "\x90", "\x90\x80"})
    if (text.size() < 4 && character_length(std::string(text).append(rest)) == text.size() + rest.size()) return true;
  return false;
}

Outcome plain_check(std::string_view text) {
  Outcome outcome;
  std::string open;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    bool good = true;
    if (in_string) {
      const std::size_t size = character_length(text.substr(i));
      if (size == 0 && is_cut_short(text.substr(i))) break;
      good = size > 0 && static_cast<unsigned char>(c) >= 0x20;
      if (good) i += size - 1;
      if (c == '"') in_string = false;
      if (c == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    } else if (open.empty()) {
      if (is_blank) continue;
      good = c == '{';
      open = "}";
    } else if (c == '{' || c == '[') {
      good = open.size() < max_json_depth;
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      good = open.back() == c;
      open.pop_back();
      if (good && open.empty()) outcome.ends.push_back(i + 1);
    } else {
      in_string = c == '"';
      good = is_blank || (c > ' ' && c < '\x7f');
    }
    if (!good) return {line_at(text, i), true, {}};
  }
  outcome.is_finished = !in_string && open.empty();
  return outcome;
}

Outcome check_blocks(std::string_view text, std::size_t size) {
  JsonCheck check;
  Outcome outcome;
  for (std::size_t begin = 0; begin < text.size(); begin += size) {
    const std::string_view part = text.substr(begin, size);
    const std::vector<char> exact(part.begin(), part.end());  // so that a read past its end is seen
    if (const std::optional<BadJson> bad = check.feed({exact.data(), exact.size()})) {
      require(bad->position < part.size() && bad->reason[0] != '\0', "an error has a position and a reason");
      return {line_at(text, begin + bad->position), true, {}};
    }
    for (std::int64_t end : check.ends()) outcome.ends.push_back(begin + static_cast<std::size_t>(end));
  }
  outcome.is_finished = std::string_view(check.unfinished()).empty();
  return outcome;
}

}  // namespace

const std::size_t fuzz::ways = 1;

void fuzz::check(std::string_view text, std::size_t) {
  const Outcome whole = check_blocks(text, text.size() + 1);
  require(whole == plain_check(text), "the outcome is that of the simple check");
  for (std::size_t size : {std::size_t{1}, std::size_t{7}, text.size() / 2 + 1})
    require(check_blocks(text, size) == whole, "blocks change nothing");
  std::size_t begin = 0;
  for (std::size_t end : whole.ends) {
    require(begin < end && end <= text.size(), "values follow each other");
    const std::vector<char> exact(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(end));
    require(distinct_json_keys({exact.data(), exact.size()}) <= exact.size(), "keys are in the text");
    begin = end;
  }
}
