// Names of columns, and their JSON.
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "check.hpp"
#include "novikoff/names.hpp"
#include "novikoff/names_json.hpp"

using namespace novikoff;
using namespace std::string_literals;

namespace {

Names mixed() {
  Names names;
  for (const std::string& text : {""s, "a"s, "\"\\\b\f\n\r\t\x01\x7f/"s, "\0"s, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"s})
    names.add(Name::of(std::string_view(text)));
  for (std::int64_t number : {std::int64_t{0}, std::int64_t{-7}, std::numeric_limits<std::int64_t>::min()})
    names.add(Name::of(number));
  return names;
}

bool same(const Names& a, const Names& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = a[i].is_text() == b[i].is_text() && a[i].value == b[i].value && a[i].hash() == b[i].hash();
  return same;
}

bool is_refused(std::string_view json) {
  try {
    names_from_json(json);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(names_are_kept_in_the_order_of_the_columns) {
  const Names names = mixed();
  CHECK(names.size() == 8 && names[0].is_text() && names[0].view().empty() && names[1].view() == "a");
  CHECK(names[3].view() == std::string_view("\0", 1) && !names[5].is_text() && names[6].value == -7);
}

TEST(a_name_gets_one_column) {
  Columns columns;
  for (int k = 0; k < 2; ++k)
    for (std::int64_t number = 0; number < 1000; ++number) {
      const std::string text = std::to_string(number);
      const Name name = number % 2 ? Name::of(number) : Name::of(std::string_view(text));
      CHECK(columns.find_or_add(name.hash(), name) == number);
    }
  CHECK(columns.count() == 1000 && columns.names.size() == 1000 && columns.names[998].view() == "998");
}

TEST(json_has_the_escapes_of_python) {
  CHECK(names_to_json(mixed(), 0, 8) ==
        "[\"\",\"a\",\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f/\",\"\\u0000\",\"\\u00e9\\u20ac\\ud83d\\ude00\",0,-7,"
        "-9223372036854775808]");
  CHECK(names_to_json(mixed(), 1, 2) == "[\"a\"]" && names_to_json(Names{}, 0, 0) == "[]");
}

TEST(json_gives_the_names_back) {
  CHECK(same(names_from_json(names_to_json(mixed(), 0, 8)), mixed()));
  CHECK(names_from_json(" [ ] \n").size() == 0 &&
        names_from_json("[1 ,\t\"\\/\\u00E9\xC3\xA9\"]")[1].view() == "/\xC3\xA9\xC3\xA9");
}

TEST(anything_but_a_list_of_texts_and_integers_is_refused) {
  for (std::string_view json : {"",
                                "[",
                                "]",
                                "[]x",
                                "[] []",
                                "[1",
                                "[1,",
                                "[1,]",
                                "[,1]",
                                "[1 2]",
                                "{}",
                                "null",
                                "[null]",
                                "[[1]]",
                                "[1.5]",
                                "[1e3]",
                                "[01]",
                                "[-]",
                                "[+1]",
                                "[9223372036854775808]",
                                "[\"]",
                                "[\"\\x\"]",
                                "[\"\\",
                                "[\"\\u12\"]",
                                "[\"\\u-123\"]",
                                "[\"\\ud800\"]",
                                "[\"\\ud800\\u0041\"]",
                                "[\"\\udc00\"]",
                                "[\"\n\"]",
                                "[\"\xFF\"]",
                                "[\"\xED\xA0\x80\"]",
                                "[\"\xC3\"]",
                                "[true]",
                                "['a']"})
    CHECK(is_refused(json));
  CHECK(is_refused(std::string_view("[1]\0", 4)) && is_refused(std::string_view("\0", 1)));
}
