// Texts and named features as sparse rows: the column of a key is the low bits of its hash (Weinberger et al. 2009).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "novikoff/keys.hpp"
#include "novikoff/parallel.hpp"
#include "novikoff/text.hpp"

namespace novikoff {

/// How a text becomes a row.
struct TextOptions {
  int bits = 20;                          // 1 to 31: there are 2^bits columns
  bool lowercase = true;                  // hash letters in lower case
  std::size_t shortest = 1, longest = 1;  // fewest and most words of an n-gram
  bool binary = false;                    // 1 for every column that occurs
  bool sublinear = false;                 // 1 + log(count) instead of the count
  bool unit_length = false;               // divide the row by its Euclidean length
};

/// The arrays of a CSR matrix, whose rows have sorted columns without duplicates.
template <class T>
struct HashedRows {
  std::vector<T> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets{0};
};

/// A text that is not UTF-8, and the position of its first invalid byte.
struct BadText {
  std::size_t text, position;
};

namespace detail {

/// Sorts the first `size` words by the column of `bits` bits that begins at bit `lowest`: by radix sort, or by comparison
/// if there are few. The bits below the column must be in ascending order at the start.
template <class Word>
void sort_by_column(std::vector<Word>& words, std::vector<Word>& spare, std::size_t size, int lowest, int bits) {
  if (size > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("A row has more than 2^32 features.");
  if (size < 48) {
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(size));
    return;
  }
  const int digits = (bits + 7) / 8, width = (bits + digits - 1) / digits;
  const Word largest = (Word{1} << width) - 1;
  const auto digit = [=](Word word, int d) { return static_cast<std::size_t>(word >> (lowest + d * width) & largest); };
  std::array<std::array<std::uint32_t, 256>, 4> places{};
  for (std::size_t k = 0; k < size; ++k)
    for (int d = 0; d < digits; ++d) ++places[static_cast<std::size_t>(d)][digit(words[k], d)];
  for (int d = 0; d < digits; ++d) {
    auto& place = places[static_cast<std::size_t>(d)];
    std::uint32_t before = 0;
    for (std::size_t value = 0; value <= largest; ++value) before += std::exchange(place[value], before);
    for (std::size_t k = 0; k < size; ++k) spare[place[digit(words[k], d)]++] = words[k];
    words.swap(spare);
  }
}

/// Counts how often each column occurs.
class ColumnCounts {
 public:
  explicit ColumnCounts(int bits) : bits_(bits), mask_((std::uint64_t{1} << bits) - 1) {}

  /// Removes all counts, and reserves memory for `capacity` columns.
  void clear(std::size_t capacity) {
    met_ = 0;
    for (auto* array : {&columns_, &spare_, &ends_}) array->resize(std::max(array->size(), capacity + 1));
  }

  void add(std::uint64_t hash) { columns_[met_++] = static_cast<std::uint32_t>(hash & mask_); }

  /// Calls `each` with every column that occurs, in ascending order, and its count.
  template <class Each>
  void for_each(const Each& each) {
    if (met_ == 0) return;
    sort_by_column(columns_, spare_, met_, 0, bits_);
    // All runs of equal columns are found before any is used, so that this loop has no branch that depends on the data.
    columns_[met_] = ~columns_[met_ - 1];
    std::size_t runs = 0;
    for (std::size_t k = 0; k < met_; ++k) {
      spare_[runs] = columns_[k];
      ends_[runs] = static_cast<std::uint32_t>(k + 1);
      runs += columns_[k] != columns_[k + 1];
    }
    for (std::size_t r = 0; r < runs; ++r) each(spare_[r], ends_[r] - (r > 0 ? ends_[r - 1] : 0));
  }

