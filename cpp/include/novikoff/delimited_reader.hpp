// Parses delimited text, block by block and on several threads, into numbers and codes of strings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "novikoff/bytes.hpp"
#include "novikoff/delimited.hpp"
#include "novikoff/delimited_fields.hpp"
#include "novikoff/growing.hpp"
#include "novikoff/parallel.hpp"
#include "novikoff/string_table.hpp"

namespace novikoff {

/// What becomes of a field.
enum class Role : char { number = 'n', string = 's', skipped = '-' };

/// The fields of a record, and the columns that they make.
struct Layout {
  std::vector<Role> roles;
  std::size_t numbers = 0, strings = 0;

  explicit Layout(std::vector<Role> of_fields) : roles(std::move(of_fields)) {
    numbers = static_cast<std::size_t>(std::count(roles.begin(), roles.end(), Role::number));
    strings = static_cast<std::size_t>(std::count(roles.begin(), roles.end(), Role::string));
  }
};

/// A record that does not have the fields of the layout.
struct BadRecord {
  std::size_t line = 0;  // at which it begins, from 0
  const char* reason = "";
  std::size_t found = 0;  // number of fields
};

/// The fields of a number column that are neither numbers nor missing.
struct InvalidNumbers {
  std::size_t count = 0, row = 0;  // `row` is that of the first
  std::string first;
  bool same = true;  // all have the text of the first

  void add(std::size_t at_row, std::string_view text) {
    if (count++ == 0)
      row = at_row, first = text;
    else
      same = same && first == text;
  }

  /// Adds those of later rows; `before` rows are before the rows that `other` counts.
  void append(const InvalidNumbers& other, std::size_t before) {
    if (other.count == 0) return;
    same = count == 0 ? other.same : same && other.same && first == other.first;
    if (count == 0) row = before + other.row, first = other.first;
    count += other.count;
  }
};

/// Parses one piece of a block. Strings that are not in the tables yet get provisional codes: -2, -3, ... for the first,
/// second,
/// ... string of `fresh`.
class PieceParser {
 public:
  PieceParser(const Layout& layout, const std::vector<StringTable>& known, double* numbers, std::int32_t* codes)
      : fresh(layout.strings), invalid(layout.numbers), layout_(layout), known_(known), numbers_(numbers), codes_(codes) {}

  static constexpr std::int32_t provisional(std::int32_t position) { return -2 - position; }

  std::vector<StringTable> fresh;  // by string column
  std::vector<InvalidNumbers> invalid;
  std::size_t rows = 0;
  std::optional<BadRecord> bad;

  /// Parses all records, or those before the first malformed one. The text is as `FieldReader` needs it.
  template <class Delimiter>
  void parse(std::string_view text, const Dialect& dialect, Delimiter delimiter, const NumberReader& numbers) {
    const char *p = text.data(), *const end = p + text.size();
    FieldReader<Delimiter> fields(dialect, delimiter, numbers, end);
    while (p < end) {
      const char* const begin = p;
      if (p = dialect.skip_blanks(p); detail::is_line_end(p)) {
        p += *p == '\r' ? 2 : 1;
        continue;
      }
      number_ = string_ = 0;
      std::size_t found = 1;
      p = take_field(fields, begin, 0);
      for (; *p != '\n'; ++found) p = take_field(fields, delimiter.next_field(p), found);
      ++p;
      if (found != layout_.roles.size() || fields.is_unclosed()) {
        const char* reason = found < layout_.roles.size() ? "too few fields" : "too many fields";
        bad = BadRecord{count_byte({text.data(), begin}, '\n'), fields.is_unclosed() ? "unclosed quote" : reason, found};
        return;
      }
      ++rows;
      numbers_ += layout_.numbers, codes_ += layout_.strings;
    }
  }

