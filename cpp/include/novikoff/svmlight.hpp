// The svmlight / LIBSVM text format, from bytes to the arrays of a CSR matrix.
//
//   line    = [label [qid:number] {index:value}] [# comment]
//
// Words are separated by spaces and tabs; a carriage return counts as a space. The features of a line may be in any order,
// each at most once. Numbers are rounded correctly.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "novikoff/bytes.hpp"
#include "novikoff/numbers.hpp"

namespace novikoff {

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();

/// A malformed line: its number from 1, what it should have, and the word that it has instead.
struct BadLine {
  std::size_t line = 0;
  std::string message, word;
};

/// The valid indices of a file.
struct IndexRange {
  std::int64_t base = 1;          // number of the first feature
  std::int64_t last = max_index;  // the largest valid index
  std::int64_t features = 0;      // the number of features that the user gave, if any
};

namespace detail {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Whether a character may follow a word.
inline bool ends_word(char c) {
  constexpr std::uint64_t ends = 1ULL << ' ' | 1ULL << '\t' | 1ULL << '\r' | 1ULL << '\n' | 1ULL << '#';
  const auto code = static_cast<unsigned char>(c);
  return code < 64 && (ends >> code & 1) != 0;
}

}  // namespace detail

/// Parses lines of text into arrays of values, columns and labels that are large enough for all of them.
///
/// Every parsed line ends with a line end, and the `beyond` bytes after it are readable, so that no loop has to check for
/// the end of the text. The last lines of a text are copied to a buffer where this holds.
template <class Float>
class LineParser {
 public:
  LineParser(IndexRange range, Float* values, std::int32_t* columns, double* labels, std::int64_t* row_ends)
      : range_(range), values_(values), columns_(columns), labels_(labels), row_ends_(row_ends) {}

  std::size_t rows = 0, features = 0, lines = 0;
  std::int64_t smallest = max_index + 1, largest = -1;  // indices that occur
  std::optional<BadLine> bad;

  /// Parses lines up to the first malformed one.
  void parse(std::string_view text) {
    const std::size_t far = text.size() < beyond ? text.npos : text.rfind('\n', text.size() - beyond);
    const std::size_t cut = far == text.npos ? 0 : far + 1;
    parse_lines(text.data(), text.data() + cut);
    std::string rest(text.substr(cut));
    if (rest.empty()) return;
    const std::size_t end = rest.size() + !rest.ends_with('\n');
    rest.append(beyond, '\n');
    parse_lines(rest.data(), rest.data() + end);
  }

 private:
  static constexpr std::size_t beyond = 32;
  static constexpr std::ptrdiff_t max_reported = 256;  // bytes of a malformed word, which may be as long as the file

  void parse_lines(const char* p, const char* end) {
    while (p < end && !bad) {
      p = line(p);
      ++lines;
    }
  }

  static const char* skip_spaces(const char* p) {
    while (detail::is_space(*p)) ++p;
    return p;
  }

  static const char* next_line(const char* p) {
    while (*p != '\n') ++p;
    return p + 1;
  }

  const char* refuse(std::string message, const char* word) {
    const char* q = word;
    while (q < word + max_reported && !detail::is_space(*q) && *q != '\n') ++q;
    bad = BadLine{lines + 1, std::move(message), {word, q}};
    return q;
  }

  const char* line(const char* p) {
    p = skip_spaces(p);
    if (*p == '\n' || *p == '#') return next_line(p);
    p = query(label(p));
    if (bad) return p;
    const std::int64_t base = range_.base;
    const auto columns = static_cast<std::uint64_t>(range_.last - base + 1);
    const std::size_t first = features;
    Float* value = values_ + first;
    std::int32_t* column = columns_ + first;
    std::int32_t before = -1;
    bool ascending = true;
    for (;; ++value, ++column) {
      p += *p == ' ';
      if (*p <= '#') [[unlikely]] {  // another space, a line end or a comment
        p = skip_spaces(p);
        if (*p == '\n' || *p == '#') {
          features += static_cast<std::size_t>(value - (values_ + first));
          close_row(first, ascending);
          return next_line(p);
        }
      }
      const char* word = p;
      std::int64_t index = 0;
      p = read_index(p, index);
      if (!p) [[unlikely]]
        return refuse(feature_form, word);
      if (static_cast<std::uint64_t>(index - base) >= columns) [[unlikely]]
        return outside(index, word);
      const char* end = read_number(p, *value);
      if (!end || !detail::ends_word(*end)) [[unlikely]]
        return bad_value(p, word);
      *column = static_cast<std::int32_t>(index - base);
      ascending &= *column > before;
      before = *column;
      p = end;
    }
  }

