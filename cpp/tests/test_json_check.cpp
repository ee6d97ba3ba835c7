// The check of JSON text: the same answer however the text is cut, and only text that parsers survive passes.
#include <optional>
#include <string>
#include <string_view>

#include "check.hpp"
#include "novikoff/json_check.hpp"
#include "novikoff/random.hpp"

using namespace novikoff;
using namespace std::string_literals;

namespace {

/// The position at which a text is refused, its length if it is unfinished, or nothing.
std::optional<std::size_t> refused(std::string_view text, std::size_t piece) {
  JsonCheck check;
  for (std::size_t begin = 0; begin < text.size(); begin += piece) {
    const std::string block(text.substr(begin, piece));  // of its own, so that sanitizers see reads past its end
    if (const auto bad = check.feed(block)) return begin + bad->position;
  }
  return std::string_view(check.unfinished()).empty() ? std::nullopt : std::optional(text.size());
}

/// Checks the answer for the text as a whole, and that cuts do not change it.
void answers(std::string_view text, std::optional<std::size_t> expected) {
  for (std::size_t piece : {text.size() + 1, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{13}})
    CHECK(refused(text, piece) == expected);
}

std::string nested(std::size_t depth) {
  std::string text = R"({"a":)";
  for (std::size_t i = 1; i < depth; ++i) text += '[';
  for (std::size_t i = 1; i < depth; ++i) text += ']';
  return text + "}\n";
}

}  // namespace

TEST(objects_pass) {
  for (const char* text : {"", " \n", "{}", "{}\n{}", R"({"a": [1, {"b": null}], "c": "]}"})", R"({"a":"\\"}{"b":"\"{"})",
                           "{\"a\":\n1}", R"({"a": NaN, "b": -Infinity})"})
    answers(text, std::nullopt);
}

TEST(rows_that_are_not_objects_are_refused) {
  answers("null", 0);
  answers("{}\nnull", 3);
  answers("{}\n 1", 4);
  answers("[{}]", 0);
  answers("{}, {}", 2);
  answers("\xef\xbb\xbf{}", 0);
}

TEST(brackets_must_match) {
  answers("{]", 1);
  answers("{\"a\": [}", 7);
  answers("{}}", 2);
  answers("{\"a\": [1]", 9);
  answers("{\"a", 3);
  answers("{\"a\\\"}", 6);
}

TEST(depth_has_a_limit) {
  answers(nested(max_json_depth), std::nullopt);
  answers(nested(max_json_depth + 1), 4 + max_json_depth);
  answers("{\"a\":" + std::string(100'000, '['), 4 + max_json_depth);
}

TEST(strings_are_utf8_without_control_characters) {
  for (const char* good : {"\xc3\xb6", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xe0\xa0\x80"})
    answers("{\"a\":\"1234567"s + good + "\"}", std::nullopt);
  for (const char* bad : {"\xc0\x80", "\xff", "\x80", "\xf5\x80\x80\x80", "\xc1\xbf"}) answers("{\"a"s + bad + "\":1}", 3);
  for (const char* bad :
       {"\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xc3\"", "\xe1\x80\"", "\xf1\x80\x80\""}) {
    CHECK(refused("{\"a\":\""s + bad + "     \"}", 99).has_value());
    CHECK(refused("{\"a\":\""s + bad + "     \"}", 1).has_value());
  }
  answers("{\"a\":\"b\n\"}", 7);
  answers("{\"a\":\"b\0\"}"s, 7);
  answers("{\"a\":\0 1}"s, 5);
  answers("{\"a\":\xc3\xb6}", 5);
}

TEST(ends_of_objects_are_positions_in_the_latest_block) {
  JsonCheck check;
  CHECK(!check.feed("{}\n{\"a\": {}} {"));
  CHECK(check.ends() == std::vector<std::int64_t>{2, 12});
  CHECK(!check.feed("}\n"));
  CHECK(check.ends() == std::vector<std::int64_t>{1});
}

TEST(keys_of_objects_are_counted_once) {
  CHECK(distinct_json_keys("") == 0);
  CHECK(distinct_json_keys(R"({"a": "b", "c": {"d": 1}, "e": ["f", {"g": 1}]} {"a": 1, "h\"": {}, "i": "j"})") == 5);
  CHECK(distinct_json_keys("{\"a\\") == 1);
}

TEST(cuts_never_change_what_is_refused) {
  Random random(1);
  const std::string alphabet = "{}[]\"\"\\\\,:1a \n\xc3\xb6\xe2\x82\xac\xf0\x9f\x98\x80\x01";
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "{\"";
    for (std::size_t k = random.below(30); k > 0; --k) text += alphabet[random.below(alphabet.size())];
    const auto whole = refused(text, text.size()), bytes = refused(text, 1);
    CHECK(whole.has_value() == bytes.has_value());
    CHECK(whole == refused(text, text.size()));
  }
}
