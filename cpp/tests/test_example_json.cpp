// Examples in JSON and svmlight: what is read, what is refused, and that a refused example leaves nothing behind.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "novikoff/example_json.hpp"
#include "novikoff/example_rows.hpp"
#include "novikoff/example_svmlight.hpp"
#include "novikoff/name_table.hpp"

using namespace novikoff;
using namespace std::string_literals;

namespace {

/// Tables, limits, and what was read with them.
struct Reader {
  NameTable names{100, 0};
  LabelTable labels{10};
  ExampleLimits limits{10, 20, 10, 200};
  ExampleRows rows;
  bool collects = true;

  const ExampleRows& document(const std::string& text, Locking locking = Locking::by_caller) {
    rows = {};
    const std::string padded = text + std::string(example_padding, '\0');
    RowBuilder builder(rows, names, labels, limits, collects, locking);
    rows.is_array = ExampleJson(std::string_view(padded).substr(0, text.size()), builder, limits).read_document();
    return rows;
  }
  /// Adds what was new in the rows that were read.
  void accept() {
    for (std::size_t k = 0; k < rows.new_names.size(); ++k) names.find_or_add(rows.new_names[k]);
    for (std::size_t k = 0; k < rows.new_labels.size(); ++k) labels.find_or_add(rows.new_kind, rows.new_labels[k]);
  }
  const ExampleRows& lines(const std::string& text, bool is_svmlight = false) {
    rows = {};
    const std::string padded = text + std::string(example_padding, '\0');
    const std::string_view view = std::string_view(padded).substr(0, text.size());
    RowBuilder builder(rows, names, labels, limits, collects);
    if (is_svmlight)
      ExampleSvmlight(view, builder, limits).read_lines(0);
    else
      ExampleJson(view, builder, limits).read_lines(0);
    return rows;
  }
};

}  // namespace

TEST(an_example_has_columns_a_label_a_weight_and_an_id) {
  Reader reader;
  const ExampleRows& rows =
      reader.document(R"( {"x": {"a": 1.5, "b\u0062": true, "c": "d"}, "y": "p", "weight": 2, "id": "i"} )");
  CHECK(rows.bad.empty() && !rows.is_array && rows.count() == 1);
  CHECK(rows.columns == (std::vector<std::int32_t>{-1, -2, -3}) && rows.codes == std::vector<std::int32_t>{-2});
  CHECK(rows.values == (std::vector<double>{1.5, 1, 1}));
  CHECK(rows.new_names[1] == "bb" && rows.new_names[2] == "c=d" && rows.new_labels[0] == "p");
  CHECK(rows.weights == std::vector<double>{2.0} && rows.ids == "i");
}

TEST(reading_leaves_the_tables_as_they_are) {
  for (const Locking locking : {Locking::by_caller, Locking::rows, Locking::lookups}) {
    Reader reader;
    reader.document(R"([{"x": {"a": 1}, "y": "p"}, {"x": {"b": 1, "a": 2}, "y": "q"}])", locking);
    CHECK(reader.names.size() == 0 && reader.labels.size() == 0 && reader.labels.kind() == LabelKind::none);
    CHECK(reader.rows.columns == (std::vector<std::int32_t>{-1, -2, -1}));
    CHECK(reader.rows.codes == (std::vector<std::int32_t>{-2, -3}));
    reader.accept();
    reader.document(R"([{"x": {"b": 1, "c": 2}, "y": "q"}, {"x": {"a": 1, "d": 1}, "y": "r"}])", locking);
    CHECK(reader.rows.columns == (std::vector<std::int32_t>{1, -1, 0, -2}));
    CHECK(reader.rows.codes == (std::vector<std::int32_t>{1, -2}) && reader.rows.new_labels[0] == "r");
  }
}

TEST(names_that_another_thread_adds_meanwhile_are_not_counted_twice) {
  Reader reader;
  NameTable names(3, 0);
  ExampleRows rows;
  RowBuilder builder(rows, names, reader.labels, reader.limits, true, Locking::rows);
  const auto add = [&](const std::string& name) {
    builder.begin();
    builder.add_feature(name, 1, true);
    return builder.end(0, 0, 0);
  };
  CHECK(add("a") && add("b"));
  names.find_or_add("a");
  names.find_or_add("b");
  CHECK(add("c") && !add("d"));
  CHECK(rows.columns == (std::vector<std::int32_t>{-1, -2, -3}));
}

