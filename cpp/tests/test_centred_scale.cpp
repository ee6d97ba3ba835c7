// The centred scale: frequent columns have mean 0 and deviation 1, others remain sparse, whatever the storage and the batches.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "novikoff/centred_scale.hpp"
#include "shared_samples.hpp"

namespace {

using Values = std::vector<double>;
using Indices = std::vector<std::int32_t>;

Values see(CentredScale& scale, const Values& x, double weight = 1) {
  Values seen;
  Indices unused;
  scale.resize(x.size());
  scale.see(DenseRow<double>{x.data(), x.size(), 1}, weight, seen, unused);
  return seen;
}

/// The same of a sparse row, with zeros where it has no entry.
Values see_sparse(CentredScale& scale, const Values& values, const Indices& indices, std::size_t columns, double weight = 1) {
  Values seen, dense(columns);
  Indices places;
  scale.resize(columns);
  scale.see(SparseRow<double>{values.data(), indices.data(), values.size()}, weight, seen, places);
  CHECK(std::ranges::is_sorted(places) && std::ranges::adjacent_find(places) == places.end());
  for (std::size_t k = 0; k < places.size(); ++k) dense[static_cast<std::size_t>(places[k])] = seen[k];
  return dense;
}

bool same_scale(const CentredScale& a, const CentredScale& b) {
  using Column = CentredScale::Column;
  bool same = same_bits(a.total, b.total);
  for (double Column::* field :
       {&Column::weight, &Column::sum, &Column::squares, &Column::origin, &Column::shift, &Column::factor})
    same &= same_bits(a.each(field), b.each(field));
  return same;
}

/// Rows with two columns that are never 0, one that is 0 now and then, and one that is rarely another number.
Sample table(std::size_t count) {
  Random random{9};
  Sample sample{4, {}, coin_flips(count, 4)};
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = [&] { return static_cast<double>(random.below(1000)); };
    const double rest = random.below(4) == 0 ? 0.0 : number(), rare = random.below(5) == 0 ? number() : 0.0;
    for (const double value : {1e6 + number(), -number() - 1, rest, rare}) sample.values.push_back(value);
  }
  return sample;
}

Learner centred_learner(Rule rule) {
  Learner learner{rule, {true, false, 0}, Tie::mistake, {Hypothesis{}}};
  learner.problems[0].second = second_order_of(rule);
  learner.scale = scale_named("centred");
  return learner;
}

}  // namespace

TEST(a_column_is_seen_as_its_distance_from_the_mean_in_deviations) {
  CentredScale scale;
  CHECK(see(scale, {3})[0] == 0);  // a constant column says what the intercept says
  CHECK(see(scale, {5})[0] == 1);
  CHECK(see(scale, {10})[0] == 6);  // by mean and deviation of the first two
  CHECK(see(scale, {6})[0] == 2);
  CHECK(near(see(scale, {7})[0], 1 / std::sqrt(26.0 / 4)));  // by those of the first four
}

TEST(zeros_of_a_frequent_column_count_and_those_of_a_rare_one_remain_zeros) {
  CentredScale scale;
  see(scale, {4, 0, 0});
  CHECK(same_bits(see(scale, {0, 0, 7}), Values{-1, 0, 1}));  // the first column was constant, the last is new
  CHECK(same_bits(scale.shifts(), Values{2, 0, 3.5}));
  CHECK(same_bits(see(scale, {4, 0, 0}), Values{1, 0, -1}));
  CHECK(near(scale.shifts()[0], 8.0 / 3) && scale.shifts()[2] == 0);
  CHECK(same_bits(see(scale, {0, 0, 0}), Values{-(8.0 / 3) * scale.factors()[0], 0, 0}));
}

TEST(a_row_is_learned_as_it_was_predicted_unless_a_value_is_far_away) {
  CentredScale scale;
  for (int k = 0; k < 32; ++k) see(scale, {100.0 + k % 2, 3});
  const auto both = [&](const Values& x) {
    Values seen, predicted;
    Indices unused;
    const DenseRow<double> row{x.data(), x.size(), 1};
    scale.apply(row, predicted, unused);
    const bool twice = scale.see_both(row, 1, seen, unused);
    CHECK(same_bits(Values(seen.begin(), seen.begin() + 2), predicted));
    CHECK(seen.size() == (twice ? 4 : 2));
    return seen;
  };
  CHECK(both({101, 3}).size() == 2);
  for (const Values& x : {Values{110, 3}, Values{0, 3}, Values{100, 4}}) {  // far, a zero that is far, no longer constant
    const Values seen = both(x);
    CHECK(seen.size() == 4);
    for (std::size_t j : {std::size_t{2}, std::size_t{3}}) CHECK(std::abs(seen[j]) <= std::sqrt(scale.total));
  }
}