 private:
  template <class Delimiter>
  [[gnu::always_inline]] const char* take_field(FieldReader<Delimiter>& fields, const char* p, std::size_t position) {
    const Role role = position < layout_.roles.size() ? layout_.roles[position] : Role::skipped;
    std::string_view text;
    if (role == Role::number) {
      NumberKind kind{};
      p = fields.take_number(p, numbers_[number_], kind, text);
      if (kind == NumberKind::invalid) [[unlikely]]
        invalid[number_].add(rows, text);
      ++number_;
    } else {
      p = fields.take_text(p, text);
      if (role == Role::skipped) return p;
      codes_[string_] = text.empty() ? StringTable::without_code : code_of(StringKey::padded(text));
      ++string_;
    }
    return p;
  }

  std::int32_t code_of(const StringKey& key) {
    const std::int32_t code = known_[string_].find(key);
    return code != StringTable::absent ? code : provisional(fresh[string_].find_or_add(key));
  }

  const Layout& layout_;
  const std::vector<StringTable>& known_;
  double* numbers_;                      // of the row
  std::int32_t* codes_;                  // of the row
  std::size_t number_ = 0, string_ = 0;  // columns of the next field
};

/// Reads a file block by block. Each block is cut into pieces at record ends, which are parsed on several threads, each
/// directly to its place in the arrays. New strings are then added to the tables in the order of the pieces, so that the codes
/// do not depend on the cuts.
class DelimitedReader {
 public:
  /// Pieces have at least `piece` bytes; 0 chooses their size.
  DelimitedReader(Dialect dialect, std::vector<Role> roles, const std::vector<std::string>& missing, std::size_t threads,
                  std::size_t piece = 0)
      : dialect_(std::move(dialect)), layout_(std::move(roles)), numbers_(dialect_, missing), threads_(threads), piece_(piece) {
    if (piece_ == 0) piece_ = threads > 1 ? 1 << 19 : std::numeric_limits<std::size_t>::max();
    tables.resize(layout_.strings);
    invalid.resize(layout_.numbers);
    for (StringTable& table : tables)
      for (const std::string& word : missing) table.add_without_code(StringKey::of(word));
  }

  const Layout& layout() const { return layout_; }

  // The rows of the last block.

  Growing<double> numbers;      // row by row; NaN is missing
  Growing<std::int32_t> codes;  // row by row; -1 is missing
  std::size_t rows = 0;

  // What all blocks had.

  std::vector<StringTable> tables;      // by string column
  std::vector<InvalidNumbers> invalid;  // by number column
  std::size_t rows_before = 0;          // rows of the blocks before the last

  /// Reads records, of which the last may lack its line end. Returns the first malformed record, and adds nothing then.
  std::optional<BadRecord> feed(std::string_view text) {
    rows_before += std::exchange(rows, 0);
    const std::vector<Piece> pieces = measure(text);
    make_room(pieces.back().rows);
    std::vector<PieceParser> parsers;
    parsers.reserve(pieces.size());
    for (const Piece& piece : pieces)
      parsers.emplace_back(layout_, tables, numbers.data() + piece.rows * layout_.numbers,
                           codes.data() + piece.rows * layout_.strings);
    in_parallel(pieces.size() - 1, threads_, [&](std::size_t k) { parse(pieces[k].text, parsers[k]); });
    for (std::size_t k = 0; k < parsers.size(); ++k) {
      if (!parsers[k].bad) continue;
      parsers[k].bad->line += pieces[k].lines;
      make_room(0);
      return parsers[k].bad;
    }
    give_codes(pieces, parsers);
    close_gaps(pieces, parsers);
    for (PieceParser& parser : parsers) {
      for (std::size_t j = 0; j < layout_.numbers; ++j) invalid[j].append(parser.invalid[j], rows_before + rows);
      rows += parser.rows;
    }
    make_room(rows);
    return std::nullopt;
  }

 private:
  /// A part of a block, the lines before it, and an upper bound on the rows before it.
  struct Piece {
    std::string_view text;
    std::size_t lines = 0, rows = 0;
  };

