// Sparse rows from tables: entries are those of the definition, on any number of threads.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "novikoff/encode_rows.hpp"
#include "novikoff/random.hpp"

using namespace novikoff;

namespace {

constexpr double empty_cell = std::numeric_limits<double>::quiet_NaN();

struct Rows {
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> ends;
  std::size_t end = 0;
  bool operator==(const Rows&) const = default;
};

/// Two columns of numbers and one of strings with two known values; every kind of step.
struct Table {
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;
  std::vector<double> shift{1, 10}, scale{2, 0.5}, fill{7, 0};
  std::vector<std::vector<std::int32_t>> columns{{0}, {1}, {2}, {3}, {4, -1, 5}, {6, 7, -1}};

  Rows encode(std::size_t threads, std::size_t start) const {
    using Kind = EncodingStep::Kind;
    const TableRows rows{codes.size(), numbers, codes, 2, 1};
    const Encoding encoding{{{Kind::number, 0, columns[0]},
                             {Kind::indicator, 0, columns[1]},
                             {Kind::number, 1, columns[2]},
                             {Kind::present_number, 0, columns[3]},
                             {Kind::string, 0, columns[4]},
                             {Kind::string, 0, columns[5]}},
                            shift,
                            scale,
                            fill};
    Rows out{std::vector<double>(start + 6 * codes.size()), std::vector<std::int32_t>(start + 6 * codes.size()),
             std::vector<std::int64_t>(codes.size()), 0};
    out.end = encode_rows<double>(rows, encoding, out.values, out.columns, out.ends, start, threads);
    out.values.resize(out.end), out.columns.resize(out.end);
    return out;
  }
};

}  // namespace

TEST(each_kind_of_step_adds_its_entry) {
  const Rows rows = Table{{3, 11, empty_cell, 10, 1, empty_cell}, {0, 1, -1}}.encode(1, 1);
  CHECK(rows.columns == std::vector<std::int32_t>{0, 0, 2, 3, 4, 6, 0, 1, 7, 5});
  CHECK(rows.values == std::vector<double>{0, 1, 2, 1, 1, 1, 7, 1, 1, 1});
  CHECK(rows.ends == std::vector<std::int64_t>{6, 9, 10} && rows.end == 10);
}

TEST(codes_beyond_the_columns_add_nothing) {
  const Rows rows = Table{{1, 10}, {2}}.encode(1, 0);
  CHECK(rows.end == 0 && rows.ends == std::vector<std::int64_t>{0});
}

TEST(threads_change_no_encoded_row) {
  Random random{5};
  Table table;
  for (int k = 0; k < 5000; ++k) {
    for (int j = 0; j < 2; ++j)
      table.numbers.push_back(random.below(5) == 0 ? empty_cell : static_cast<double>(random.below(12)));
    table.codes.push_back(static_cast<std::int32_t>(random.below(4)) - 1);
  }
  CHECK(table.encode(1, 3) == table.encode(3, 3));
}

TEST(too_little_room_is_refused) {
  const std::vector<double> numbers{1, 2}, zero{0}, one{1};
  const std::vector<std::int32_t> column{0};
  const Encoding encoding{{{EncodingStep::Kind::number, 0, column}}, zero, one, zero};
  std::vector<float> values(1);
  std::vector<std::int32_t> columns(2);
  std::vector<std::int64_t> ends(2);
  bool refused = false;
  try {
    encode_rows<float>({2, numbers, {}, 1, 0}, encoding, values, columns, ends, 0, 1);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused && values[0] == 0);
}