  const char* label(const char* p) {
    const Decimal number = scan_decimal(p);
    if (number.end && *number.end == ',')
      return refuse("a line must have one label (write one file per label if examples have several)", p);
    if (number.end && *number.end == ':') return refuse("a line must begin with the label", p);
    labels_[rows] = number.end ? convert<double>(number) : 0.0;
    if (!number.end || !detail::ends_word(*number.end) || !std::isfinite(labels_[rows]))
      return refuse("the label must be a finite number", p);
    if (number.mantissa > 1ULL << 53 && loses_digits(number, std::abs(labels_[rows])))
      return refuse("a whole label must be at most 2^53, or float64 changes it", p);
    return number.end;
  }

  /// Whether a label written as a whole number is not exactly a double, so that different labels could become equal.
  static bool loses_digits(const Decimal& number, double label) {
    const bool plain = std::all_of(number.begin, number.end, [](char c) { return '0' <= c && c <= '9'; });
    return plain && number.whole && static_cast<std::uint64_t>(label) != number.mantissa;
  }

  /// Skips qid:5 after the label, which is for ranking.
  static const char* query(const char* p) {
    const char* q = skip_spaces(p);
    for (char c : {'q', 'i', 'd', ':'})
      if (*q++ != c) return p;
    q += *q == '-';
    const char* digits = q;
    while ('0' <= *q && *q <= '9') ++q;
    return q > digits && detail::ends_word(*q) ? q : p;
  }

  /// Returns where the value begins; null if there is no index.
  static const char* read_index(const char* p, std::int64_t& index) {
    const std::uint64_t word = load<std::uint64_t>(p);
    const int count = std::countr_zero(detail::other_than_digits(word)) / 8;
    if (count >= 1 && count < 8 && static_cast<char>(word >> (8 * count)) == ':') [[likely]] {
      index = static_cast<std::int64_t>(detail::first_digits(word, count));
      return p + count + 1;
    }
    const char* q = p + (*p == '-');
    const char* digits = q;
    for (; '0' <= *q && *q <= '9'; ++q) index = std::min(10 * index + (*q - '0'), 10 * max_index);
    if (*p == '-') index = -index;
    return q > digits && *q == ':' ? q + 1 : nullptr;
  }

  const char* outside(std::int64_t index, const char* word) {
    if (index == 0) return refuse("indices must be at least 1 (use index_base=0 if the first feature is 0)", word);
    if (index < range_.base) return refuse("indices must be at least " + std::to_string(range_.base), word);
    std::string message = "indices must be at most " + std::to_string(range_.last);
    if (range_.features > 0) message += " for " + std::to_string(range_.features) + " features";
    return refuse(std::move(message), word);
  }

  static constexpr const char* feature_form = "features must have the form index:value";
  static constexpr const char* finite_values =
      std::is_same_v<Float, float> ? "values must be finite as float32" : "values must be finite";

  const char* bad_value(const char* p, const char* word) {
    const Decimal number = scan_decimal(p);
    p += *p == '-' || *p == '+';
    const char letter = static_cast<char>(*p | 0x20);
    const bool infinite = number.end && detail::ends_word(*number.end);
    return refuse(infinite || letter == 'i' || letter == 'n' ? finite_values : feature_form, word);
  }

  void close_row(std::size_t first, bool ascending) {
    if (!ascending) sort(first);
    if (features > first) {
      smallest = std::min(smallest, columns_[first] + range_.base);
      largest = std::max(largest, columns_[features - 1] + range_.base);
    }
    row_ends_[rows++] = static_cast<std::int64_t>(features);
  }

  /// Sorts the features of a line.
  void sort(std::size_t first) {
    std::vector<std::pair<std::int32_t, Float>> pairs;
    for (std::size_t k = first; k < features; ++k) pairs.emplace_back(columns_[k], values_[k]);
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      std::tie(columns_[first + k], values_[first + k]) = pairs[k];
      if (k > 0 && pairs[k].first == pairs[k - 1].first)
        bad = BadLine{lines + 1, "a feature must occur only once per line", std::to_string(pairs[k].first + range_.base) + ":"};
    }
  }

  IndexRange range_;
  Float* values_;
  std::int32_t* columns_;
  double* labels_;
  std::int64_t* row_ends_;
};

}  // namespace novikoff
