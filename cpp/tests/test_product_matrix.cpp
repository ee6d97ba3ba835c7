// The products of sparse rows are those of the rows written out, for any number of threads.
#include <random>

#include "check.hpp"
#include "novikoff/product_matrix.hpp"

using namespace novikoff;

TEST(the_products_are_those_of_the_rows_written_out) {
  constexpr std::size_t count = 40, columns = 30;
  std::mt19937 random(3);
  std::vector<double> dense(count * columns), values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      if (random() % 4 == 0) {
        dense[i * columns + j] = static_cast<double>(random() % 9) - 4;
        values.push_back(dense[i * columns + j]);
        indices.push_back(static_cast<std::int32_t>(j));
      }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  const CsrRows<double> rows{values.data(), indices.data(), offsets.data(), count, columns};
  for (const std::size_t threads : {1u, 3u}) {
    std::vector<double> products(count * count);
    sparse_products(rows, 2.0, threads, products);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        double expected = 0;
        for (std::size_t k = 0; k < columns; ++k) expected += 4 * dense[i * columns + k] * dense[j * columns + k];
        CHECK(products[i * count + j] == expected);
      }
  }
}
