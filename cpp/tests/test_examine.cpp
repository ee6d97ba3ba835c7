// The survey of some rows at a time, and first passes over sparse rows.
#include "samples.hpp"

namespace {

template <class T, class I>
struct Csr {
  std::vector<T> values{};
  std::vector<I> indices{}, offsets{0};
  std::size_t columns = 0;

  CsrRows<T, I> rows() const { return {values.data(), indices.data(), offsets.data(), offsets.size() - 1, columns}; }
};

/// Rows of 0 to 12 entries; of every eight, `unsorted` have indices in any order, of which some repeat.
template <class T, class I>
Csr<T, I> random_rows(std::size_t count, std::size_t columns, std::uint64_t unsorted, std::uint64_t seed) {
  Random random{seed};
  Csr<T, I> x{.columns = columns};
  for (std::size_t i = 0; i < count; ++i) {
    const bool ascends = random.below(8) >= unsorted;
    std::vector<I> indices(random.below(13));
    for (I& index : indices) index = static_cast<I>(random.below(columns));
    if (ascends) {
      std::sort(indices.begin(), indices.end());
      indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    }
    for (I index : indices) {
      x.indices.push_back(index);
      x.values.push_back(static_cast<T>(real(random)));
    }
    x.offsets.push_back(static_cast<I>(x.indices.size()));
  }
  return x;
}

/// Calls `use` with a Csr of each combination of types.
void for_each_type(auto&& use) {
  use(Csr<float, std::int32_t>{});
  use(Csr<double, std::int32_t>{});
  use(Csr<float, std::int64_t>{});
  use(Csr<double, std::int64_t>{});
}

/// What a survey is by its definition.
template <class T, class I>
IndexSurvey plain_survey(const CsrRows<T, I>& rows, std::size_t begin, std::size_t end) {
  IndexSurvey found{true, true};
  for (std::size_t i = begin; i < end; ++i) {
    const auto x = rows[i];
    for (std::size_t k = 0; k < x.size; ++k) {
      found.in_range &= x.indices[k] >= 0 && static_cast<std::uint64_t>(x.indices[k]) < rows.columns;
      found.ascend &= k == 0 || x.indices[k - 1] < x.indices[k];
    }
  }
  return found;
}

}  // namespace

TEST(a_survey_is_that_of_each_row) {
  for_each_type([]<class T, class I>(const Csr<T, I>&) {
    for (std::uint64_t unsorted : {0, 1, 8}) {
      Csr<T, I> x = random_rows<T, I>(40, 30, unsorted, 5 + unsorted);
      Random random{9};
      for (int change = 0; change < 60; ++change) {
        if (change > 20)  // then indices outside of the matrix
          x.indices[random.below(x.indices.size())] = change % 3 == 0   ? I{-1}
                                                      : change % 3 == 1 ? static_cast<I>(x.columns)
                                                                        : std::numeric_limits<I>::min();
        for (std::size_t begin = 0; begin < 40; begin += 5)
          for (std::size_t end = begin + 1; end <= 40; end += 3) {
            const IndexSurvey found = x.rows().survey(begin, end), expected = plain_survey(x.rows(), begin, end);
            CHECK(found.in_range == expected.in_range && found.ascend == expected.ascend);
          }
        if (change > 20) x = random_rows<T, I>(40, 30, unsorted, 100 + static_cast<std::uint64_t>(change));
      }
    }
  });
}

TEST(a_row_that_begins_below_the_end_of_the_last_one_is_not_a_fall) {
  Csr<double, std::int32_t> x{{1, 2, 3, 4}, {3, 4, 0, 1}, {0, 2, 2, 4}, 5};
  CHECK(x.rows().survey(0, 3).ascend);
  x.offsets = {0, 4};  // one row: now it is a fall
  CHECK(!x.rows().survey(0, 1).ascend);
  x = {{1, 2, 3, 4}, {4, 3, 4, 5}, {0, 2, 4}, 6};  // a fall within a row, none between rows
  CHECK(!x.rows().survey(0, 2).ascend);
}

TEST(a_first_pass_over_sparse_rows_learns_the_same_as_later_ones) {
  for_each_type([]<class T, class I>(const Csr<T, I>&) {
    for (std::uint64_t unsorted : {0, 1, 8})
      for (std::size_t columns : {6, 40, 3000}) {
        const Csr<T, I> x = random_rows<T, I>(500, columns, unsorted, 20 + unsorted);
        const CsrRows<T, I> rows = x.rows();
        const std::vector<std::int32_t> codes = coin_flips(rows.count, 3);
        std::vector<double> expected(rows.count), norms(rows.count);
        Repeats repeats;
        for (std::size_t i = 0; i < rows.count; ++i) expected[i] = rows[i].examine(columns, repeats);
        Hypothesis seen = blank(columns), unseen = seen;
        const PassReport report =
            pass(rows, Batch{codes, {}, expected, {}, {}, 0, rows.count}, PerceptronRule{}, {}, Tie::mistake, seen);
        PassReport first;
        CHECK(pass_unseen(rows, Batch{codes, {}, norms, {}, {}, 0, rows.count}, norms, PerceptronRule{}, {}, Tie::mistake,
                          unseen, first) == rows.count);
        CHECK(same_bits(norms, expected) && same_in_all(seen, unseen) && seen.updates > 0);
        CHECK(same_bits(report.smallest_margin, first.smallest_margin));
        std::fill(norms.begin(), norms.end(), -1);
        CHECK(examine(rows, 0, rows.count, norms) == rows.count && same_bits(norms, expected));
      }
  });
}
