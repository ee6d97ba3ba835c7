// Texts as sparse rows with one column per word, in order of first appearance.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "novikoff/hashing.hpp"
#include "novikoff/parallel.hpp"
#include "novikoff/string_table.hpp"
#include "novikoff/text.hpp"

namespace novikoff {

/// Words and n-grams with a column each.
struct Vocabulary {
  StringTable words;
  std::size_t unknown = 0;  // words of texts that were left out because they were not in the vocabulary
};

namespace detail {

/// The columns of all words of some texts, one after the other. A word that is not in the vocabulary has a provisional column:
/// -2, -3, ... for the first, second, ... of `fresh`.
struct WordColumns {
  std::vector<std::int32_t> columns;
  std::vector<std::size_t> ends;  // of each text
  StringTable fresh;
  std::size_t unknown = 0;
  std::optional<BadText> bad;
};

inline WordColumns find_words(std::span<const std::string_view> texts, const TextOptions& options, const StringTable& known,
                              bool grow) {
  WordColumns found;
  Words words(options.lowercase);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (const std::size_t position = words.read(texts[i]); position != Words::npos) {
      found.bad = BadText{i, position};
      return found;
    }
    for (std::size_t n = options.shortest; n <= std::min(options.longest, words.count()); ++n)
      for (std::size_t first = 0; first + n <= words.count(); ++first) {
        const StringKey key = StringKey::padded(words.ngram(first, n));
        std::int32_t column = known.find(key);
        if (column == StringTable::absent && grow) column = -2 - found.fresh.find_or_add(key);
        if (column == StringTable::absent && !grow)
          ++found.unknown;
        else
          found.columns.push_back(column);
      }
    found.ends.push_back(found.columns.size());
  }
  return found;
}

/// Makes the rows of `found`; `given` are the columns of its fresh words.
inline HashedRows<double> count_columns(const WordColumns& found, const std::vector<std::int32_t>& given, int bits,
                                        const TextOptions& options) {
  HashedRows<double> rows;
  ColumnCounts counts(bits);
  std::size_t begin = 0;
  for (std::size_t end : found.ends) {
    counts.clear(end - begin);
    for (; begin < end; ++begin) {
      const std::int32_t column = found.columns[begin];
      counts.add(static_cast<std::uint64_t>(column >= 0 ? column : given[static_cast<std::size_t>(-2 - column)]));
    }
    add_counts(counts, options, rows);
  }
  return rows;
}

}  // namespace detail

/// Makes one row per text, with the counts of its n-grams; those that are not in the vocabulary are added to it, or left out
/// unless `grow`. New ones get their columns in the order of the texts, and of a text first all words, then all pairs, and so
/// on; the number of threads does not change the result. Returns the first text that is not UTF-8, and adds nothing then.
inline std::optional<BadText> count_words(std::span<const std::string_view> texts, const TextOptions& options,
                                          Vocabulary& vocabulary, bool grow, std::size_t threads, HashedRows<double>& rows) {
  const TextBlocks blocks(texts, threads);
  std::vector<detail::WordColumns> found(blocks.count);
  in_parallel(blocks.count, threads,
              [&](std::size_t k) { found[k] = detail::find_words(blocks[k], options, vocabulary.words, grow); });
  for (std::size_t k = 0; k < blocks.count; ++k)
    if (found[k].bad) return BadText{blocks.begin(k) + found[k].bad->text, found[k].bad->position};
  std::vector<std::vector<std::int32_t>> given(blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t i = 0; i < found[k].fresh.size(); ++i)
      given[k].push_back(vocabulary.words.find_or_add(StringKey::of(found[k].fresh[i])));
    vocabulary.unknown += found[k].unknown;
  }
  const int bits = std::max(1, static_cast<int>(std::bit_width(vocabulary.words.size())));
  std::vector<HashedRows<double>> parts(blocks.count);
  in_parallel(blocks.count, threads,
              [&](std::size_t k) { parts[k] = detail::count_columns(found[k], given[k], bits, options); });
  rows = detail::join(std::move(parts));
  return std::nullopt;
}

}  // namespace novikoff
