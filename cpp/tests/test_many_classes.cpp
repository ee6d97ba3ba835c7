// Several problems that learn from each row together: every bit is that of each problem alone.
#include "novikoff/many_classes.hpp"
#include "samples.hpp"

namespace {

/// Sparse rows, most of them with few entries, of as many classes as asked.
struct SparseSample {
  std::vector<double> values;
  std::vector<std::int32_t> indices, codes;
  std::vector<std::int64_t> offsets{0};
  std::vector<double> weights{}, squared_norms{};
  std::vector<std::int64_t> order{};
  std::size_t columns;

  SparseSample(std::size_t count, std::size_t width, std::uint64_t classes, std::uint64_t seed) : columns(width) {
    Random random{seed};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t size = random.below(20);
      for (std::uint64_t k = 0; k < size; ++k) {
        values.push_back(real(random));
        indices.push_back(static_cast<std::int32_t>(random.below(width)));  // in any order, and repeated
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
      codes.push_back(static_cast<std::int32_t>(random.below(classes)));
      order.push_back(static_cast<std::int64_t>(i));
    }
    shuffle(order, random);
    squared_norms.resize(count);
    CHECK(examine(rows(), 0, count, squared_norms) == count);
  }

  std::size_t count() const { return codes.size(); }
  CsrRows<double> rows() const { return {values.data(), indices.data(), offsets.data(), count(), columns}; }
  Batch batch() const { return {codes, weights, squared_norms, order, {}, 0, count()}; }
};

Learner learner_of(const Rule& rule, const Geometry& geometry, std::size_t problems, bool averages) {
  Learner learner{rule, geometry, Tie::mistake, {}};
  for (std::size_t q = 0; q < problems; ++q) {
    Hypothesis h;
    h.average.emplace();
    if (!averages) h.average.reset();
    h.positive = static_cast<std::int32_t>(q);
    learner.problems.push_back(h);
  }
  return learner;
}

bool same_problem(Hypothesis a, Hypothesis b) {
  for (Hypothesis* h : {&a, &b})
    if (!h->average) h->average.emplace();
  return same(a, b) && same_bits(a.energy, b.energy) && same_bits(a.length2_error, b.length2_error) &&
         same_bits(a.rounding, b.rounding);
}

/// Learns two passes together, and the same passes in each problem alone. Whether all is the same.
bool agree(const SparseSample& sample, const Rule& rule, const Geometry& geometry, std::size_t problems, bool averages) {
  Learner together = learner_of(rule, geometry, problems, averages), alone = together;
  std::vector<std::size_t> all(problems);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> duals(sample.count() * problems);
  std::vector<PassReport> reports(problems);
  for (int k = 0; k < 2; ++k) {  // the block is made twice, so that weights are taken and given back
    ClassBlock block(together, all);
    reports.assign(problems, {});
    block.learn(sample.rows(), sample.batch(), {duals, problems}, reports);
    block.release();
  }
  bool good = true;
  for (std::size_t q = 0; q < problems; ++q) {
    std::vector<double> own(sample.count());
    Batch batch = sample.batch();
    batch.duals = own;
    alone.learn(q, sample.rows(), batch);
    const PassReport report = alone.learn(q, sample.rows(), batch);
    good = good && report.moved == reports[q].moved && report.mistaken == reports[q].mistaken &&
           same_bits(report.smallest_margin, reports[q].smallest_margin) &&
           same_problem(together.problems[q], alone.problems[q]);
    for (std::size_t i = 0; i < sample.count(); ++i) good = good && same_bits(own[i], duals[i * problems + q]);
  }
  return good;
}

}  // namespace

TEST(problems_learn_together_what_each_learns_alone) {
  for (std::size_t problems : {2, 3, 4, 5, 8}) {
    const SparseSample sample(300, 40, problems + 1, problems);
    for (const Geometry& geometry : {Geometry{true, false, 0}, Geometry{false, true, 0}, Geometry{true, true, 0.5}})
      for (bool averages : {false, true})
        for_each_rule([&](const auto& rule) { CHECK(agree(sample, rule, geometry, problems, averages)); });
  }
}

TEST(weights_of_rows_are_copies_and_fractions_in_each_problem) {
  SparseSample sample(200, 30, 6, 1);
  Random random{2};
  for (std::size_t i = 0; i < sample.count(); ++i) sample.weights.push_back(static_cast<double>(random.below(9)) / 3);
  for (double delta : {0.0, 0.5})
    for_each_rule([&](const auto& rule) { CHECK(agree(sample, rule, {true, false, delta}, 6, true)); });
}

TEST(a_row_of_zeros_is_counted_as_alone) {
  SparseSample sample(4, 3, 3, 3);
  std::fill(sample.values.begin(), sample.values.end(), 0.0);
  std::fill(sample.squared_norms.begin(), sample.squared_norms.end(), 0.0);
  sample.weights = {1, 2, 0.5, 3};
  for_each_rule([&](const auto& rule) { CHECK(agree(sample, rule, {false, false, 0}, 3, true)); });
}

TEST(there_is_no_update_above_the_quiet_margin) {
  Random random{4};
  for_each_rule([&](const auto& rule) {
    for (int k = 0; k < 10'000; ++k) {
      const double squared_length = std::exp(20 * real(random)), steps = std::exp(10 * real(random));
      const double quiet = rule.quiet_margin(squared_length, steps);
      CHECK(quiet >= 0);
      if (std::isinf(quiet)) continue;
      const double above = std::nextafter(quiet, infinity);
      for (double y : {-1.0, 1.0}) CHECK(rule.step({y, y * above, 1.0, 1.0, squared_length, steps}) == 0);
    }
    CHECK(rule.quiet_margin(-1e-9, 1) >= 0);
  });
}
