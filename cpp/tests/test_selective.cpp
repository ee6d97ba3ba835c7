// The perceptron that asks for some labels only.
#include "novikoff/learner.hpp"
#include "samples.hpp"

namespace {

constexpr double no_budget = std::numeric_limits<double>::infinity();

Learner asking_learner(double b, std::uint64_t seed, double budget = no_budget, Geometry geometry = {}) {
  Learner learner{SelectiveRule{b, Coins(seed), budget}, geometry};
  Hypothesis h;
  h.asking.emplace();
  learner.add(std::move(h));
  return learner;
}

bool same_asking(const Hypothesis& a, const Hypothesis& b) {
  return same_bits(a.weights, b.weights) && same_bits(a.bias, b.bias) && same(a.examples, b.examples) &&
         same(a.mistakes, b.mistakes) && same(a.positives, b.positives) && same(a.steps, b.steps) && a.updates == b.updates &&
         same_bits(a.margin_bound, b.margin_bound) && a.asking->coins == b.asking->coins &&
         same(a.asking->asked, b.asking->asked) && same(a.asking->unanswered, b.asking->unanswered) &&
         same(a.asking->complete, b.asking->complete) && same_bits(a.asking->estimate.sum, b.asking->estimate.sum) &&
         same_bits(a.asking->estimate.carry, b.asking->estimate.carry) &&
         same_bits(a.asking->missing_weight, b.asking->missing_weight);
}

DenseRow<double> row_of(const Sample& sample, std::size_t i) { return {sample.row(i), sample.columns, 1}; }

double norm_of(const Sample& sample, std::size_t i) { return row_of(sample, i).squared_norm(); }

}  // namespace

TEST(coins_are_those_of_splitmix64_and_fall_evenly) {
  const Coins coins(7);
  Random random{Random{7}.next()};
  double sum = 0, below = 0;
  for (std::int64_t n = 0; n < 100000; ++n) {
    const double coin = coins.at(n);
    CHECK(coin == static_cast<double>(random.next() >> 11) * 0x1p-53);
    CHECK(coin >= 0 && coin < 1);
    sum += coin;
    below += coin < 0.25;
  }
  CHECK(std::abs(sum / 1e5 - 0.5) < 5 * 0.29 / std::sqrt(1e5));
  CHECK(std::abs(below / 1e5 - 0.25) < 5 * 0.44 / std::sqrt(1e5));
}

TEST(labels_are_asked_for_as_often_as_the_rule_says_and_always_at_a_score_of_0) {
  const SelectiveRule rule{0.5, Coins(3), no_budget};
  for (const double score : {-4.0, 0.1, 1.5}) {
    double asked = 0;
    for (std::int64_t n = 0; n < 100000; ++n) asked += rule.asks(score, n);
    const double expected = 0.5 / (0.5 + std::abs(score));
    CHECK(std::abs(asked / 1e5 - expected) < 5 * 0.5 / std::sqrt(1e5));
    CHECK(std::abs(rule.inverse_probability(score) * expected - 1) < 1e-15);
  }
  for (std::int64_t n = 0; n < 1000; ++n) CHECK((SelectiveRule{1e-300, Coins(3), no_budget}.asks(0, n)));
}

TEST(a_selective_perceptron_follows_the_definition) {
  for (const double budget : {no_budget, 30.0}) {
    Sample sample = noise(300, 3, 81);
    Learner learner = asking_learner(0.5, 9, budget);
    learner.learn(0, sample.rows(), sample.batch());
    const Hypothesis& h = learner.problems[0];
    std::vector<double> v(4);
    const Coins coins(9);
    double asked = 0, unanswered = 0, mistakes = 0, estimate = 0, positives = 0, complete = 0;
    for (std::size_t i = 0; i < sample.count(); ++i) {
      std::vector<double> u(sample.row(i), sample.row(i) + 3);
      u.push_back(1);
      const double p = dot(u.data(), v), y = sample.label(i);
      const bool wanted = p == 0 || coins.at(static_cast<std::int64_t>(i)) * (0.5 + std::abs(p)) < 0.5;
      complete += asked < budget;
      if (wanted && asked == budget) ++unanswered;
      if (!wanted || unanswered > 0) continue;
      ++asked;
      positives += y > 0;
      if (y * p > 0) continue;
      ++mistakes;
      estimate += (0.5 + std::abs(p)) / 0.5;
      for (std::size_t j = 0; j < 4; ++j) v[j] += y * u[j];
    }
    for (std::size_t j = 0; j < 3; ++j) CHECK(std::abs(h.weights[j] - v[j]) < 1e-12);
    CHECK(h.asking->coins == 300 && h.examples.value() == 300 && h.asking->asked.value() == asked);
    CHECK(h.mistakes.value() == mistakes && h.positives.value() == positives && h.asking->unanswered.value() == unanswered);
    CHECK(h.asking->complete.value() == complete && (unanswered > 0) == (budget == 30) && h.asking->missing_weight == 0);
    CHECK(std::abs(h.asking->estimate.value() - estimate) < 1e-9 * estimate && estimate > mistakes);
    CHECK(asked > mistakes && asked < 300);
  }
}