  /// Returns the pieces, followed by an empty one. The last is a copy that ends with a line feed and padding; it is long
  /// enough to be the padding of the others.
  std::vector<Piece> measure(std::string_view text) {
    std::vector<Piece> pieces;
    std::size_t begin = 0;
    for (std::size_t cut : cut_records(text, dialect_, piece_)) {
      if (cut < text.size() && text.size() - cut < field_padding) continue;
      pieces.push_back({text.substr(begin, cut - begin)});
      begin = cut;
    }
    if (!pieces.empty()) {
      last_.assign(pieces.back().text);
      if (!last_.ends_with('\n')) last_ += '\n';
      const std::size_t size = last_.size();
      last_ += dialect_.quote;  // ends the search for a quote that is not there
      last_.append(field_padding, '\0');
      pieces.back().text = std::string_view(last_).substr(0, size);
    }
    pieces.emplace_back();
    std::vector<std::size_t> lines(pieces.size());
    in_parallel(pieces.size() - 1, threads_, [&](std::size_t k) { lines[k] = count_byte(pieces[k].text, '\n'); });
    for (std::size_t k = 1; k < pieces.size(); ++k) pieces[k].lines = pieces[k].rows = pieces[k - 1].lines + lines[k - 1];
    return pieces;
  }

  void make_room(std::size_t count) {
    numbers.resize(count * layout_.numbers);
    codes.resize(count * layout_.strings);
  }

  void parse(std::string_view text, PieceParser& parser) const {
    if (dialect_.has_blank_runs())
      parser.parse(text, dialect_, BlankRuns{}, numbers_);
    else
      parser.parse(text, dialect_, SingleDelimiter{dialect_.delimiter}, numbers_);
  }

  /// Adds the new strings of all pieces to the tables, and replaces their provisional codes.
  void give_codes(const std::vector<Piece>& pieces, const std::vector<PieceParser>& parsers) {
    std::vector<std::vector<std::int32_t>> given(parsers.size() * layout_.strings);  // code by position in `fresh`
    const std::size_t threads = parsers.size() > 2 ? threads_ : 1;  // starting some takes longer than a short block
    in_parallel(layout_.strings, threads, [&](std::size_t j) {
      for (std::size_t k = 0; k < parsers.size(); ++k) {
        const StringTable& fresh = parsers[k].fresh[j];
        for (std::size_t i = 0; i < fresh.size(); ++i)
          given[k * layout_.strings + j].push_back(tables[j].find_or_add(StringKey::of(fresh[i])));
      }
    });
    in_parallel(parsers.size(), threads, [&](std::size_t k) {
      const auto* const to = given.data() + k * layout_.strings;
      if (std::all_of(to, to + layout_.strings, [](const auto& column) { return column.empty(); })) return;
      std::int32_t* code = codes.data() + pieces[k].rows * layout_.strings;
      for (std::size_t row = 0; row < parsers[k].rows; ++row)
        for (std::size_t j = 0; j < layout_.strings; ++j, ++code)
          if (*code < StringTable::without_code) *code = to[j][static_cast<std::size_t>(PieceParser::provisional(*code))];
    });
  }

  /// Moves the rows of each piece down over the space that lines without a row of their own left unused before it.
  void close_gaps(const std::vector<Piece>& pieces, const std::vector<PieceParser>& parsers) {
    const auto move = [](auto& array, std::size_t width, std::size_t from, std::size_t to, std::size_t count) {
      std::copy_n(array.data() + from * width, count * width, array.data() + to * width);  // to smaller places, so in order
    };
    std::size_t row = 0;
    for (std::size_t k = 0; k < parsers.size(); row += parsers[k++].rows) {
      if (pieces[k].rows == row) continue;
      move(numbers, layout_.numbers, pieces[k].rows, row, parsers[k].rows);
      move(codes, layout_.strings, pieces[k].rows, row, parsers[k].rows);
    }
  }

  Dialect dialect_;
  Layout layout_;
  NumberReader numbers_;
  std::size_t threads_, piece_;
  std::string last_;
};

}  // namespace novikoff
