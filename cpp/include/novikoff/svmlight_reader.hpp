// Parses svmlight text, block by block and on several threads, into the arrays of a CSR matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "novikoff/growing.hpp"
#include "novikoff/parallel.hpp"
#include "novikoff/svmlight.hpp"

namespace novikoff {

namespace detail {

struct Counts {
  std::size_t lines = 0, colons = 0;
};

/// Counts line ends and colons, which are upper bounds on the rows and features of a text. The inner counters are single
/// bytes, so they are summed after 255 steps.
inline Counts count_lines(std::string_view text) {
  constexpr std::size_t lanes = 32, turns = 255;
  Counts counts;
  const char* p = text.data();
  const char* end = p + text.size();
  while (static_cast<std::size_t>(end - p) >= lanes) {
    std::uint8_t lines[lanes] = {}, colons[lanes] = {};
    for (std::size_t turn = 0; turn < turns && static_cast<std::size_t>(end - p) >= lanes; ++turn, p += lanes)
      for (std::size_t i = 0; i < lanes; ++i) {
        lines[i] = static_cast<std::uint8_t>(lines[i] + (p[i] == '\n'));
        colons[i] = static_cast<std::uint8_t>(colons[i] + (p[i] == ':'));
      }
    for (std::size_t i = 0; i < lanes; ++i) counts.lines += lines[i], counts.colons += colons[i];
  }
  for (; p < end; ++p) counts.lines += *p == '\n', counts.colons += *p == ':';
  return counts;
}

}  // namespace detail

/// Reads a file block by block. Each block is cut into pieces at line ends; their lines are counted and then parsed on several
/// threads, each piece directly to its place in the growing arrays.
template <class Float>
class SvmlightReader {
 public:
  /// A piece of the default size stays in the CPU cache between counting and parsing.
  SvmlightReader(IndexRange range, std::size_t threads, std::size_t piece = 1 << 19)
      : range_(range), threads_(threads), piece_(piece) {}

  // The arrays of a CSR matrix, and the lines and indices that were read.

  Growing<Float> values;
  Growing<std::int32_t> columns;
  Growing<double> labels;
  Growing<std::int64_t> row_ends;  // where each row ends in values and columns
  std::size_t lines = 0;
  std::int64_t smallest = max_index + 1, largest = -1;

  /// Reads lines; the last one may lack its line end. Returns the first malformed line, and adds nothing then.
  std::optional<BadLine> feed(std::string_view text) {
    const std::vector<Piece> pieces = measure(text);
    const std::size_t rows = labels.size(), features = values.size();
    make_room(rows + pieces.back().rows, features + pieces.back().features);
    std::vector<std::optional<LineParser<Float>>> parsers(pieces.size() - 1);
    in_parallel(parsers.size(), threads_, [&](std::size_t k) {
      const std::size_t row = rows + pieces[k].rows, feature = features + pieces[k].features;
      parsers[k].emplace(range_, values.data() + feature, columns.data() + feature, labels.data() + row, row_ends.data() + row);
      parsers[k]->parse(pieces[k].text);
    });
    std::size_t lines_before = lines, row = rows, feature = features;
    for (std::size_t k = 0; k < parsers.size(); ++k) {
      LineParser<Float>& parser = *parsers[k];
      if (parser.bad) {
        parser.bad->line += lines_before;
        make_room(rows, features);
        return std::move(parser.bad);
      }
      close_gap(rows + pieces[k].rows, features + pieces[k].features, parser, row, feature);
      row += parser.rows, feature += parser.features, lines_before += parser.lines;
    }
    make_room(row, feature);
    lines = lines_before;
    for (const auto& parser : parsers)
      smallest = std::min(smallest, parser->smallest), largest = std::max(largest, parser->largest);
    return std::nullopt;
  }

  /// Reserves memory for `factor` times what was read so far. This is an estimate; reading goes on if the memory is not there.
  void expect(double factor) {
    const auto more = [factor](std::size_t size) {
      return size + static_cast<std::size_t>(1.02 * factor * static_cast<double>(size));
    };
    try {
      values.expect(more(values.size()));
      columns.expect(more(columns.size()));
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  /// A part of a block, and upper bounds on the rows and features before it.
  struct Piece {
    std::string_view text;
    std::size_t rows = 0, features = 0;
  };

  /// Returns the pieces, followed by an empty one.
  std::vector<Piece> measure(std::string_view text) const {
    std::vector<Piece> pieces;
    while (!text.empty()) {
      const std::size_t cut = text.find('\n', std::min(piece_, text.size()));
      pieces.push_back({text.substr(0, cut == text.npos ? cut : cut + 1)});
      text.remove_prefix(pieces.back().text.size());
    }
    pieces.emplace_back();
    std::vector<detail::Counts> counts(pieces.size());
    in_parallel(pieces.size(), threads_, [&](std::size_t k) { counts[k] = detail::count_lines(pieces[k].text); });
    for (std::size_t k = 1; k < pieces.size(); ++k) {
      const std::string_view before = pieces[k - 1].text;
      pieces[k].rows = pieces[k - 1].rows + counts[k - 1].lines + (before.ends_with('\n') ? 0 : 1);
      pieces[k].features = pieces[k - 1].features + counts[k - 1].colons;
    }
    return pieces;
  }

  void make_room(std::size_t rows, std::size_t features) {
    values.resize(features), columns.resize(features);
    labels.resize(rows), row_ends.resize(rows);
  }

  /// Moves the rows of a piece down over the space that comments and empty lines before it left unused.
  void close_gap(std::size_t from_row, std::size_t from_feature, const LineParser<Float>& parser, std::size_t row,
                 std::size_t feature) {
    if (from_feature != feature) {
      std::memmove(values.data() + feature, values.data() + from_feature, parser.features * sizeof(Float));
      std::memmove(columns.data() + feature, columns.data() + from_feature, parser.features * sizeof(std::int32_t));
    }
    if (from_row != row) std::memmove(labels.data() + row, labels.data() + from_row, parser.rows * sizeof(double));
    for (std::size_t k = 0; k < parser.rows; ++k)
      row_ends[row + k] = row_ends[from_row + k] + static_cast<std::int64_t>(feature);
  }

  IndexRange range_;
  std::size_t threads_, piece_;
};

}  // namespace novikoff
