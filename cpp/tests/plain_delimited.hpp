// A simple reader of delimited text, one character at a time, for comparison with the fast one.
#pragma once

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "novikoff/delimited_reader.hpp"

namespace plain {

/// All that a reader has read.
struct Table {
  std::vector<std::uint64_t> numbers;  // bits; those of the quiet NaN are missing
  std::vector<std::int32_t> codes;
  std::vector<std::vector<std::string>> strings;                                 // by column
  std::vector<std::tuple<std::size_t, std::size_t, std::string, bool>> invalid;  // by column
  std::size_t rows = 0, bad_line = 0, bad_fields = 0;
  std::string reason;
  bool operator==(const Table&) const = default;
};

inline std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

struct DelimitedOptions {
  novikoff::Dialect dialect;
  std::string roles;
  std::vector<std::string> missing{"NA", "?", "-9"};
};

/// [sign] digits, in groups if there are separators, [point digits] [e [sign] digits].
inline bool number_of(std::string_view text, const novikoff::Dialect& dialect, double& value) {
  std::string written;
  std::size_t i = 0, whole = 0, fraction = 0;
  const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
  const auto is_digit = [&](std::size_t k) { return '0' <= at(k) && at(k) <= '9'; };
  const auto is_sign = [&](std::size_t k) { return at(k) == '-' || at(k) == '+'; };
  if (is_sign(i)) written += text[i++];
  std::size_t group = 0;
  bool grouped = false;
  for (;;) {
    if (is_digit(i)) {
      written += text[i++], ++whole, ++group;
    } else if (!dialect.thousands.empty() && text.substr(i).starts_with(dialect.thousands)) {
      if (grouped ? group != 3 : group < 1 || group > 3) return false;
      i += dialect.thousands.size(), group = 0, grouped = true;
    } else {
      break;
    }
  }
  if (grouped && group != 3) return false;
  if (at(i) == dialect.decimal && i < text.size()) {
    written += '.', ++i;
    for (; is_digit(i); ++fraction) written += text[i++];
  }
  if (whole + fraction == 0) return false;
  if (at(i) == 'e' || at(i) == 'E') {
    written += text[i++];
    if (is_sign(i)) written += text[i++];
    if (!is_digit(i)) return false;
    while (is_digit(i)) written += text[i++];
  }
  if (i != text.size()) return false;
  value = std::strtod(written.c_str(), nullptr);
  return std::isfinite(value);
}

class DelimitedReader {
 public:
  DelimitedReader(std::string_view text, const DelimitedOptions& options) : text_(text), options_(options) {
    for (char role : options.roles) {
      if (role == 's') table_.strings.emplace_back();
      if (role == 'n') table_.invalid.emplace_back(0, 0, "", true);
    }
  }

  Table read() {
    while (i_ < text_.size()) {
      if (skip_blank_line()) continue;
      const std::size_t begin = i_;
      bool closed = true;
      const std::vector<std::string> fields = take_record(closed);
      if (fields.size() == options_.roles.size() && closed) {
        add(fields);
        continue;
      }
      Table bad;
      bad.bad_line =
          static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
      bad.bad_fields = fields.size();
      bad.reason = !closed ? "unclosed quote" : fields.size() < options_.roles.size() ? "too few fields" : "too many fields";
      return bad;
    }
    return table_;
  }

 private:
  bool is_blank(std::size_t k) const {
    return k < text_.size() && (text_[k] == ' ' || (text_[k] == '\t' && options_.dialect.delimiter != '\t'));
  }
  bool is_quote(std::size_t k) const { return k < text_.size() && options_.dialect.is_quote(text_[k]); }
  bool ends_line(std::size_t k) const {
    return k >= text_.size() || text_[k] == '\n' || (text_[k] == '\r' && (k + 1 == text_.size() || text_[k + 1] == '\n'));
  }
  bool ends_field(std::size_t k) const {
    return ends_line(k) || (options_.dialect.has_blank_runs() ? is_blank(k) : text_[k] == options_.dialect.delimiter);
  }
  void end_line() {
    if (i_ < text_.size() && text_[i_] == '\r') ++i_;
    if (i_ < text_.size()) ++i_;
  }
  void skip_blanks() {
    while (is_blank(i_)) ++i_;
  }

  bool skip_blank_line() {
    const std::size_t begin = i_;
    skip_blanks();
    if (ends_line(i_)) {
      end_line();
      return true;
    }
    i_ = begin;
    return false;
  }

