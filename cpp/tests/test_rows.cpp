// Rows: the layout of the memory, the types and the order of the indices do not change what a row is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "novikoff/rows.hpp"

using check::near;
using check::same_bits;
using namespace novikoff;

static_assert(Row<DenseRow<float>> && Row<DenseRow<double>>);
static_assert(Row<SparseRow<float>> && Row<SparseRow<double>>);

namespace {

template <class T>
std::vector<T> narrowed(const std::vector<double>& values) {
  std::vector<T> result;
  for (double value : values) result.push_back(static_cast<T>(value));
  return result;
}

/// A sparse row that owns its memory.
template <class T>
struct Sparse {
  std::vector<T> values;
  std::vector<std::int32_t> indices;

  SparseRow<T> row() const { return {values.data(), indices.data(), values.size()}; }
  void push(std::int64_t index, double value) {
    indices.push_back(static_cast<std::int32_t>(index));
    values.push_back(static_cast<T>(value));
  }
  std::vector<double> summed(std::size_t columns) const {
    std::vector<double> dense(columns);
    for (std::size_t k = 0; k < values.size(); ++k)
      dense[static_cast<std::size_t>(indices[k])] += static_cast<double>(values[k]);
    return dense;
  }
};

template <class T>
Sparse<T> sparse(std::vector<std::pair<std::int64_t, double>> entries) {
  Sparse<T> result;
  for (const auto& [index, value] : entries) result.push(index, value);
  return result;
}

/// Calls `use` with a Sparse of each type.
void for_each_sparse_type(auto&& use) {
  use(Sparse<float>{});
  use(Sparse<double>{});
}

/// For values whose sums are exact: the row against the dense row it stands for.
template <class T>
bool stands_for_its_sums(const Sparse<T>& x, std::size_t columns) {
  const std::vector<double> dense = x.summed(columns), w = small_integers(columns, 77);
  std::vector<double> v = small_integers(columns, 78), expected = v;
  for (std::size_t j = 0; j < columns; ++j) expected[j] += 3 * dense[j];
  x.row().add_to(v.data(), 3);
  Repeats repeats, warm;  // of which the second has a table of the columns
  for (int row = 0; row < 5; ++row) x.row().examine(columns, warm);
  return x.row().dot(w.data()) == std::inner_product(dense.begin(), dense.end(), w.begin(), 0.0) &&
         x.row().squared_norm() == std::inner_product(dense.begin(), dense.end(), dense.begin(), 0.0) && v == expected &&
         same_bits(x.row().examine(columns, repeats), x.row().squared_norm()) &&
         same_bits(x.row().examine(columns, warm), x.row().squared_norm());
}

template <class T>
void strides_do_not_matter() {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::vector<T> values = narrowed<T>(reals(size, 10 + size));
    const std::vector<double> w = reals(size, 1000 + size);
    const DenseRow<T> contiguous{values.data(), size, 1};
    std::vector<double> v(size, 0.25);
    contiguous.add_to(v.data(), 0.1);
    for (std::ptrdiff_t stride : {2, 3, 17, -1, -2, -7}) {
      const std::size_t step = static_cast<std::size_t>(std::abs(stride));
      std::vector<T> memory(size * step + 1, std::numeric_limits<T>::quiet_NaN());
      for (std::size_t j = 0; j < size; ++j) memory[(stride > 0 ? j : size - 1 - j) * step] = values[j];
      const T* first = memory.data() + (stride > 0 || size == 0 ? 0 : (size - 1) * step);
      const DenseRow<T> strided{first, size, stride};
      CHECK(same_bits(strided.dot(w.data()), contiguous.dot(w.data())));
      CHECK(same_bits(strided.squared_norm(), contiguous.squared_norm()));
      std::vector<double> u(size, 0.25);
      strided.add_to(u.data(), 0.1);
      CHECK(same_bits(u, v));
    }
  }
}

