// Splits any bytes into words, and counts and hashes them, with the words of a simple loop over characters.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/hashing.hpp"
#include "novikoff/text.hpp"
#include "novikoff/vocabulary.hpp"
#include "target.hpp"

using namespace novikoff;
using fuzz::require;

namespace {

/// Words by the definition: runs of at least two characters that the tables of Unicode list. Nothing for bytes that are not
/// UTF-8.
std::optional<std::vector<std::string>> plain_words(std::string_view text, bool lowercase) {
  std::vector<std::string> words(1);
  std::vector<std::size_t> characters(1);
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (size == 0 || i + size > text.size()) return std::nullopt;
    char32_t character = size == 1 ? lead : lead & (0x7Fu >> size);
    for (std::size_t k = 1; k < size; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if (byte / 64 != 2) return std::nullopt;
      character = character * 64 + byte % 64;
    }
    const bool is_overlong = (size == 3 && character < 0x800) || (size == 4 && character < 0x10000);
    if (is_overlong || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) return std::nullopt;
    const bool belongs = std::any_of(std::begin(unicode::words), std::end(unicode::words), [&](const unicode::Range& range) {
      return range.first <= character && character <= range.last;
    });
    if (belongs) {
      char written[4];
      const char32_t shown = lowercase ? detail::find_lower(character) : character;
      words.back().append(written, static_cast<std::size_t>(detail::encode(shown, written) - written));
      ++characters.back();
    } else if (characters.back() > 0) {
      words.emplace_back();
      characters.push_back(0);
    }
    i += size;
  }
  std::vector<std::string> found;
  for (std::size_t k = 0; k < words.size(); ++k)
    if (characters[k] >= 2) found.push_back(words[k]);
  return found;
}

void check_words(std::string_view text, bool lowercase) {
  const std::vector<char> exact(text.begin(), text.end());  // so that a read past its end is seen
  Words words(lowercase);
  const std::size_t bad = words.read({exact.data(), exact.size()});
  const auto expected = plain_words(text, lowercase);
  require((bad == Words::npos) == expected.has_value(), "bytes are refused if they are not UTF-8");
  if (!expected) {
    require(bad < text.size() && plain_words(text.substr(0, bad), lowercase), "the bytes before the first bad one are UTF-8");
    return;
  }
  require(words.count() == expected->size(), "the number of words");
  for (std::size_t k = 0; k < words.count(); ++k) require(words.ngram(k, 1) == (*expected)[k], "the words");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) lines.push_back(text.substr(0, end));
  lines.push_back(text);
  return lines;
}

void check_counts(std::string_view text, std::size_t threads) {
  const std::vector<std::string_view> texts = lines_of(text);
  const TextOptions options{.shortest = 1, .longest = 2};
  Vocabulary one, many;
  HashedRows<double> rows, same;
  const auto bad = count_words(texts, options, one, true, 1, rows);
  const auto again = count_words(texts, options, many, true, threads, same);
  require(bad.has_value() == again.has_value(), "threads refuse the same texts");
  if (bad) return require(one.words.size() == 0, "a text that is not UTF-8 adds nothing");
  require(rows.columns == same.columns && rows.values == same.values && rows.offsets == same.offsets, "threads change nothing");
  require(one.words.size() == many.words.size(), "threads find the same words");
  for (std::int32_t column : rows.columns)
    require(column >= 0 && static_cast<std::size_t>(column) < one.words.size(), "each column has a word");
}

}  // namespace

const std::size_t fuzz::ways = 3;

void fuzz::check(std::string_view text, std::size_t way) {
  if (way < 2)
    check_words(text, way == 0);
  else
    check_counts(text, text.size() % 16 == 0 ? 2 : 1);
}
