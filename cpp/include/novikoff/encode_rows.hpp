// Makes sparse rows from the numbers and codes of a table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "novikoff/parallel.hpp"

namespace novikoff {

/// Rows of a table, row by row: numbers, of which NaN is missing, and codes of strings, of which -1 is missing.
struct TableRows {
  std::size_t count = 0;
  std::span<const double> numbers;
  std::span<const std::int32_t> codes;
  std::size_t number_columns = 0, string_columns = 0;
};

/// What one column of a table adds to a row.
struct EncodingStep {
  enum class Kind : std::int32_t {
    number = 0,          // (x - shift) / scale, or `fill` if it is missing, at columns[0]
    indicator = 1,       // 1 at columns[0] if the number is missing
    string = 2,          // 1 at columns[code], or at the last of the columns if it is missing; -1 stands for nothing
    present_number = 3,  // as a number, but nothing if it is missing
  };

  Kind kind{};
  std::size_t source = 0;  // column of the numbers or of the codes
  std::span<const std::int32_t> columns;
};

/// The steps of a row, in the order of their columns, and how numbers are scaled, by number column.
struct Encoding {
  std::vector<EncodingStep> steps;
  std::span<const double> shift, scale, fill;
};

namespace detail {

/// Calls `each(column, value)` with the nonzero entries of a row. Codes without an entry in the columns of their step, which
/// are those of strings that were not known when the columns were given, add nothing.
template <class Each>
void encode_row(const TableRows& rows, std::size_t row, const Encoding& encoding, const Each& each) {
  const double* const numbers = rows.numbers.data() + row * rows.number_columns;
  const std::int32_t* const codes = rows.codes.data() + row * rows.string_columns;
  for (const EncodingStep& step : encoding.steps) {
    const std::size_t j = step.source;
    if (step.kind == EncodingStep::Kind::string) {
      const std::int32_t code = codes[j];
      const std::size_t known = step.columns.size() - 1;
      const std::size_t place = code < 0 ? known : static_cast<std::size_t>(code);
      const std::int32_t column = code < 0 || place < known ? step.columns[place] : -1;
      if (column >= 0) each(column, 1.0);
    } else if (step.kind == EncodingStep::Kind::indicator) {
      if (std::isnan(numbers[j])) each(step.columns[0], 1.0);
    } else {
      const bool missing = std::isnan(numbers[j]);
      const double otherwise = step.kind == EncodingStep::Kind::number ? encoding.fill[j] : 0.0;
      const double value = missing ? otherwise : (numbers[j] - encoding.shift[j]) / encoding.scale[j];
      if (value != 0) each(step.columns[0], value);
    }
  }
}

}  // namespace detail

/// Writes the rows as those of a CSR matrix: values and columns from position `start` on, and the end of each row. Returns the
/// end of the last. Rows are first counted, so that several threads know where to write; their entries do not depend on that.
template <class Float>
std::size_t encode_rows(const TableRows& rows, const Encoding& encoding, std::span<Float> values,
                        std::span<std::int32_t> columns, std::span<std::int64_t> ends, std::size_t start, std::size_t threads) {
  constexpr std::size_t block = 1024;
  const std::size_t blocks = (rows.count + block - 1) / block, room = std::min(values.size(), columns.size());
  std::vector<std::size_t> begins(blocks + 1, 0);
  begins[0] = start;
  const auto for_rows = [&](std::size_t k, const auto& each) {
    for (std::size_t row = k * block; row < std::min(rows.count, (k + 1) * block); ++row) each(row);
  };
  in_parallel(blocks, threads, [&](std::size_t k) {
    std::size_t count = 0;
    for_rows(k, [&](std::size_t row) {
      detail::encode_row(rows, row, encoding, [&](std::int32_t, double value) { count += static_cast<Float>(value) != 0; });
    });
    begins[k + 1] = count;
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  if (begins.back() > room || ends.size() < rows.count) throw std::invalid_argument("encode_rows: the output is too short.");
  in_parallel(blocks, threads, [&](std::size_t k) {
    std::size_t at = begins[k];
    for_rows(k, [&](std::size_t row) {
      detail::encode_row(rows, row, encoding, [&](std::int32_t column, double value) {
        if (static_cast<Float>(value) == 0) return;
        values[at] = static_cast<Float>(value);
        columns[at++] = column;
      });
      ends[row] = static_cast<std::int64_t>(at);
    });
  });
  return begins.back();
}

}  // namespace novikoff