template <class T>
void orders_do_not_matter() {
  constexpr std::size_t count = 5, columns = 29;
  constexpr std::ptrdiff_t n = count, d = columns;
  const std::vector<T> c_order = narrowed<T>(reals(count * columns, 3));
  std::vector<T> f_order(count * columns), reversed(c_order.rbegin(), c_order.rend());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < columns; ++j) f_order[j * count + i] = c_order[i * columns + j];
  const std::vector<double> w = reals(columns, 4);
  const DenseRows<T> c{c_order.data(), count, columns, d, 1}, f{f_order.data(), count, columns, 1, n},
      r{reversed.data() + count * columns - 1, count, columns, -d, -1};
  for (std::size_t i = 0; i < count; ++i) {
    for (const DenseRow<T>& row : {f[i], r[i]}) {
      CHECK(same_bits(row.dot(w.data()), c[i].dot(w.data())));
      CHECK(same_bits(row.squared_norm(), c[i].squared_norm()));
    }
  }
}

}  // namespace

TEST(strided_rows_sum_in_the_same_order_as_contiguous_ones) {
  strides_do_not_matter<float>();
  strides_do_not_matter<double>();
}

TEST(c_order_f_order_and_reversed_views_give_the_same_bits) {
  orders_do_not_matter<float>();
  orders_do_not_matter<double>();
}

TEST(dense_sums_run_in_eight_lanes) {
  for (std::size_t size : {0, 1, 7, 8, 9, 64, 1003}) {
    const std::vector<double> x = reals(size, 5), w = reals(size, 6);
    double lane[8] = {};
    long double exact = 0;
    for (std::size_t j = 0; j < size; ++j) {
      lane[j % 8] += x[j] * w[j];
      exact += static_cast<long double>(x[j]) * static_cast<long double>(w[j]);
    }
    const double sum = ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
    const DenseRow<double> row{x.data(), size, 1};
    CHECK(same_bits(row.dot(w.data()), sum));
    CHECK(near(row.dot(w.data()), static_cast<double>(exact)));
    CHECK(same_bits(row.squared_norm(), row.dot(x.data())));
  }
}

TEST(float_rows_are_summed_as_doubles) {
  const std::vector<float> x = narrowed<float>(reals(100, 7));
  const std::vector<double> same(x.begin(), x.end()), w = reals(100, 8);
  const DenseRow<float> narrow{x.data(), 100, 1};
  const DenseRow<double> wide{same.data(), 100, 1};
  CHECK(same_bits(narrow.dot(w.data()), wide.dot(w.data())));
  CHECK(same_bits(narrow.squared_norm(), wide.squared_norm()));
  const float large = 1e30f;  // its square is not a float
  CHECK(near(DenseRow<float>{&large, 1, 1}.squared_norm(), 1e60, 1e66));
  CHECK(same_bits(SparseRow<float>{&large, std::vector<std::int32_t>{0}.data(), 1}.squared_norm(),
                  DenseRow<float>{&large, 1, 1}.squared_norm()));
}

TEST(a_dense_row_names_its_columns_in_order_and_is_never_out_of_bounds) {
  const std::vector<double> memory{1, 0, 2, 0, 3};
  std::vector<double> seen;
  const DenseRow<double> row{memory.data(), 3, 2};
  row.for_each([&](std::size_t j, double value) {
    CHECK(j == seen.size());
    seen.push_back(value);
  });
  CHECK((seen == std::vector<double>{1, 2, 3}));
  Repeats repeats;
  CHECK(row.examine(3, repeats) == 14 && row.examine(0, repeats) == 14);
}

TEST(sorted_sparse_rows_equal_the_dense_rows_they_stand_for) {
  for_each_sparse_type([](auto x) {
    Random random{9};
    for (std::size_t columns = 1; columns < 60; ++columns) {
      x = {};
      for (std::size_t j = 0; j < columns; ++j)
        if (random.below(2) == 0) x.push(static_cast<std::int64_t>(j), small_integer(random));
      CHECK(stands_for_its_sums(x, columns));
    }
  });
}

