// Reads any bytes as examples: as a JSON document, as lines of JSON, and as lines of svmlight. What is kept is consistent,
// lines that are read one by one give the same, and reading again with full tables changes nothing.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/example_json.hpp"
#include "novikoff/example_rows.hpp"
#include "novikoff/example_svmlight.hpp"
#include "novikoff/name_table.hpp"
#include "target.hpp"

using namespace novikoff;
using fuzz::require;

namespace {

enum Way : std::size_t { document, lines, svmlight, hashed_lines, way_count };

constexpr ExampleLimits limits{20, 40, 20, 300};

struct Tables {
  NameTable names;
  LabelTable labels{5};
  explicit Tables(std::size_t way) : names(30, way == hashed_lines ? 4 : 0) {}
};

/// Gives new names columns and new labels codes, and adds them to the tables, as the server does with examples that it learns.
void accept(ExampleRows& rows, Tables& tables) {
  std::vector<std::int32_t> columns, codes;
  for (std::size_t k = 0; k < rows.new_names.size(); ++k) columns.push_back(tables.names.find_or_add(rows.new_names[k]));
  for (std::size_t k = 0; k < rows.new_labels.size(); ++k)
    codes.push_back(tables.labels.find_or_add(rows.new_kind, rows.new_labels[k]));
  for (std::int32_t& column : rows.columns)
    if (column < 0) column = columns.at(static_cast<std::size_t>(ExampleRows::new_column - column));
  for (std::int32_t& code : rows.codes)
    if (code <= ExampleRows::new_code) code = codes.at(static_cast<std::size_t>(ExampleRows::new_code - code));
  rows.width = std::max(rows.width, tables.names.size());
}

ExampleRows read(std::string_view text, std::size_t way, Tables& tables, bool collects) {
  ExampleRows rows;
  std::vector<char> exact(text.begin(), text.end());  // so that a read past the padding is seen
  exact.resize(text.size() + example_padding, '\0');
  const std::string_view view(exact.data(), text.size());
  RowBuilder builder(rows, tables.names, tables.labels, limits, collects);
  if (way == document)
    rows.is_array = ExampleJson(view, builder, limits).read_document();
  else if (way == svmlight)
    ExampleSvmlight(view, builder, limits).read_lines(0);
  else
    ExampleJson(view, builder, limits).read_lines(0);
  if (collects) accept(rows, tables);
  return rows;
}

void check_rows(const ExampleRows& rows, const Tables& tables, std::size_t size) {
  const std::size_t count = rows.count();
  require(rows.offsets.size() == count + 1 && rows.offsets[0] == 0, "each example has an offset");
  require(std::is_sorted(rows.offsets.begin(), rows.offsets.end()), "offsets ascend");
  require(rows.columns.size() == static_cast<std::size_t>(rows.offsets.back()), "columns belong to examples");
  require(rows.values.size() == rows.columns.size(), "each column has a value");
  require(rows.features.size() == count && rows.spans.size() == count && rows.places.size() == count, "one of each");
  require(rows.weights.empty() || rows.weights.size() == count, "weights are complete");
  require(rows.id_ends.empty() || (rows.id_ends.size() == count && rows.id_ends.back() == rows.ids.size()), "ids are complete");
  require(rows.text_ends.empty() || (rows.text_ends.size() == count && rows.text_ends.back() == rows.texts.size()),
          "texts, too");
  for (const double weight : rows.weights) require(weight > 0 && std::isfinite(weight), "weights are positive");
  for (const std::int32_t code : rows.codes)
    require(code >= StringTable::absent && code < static_cast<std::int32_t>(tables.labels.size()), "codes are known");
  for (const auto& [begin, end] : rows.spans) require(begin <= end && end <= size, "examples are in the text");
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> columns(rows.columns.begin() + rows.offsets[i], rows.columns.begin() + rows.offsets[i + 1]);
    std::sort(columns.begin(), columns.end());
    require(std::adjacent_find(columns.begin(), columns.end()) == columns.end(), "a column occurs once");
    require(columns.empty() || (columns.front() >= 0 && static_cast<std::size_t>(columns.back()) < rows.width), "columns fit");
  }
  require(tables.names.size() <= 30 && tables.labels.size() <= 5, "tables have limits");
}

bool are_equal(const ExampleRows& a, const ExampleRows& b) {
  return a.offsets == b.offsets && a.columns == b.columns && a.codes == b.codes && a.weights == b.weights && a.ids == b.ids &&
         a.texts == b.texts && a.places == b.places &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end());
}

}  // namespace

const std::size_t fuzz::ways = way_count;

void fuzz::check(std::string_view text, std::size_t way) {
  Tables tables(way);
  const ExampleRows rows = read(text, way, tables, true);
  check_rows(rows, tables, text.size());
  require(way != document || rows.bad.size() <= 1, "a document is refused once");
  const std::size_t names = tables.names.size(), labels = tables.labels.size();
  const ExampleRows again = read(text, way, tables, false);  // all names that were kept are known now
  check_rows(again, tables, text.size());
  require(tables.names.size() == names && tables.labels.size() == labels, "predicting adds nothing");
  if (rows.bad.empty()) require(are_equal(rows, again), "reading again gives the same");
  if (way == document) return;
  Tables others(way);
  std::size_t count = 0, bad = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    const ExampleRows own = read(text.substr(at, stop - at), way, others, true);
    count += own.count();
    bad += own.bad.size();
    at = stop + 1;
  }
  require(count == rows.count() && bad == rows.bad.size() && others.names.size() == names, "lines are read one by one");
}