  std::vector<std::string> take_record(bool& closed) {
    std::vector<std::string> fields;
    for (;;) {
      fields.push_back(take_field(closed));
      if (options_.dialect.has_blank_runs()) skip_blanks();
      if (!closed || ends_line(i_)) break;
      if (!options_.dialect.has_blank_runs()) ++i_;
    }
    end_line();
    return fields;
  }

  std::string take_field(bool& closed) {
    std::string field;
    const std::size_t begin = i_;
    skip_blanks();
    if (!options_.dialect.skips_blanks()) i_ = begin;
    if (is_quote(i_)) {
      for (++i_;; field += text_[i_++]) {
        if (i_ >= text_.size()) {
          closed = false;
          return field;
        }
        if (is_quote(i_) && !is_quote(i_ + 1)) break;
        if (is_quote(i_)) ++i_;
      }
      ++i_;
    }
    while (!ends_field(i_)) field += text_[i_++];
    return options_.dialect.trim ? std::string(options_.dialect.trimmed(field)) : field;
  }

  bool is_missing(const std::string& text) const {
    return text.empty() || std::find(options_.missing.begin(), options_.missing.end(), text) != options_.missing.end();
  }

  void add(const std::vector<std::string>& fields) {
    std::size_t number = 0, string = 0;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (options_.roles[k] == 'n') add_number(std::string(options_.dialect.trimmed(fields[k])), number++);
      if (options_.roles[k] == 's') add_string(fields[k], string++);
    }
    ++table_.rows;
  }

  void add_number(const std::string& text, std::size_t column) {
    double value = std::nan("");
    if (!is_missing(text) && !number_of(text, options_.dialect, value)) {
      std::string lower = text;
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      value = std::nan("");
      if (lower != "nan" && lower != "-nan" && lower != "+nan") {
        auto& [count, row, first, same] = table_.invalid[column];
        if (count++ == 0) row = table_.rows, first = text;
        same = same && first == text;
      }
    }
    table_.numbers.push_back(bits_of(value));
  }

  void add_string(const std::string& text, std::size_t column) {
    if (is_missing(text)) return table_.codes.push_back(-1);
    auto& strings = table_.strings[column];
    const auto place = std::find(strings.begin(), strings.end(), text);
    table_.codes.push_back(static_cast<std::int32_t>(place - strings.begin()));
    if (place == strings.end()) strings.push_back(text);
  }

  std::string_view text_;
  const DelimitedOptions& options_;
  std::size_t i_ = 0;
  Table table_;
};

/// Reads blocks with the fast reader, each in memory of exactly its size. Pieces are cut at record ends after `piece` bytes.
inline Table feed(const std::vector<std::string_view>& blocks, const DelimitedOptions& options, std::size_t threads,
                  std::size_t piece) {
  std::vector<novikoff::Role> roles;
  for (char role : options.roles) roles.push_back(static_cast<novikoff::Role>(role));
  novikoff::DelimitedReader reader(options.dialect, roles, options.missing, threads, piece);
  Table table;
  std::size_t lines = 0;
  for (std::string_view block : blocks) {
    const std::unique_ptr<char[]> bytes(new char[block.size()]);
    std::copy(block.begin(), block.end(), bytes.get());
    if (const auto bad = reader.feed({bytes.get(), block.size()})) {
      Table refused;
      refused.bad_line = lines + bad->line, refused.bad_fields = bad->found, refused.reason = bad->reason;
      return refused;
    }
    lines += static_cast<std::size_t>(std::count(block.begin(), block.end(), '\n'));
    for (std::size_t k = 0; k < reader.numbers.size(); ++k) table.numbers.push_back(bits_of(reader.numbers[k]));
    table.codes.insert(table.codes.end(), reader.codes.data(), reader.codes.end());
    table.rows += reader.rows;
  }
  for (const novikoff::StringTable& strings : reader.tables) {
    table.strings.emplace_back();
    for (std::size_t code = 0; code < strings.size(); ++code) table.strings.back().emplace_back(strings[code]);
  }
  for (const novikoff::InvalidNumbers& found : reader.invalid)
    table.invalid.emplace_back(found.count, found.row, found.first, found.same);
  return table;
}

/// Cuts a text at the first record end after every `step` bytes.
inline std::vector<std::string_view> cut_records(std::string_view text, const novikoff::Dialect& dialect, std::size_t step) {
  std::vector<std::string_view> blocks;
  std::size_t begin = 0;
  for (std::size_t end : novikoff::cut_records(text, dialect, step)) {
    blocks.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return blocks;
}

}  // namespace plain