TEST(unsorted_and_repeated_indices_mean_the_sum_of_their_values) {
  for_each_sparse_type([](auto x) {
    Random random{10};
    for (std::size_t columns = 1; columns < 60; ++columns) {
      x = {};
      for (std::size_t k = 0; k < columns; ++k) x.push(static_cast<std::int64_t>(random.below(columns)), small_integer(random));
      CHECK(stands_for_its_sums(x, columns));
    }
  });
}

TEST(unsorted_rows_without_repeats_keep_their_norm) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    CHECK((sparse<T>({{6, 3}, {5, 4}}).row().squared_norm() == 25));
    CHECK((sparse<T>({{64, 3}, {0, 4}}).row().squared_norm() == 25));
    CHECK((sparse<T>({{2, 1}, {1, 2}, {0, 2}, {9, 4}, {8, 2}}).row().squared_norm() == 29));
  });
}

TEST(the_norm_of_a_repeated_index_is_that_of_its_sum) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    CHECK((sparse<T>({{3, 1}, {3, 2}}).row().squared_norm() == 9));
    CHECK((sparse<T>({{3, 1}, {3, -1}}).row().squared_norm() == 0));
    CHECK((sparse<T>({{0, 1}, {3, 1}, {3, 1}, {3, 1}, {4, 2}}).row().squared_norm() == 14));
    CHECK((sparse<T>({{4, 1}, {0, 5}, {4, 2}, {1, 1}, {4, -3}}).row().squared_norm() == 26));
  });
}

TEST(long_rows_with_repeats_have_the_norm_of_their_sums) {
  for_each_sparse_type([](auto x) {
    for (std::size_t size : {1023, 1024, 1025, 3000}) {
      for (std::size_t columns : {size / 2, 10 * size}) {
        Random random{size};
        x = {};
        for (std::size_t k = 0; k < size; ++k) x.push(static_cast<std::int64_t>(random.below(columns)), small_integer(random));
        CHECK(stands_for_its_sums(x, columns));
      }
    }
  });
}

TEST(long_rows_backwards_without_repeats_keep_their_norm) {
  for_each_sparse_type([](auto x) {
    for (std::size_t size : {1024, 1025, 3000}) {
      x = {};
      for (std::size_t k = size; k-- > 0;) x.push(static_cast<std::int64_t>(3 * k), static_cast<double>(k % 7) - 3);
      CHECK(stands_for_its_sums(x, 3 * size));
    }
  });
}

TEST(indices_65536_apart_are_not_taken_for_one) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    CHECK((sparse<T>({{65536 + 5, 3}, {5, 4}}).row().squared_norm() == 25));
    CHECK((sparse<T>({{5, 3}, {65536 + 5, 4}, {2 * 65536 + 5, 12}}).row().squared_norm() == 169));
    CHECK((sparse<T>({{2 * 65536 + 5, 3}, {5, 4}, {65536 + 5, 12}, {5, 1}}).row().squared_norm() == 9 + 25 + 144));
  });
}

TEST(rows_of_one_matrix_do_not_see_the_indices_of_each_other) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    Repeats repeats;
    for (int pass = 0; pass < 20; ++pass) {
      CHECK((sparse<T>({{6, 3}, {5, 4}}).row().examine(20, repeats) == 25));
      CHECK((sparse<T>({{6, 3}, {5, 4}, {6, 1}}).row().examine(20, repeats) == 32));
      CHECK((sparse<T>({{19, 1}, {6, 2}, {5, 2}}).row().examine(20, repeats) == 9));
      CHECK((sparse<T>({{5, 1}, {5, -1}}).row().examine(20, repeats) == 0));
    }
  });
}