TEST(sparse_rows_are_seen_like_dense_ones_in_any_order_and_repeated_columns_are_summed) {
  CentredScale dense, sparse, shuffled;
  const Sample sample = table(500);
  for (std::size_t i = 0; i < sample.count(); ++i) {
    const Values x(sample.row(i), sample.row(i) + 4), seen = see(dense, x, i % 3 == 0 ? 0.5 : 1.0);
    Values values, halves;
    Indices indices, twice;
    for (std::int32_t j = 0; j < 4; ++j)
      if (const double value = x[static_cast<std::size_t>(j)]; value != 0) {
        values.push_back(value);
        indices.push_back(j);
        halves.insert(halves.begin(), {value / 2, value / 2});
        twice.insert(twice.begin(), {j, j});
      }
    CHECK(same_bits(see_sparse(sparse, values, indices, 4, i % 3 == 0 ? 0.5 : 1.0), seen));
    CHECK(same_bits(see_sparse(shuffled, halves, twice, 4, i % 3 == 0 ? 0.5 : 1.0), seen));
  }
  CHECK(same_scale(dense, sparse) && same_scale(dense, shuffled));
}

TEST(what_is_restored_goes_on_as_before) {
  CentredScale scale;
  const Sample sample = table(100);
  for (std::size_t i = 0; i < 50; ++i) see(scale, Values(sample.row(i), sample.row(i) + 4));
  CentredScale again;
  again.columns = scale.columns;
  again.total = scale.total;
  again.restore();
  for (std::size_t i = 50; i < 100; ++i)
    CHECK(same_bits(see_sparse(scale, {sample.row(i)[0]}, {0}, 4), see_sparse(again, {sample.row(i)[0]}, {0}, 4)));
}

TEST(outliers_are_bounded_and_nothing_is_infinite) {
  CentredScale scale;
  for (int k = 0; k < 100; ++k) see(scale, {1.0 + k % 2});
  CHECK(std::abs(see(scale, {1e150})[0]) <= std::sqrt(101.0));
  for (const double x : {1e-200, 1e-125, 1.2e154, -1.2e154, 1.2e154, 0.0}) CHECK(std::isfinite(see(scale, {x})[0]));
}

TEST(a_score_of_a_learner_with_fewer_weights_than_the_scale_has_columns_reads_nothing_beyond_them) {
  Learner learner = centred_learner(PerceptronRule{Tie::mistake});
  Sample sample = table(40);
  learn(learner, sample, 0, 40);
  learner.problems.push_back(Hypothesis{});  // as for a label that has just appeared
  const std::vector<std::size_t> problems{1};
  const Values x{1.0};
  const Indices column{0};
  const std::vector<std::int64_t> offsets{0, 1};
  Values scores(1, -1.0);
  const CsrRows<double> rows{x.data(), column.data(), offsets.data(), 1, 1};
  CHECK(score_all(learner, problems, AnyRows(rows), scores) == 1);
  CHECK(scores[0] == 0);
}

TEST(parts_and_batches_make_no_difference_to_a_centred_scale_and_rows_are_scored_before_they_are_counted) {
  constexpr std::size_t count = 9000;  // more than one part
  for (const Rule& rule : {Rule(PassiveAggressiveIRule{1}), Rule(DiagonalArowRule{10, 0.01})}) {
    Sample sample = table(count);
    Learner whole = centred_learner(rule), parts = whole, single = whole;
    Values scores(count), scratch;
    learn(whole, sample, 0, count, scores);
    for (std::size_t begin = 0; begin < count; begin += 17) learn(parts, sample, begin, std::min(count, begin + 17));
    SeenScratch seen;
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = sample.rows()[i];
      single.problems[0].resize(4);
      seen.apply(*single.scale, x,
                 [&](const auto& u) { CHECK(same_bits(score(single.problems[0], u, 4, Tie::mistake, scratch), scores[i])); });
      single.learn_one(x, 4, x.squared_norm(), sample.codes[i], 1);
    }
    for (const Learner* learner : {&parts, &single}) {
      CHECK(same_scale(std::get<CentredScale>(whole.scale->kind), std::get<CentredScale>(learner->scale->kind)));
      CHECK(same_bits(whole.problems[0].weights, learner->problems[0].weights));
    }
  }
}
