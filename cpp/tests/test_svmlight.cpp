// svmlight text: however it is cut and on however many threads, the rows are those that a plain reader finds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "novikoff/random.hpp"
#include "novikoff/svmlight_reader.hpp"
#include "novikoff/svmlight_writer.hpp"
#include "plain_svmlight.hpp"

using namespace novikoff;
using namespace std::string_literals;

namespace {

constexpr IndexRange from_one{1, max_index}, from_zero{0, max_index};
constexpr std::size_t usual = 1 << 19;

template <class Float>
plain::Result<Float> read(std::string_view text, IndexRange range = from_one, std::size_t threads = 1,
                          std::size_t piece = usual, std::size_t step = std::string_view::npos) {
  SvmlightReader<Float> reader(range, threads, piece);
  return plain::feed(reader, plain::cut_every(text, step));
}

std::optional<BadLine> first_bad(std::string_view text, IndexRange range = from_one) {
  SvmlightReader<double> reader(range, 1);
  return reader.feed(plain::Exact(text).view());
}

/// Reads the text whole and in pieces, and compares each time with the plain reader.
void check_text(std::string_view text) {
  for (IndexRange range : {from_one, from_zero, IndexRange{1, 50, 50}}) {
    const auto wide = plain::read<double>(text, range);
    const auto narrow = plain::read<float>(text, range);
    for (std::size_t piece : {std::size_t{0}, std::size_t{1}, std::size_t{40}, usual}) {
      CHECK(read<double>(text, range, 1, piece) == wide);
      CHECK(read<float>(text, range, 1, piece) == narrow);
    }
    CHECK(read<double>(text, range, 1, usual, 0) == wide);
    CHECK(read<float>(text, range, 1, usual, 10) == narrow);
  }
}

std::string one_of(Random& random, std::initializer_list<const char*> choices) {
  return choices.begin()[random.below(choices.size())];
}

std::string random_number(Random& random) {
  const std::string digits = std::to_string(random.next() >> random.below(64));
  switch (random.below(5)) {
    case 0:
      return digits;
    case 1:
      return "0." + digits;
    case 2:
      return digits + "." + digits;
    case 3:
      return "-" + digits + "e-" + std::to_string(random.below(30));
    default:
      return one_of(random, {"1", "0", "-1", "+1", ".5", "1e-7", "0.25", "-0"});
  }
}

std::string random_label(Random& random) {
  const std::string number = random_number(random);
  return plain::keeps_digits(number, std::strtod(number.c_str(), nullptr)) ? number : "1";
}

/// A good line, or one that says nothing, as different as lines can be.
std::string random_line(Random& random) {
  const std::string end = one_of(random, {"\n", "\n", "\n", "\r\n", " \n", "\t\n", " # comment 1:2\n", "#\n"});
  if (random.below(8) == 0) return one_of(random, {"", "", " ", "# 1 2:3", "\t#:::::"}) + end;
  std::string line = one_of(random, {"", "", "", " ", "\t"}) + random_label(random);
  if (random.below(6) == 0) line += one_of(random, {" qid:7", " qid:-1", "\tqid:00"});
  std::vector<std::int64_t> indices;
  for (std::uint64_t count = random.below(12), index = 1 + random.below(3); count > 0; --count)
    indices.push_back(static_cast<std::int64_t>(index += 1 + random.below(random.below(9) ? 5 : 150'000'000)));
  if (random.below(4) == 0) shuffle(indices, random);
  for (std::int64_t index : indices)
    line += one_of(random, {" ", " ", " ", "  ", "\t", " \t "}) + std::to_string(index) + ":" + random_number(random);
  return line + end;
}

std::string random_text(Random& random, std::size_t size) {
  std::string text;
  while (text.size() < size) text += random_line(random);
  return text;
}

}  // namespace

TEST(lines_of_all_kinds_give_the_rows_of_a_plain_reader) {
  Random random{1};
  for (int k = 0; k < 300; ++k) check_text(random_text(random, random.below(2000)));
}