TEST(the_sums_of_repeated_indices_are_squared_in_the_order_in_which_they_first_occur) {
  const std::vector<double> values = reals(300, 21);
  for (std::size_t size : {3, 50, 300}) {
    Sparse<double> x, merged;
    for (std::size_t k = 0; k < size; ++k) {
      const auto index = static_cast<std::int32_t>((7 * k) % (size / 2 + 1));
      x.push(index, values[k]);
      const auto before = std::find(merged.indices.begin(), merged.indices.end(), index);
      if (before == merged.indices.end())
        merged.push(index, values[k]);
      else
        merged.values[static_cast<std::size_t>(before - merged.indices.begin())] += values[k];
    }
    Repeats repeats;
    for (int pass = 0; pass < 3; ++pass) CHECK(same_bits(x.row().examine(1000, repeats), merged.row().sum_of_squares()));
    for (int pass = 0; pass < 3; ++pass) CHECK(same_bits(x.row().examine(size, repeats), merged.row().sum_of_squares()));
    CHECK(same_bits(x.row().squared_norm(), merged.row().sum_of_squares()));
  }
}

TEST(an_unsorted_row_whose_squared_norm_underflows_is_bad_unless_it_is_zero) {
  Repeats repeats;
  CHECK((std::isnan(sparse<double>({{6, 1e-200}, {5, 1e-200}}).row().examine(9, repeats))));
  CHECK((std::isnan(sparse<double>({{6, 1e-200}, {5, 0}, {6, 1e-200}}).row().examine(9, repeats))));
  CHECK((sparse<double>({{6, 1e-200}, {5, 0}, {6, -1e-200}}).row().examine(9, repeats) == 0));
  CHECK((sparse<double>({{6, 0}, {5, 0}}).row().examine(9, repeats) == 0));
}

TEST(rows_are_told_by_stamps_for_as_long_as_there_are_stamps_and_longer) {
  constexpr std::int64_t places = 65536, columns = 3 * places;
  const std::vector<double> values = reals(40, 31);
  for_each_sparse_type([&]<class T>(Sparse<T>) {
    Repeats repeats;
    for (std::int64_t row = 0; row < 3000; ++row) {  // stamps are used after some hundred rows, and again after 255 more
      Sparse<T> x;
      for (std::int64_t k = 0; k < 40; ++k) x.push((row % 7 + 997 * (40 - k)) % columns, values[static_cast<std::size_t>(k)]);
      if (row % 5 == 1) x.push(x.indices[3] + places, 0.5);  // shares a place with another column
      if (row % 5 == 2) x.push(x.indices[39], 0.25);
      if (row % 5 == 3) x.push(x.indices[0], 0.25);
      CHECK(same_bits(x.row().examine(columns, repeats), x.row().squared_norm()));
    }
  });
}

TEST(a_product_is_summed_in_four_lanes_and_the_last_elements_in_the_first) {
  for_each_sparse_type([](auto x) {
    const std::vector<double> values = reals(40, 13), w = reals(40, 14);
    for (std::size_t size = 0; size <= 40; ++size) {
      double lane[4] = {};
      const std::size_t whole = size / 4 * 4;
      for (std::size_t k = 0; k < size; ++k) lane[k < whole ? k % 4 : 0] += static_cast<double>(x.values[k]) * w[39 - k];
      CHECK(same_bits(x.row().dot(w.data()), (lane[0] + lane[1]) + (lane[2] + lane[3])));
      if (size < 40) x.push(static_cast<std::int64_t>(39 - size), values[size]);
    }
  });
}

TEST(a_product_with_infinite_weights_is_not_a_number_only_if_a_sum_is) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t size = 1; size <= 20; ++size) {
    Sparse<double> x;
    for (std::size_t k = 0; k < size; ++k) x.push(static_cast<std::int64_t>(k), 1.0);
    std::vector<double> w(size, 1.0);
    w[size - 1] = infinity;
    CHECK(x.row().dot(w.data()) == infinity);
  }
}

