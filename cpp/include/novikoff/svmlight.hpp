// The svmlight / LIBSVM text format, from bytes to the arrays of a CSR matrix.
//
//   line    = [label [qid:number] {index:value}] [# comment]
//
// Words are parted by spaces and tabs; a carriage return counts as a space. Features of a line may stand in any order, each
// once. Every number is correctly rounded.
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

constexpr std::int64_t most_index = std::numeric_limits<std::int32_t>::max();

/// What is wrong with a line: what was needed, and the word that stands there.
struct BadLine {
  std::size_t line = 0;  // counted from 1
  std::string need, word;
};

/// What the indices of a file may be.
struct IndexRange {
  std::int64_t base = 1;           // of the first feature
  std::int64_t last = most_index;  // the largest that is allowed
  std::int64_t features = 0;       // how many were asked for, if that is why
};

namespace detail {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// What may stand behind a word.
inline bool ends_word(char c) {
  constexpr std::uint64_t ends = 1ULL << ' ' | 1ULL << '\t' | 1ULL << '\r' | 1ULL << '\n' | 1ULL << '#';
  const auto code = static_cast<unsigned char>(c);
  return code < 64 && (ends >> code & 1) != 0;
}

}  // namespace detail

/// Lines of text into values, columns and labels, written one after the other to where there is room for all of them.
///
/// Every line that is parsed ends with a line end, and `beyond` bytes behind it can be read: nothing has to ask, byte for
/// byte, where the text ends. The last lines of a text are copied to where that is so.
template <class Float>
class LineParser {
 public:
  LineParser(IndexRange range, Float* values, std::int32_t* columns, double* labels, std::int64_t* row_ends)
      : range_(range), values_(values), columns_(columns), labels_(labels), row_ends_(row_ends) {}

  std::size_t rows = 0, features = 0, lines = 0;
  std::int64_t smallest = most_index + 1, largest = -1;  // index of all
  std::optional<BadLine> bad;

  /// Stops at the first line that is not good.
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
  static constexpr std::ptrdiff_t most_shown = 256;  // bytes of a bad word: it may be as long as the file

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

  const char* refuse(std::string need, const char* word) {
    const char* q = word;
    while (q < word + most_shown && !detail::is_space(*q) && *q != '\n') ++q;
    bad = BadLine{lines + 1, std::move(need), {word, q}};
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
        return refuse("Features of the form index:value.", word);
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
      return refuse("One label a line; where examples have several, write a file for each label.", p);
    if (number.end && *number.end == ':') return refuse("A label before the features.", p);
    labels_[rows] = number.end ? convert<double>(number) : 0.0;
    if (!number.end || !detail::ends_word(*number.end) || !std::isfinite(labels_[rows]))
      return refuse("A finite number as the label.", p);
    if (number.mantissa > 1ULL << 53 && loses_digits(number, std::abs(labels_[rows])))
      return refuse("A label that keeps its digits: whole numbers do up to 2^53.", p);
    return number.end;
  }

  /// Whether a whole number, written as such, is none of the doubles: another label would become the same.
  static bool loses_digits(const Decimal& number, double label) {
    const bool plain = std::all_of(number.begin, number.end, [](char c) { return '0' <= c && c <= '9'; });
    return plain && number.whole && static_cast<std::uint64_t>(label) != number.mantissa;
  }

  /// qid:5 behind the label is for ranking; it is passed over.
  static const char* query(const char* p) {
    const char* q = skip_spaces(p);
    for (char c : {'q', 'i', 'd', ':'})
      if (*q++ != c) return p;
    q += *q == '-';
    const char* digits = q;
    while ('0' <= *q && *q <= '9') ++q;
    return q > digits && detail::ends_word(*q) ? q : p;
  }

  /// Where the value begins; null if there is no index.
  static const char* read_index(const char* p, std::int64_t& index) {
    const std::uint64_t word = load<std::uint64_t>(p);
    const int count = std::countr_zero(detail::other_than_digits(word)) / 8;
    if (count >= 1 && count < 8 && static_cast<char>(word >> (8 * count)) == ':') [[likely]] {
      index = static_cast<std::int64_t>(detail::first_digits(word, count));
      return p + count + 1;
    }
    const char* q = p + (*p == '-');
    const char* digits = q;
    for (; '0' <= *q && *q <= '9'; ++q) index = std::min(10 * index + (*q - '0'), 10 * most_index);
    if (*p == '-') index = -index;
    return q > digits && *q == ':' ? q + 1 : nullptr;
  }

  const char* outside(std::int64_t index, const char* word) {
    if (index == 0) return refuse("Indices from 1 on (or index_base=0, if the first feature is 0).", word);
    if (index < range_.base) return refuse("Indices from " + std::to_string(range_.base) + " on.", word);
    std::string need = "Indices up to " + std::to_string(range_.last);
    if (range_.features > 0) need += ", for " + std::to_string(range_.features) + " features";
    return refuse(need + ".", word);
  }

  static std::string finite_values() {
    return std::is_same_v<Float, float> ? "Values that are finite float32." : "Finite values.";
  }

  const char* bad_value(const char* p, const char* word) {
    const Decimal number = scan_decimal(p);
    p += *p == '-' || *p == '+';
    const char letter = static_cast<char>(*p | 0x20);
    const bool infinite = number.end && detail::ends_word(*number.end);
    return refuse(infinite || letter == 'i' || letter == 'n' ? finite_values() : "Features of the form index:value.", word);
  }

  void close_row(std::size_t first, bool ascending) {
    if (!ascending) sort(first);
    if (features > first) {
      smallest = std::min(smallest, columns_[first] + range_.base);
      largest = std::max(largest, columns_[features - 1] + range_.base);
    }
    row_ends_[rows++] = static_cast<std::int64_t>(features);
  }

  /// Puts the features of a line in order.
  void sort(std::size_t first) {
    std::vector<std::pair<std::int32_t, Float>> pairs;
    for (std::size_t k = first; k < features; ++k) pairs.emplace_back(columns_[k], values_[k]);
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      std::tie(columns_[first + k], values_[first + k]) = pairs[k];
      if (k > 0 && pairs[k].first == pairs[k - 1].first)
        bad = BadLine{lines + 1, "No feature twice in a line.", std::to_string(pairs[k].first + range_.base) + ":"};
    }
  }

  IndexRange range_;
  Float* values_;
  std::int32_t* columns_;
  double* labels_;
  std::int64_t* row_ends_;
};

}  // namespace novikoff
