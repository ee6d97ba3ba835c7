// Words, their hashes and their counts, against plain loops.
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "novikoff/hashing.hpp"
#include "novikoff/random.hpp"

using namespace novikoff;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

/// The words of a copy that ends where its memory ends, for the sanitizer to see a byte read too many.
std::vector<std::string> words_of(std::string_view text, bool lowercase = true) {
  const std::vector<char> exact(text.begin(), text.end());
  Words words(lowercase);
  CHECK(words.read({exact.data(), exact.size()}) == Words::npos);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < words.count(); ++i) found.emplace_back(words.ngram(i, 1));
  return found;
}

std::size_t first_bad(std::string_view text) {
  const std::vector<char> exact(text.begin(), text.end());
  return Words(true).read({exact.data(), exact.size()});
}

using Strings = std::vector<std::string>;

/// The words of a text of ASCII, a character at a time.
Strings plain_words(std::string_view text) {
  Strings found;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if ((small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_') {
      word += small;
    } else {
      if (word.size() > 1) found.push_back(word);
      word.clear();
    }
  }
  return found;
}

/// Texts of letters and gaps of all lengths, some with long characters.
std::vector<std::string> random_texts(std::size_t count, bool ascii) {
  const std::vector<std::string> pieces{
      "a", "B", "z9", "_", " ", ". ", "word", "\0"s, "\xC3\x89", "\xE6\x97\xA5", "\xF0\x9F\x98\x80"};
  Random random{count};
  std::vector<std::string> texts(count);
  for (std::string& text : texts)
    for (std::uint64_t left = random.below(200); left > 0; --left) text += pieces[random.below(ascii ? 8 : pieces.size())];
  return texts;
}

HashedRows<double> rows_of(const std::vector<std::string>& texts, const TextOptions& options, std::size_t threads = 1) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  HashedRows<double> rows;
  CHECK(!hash_texts(std::span(views), options, threads, rows));
  return rows;
}

bool same(const HashedRows<double>& a, const HashedRows<double>& b) {
  return a.columns == b.columns && a.offsets == b.offsets && check::same_bits(a.values, b.values);
}

}  // namespace

TEST(words_are_runs_of_at_least_two_characters) {
  CHECK(words_of("").empty());
  CHECK(words_of("a").empty());
  CHECK(words_of(" a b. c").empty());
  CHECK(words_of("It's 10 o'clock_x") == Strings{"it", "10", "clock_x"});
  CHECK(words_of("It's 10 o'clock_x", false) == Strings{"It", "10", "clock_x"});
  CHECK(words_of("\0ab\0"sv) == Strings{"ab"});
}

TEST(characters_are_counted_and_not_their_bytes) {
  CHECK(words_of("\xC3\xA9").empty());
  CHECK(words_of("\xC3\x89t \xE6\x97\xA5 \xE6\x97\xA5\xE6\x9C\xAC") == Strings{"\xC3\xA9t", "\xE6\x97\xA5\xE6\x9C\xAC"});
  CHECK(words_of("ab\xF0\x9F\x98\x80"
                 "cd") == Strings{"ab", "cd"});
}

TEST(lower_case_may_be_longer_or_shorter) {
  std::string capital, small;
  for (int k = 0; k < 200; ++k) capital += "\xC8\xBA", small += "\xE2\xB1\xA5";  // U+023A, U+2C65
  CHECK(words_of(capital) == Strings{small});
  CHECK(words_of(capital, false) == Strings{capital});
  CHECK(words_of("\xE2\x84\xAA\xE2\x84\xAA") == Strings{"kk"});  // Kelvin signs
  CHECK(words_of("\xF0\x90\x90\x80\xC4\xB0\xCE\xA3") ==
        Strings{"\xF0\x90\x90\xA8i\xCF\x83"});  // beyond 0x10000; I with a dot; sigma
}

TEST(words_of_ascii_are_those_of_a_plain_loop) {
  for (const std::string& text : random_texts(3000, true)) CHECK(words_of(text) == plain_words(text));
  for (std::size_t size = 0; size < 200; ++size) {
    CHECK(words_of(std::string(size, 'x')) == plain_words(std::string(size, 'x')));
    CHECK(words_of(std::string(size, ' ') + "ab") == Strings{"ab"});
    CHECK(words_of(std::string(size, 'x') + " Q9") == plain_words(std::string(size, 'x') + " q9"));
  }
}