 private:
  int bits_;
  std::uint64_t mask_;
  std::size_t met_ = 0;
  std::vector<std::uint32_t> columns_, spare_, ends_;
};

/// Divides values by their Euclidean length, also if their squares overflow or underflow.
template <class T>
void make_unit_length(std::span<T> values) {
  const auto sum_of_squares = [values] {
    double sum = 0;
    for (T value : values) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
  };
  double sum = sum_of_squares();
  if (!(sum > 1e-290 && sum < 1e290)) {
    double largest = 0;
    for (T value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
    for (T& value : values) value = static_cast<T>(value / largest);
    sum = sum_of_squares();
  }
  const double length = std::sqrt(sum);
  for (T& value : values) value = static_cast<T>(value / length);
}

/// Completes the row that begins at the last offset.
template <class T>
void end_row(HashedRows<T>& rows, bool unit_length) {
  if (unit_length) make_unit_length(std::span(rows.values).subspan(static_cast<std::size_t>(rows.offsets.back())));
  rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
}

/// Appends a row of counts.
template <class T>
void add_counts(ColumnCounts& counts, const TextOptions& options, HashedRows<T>& rows) {
  counts.for_each([&](std::uint32_t column, std::uint32_t met) {
    const double count = options.binary ? 1 : met;
    rows.columns.push_back(static_cast<std::int32_t>(column));
    rows.values.push_back(static_cast<T>(options.sublinear ? 1 + std::log(count) : count));
  });
  end_row(rows, options.unit_length);
}

/// Appends the rows of `texts`, or of those before the first invalid one.
template <class T>
std::optional<BadText> hash_block(std::span<const std::string_view> texts, const TextOptions& options, HashedRows<T>& rows) {
  Words words(options.lowercase);
  ColumnCounts counts(options.bits);
  rows.offsets.reserve(texts.size() + 1);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (const std::size_t position = words.read(texts[i]); position != Words::npos) return BadText{i, position};
    const std::size_t longest = std::min(options.longest, words.count());
    counts.clear(longest < options.shortest ? 0 : (longest + 1 - options.shortest) * words.count());
    for (std::size_t n = options.shortest; n <= longest; ++n)
      for (std::size_t first = 0; first + n <= words.count(); ++first) counts.add(hash_key(words.ngram(first, n)));
    add_counts(counts, options, rows);
  }
  return std::nullopt;
}

template <class T>
HashedRows<T> join(std::vector<HashedRows<T>> blocks) {
  if (blocks.size() == 1) return std::move(blocks.front());
  std::size_t rows = 0, entries = 0;
  for (const HashedRows<T>& block : blocks) rows += block.offsets.size() - 1, entries += block.values.size();
  HashedRows<T> all;
  all.offsets.reserve(rows + 1);
  all.columns.reserve(entries);
  all.values.reserve(entries);
  for (HashedRows<T>& block : blocks) {
    const std::int64_t before = all.offsets.back();
    for (std::size_t i = 1; i < block.offsets.size(); ++i) all.offsets.push_back(before + block.offsets[i]);
    all.columns.insert(all.columns.end(), block.columns.begin(), block.columns.end());
    all.values.insert(all.values.end(), block.values.begin(), block.values.end());
    block = {};  // frees its memory
  }
  return all;
}

}  // namespace detail

/// Texts in blocks of consecutive ones, of which there are several per thread, because some texts are longer than others.
struct TextBlocks {
  std::span<const std::string_view> texts;
  std::size_t count = 1;

  TextBlocks(std::span<const std::string_view> all, std::size_t threads) : texts(all) {
    constexpr std::size_t blocks_per_thread = 8, min_texts = 64;
    const std::size_t max_blocks = threads > 1 ? std::min(threads, texts.size() + 1) * blocks_per_thread : 1;
    count = std::clamp<std::size_t>(texts.size() / min_texts, 1, max_blocks);
  }

  std::size_t begin(std::size_t k) const { return texts.size() / count * k + std::min(k, texts.size() % count); }
  std::span<const std::string_view> operator[](std::size_t k) const { return texts.subspan(begin(k), begin(k + 1) - begin(k)); }
};

/// Makes one row per text, with the counts of its n-grams. Rows are independent of each other, so the result does not depend
/// on the number of threads.
template <class T>
std::optional<BadText> hash_texts(std::span<const std::string_view> texts, const TextOptions& options, std::size_t threads,
                                  HashedRows<T>& rows) {
  const TextBlocks blocks(texts, threads);
  std::vector<HashedRows<T>> parts(blocks.count);
  std::vector<std::optional<BadText>> bad(blocks.count);
  in_parallel(blocks.count, threads, [&](std::size_t k) { bad[k] = detail::hash_block(blocks[k], options, parts[k]); });
  for (std::size_t k = 0; k < blocks.count; ++k)
    if (bad[k]) return BadText{blocks.begin(k) + bad[k]->text, bad[k]->position};
  rows = detail::join(std::move(parts));
  return std::nullopt;
}

/// The features of all samples, with the hashes of their keys.
struct Features {
  std::vector<std::uint64_t> hashes;
  std::vector<double> values;
  std::vector<std::size_t> offsets{0};
};

/// Makes one row per sample, with the sums of the values of each column in their order. Returns the first sample in which a
/// sum is too large for T.
template <class T>
std::optional<std::size_t> hash_features(const Features& features, int bits, bool unit_length, HashedRows<T>& rows) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::vector<std::uint64_t> places, spare;  // a column in the high bits, the position of its value in the low ones
  rows.offsets.reserve(features.offsets.size());
  for (std::size_t i = 0; i + 1 < features.offsets.size(); ++i) {
    const std::size_t begin = features.offsets[i], size = features.offsets[i + 1] - begin;
    for (auto* array : {&places, &spare}) array->resize(std::max(array->size(), size));
    for (std::size_t k = 0; k < size; ++k) places[k] = (features.hashes[begin + k] & mask) << 32 | k;
    detail::sort_by_column(places, spare, size, 32, bits);
    for (std::size_t k = 0; k < size;) {
      const std::uint64_t column = places[k] >> 32;
      double sum = 0;
      for (; k < size && places[k] >> 32 == column; ++k) sum += features.values[begin + (places[k] & 0xFFFFFFFF)];
      if (std::abs(sum) > static_cast<double>(std::numeric_limits<T>::max()) || std::isnan(sum)) return i;
      if (static_cast<T>(sum) == 0) continue;
      rows.columns.push_back(static_cast<std::int32_t>(column));
      rows.values.push_back(static_cast<T>(sum));
    }
    detail::end_row(rows, unit_length);
  }
  return std::nullopt;
}

}  // namespace novikoff
