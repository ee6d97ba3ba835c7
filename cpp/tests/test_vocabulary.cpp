// Words in columns of their own: in order of first appearance, on any number of threads.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "novikoff/random.hpp"
#include "novikoff/vocabulary.hpp"

using namespace novikoff;

namespace {

std::vector<std::string> words_of(const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < vocabulary.words.size(); ++k) words.emplace_back(vocabulary.words[k]);
  return words;
}

HashedRows<double> count(const std::vector<std::string>& texts, Vocabulary& vocabulary, bool grow, std::size_t threads = 1,
                         TextOptions options = {.longest = 2}) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  HashedRows<double> rows;
  CHECK(!count_words(views, options, vocabulary, grow, threads, rows));
  return rows;
}

}  // namespace

TEST(new_words_get_the_next_columns) {
  Vocabulary vocabulary;
  const auto rows = count({"The cat and the dog", "dog"}, vocabulary, true);
  CHECK(words_of(vocabulary) ==
        std::vector<std::string>{"the", "cat", "and", "dog", "the cat", "cat and", "and the", "the dog"});
  CHECK(rows.columns == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 3});
  CHECK(rows.values == std::vector<double>{2, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(rows.offsets == std::vector<std::int64_t>{0, 8, 9});
}

TEST(unknown_words_are_left_out_and_counted) {
  Vocabulary vocabulary;
  count({"cat dog"}, vocabulary, true);
  const auto rows = count({"dog mouse dog", "", "dog cat"}, vocabulary, false);
  CHECK(rows.columns == std::vector<std::int32_t>{1, 0, 1} && rows.values == std::vector<double>{2, 1, 1});
  CHECK(rows.offsets == std::vector<std::int64_t>{0, 1, 1, 3});
  CHECK(vocabulary.unknown == 4 && vocabulary.words.size() == 3);
}

TEST(a_text_that_is_not_utf8_adds_nothing) {
  Vocabulary vocabulary;
  HashedRows<double> rows;
  const std::vector<std::string_view> texts{"cat", "ca\xFFt"};
  const auto bad = count_words(texts, {}, vocabulary, true, 1, rows);
  CHECK(bad && bad->text == 1 && bad->position == 2 && vocabulary.words.size() == 0);
}

TEST(threads_change_no_vocabulary) {
  Random random{4};
  std::vector<std::string> texts;
  for (int k = 0; k < 700; ++k) {
    texts.emplace_back();
    for (std::size_t n = random.below(20); n > 0; --n) texts.back() += "word" + std::to_string(random.below(400)) + " ";
  }
  Vocabulary one, three;
  const auto expected = count(texts, one, true, 1), found = count(texts, three, true, 3);
  CHECK(words_of(one) == words_of(three));
  CHECK(expected.columns == found.columns && expected.values == found.values && expected.offsets == found.offsets);
}
