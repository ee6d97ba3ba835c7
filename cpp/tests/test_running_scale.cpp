// The running scale: rows are seen by what came before, whatever their storage, their weights and the batches.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "novikoff/running_scale.hpp"
#include "shared_samples.hpp"

namespace {

using Values = std::vector<double>;

Values see(RunningScale& scale, const Row auto& x, std::size_t columns, double weight = 1) {
  Values seen(x.size), sums;
  scale.resize(columns);
  scale.see(x, weight, sums, seen.data());
  return seen;
}

Values see_dense(RunningScale& scale, const Values& x, double weight = 1) {
  return see(scale, DenseRow<double>{x.data(), x.size(), 1}, x.size(), weight);
}

Learner scaled_learner(Rule rule) {
  Learner learner{rule, {true, false, 0}, Tie::mistake, {Hypothesis{}}};
  learner.scale = scale_named("running");
  return learner;
}

const RunningScale& running(const Learner& learner) { return std::get<RunningScale>(learner.scale->kind); }

bool same_scale(const RunningScale& a, const RunningScale& b) {
  return std::ranges::equal(a.columns, b.columns, [](const auto& one, const auto& other) {
    return same_bits(one.weight, other.weight) && same_bits(one.squares, other.squares);
  });
}

}  // namespace

TEST(a_row_is_divided_by_the_root_mean_square_up_to_it) {
  RunningScale scale;
  CHECK(same_bits(see_dense(scale, {3, 0, -2}), Values{1, 0, -1}));
  const Values seen = see_dense(scale, {4, 5, 0});
  CHECK(same_bits(seen, Values{4 * std::sqrt(2.0 / 25), 1, 0}));
  CHECK(scale.columns[2].weight == 1);  // zeros do not count
  CHECK(scale.factor(7) == 0);          // of a column that was never seen
}

TEST(columns_of_ones_remain_as_they_are) {
  RunningScale scale;
  for (int k = 0; k < 10; ++k)
    CHECK(same_bits(see_dense(scale, {1.0, k % 3 == 0 ? 1.0 : 0.0}), Values{1.0, k % 3 == 0 ? 1.0 : 0.0}));
}

TEST(sparse_rows_are_seen_like_dense_ones_and_repeated_indices_are_summed) {
  RunningScale dense, sparse;
  const Values values{3, -1, 0.5};
  const std::vector<std::int32_t> indices{4, 0, 4};
  see_dense(dense, {2, 0, 0, 1, 7});
  see_dense(sparse, {2, 0, 0, 1, 7});
  const Values seen = see_dense(dense, {-1, 0, 0, 0, 3.5});
  CHECK(same_bits(see(sparse, SparseRow<double>{values.data(), indices.data(), 3}, 5), Values{seen[4], seen[0], 0}));
  CHECK(same_scale(dense, sparse));
}

TEST(values_whose_squares_underflow_or_overflow_are_seen_as_zero_or_finite) {
  RunningScale scale;
  CHECK(see_dense(scale, {1e-200})[0] == 0);
  CHECK(see_dense(scale, {1e-125})[0] == 0);
  CHECK(see_dense(scale, {1e150})[0] > 1);
  CHECK(see_dense(scale, {1e-30})[0] == 0);
  for (int k = 0; k < 3; ++k) CHECK(std::isfinite(see_dense(scale, {1.2e154})[0]));
}

TEST(a_weight_of_k_is_k_examples_and_a_fraction_is_one_of_less_weight) {
  Sample weighted{2, {1, 5, -2, 0, 3, 1, 0, 4}, {1, 0, 1, 0}, {2, 0, 1.5, 3}};
  Sample copied{2, {1, 5, 1, 5, 3, 1, 3, 1, 0, 4, 0, 4, 0, 4}, {1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 0.5, 1, 1, 1}};
  Learner one = scaled_learner(PassiveAggressiveIRule{1}), other = one, single = one;
  learn(one, weighted, 0, 4);
  learn(other, copied, 0, 7);
  for (std::size_t i = 0; i < 4; ++i)
    single.learn_one(weighted.rows()[i], 2, weighted.rows()[i].squared_norm(), weighted.codes[i], weighted.weights[i]);
  for (const Learner* learner : {&other, &single}) {
    CHECK(same_scale(running(one), running(*learner)));
    CHECK(same_bits(one.problems[0].weights, learner->problems[0].weights));
    CHECK(same_bits(one.problems[0].energy, learner->problems[0].energy));
    CHECK(one.problems[0].examples.value() == learner->problems[0].examples.value());
  }
}

TEST(parts_and_batches_make_no_difference_to_a_running_scale_and_rows_are_scored_before_they_are_counted) {
  constexpr std::size_t count = 9000, columns = 5;  // more than one part
  Random random{5};
  Sample sample{columns, {}, coin_flips(count, 3)};
  for (std::size_t k = 0; k < count * columns; ++k)
    sample.values.push_back((static_cast<double>(random.below(2001)) - 1000) * (k % columns == 2 ? 1000 : 1));
  Learner whole = scaled_learner(PerceptronRule{Tie::mistake}), parts = whole, single = whole;
  Values scores(count);
  learn(whole, sample, 0, count, scores);
  for (std::size_t begin = 0; begin < count; begin += 17) learn(parts, sample, begin, std::min(count, begin + 17));
  SeenScratch seen;
  Values scratch;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = sample.rows()[i];
    single.problems[0].resize(columns);
    seen.apply(*single.scale, x, [&](const auto& u) {
      CHECK(same_bits(score(single.problems[0], u, columns, Tie::mistake, scratch), scores[i]));
    });
    single.learn_one(x, columns, x.squared_norm(), sample.codes[i], 1);
  }
  for (const Learner* learner : {&parts, &single}) {
    CHECK(same_scale(running(whole), running(*learner)));
    CHECK(same_bits(whole.problems[0].weights, learner->problems[0].weights));
    CHECK(whole.problems[0].updates == learner->problems[0].updates);
  }
}

TEST(observed_rows_have_the_scale_of_rows_that_were_seen) {
  RunningScale seen, observed;
  Values sums, values;
  const Values x{2, 0, -5};
  observed.resize(3);
  observed.observe(DenseRow<double>{x.data(), 3, 1}, 2.25, sums, values);
  for (const double weight : {1.0, 1.0, 0.25}) see_dense(seen, x, weight);
  CHECK(same_scale(seen, observed));
  Values applied(3), again(3);
  observed.apply(DenseRow<double>{x.data(), 3, 1}, applied.data());
  observed.apply_to_sums(DenseRow<double>{x.data(), 3, 1}, sums, again.data());
  CHECK(same_bits(applied, again));
}