TEST(every_ascii_character_is_a_letter_or_none_on_both_paths) {
  for (int c = 0; c < 128; ++c) {
    const std::string inside{'x', static_cast<char>(c), 'y'};
    CHECK(words_of(inside) == plain_words(inside));
    const bool letter = !plain_words(inside).empty();
    CHECK(words_of(inside + "\xC3\xA9") == (letter ? Strings{plain_words(inside)[0] + "\xC3\xA9"} : Strings{"y\xC3\xA9"}));
  }
}

TEST(one_reader_reads_one_text_after_another) {
  Words words(true);
  for (const std::string& text : random_texts(500, false)) {
    CHECK(words.read(text) == Words::npos);
    const Strings fresh = words_of(text);
    CHECK(words.count() == fresh.size());
    for (std::size_t i = 0; i < std::min(words.count(), fresh.size()); ++i) CHECK(words.ngram(i, 1) == fresh[i]);
    for (std::size_t i = 0; i + 3 <= words.count(); ++i)
      CHECK(words.ngram(i, 3) == fresh[i] + ' ' + fresh[i + 1] + ' ' + fresh[i + 2]);
  }
}

TEST(what_is_not_utf8_is_found_where_it_lies) {
  for (std::string_view bad :
       {"\x80"sv, "\xBF"sv, "\xC3"sv, "\xC3("sv, "\xE2\x82"sv, "\xE2\x82("sv, "\xF0\x9F\x98"sv, "\xC0\x80"sv, "\xE0\x9F\xBF"sv,
        "\xF0\x8F\xBF\xBF"sv, "\xED\xA0\x80"sv, "\xF4\x90\x80\x80"sv, "\xF8\x88\x80\x80"sv, "\xFF"sv})
    for (std::size_t before = 0; before < 130; ++before) {
      CHECK(first_bad(std::string(before, 'x').append(bad)) == before);
      CHECK(first_bad(std::string(before, 'x').append(bad) + " more") == before);
    }
  for (std::string_view good : {"\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv, "\xEE\x80\x80"sv,
                                "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv})
    for (std::size_t before = 0; before < 130; ++before) CHECK(first_bad(std::string(before, 'x').append(good)) == Words::npos);
}

TEST(characters_survive_being_written_and_read) {
  for (char32_t c = 0; c < detail::end_of_unicode; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char bytes[4];
    const auto size = static_cast<std::size_t>(detail::encode(c, bytes) - bytes);
    const detail::Decoded decoded = detail::decode(reinterpret_cast<const unsigned char*>(bytes), size);
    CHECK(decoded.character == c && decoded.size == size);
  }
}

TEST(a_lower_case_letter_is_a_letter_and_its_own_lower_case) {
  const detail::Letters& letters = detail::Letters::all();
  char bytes[4];
  const auto size = [&bytes](char32_t c) { return detail::encode(c, bytes) - bytes; };
  for (char32_t c = 0; c < detail::end_of_unicode; ++c) {
    const char32_t lower = letters.lower(c);
    if (lower == 0) continue;
    CHECK(letters.lower(lower) == lower);
    CHECK(2 * size(lower) <= 3 * size(c) && (size(c) > 1 || size(lower) == 1));  // there is room for it
  }
}

TEST(rows_hold_the_counts_of_ngrams_by_column) {
  const std::vector<std::string> texts = random_texts(300, false);
  for (int bits : {1, 8, 9, 16, 20, 31})
    for (std::size_t longest : {1, 2, 4}) {
      const TextOptions options{.bits = bits, .shortest = longest / 2 + 1 - longest / 4, .longest = longest};
      const HashedRows<double> rows = rows_of(texts, options);
      CHECK(rows.offsets.size() == texts.size() + 1);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const Strings words = words_of(texts[i]);
        std::map<std::int32_t, double> counts;
        for (std::size_t n = options.shortest; n <= longest; ++n)
          for (std::size_t first = 0; first + n <= words.size(); ++first) {
            std::string key = words[first];
            for (std::size_t k = 1; k < n; ++k) key += ' ' + words[first + k];
            ++counts[static_cast<std::int32_t>(hash_key(key) % (std::uint64_t{1} << bits))];
          }
        const auto begin = static_cast<std::size_t>(rows.offsets[i]), end = static_cast<std::size_t>(rows.offsets[i + 1]);
        CHECK(end - begin == counts.size());
        std::size_t k = begin;
        for (const auto& [column, count] : counts) {
          CHECK(k < end && rows.columns[k] == column && rows.values[k] == count);
          ++k;
        }
      }
    }
}

TEST(values_follow_from_the_counts) {
  const std::vector<std::string> texts{"aa bb aa aa bb cc"};
  const auto sorted = [&texts](const TextOptions& options) {
    std::vector<double> values = rows_of(texts, options).values;
    std::sort(values.begin(), values.end());
    return values;
  };
  CHECK(sorted({}) == std::vector<double>{1, 2, 3});
  CHECK(sorted({.binary = true}) == std::vector<double>{1, 1, 1});
  CHECK(sorted({.sublinear = true}) == std::vector<double>{1, 1 + std::log(2.0), 1 + std::log(3.0)});
  const double length = std::sqrt(14.0);
  CHECK(sorted({.unit_length = true}) == std::vector<double>{1 / length, 2 / length, 3 / length});
}

TEST(rows_do_not_depend_on_the_number_of_threads) {
  for (std::size_t count : {0, 1, 63, 64, 200, 1000}) {
    const std::vector<std::string> texts = random_texts(count, false);
    const TextOptions options{.bits = 12, .longest = 2, .sublinear = true, .unit_length = true};
    const HashedRows<double> alone = rows_of(texts, options);
    for (std::size_t threads : {2, 3, 7, 100}) CHECK(same(rows_of(texts, options, threads), alone));
  }
}

TEST(the_first_bad_text_is_the_one_named) {
  std::vector<std::string_view> texts(1000, "fine");
  texts[700] = "ab \xFF", texts[903] = "\xFF";
  for (std::size_t threads : {1, 2, 5}) {
    HashedRows<float> rows;
    const auto bad = hash_texts(std::span<const std::string_view>(texts), {}, threads, rows);
    CHECK(bad && bad->text == 700 && bad->position == 3);
  }
}

TEST(features_that_meet_add_up_in_order_and_zeros_are_left_out) {
  Features features;
  const auto add = [&features](std::uint64_t hash, double value) {
    features.hashes.push_back(hash);
    features.values.push_back(value);
  };
  add(9, 0.1), add(1, 5), add(17, 0.2), add(25, 0.3), add(2, 0), add(3, 1), add(11, -1);
  features.offsets.push_back(features.hashes.size());
  features.offsets.push_back(features.hashes.size());
  HashedRows<double> rows;
  CHECK(!hash_features(features, 3, false, rows));
  CHECK(rows.columns == std::vector<std::int32_t>{1});
  CHECK(rows.values == std::vector<double>{((0.1 + 5) + 0.2) + 0.3});
  CHECK(rows.offsets == std::vector<std::int64_t>{0, 1, 1});
}

TEST(rows_of_many_features_are_those_of_a_map) {
  Random random{3};
  for (int bits : {1, 5, 8, 13, 20, 31})
    for (std::size_t size : {10, 47, 48, 49, 1000}) {
      Features features;
      std::map<std::int32_t, double> sums;
      for (std::size_t k = 0; k < size; ++k) {
        features.hashes.push_back(random.next());
        features.values.push_back(0.1 + static_cast<double>(random.below(1000)));  // inexact: the order of a sum shows
        sums[static_cast<std::int32_t>(features.hashes[k] % (std::uint64_t{1} << bits))] += features.values[k];
      }
      features.offsets.push_back(size);
      HashedRows<double> rows;
      CHECK(!hash_features(features, bits, false, rows));
      CHECK(rows.columns.size() == sums.size());
      std::size_t k = 0;
      for (const auto& [column, sum] : sums) {
        CHECK(k < rows.columns.size() && rows.columns[k] == column && check::same_bits(rows.values[k], sum));
        ++k;
      }
    }
}

TEST(sums_too_large_for_the_type_are_refused) {
  const Features features{{1, 2, 2}, {1, 3e38, 3e38}, {0, 1, 3}};
  HashedRows<float> narrow;
  HashedRows<double> wide;
  CHECK(hash_features(features, 8, false, narrow) == std::size_t{1});
  CHECK(!hash_features(features, 8, false, wide));
  const Features huge{{2, 2}, {1.5e308, 1.5e308}, {0, 2}};
  CHECK(hash_features(huge, 8, false, wide) == std::size_t{0});
}

TEST(unit_length_is_reached_from_any_size) {
  for (double size : {1.0, 1e-320, 1e-200, 1e200, 1e308}) {
    std::vector<double> values{size, -size};
    detail::make_unit_length(std::span(values));
    CHECK(check::near(values[0], std::sqrt(0.5)) && check::near(values[1], -std::sqrt(0.5)));
  }
  std::vector<double> none;
  detail::make_unit_length(std::span(none));
}