TEST(a_refused_example_adds_no_names) {
  for (const char* text : {R"({"x": {"a": 1, "b": null}})", R"({"x": {"a": 1}, "y": 1.5})", R"({"x": {"a": 1}, "z": 1})",
                           R"({"x": {"a": 1, "a": 2}})", R"({"x": {"a": 1})", R"({"x": {"a": 1}} {})", R"({"x": {"a": 1e999}})",
                           R"([{"x": {"a": 1}, "weight": 0}])"}) {
    Reader reader;
    CHECK(reader.document(text).bad.size() == 1);
    if (std::string_view(text).find("} {") == std::string_view::npos)
      CHECK(reader.rows.new_names.size() == 0 && reader.rows.count() == 0);
    CHECK(reader.rows.columns.size() == static_cast<std::size_t>(reader.rows.offsets.back()));
    CHECK(reader.rows.columns.size() == reader.rows.values.size());
  }
}

TEST(a_bad_line_is_left_out_and_the_next_one_is_read) {
  Reader reader;
  const ExampleRows& rows = reader.lines("{\"x\":{\"a\":1},\"y\":1}\n\n{\"x\":{\"b\":01}}\n{\"x\":{\"c\":1},\"y\":2}"s);
  CHECK(rows.places == (std::vector<std::int64_t>{0, 3}));
  CHECK(rows.bad.size() == 1 && rows.bad[0].place == 2);
  CHECK(rows.new_names.size() == 2);
}

TEST(lines_that_are_too_long_are_refused_also_if_they_are_blank) {
  Reader reader;
  CHECK(reader.lines(std::string(201, ' ') + "\n" + std::string(200, ' ') + "\n").bad.size() == 1);
  CHECK(reader.lines(std::string(201, ' ') + "\n", true).bad.size() == 1);
}

TEST(columns_that_hashed_names_share_are_added) {
  Reader reader;
  NameTable hashed(100, 2);
  ExampleRows rows;
  RowBuilder builder(rows, hashed, reader.labels, reader.limits, true);
  const std::string text = R"({"x":{"a":1,"b":2,"c":4,"d":8,"e":16}})" + std::string(example_padding, '\0');
  ExampleJson(std::string_view(text).substr(0, text.size() - example_padding), builder, reader.limits).read_document();
  CHECK(rows.bad.empty() && rows.columns.size() <= 2 && rows.new_names.size() == 0);
  double total = 0;
  for (double value : rows.values) total += value;
  CHECK(total == 31);
  for (std::size_t k = 1; k < rows.columns.size(); ++k) CHECK(rows.columns[k - 1] < rows.columns[k]);
}

TEST(one_boolean_makes_both_labels) {
  Reader reader;
  CHECK(reader.document(R"({"x":{},"y":true})").codes == std::vector<std::int32_t>{-2});
  CHECK(reader.rows.new_labels.size() == 2 && reader.rows.new_labels[1] == "false");
  reader.accept();
  CHECK(reader.labels.size() == 2 && reader.labels[1] == "false");
  CHECK(reader.document(R"({"x":{},"y":"true"})").bad.size() == 1);
}

TEST(predicting_gives_unknown_names_columns_of_their_own) {
  Reader reader;
  reader.document(R"({"x":{"a":1}})");
  reader.accept();
  reader.collects = false;
  const ExampleRows& rows = reader.document(R"({"x":{"b":1,"a":1,"c":1}})");
  CHECK(rows.columns == (std::vector<std::int32_t>{1, 0, 2}) && rows.width == 3 && reader.names.size() == 1);
}

TEST(svmlight_lines_have_indices_as_names) {
  Reader reader;
  const ExampleRows& rows = reader.lines("+1 3:0.5 qid:7 9:-2 # comment\n# nothing\n-1\n1 x:1\n", true);
  CHECK(rows.count() == 2 && rows.bad.size() == 1 && rows.bad[0].place == 3);
  CHECK(rows.new_names[0] == "3" && rows.new_names[1] == "9" && rows.new_labels[1] == "-1");
}