TEST(cuts_pieces_and_threads_never_change_the_rows) {
  Random random{2};
  const std::string text = random_text(random, 3'000'000);
  const auto expected = plain::read<double>(text, from_one);
  CHECK(expected.bad_line == 0 && expected.labels.size() > 10'000);
  for (std::size_t threads : {1, 2, 3, 4}) {
    CHECK(read<double>(text, from_one, threads) == expected);
    CHECK(read<double>(text, from_one, threads, 1000) == expected);
    CHECK(read<double>(text, from_one, threads, usual, 700'000) == expected);
    CHECK(read<double>(text, from_one, threads, 300, 1'000) == expected);
  }
  CHECK(read<float>(text, from_one, 4) == plain::read<float>(text, from_one));
  CHECK(read<float>(text, from_one, 3, 12'345, 50'000) == plain::read<float>(text, from_one));
}

TEST(a_bad_line_has_its_number_in_any_cut_and_on_any_number_of_threads) {
  Random random{3};
  std::string text = random_text(random, 200'000);
  const std::string bad = "1 1:x\n";
  for (int k = 0; k < 40; ++k) {
    const std::size_t place = text.find('\n', random.below(text.size() - 5000)) + 1;
    const auto line =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n')) + 1;
    std::string damaged = text;
    damaged.insert(place, bad);
    damaged += "not the first of them\n";
    for (std::size_t threads : {1, 4})
      for (std::size_t piece : {std::size_t{500}, std::size_t{30'000}, usual})
        CHECK(read<double>(damaged, from_one, threads, piece).bad_line == line);
    CHECK(read<double>(damaged, from_one, 2, 1000, 20'000).bad_line == line);
  }
}

TEST(a_block_with_a_bad_line_leaves_the_reader_as_it_was) {
  SvmlightReader<double> reader(from_one, 2, 10);
  CHECK(!reader.feed("1 2:3 5:0.25\n# none\n-1 3:4\n"));
  const auto before = plain::result_of(reader);
  const auto bad = reader.feed("1 1:1\n2 700:1\n3 5:nan\n");
  CHECK(bad && bad->line == 6);
  CHECK(plain::result_of(reader) == before);
  CHECK(!reader.feed("1 9:1\n"));
  CHECK(plain::result_of(reader) == plain::read<double>("1 2:3 5:0.25\n# none\n-1 3:4\n1 9:1\n", from_one));
}

TEST(a_reader_starts_anew_after_its_arrays_are_taken) {
  SvmlightReader<float> reader(from_one, 1);
  CHECK(!reader.feed("1 2:3\n"));
  reader.values.release(), reader.columns.release(), reader.labels.release(), reader.row_ends.release();
  CHECK(!reader.feed("2 1:4\n3\n"));
  auto expected = plain::read<float>("2 1:4\n3\n", from_one);
  expected.lines = 3, expected.largest = 2;
  CHECK(plain::result_of(reader) == expected);
}

TEST(the_last_line_end_may_be_missing) {
  for (const char* text :
       {"1 1:2", "1 1:2\n2", "1 1:2\n2 3:4e5", "1 1:2\n2 3:4e-5 # none", "1 1:2\r", "1 1:2 ", "1 1:2\n#", "1"})
    CHECK(read<double>(text) == read<double>(text + "\n"s));
}

TEST(texts_of_every_length_around_the_copied_tail_are_read_whole) {
  const std::string row = "1 3:0.5 20:7\n";
  for (std::size_t spaces = 0; spaces <= 70; ++spaces)
    for (const std::string& end : {"\n"s, ""s, "\r\n"s}) {
      check_text("-1 7:3" + std::string(spaces, ' ') + end);
      check_text(row + "-1 7:3" + std::string(spaces, ' ') + end);
      check_text(row + row + std::string(spaces, ' ') + "-1 7:3" + end);
      check_text(row + "1 2:" + std::string(spaces, '0') + "5" + end);
      check_text(row + std::string(spaces, '\n') + "1 2:3" + end);
      check_text(std::string(spaces, '\n'));
      check_text(row + "1 #" + std::string(spaces, 'x') + end);
    }
}

TEST(every_beginning_of_a_text_is_read_as_a_text) {
  const std::string text =
      "1 qid:3 1:-1.5e-3 12345678:0.5 # c\r\n-2.5\t3:7 2:4\n\n3 123456789:1e5 5:1234567890123456789012\n4 1:2\n";
  for (std::size_t length = 0; length <= text.size(); ++length) check_text(std::string_view(text).substr(0, length));
}

TEST(every_byte_at_every_place_is_taken_or_refused_as_by_a_plain_reader) {
  const std::string text = "1 qid:3 1:-1.5e-3 12345678:0.5# c\r\n2\t3:7 2:4\n";
  for (std::size_t place = 0; place < text.size(); ++place)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[place] = static_cast<char>(byte);
      CHECK(read<double>(changed, from_zero, 1, 0) == plain::read<double>(changed, from_zero));
      changed.insert(place, text.substr(place, 1));
      CHECK(read<float>(changed, from_one) == plain::read<float>(changed, from_one));
    }
}

TEST(rows_may_have_no_features_and_a_text_no_rows) {
  CHECK(read<double>("").labels.empty() && read<double>("").lines == 0);
  CHECK(read<double>("\n\n# none\n").labels.empty() && read<double>("\n\n# none\n").lines == 3);
  const auto result = read<double>("1\n\n2 #\n-3 qid:1\n");
  CHECK(result.labels.size() == 3 && result.values.empty() && result.row_ends == std::vector<std::int64_t>{0, 0, 0});
  CHECK(result.largest == -1 && result.smallest == max_index + 1);
}

TEST(features_in_any_order_are_sorted_and_keep_their_values) {
  const auto result = read<double>("1 5:50 2:20 9:90 1:10\n");
  CHECK(result.columns == std::vector<std::int32_t>{0, 1, 4, 8});
  CHECK(result == read<double>("1 1:10 2:20 5:50 9:90\n"));
  CHECK(result.smallest == 1 && result.largest == 9);
}

TEST(a_malformed_line_is_refused_with_its_first_bad_word) {
  struct Case {
    const char *text, *message, *word;
    IndexRange range = from_one;
  };
  const char* form = "features must have the form index:value";
  const char* label = "the label must be a finite number";
  for (const Case& c : {
           Case{"1 3\n", form, "3"},
           {"1 3: 5\n", form, "3:"},
           {"1 3 :5\n", form, "3"},
           {"1 :5\n", form, ":5"},
           {"1 3:5:6\n", form, "3:5:6"},
           {"1 3:5x\n", form, "3:5x"},
           {"1 3:1_0\n", form, "3:1_0"},
           {"1 +3:5\n", form, "+3:5"},
           {"1 3.0:5\n", form, "3.0:5"},
           {"1 3:0x5\n", form, "3:0x5"},
           {"1 3:1e\n", form, "3:1e"},
           {"1 3:,5\n", form, "3:,5"},
           {"1 word:5\n", form, "word:5"},
           {"1 qid:x 3:5\n", form, "qid:x"},
           {"1 3:5 qid:4\n", form, "qid:4"},
           {"1 qid:1 qid:2\n", form, "qid:2"},
           {"1 3:5\xC2\xA0\n", form, "3:5\xC2\xA0"},
           {"1 \x0B\n", form, "\x0B"},
           {"1 3:nan\n", "values must be finite", "3:nan"},
           {"1 3:-inf\n", "values must be finite", "3:-inf"},
           {"1 3:1e400\n", "values must be finite", "3:1e400"},
           {"1 0:5\n", "indices must be at least 1 (use index_base=0 if the first feature is 0)", "0:5"},
           {"1 -3:5\n", "indices must be at least 1", "-3:5"},
           {"1 -3:5\n", "indices must be at least 0", "-3:5", from_zero},
           {"1 2147483648:5\n", "indices must be at most 2147483647", "2147483648:5"},
           {"1 99999999999999999999999:5\n", "indices must be at most 2147483647", "99999999999999999999999:5"},
           {"1 7:5\n", "indices must be at most 6 for 6 features", "7:5", {1, 6, 6}},
           {"1 6:5\n", "indices must be at most 5 for 6 features", "6:5", {0, 5, 6}},
           {"x 3:5\n", label, "x"},
           {"nan 3:5\n", label, "nan"},
           {"-inf\n", label, "-inf"},
           {"1e400 1:1\n", label, "1e400"},
           {"1x\n", label, "1x"},
           {"\xEF\xBB\xBF"
            "1\n",
            label,
            "\xEF\xBB\xBF"
            "1"},
           {"3:5 4:6\n", "a line must begin with the label", "3:5"},
           {"1,2 3:5\n", "a line must have one label (write one file per label if examples have several)", "1,2"},
           {"1 3:5 4:6 3:7\n", "a feature must occur only once per line", "3:"},
           {"1 3:5 3:5\n", "a feature must occur only once per line", "3:"},
       }) {
    const auto bad = first_bad(c.text, c.range);
    CHECK(bad && bad->line == 1 && bad->message == c.message && bad->word == c.word);
    if (!bad || bad->message != c.message || bad->word != c.word)
      std::fprintf(stderr, "%s: %s %s\n", c.text, bad ? bad->message.c_str() : "", bad ? bad->word.c_str() : "");
  }
  SvmlightReader<float> single(from_one, 1);
  CHECK(single.feed("1 1:1e39\n")->message == "values must be finite as float32");
  CHECK(single.feed("1 1:3.4028236e38\n")->message == "values must be finite as float32");
  CHECK(!single.feed("1 1:3.4028235e38\n1e300\n"));
}

TEST(of_a_bad_word_as_long_as_the_file_only_the_beginning_is_kept) {
  for (const std::string& beginning : {""s, "1 "s, "1 3:"s, "1 3:5 "s}) {
    const auto bad = first_bad(beginning + std::string(1'000'000, 'x'));
    CHECK(bad && bad->word.size() == 256);
  }
}

TEST(the_largest_index_is_the_largest_of_32_bits) {
  CHECK(read<double>("1 2147483647:5\n").columns == std::vector<std::int32_t>{2147483646});
  CHECK(read<double>("1 2147483647:5\n", from_zero).columns == std::vector<std::int32_t>{2147483647});
  CHECK(read<double>("1 0000000000002147483647:5\n").bad_line == 0);
  CHECK(read<double>("1 2147483648:5\n").bad_line == 1);
}

TEST(a_whole_label_that_would_lose_digits_is_refused) {
  for (const char* good : {"9007199254740992\n", "-9007199254740994\n", "9007199254740993.0\n", "12345678901234567890123\n"})
    CHECK(!first_bad(good));
  for (const char* bad : {"9007199254740993\n", "-0009007199254740993 1:2\n", "+9223372036854775807\n"}) CHECK(first_bad(bad));
}

TEST(what_was_written_reads_back_to_the_same_bits) {
  Random random{4};
  for (int k = 0; k < 200; ++k) {
    SvmlightReader<double> wide(from_one, 1);
    SvmlightReader<float> narrow(from_one, 1);
    const std::string text = random_text(random, 1000);
    CHECK(!wide.feed(text) && !narrow.feed(text));
    for (std::size_t i = 0; i < wide.values.size(); ++i) {  // any bits but those of infinity and NaN
      wide.values[i] = std::bit_cast<double>(random.below(0x7FF0000000000000ULL) | random.below(2) << 63);
      narrow.values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x7F800000ULL) | random.below(2) << 31));
    }
    for (std::int64_t base : {0, 1}) {
      const IndexRange range{base, max_index};
      auto written = plain::result_of(wide);
      auto again = read<double>(plain::text_of(written, base), range);
      CHECK(again.values == written.values && again.columns == written.columns);
      CHECK(again.row_ends == written.row_ends && again.labels == written.labels);
      const auto single = plain::result_of(narrow);
      CHECK(read<float>(plain::text_of(single, base), range).values == single.values);
    }
  }
}

TEST(zeros_of_a_dense_row_are_left_out_and_those_of_a_sparse_one_kept) {
  const std::vector<double> dense{0, 1.5, -0.0, 1e300}, labels{-1, 0.1};
  std::string text;
  append_svmlight(text, DenseRows<double>{dense.data(), 2, 2, 2, 1}, labels, 1, 0, 2);
  CHECK(text == "-1 2:1.5\n0.1 2:1e+300\n");
  text.clear();
  append_svmlight(text, DenseRows<double>{dense.data(), 2, 2, 1, 2}, labels, 0, 1, 2);
  CHECK(text == "0.1 0:1.5 1:1e+300\n");
  const std::vector<std::int32_t> indices{0, 5};
  const std::vector<std::int64_t> offsets{0, 1, 2};
  const std::vector<float> values{0, 0.1f};
  text.clear();
  append_svmlight(text, CsrRows<float>{values.data(), indices.data(), offsets.data(), 2, 6}, labels, 1, 0, 2);
  CHECK(text == "-1 1:0\n0.1 6:0.1\n");
}

TEST(lines_and_colons_are_counted_in_texts_of_any_length) {
  Random random{5};
  for (std::size_t length : {0, 1, 31, 32, 33, 63, 64, 65, 8159, 8160, 8161, 8191, 8192, 16'320, 100'000}) {
    std::string text(length, '\n');
    CHECK(novikoff::detail::count_lines(text).lines == length && novikoff::detail::count_lines(text).colons == 0);
    for (char& c : text) c = one_of(random, {":", "\n", "1", " "})[0];
    const auto counts = novikoff::detail::count_lines(plain::Exact(text).view());
    CHECK(counts.lines == static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    CHECK(counts.colons == static_cast<std::size_t>(std::count(text.begin(), text.end(), ':')));
  }
}
