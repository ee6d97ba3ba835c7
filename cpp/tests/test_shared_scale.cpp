// Learners with equal scales that learn together: each learns what it would learn alone, and keeps it if one goes on alone.
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "novikoff/shared_scale.hpp"
#include "shared_samples.hpp"

namespace {

Learner with_scale(const Rule& rule, const char* scale) {
  Learner learner{rule, {true, false, 0}, Tie::mistake, {Hypothesis{}}};
  learner.problems[0].second = second_order_of(rule);
  learner.scale = scale_named(scale);
  return learner;
}

bool unite(std::vector<Learner>& learners) {
  std::vector<SharedScale*> scales;
  for (Learner& learner : learners) scales.push_back(&learner.scale);
  return SharedScale::unite(scales);
}

/// Rows of two columns far from 0, one of which is sometimes 0.
Sample rows_far_from_0(std::size_t count) {
  Random random{3};
  Sample sample{2, {}, coin_flips(count, 4)};
  for (std::size_t i = 0; i < 2 * count; ++i)
    sample.values.push_back(i % 2 && random.below(3) == 0 ? 0.0 : 50.0 + static_cast<double>(random.below(9)));
  return sample;
}

}  // namespace

TEST(learners_with_equal_scales_learn_together_what_each_learns_alone) {
  constexpr std::size_t count = 6000;
  for (const char* scale : {"running", "centred"}) {
    Sample sample = rows_far_from_0(count);
    std::vector<Learner> alone{with_scale(PassiveAggressiveIRule{1}, scale), with_scale(DiagonalArowRule{10, 0.01}, scale)};
    std::vector<Learner> united = alone;
    std::vector<std::vector<double>> expected(2, std::vector<double>(count)), found = expected;
    for (std::size_t k : {std::size_t{0}, std::size_t{1}}) learn(alone[k], sample, 0, count, expected[k]);
    CHECK(unite(united));
    std::vector<std::vector<std::span<double>>> places{{found[0]}, {found[1]}};
    const std::vector<Member> members{{&united[0], places[0]}, {&united[1], places[1]}};
    learn_together(members, AnyRows(sample.rows()), sample.batch(0, count), 1);
    for (std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      CHECK(same_bits(found[k], expected[k]));
      CHECK(same_bits(united[k].problems[0].weights, alone[k].problems[0].weights));
      CHECK(*united[k].scale == *alone[k].scale);
    }
  }
}

TEST(a_shared_scale_is_copied_before_one_of_its_learners_goes_on_alone) {
  Sample sample = rows_far_from_0(100);
  std::vector<Learner> both(2, with_scale(PerceptronRule{Tie::mistake}, "centred"));
  CHECK(unite(both));
  CHECK(&*both[0].scale == &*both[1].scale);
  const Learner copy = both[0];
  CHECK(&*copy.scale != &*both[0].scale);
  learn(both[0], sample, 0, 50);
  CHECK(!(*both[0].scale == *both[1].scale));
  CHECK(*copy.scale == *both[1].scale);
  CHECK(!unite(both));
  learn(both[1], sample, 0, 50);
  CHECK(unite(both));  // equal again
  CHECK(&*both[0].scale == &*both[1].scale);
}

TEST(learners_without_a_scale_share_none) {
  std::vector<Learner> both{with_scale(PerceptronRule{Tie::mistake}, ""), with_scale(PerceptronRule{Tie::mistake}, "")};
  CHECK(!unite(both));
  both[0].scale = scale_named("running");
  CHECK(!unite(both));
}
