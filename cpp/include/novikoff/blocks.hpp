// Sums over rows in fixed blocks: the bits of a result do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "novikoff/parallel.hpp"

namespace novikoff {

/// A division of the rows into blocks of about equal size. It depends on the data alone. A block must be large enough to
/// outweigh a vector of columns of its own and the start of a thread.
struct Blocks {
  std::size_t rows, count;

  static Blocks of(std::size_t rows, std::size_t elements, std::size_t columns) {
    constexpr std::size_t min_elements = 1 << 14, many_columns = 1 << 12;
    const std::size_t most = columns > many_columns ? 4 : 16;
    const std::size_t count = std::min({most, elements / (4 * columns + 1), elements / min_elements, rows});
    return {rows, std::bit_floor(std::max<std::size_t>(count, 1))};
  }
  std::size_t begin(std::size_t block) const { return rows / count * block + std::min(block, rows % count); }

  /// Calls work(block, first row, one past the last row) for all blocks, on up to `threads` threads.
  void for_each(std::size_t threads, const auto& work) const {
    in_parallel(count, threads, [&](std::size_t block) { work(block, begin(block), begin(block + 1)); });
  }

  /// Returns the sum of part(first row, one past the last row) over the blocks, added in their order.
  template <class Sum>
  Sum sum(std::size_t threads, const auto& part) const {
    std::vector<Sum> parts(count);
    for_each(threads, [&](std::size_t block, std::size_t first, std::size_t last) { parts[block] = part(first, last); });
    for (std::size_t block = 1; block < count; ++block) parts[0] += parts[block];
    return parts[0];
  }
};

}  // namespace novikoff