TEST(a_batch_is_its_rows_and_weights_are_copies_each_with_its_own_coin) {
  for (const bool normalize : {false, true}) {
    Sample sample = noise(150, 3, 82);
    std::vector<double> weights(150);
    Learner one = asking_learner(0.3, 5, no_budget, {true, normalize});
    Learner all = one, copies = one;
    for (std::size_t i = 0; i < 150; ++i) {
      weights[i] = i % 4 == 3 ? 0.5 : static_cast<double>(i % 4);
      one.learn_one(row_of(sample, i), 3, norm_of(sample, i), sample.codes[i], weights[i]);
      if (weights[i] == 0.5) copies.learn_one(row_of(sample, i), 3, norm_of(sample, i), sample.codes[i], 0.5);
      for (std::size_t k = 0; k < i % 4 && i % 4 != 3; ++k)
        copies.learn_one(row_of(sample, i), 3, norm_of(sample, i), sample.codes[i], 1);
    }
    Batch batch = sample.batch();
    batch.weights = weights;
    all.learn(0, sample.rows(), batch);
    CHECK(same_asking(one.problems[0], all.problems[0]) && same_asking(one.problems[0], copies.problems[0]));
  }
}

TEST(a_learner_wants_the_labels_that_it_then_uses_and_no_other_label_matters) {
  for (const char* scale : {"", "running", "centred"})
    for (const bool normalize : {false, true})
      for (const double budget : {no_budget, 20.0}) {
        Sample sample = noise(200, 3, 83);
        Learner told = asking_learner(0.2, 6, budget, {true, normalize});
        told.scale = scale_named(scale);
        Learner asking = told;
        for (std::size_t i = 0; i < 200; ++i) {
          const auto x = row_of(sample, i);
          const double norm2 = norm_of(sample, i);
          const bool wanted = asking.wants_label(0, x, 3, norm2);
          CHECK(wanted == asking.wants_label(0, x, 3, norm2));
          const double before = told.problems[0].asking->asked.value();
          told.learn_one(x, 3, norm2, sample.codes[i], 1);
          asking.learn_one(x, 3, norm2, wanted ? sample.codes[i] : unlabelled, 1);
          CHECK(told.problems[0].asking->asked.value() == before + wanted);
          CHECK(same_asking(told.problems[0], asking.problems[0]));
        }
        CHECK(told.problems[0].asking->asked.value() <= budget);
      }
}

TEST(the_complete_examples_end_with_the_last_label_of_the_budget_also_if_no_other_is_asked_for) {
  Sample sample = noise(20, 3, 85);
  Learner learner = asking_learner(1e-300, 1, 1);  // asks at a score of 0 only
  learner.learn(0, sample.rows(), sample.batch());
  const Asking& asking = *learner.problems[0].asking;
  CHECK(asking.asked.value() == 1 && asking.unanswered.value() == 0);
  CHECK(asking.complete.value() == 1 && asking.estimate.value() == 1 && asking.missing_weight == 0);
}

TEST(a_label_that_is_not_given_ends_the_estimate_and_not_the_learning) {
  Sample sample = noise(100, 3, 84);
  for (const double weight : {1.0, 0.5}) {
    Learner learner = asking_learner(100, 1);
    double score = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      const auto x = row_of(sample, i);
      const Hypothesis& h = learner.problems[0];
      if (i == 50) {
        CHECK(learner.wants_label(0, x, 3, norm_of(sample, i)));
        score = x.dot(h.weights.data()) + h.bias;
      }
      learner.learn_one(x, 3, norm_of(sample, i), i == 50 ? unlabelled : sample.codes[i], i == 50 ? weight : 1);
    }
    const Asking& asking = *learner.problems[0].asking;
    CHECK(asking.unanswered.value() == weight && asking.complete.value() == 50 + weight && asking.asked.value() > 60);
    CHECK(asking.estimate.value() < learner.problems[0].mistakes.value() * 1.5);
    CHECK(std::abs(asking.missing_weight - weight * (100 + std::abs(score)) / 100) < 1e-12);
  }
}
