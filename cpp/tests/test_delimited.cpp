// Delimited text: however it is cut and on however many threads, the table is what a simple reader finds.
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "novikoff/delimited.hpp"
#include "novikoff/random.hpp"
#include "plain_delimited.hpp"

using namespace novikoff;
using namespace std::string_literals;

namespace {

const std::vector<plain::DelimitedOptions> kinds{
    {{}, "nsn-s"},
    {{}, "s"},
    {{.trim = false}, "sns"},
    {{.delimiter = ';', .decimal = ',', .thousands = "."}, "nns"},
    {{.delimiter = ';', .thousands = ","}, "snn"},
    {{.delimiter = '\t', .quote = Dialect::without_quote, .thousands = " "}, "ns"},
    {{.delimiter = ' '}, "sn"},
    {{.delimiter = ' ', .trim = false}, "nsn"},
    {{.delimiter = '|', .quote = '\''}, "ssn"},
    {{.delimiter = '-', .decimal = '.'}, "nsn"},
    {{.delimiter = ',', .decimal = ','}, "nn"},
};

/// Compares with the simple reader: whole, in pieces, in blocks and on several threads.
void check_text(std::string_view text, const plain::DelimitedOptions& options) {
  const plain::Table expected = plain::DelimitedReader(text, options).read();
  for (std::size_t piece : {1, 40, 0}) CHECK(plain::feed({text}, options, 1, piece) == expected);
  CHECK(plain::feed(plain::cut_records(text, options.dialect, 0), options, 1, 0) == expected);
  CHECK(plain::feed(plain::cut_records(text, options.dialect, text.size() / 3), options, 1, 9) == expected);
}

std::string one_of(Random& random, const std::vector<std::string>& choices) { return choices[random.below(choices.size())]; }

std::string random_field(Random& random, const Dialect& dialect) {
  const std::string quote(1, dialect.quote), point(1, dialect.decimal);
  const std::string digits = std::to_string(random.next() >> random.below(64));
  std::string field = one_of(random, {"",
                                      "a",
                                      "NA",
                                      "?",
                                      "-9",
                                      "nan",
                                      "-inf",
                                      "word",
                                      "a word",
                                      "sixteen letters!",
                                      "1e400",
                                      "longer than sixteen letters",
                                      "inner" + quote,
                                      digits,
                                      "-" + digits,
                                      "1" + point + digits,
                                      digits + point + digits + "e-5",
                                      "+" + point + "5",
                                      "12" + dialect.thousands + "345",
                                      "1" + dialect.thousands + "23",
                                      "\r",
                                      "\xC3\xA9",
                                      "e",
                                      "1e",
                                      "-",
                                      "12345678",
                                      "1234567"});
  if (random.below(4) == 0)
    field = quote + one_of(random, {"", "\n", quote + quote, "\r\n", std::string(1, dialect.delimiter)}) + field + quote +
            one_of(random, {"", "", "", "x", " ", quote});
  return one_of(random, {"", "", "", " ", "\t", "  "}) + field + one_of(random, {"", "", "", " "});
}

std::string random_text(Random& random, const plain::DelimitedOptions& options) {
  std::string text;
  for (std::size_t records = random.below(12); records > 0; --records) {
    const std::size_t fields = random.below(40) == 0 ? random.below(8) : options.roles.size();
    for (std::size_t k = 0; k < fields; ++k)
      text += (k > 0 ? std::string(1, options.dialect.delimiter) : "") + random_field(random, options.dialect);
    text += one_of(random, {"\n", "\n", "\r\n", "\n\n", "\n  \r\n"});
  }
  if (random.below(3) == 0 && !text.empty()) text.pop_back();
  return text;
}

}  // namespace

TEST(records_and_fields_are_those_of_a_simple_reader) {
  Random random{1};
  for (int k = 0; k < 600; ++k)
    for (const plain::DelimitedOptions& options : kinds) check_text(random_text(random, options), options);
}

TEST(any_characters_are_read_as_a_simple_reader_does) {
  Random random{2};
  const std::vector<std::string> parts{"a",    "1", ".",  ",", ";", "\"", "\"",  "\n", "\r",
                                       "\r\n", " ", "\t", "-", "e", "'",  "\0"s, "|"};
  for (int k = 0; k < 1000; ++k) {
    std::string text;
    for (std::size_t size = random.below(40); size > 0; --size) text += one_of(random, parts);
    for (const plain::DelimitedOptions& options : kinds) check_text(text, options);
  }
}

TEST(threads_change_nothing) {
  Random random{3};
  for (const plain::DelimitedOptions& options : kinds) {
    std::string text;
    for (int k = 0; k < 300; ++k) text += random_text(random, options) + "\n";
    const plain::Table expected = plain::feed({text}, options, 1, 0);
    CHECK(plain::feed({text}, options, 3, 100) == expected);
    CHECK(plain::feed(plain::cut_records(text, options.dialect, 1000), options, 2, 300) == expected);
  }
}

TEST(a_bad_block_leaves_the_reader_as_it_was) {
  DelimitedReader reader({}, {Role::string, Role::number}, {}, 1);
  CHECK(!reader.feed("a,1\nb,x\n"));
  const auto bad = reader.feed("c,y\n\nd\n");
  CHECK(bad && bad->line == 2 && bad->found == 1 && bad->reason == "too few fields"s);
  CHECK(reader.rows == 0 && reader.tables[0].size() == 2 && reader.invalid[0].count == 1);
  CHECK(!reader.feed("d,z"));
  CHECK(reader.rows == 1 && reader.codes[0] == 2 && reader.tables[0][2] == "d");
  CHECK(reader.invalid[0].count == 2 && reader.invalid[0].row == 1 && !reader.invalid[0].same);
}

TEST(records_end_outside_quotes) {
  const auto end = [](std::string_view text) { return record_end(text, {}); };
  CHECK(end("") == 0 && end("a") == 0 && end("a\nb") == 2 && end("a\n\"b\nc") == 2 && end("\"a\n\"\n,\"") == 5);
  CHECK(record_lines("\n\"a\nb\",c\n \nd", {}) == std::vector<std::int64_t>{1, 4});
}

TEST(strings_are_compared_byte_by_byte) {
  StringTable table;
  std::vector<std::string> strings;
  for (std::size_t size = 0; size < 40; ++size)
    for (char c : {'\0', 'a', 'b'})
      strings.push_back(std::string(size, c) + "c"), strings.push_back(std::string(size, 'x') + c);
  std::vector<std::string> expected;
  for (const std::string& text : strings) {
    const bool is_new = std::find(expected.begin(), expected.end(), text) == expected.end();
    CHECK((table.find(StringKey::of(text)) == StringTable::absent) == is_new);
    if (is_new) expected.push_back(text);
    const auto code = static_cast<std::size_t>(table.find_or_add(StringKey::of(text)));
    CHECK(expected[code] == text && table[code] == text);
    const std::string padded = text + std::string(16, 'z');
    CHECK(table.find(StringKey::padded(std::string_view(padded).substr(0, text.size()))) == static_cast<std::int32_t>(code));
  }
  CHECK(table.size() == expected.size());
  table.add_without_code(StringKey::of("NA"));
  CHECK(table.find(StringKey::of("NA")) == StringTable::without_code && table.size() == expected.size());
}