TEST(looking_ahead_changes_no_bit) {
  for_each_sparse_type([](auto x) {
    const std::vector<double> values = reals(40, 11), w = reals(40, 12);
    for (std::size_t size = 0; size <= 40; ++size) {
      auto row = x.row(), looking = row;
      looking.ahead = 384;
      CHECK(same_bits(looking.dot(w.data()), row.dot(w.data())));
      if (size < 40) x.push(static_cast<std::int64_t>(size), values[size]);
    }
  });
}

TEST(an_empty_sparse_row_is_the_zero_vector) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    const SparseRow<T> nothing{nullptr, nullptr, 0};
    double w = 7;
    CHECK(same_bits(nothing.dot(&w), 0.0));
    CHECK(same_bits(nothing.squared_norm(), 0.0));
    nothing.add_to(&w, 5);
    CHECK(w == 7);
    Repeats repeats;
    CHECK(same_bits(nothing.examine(0, repeats), 0.0));
    nothing.for_each([](std::size_t, double) { CHECK(false); });
    nothing.prefetch();
  });
}

TEST(sparse_rows_name_their_entries_as_they_lie) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    const auto x = sparse<T>({{4, 1}, {0, 0}, {4, 2}});
    std::vector<std::pair<std::size_t, double>> seen;
    x.row().for_each([&](std::size_t j, double value) { seen.emplace_back(j, value); });
    CHECK((seen == std::vector<std::pair<std::size_t, double>>{{4, 1}, {0, 0}, {4, 2}}));
    x.row().prefetch();
  });
}

TEST(indices_are_in_bounds_from_zero_to_the_last_column) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    const std::int64_t least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
    const auto in = [](std::vector<std::pair<std::int64_t, double>> entries) {
      const auto x = sparse<T>(entries);
      Repeats repeats;
      return std::isfinite(x.row().examine(10, repeats));
    };
    CHECK(in({{0, 1}}) && in({{9, 1}}) && in({{0, 1}, {9, 1}}));  // sorted
    CHECK(in({{9, 1}, {0, 1}}) && in({{9, 1}, {9, 1}}) && in({{5, 1}, {9, 1}, {0, 1}}));
    CHECK(!in({{10, 1}}) && !in({{0, 1}, {10, 1}}) && !in({{0, 1}, {most, 1}}));
    CHECK(!in({{-1, 1}}) && !in({{-1, 1}, {0, 1}}) && !in({{least, 1}, {-1, 1}, {9, 1}}));
    CHECK(!in({{10, 1}, {0, 1}}) && !in({{5, 1}, {10, 1}, {0, 1}}) && !in({{most, 1}, {0, 1}}));  // unsorted
    CHECK(!in({{0, 1}, {-1, 1}}) && !in({{5, 1}, {-1, 1}, {9, 1}}) && !in({{9, 1}, {least, 1}}));
    CHECK(!in({{10, 1}, {10, 1}}) && !in({{-1, 1}, {-1, 1}}));
    Repeats repeats;
    CHECK((std::isnan(sparse<T>({{0, 1}}).row().examine(0, repeats))));
  });
}

TEST(csr_rows_are_cut_at_their_offsets) {
  for_each_sparse_type([]<class T>(Sparse<T>) {
    const auto x = sparse<T>({{0, 1}, {2, 2}, {1, 3}, {0, 4}});
    const std::vector<std::int64_t> offsets{0, 0, 2, 2, 3, 4, 4};
    const CsrRows<T> rows{x.values.data(), x.indices.data(), offsets.data(), 6, 3};
    const double w[] = {1, 10, 100};
    std::vector<double> products;
    for (std::size_t i = 0; i < rows.count; ++i) products.push_back(rows[i].dot(w));
    CHECK((products == std::vector<double>{0, 201, 0, 30, 4, 0}));
  });
}
