// What all second-order learners have in common: the same bits for any way to pass the same examples, and what their sum
// proves.
#include "second_order_samples.hpp"

namespace {

/// The sample as sparse rows, with columns in descending order, each value of a nonzero column in two halves.
struct SparseCopy {
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> offsets{0};
  std::size_t columns;

  SparseCopy(const Sample& sample, bool halves) : columns(sample.columns) {
    for (std::size_t i = 0; i < sample.count(); ++i) {
      for (std::size_t k = 0; k < columns; ++k) {
        const std::size_t j = halves ? columns - 1 - k : k;
        const double value = sample.row(i)[j];
        if (value == 0) continue;
        for (int part = 0; part < (halves ? 2 : 1); ++part) {
          values.push_back(halves ? value / 2 : value);
          indices.push_back(static_cast<std::int32_t>(j));
        }
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  CsrRows<double> rows() const { return {values.data(), indices.data(), offsets.data(), offsets.size() - 1, columns}; }
};

Sample sparse_integers(std::size_t count, std::size_t columns, std::uint64_t seed) {
  Sample sample = integer_noise(count, columns, seed);
  Random random{seed + 7};
  for (double& value : sample.values)
    if (random.below(3) != 0) value = 0;
  return sample;
}

}  // namespace

TEST(batches_of_any_size_give_the_same_bits) {
  for_each_second_order([](const auto& rule, const auto& state) {
    for (const Geometry& geometry : {Geometry{true, false, 0}, Geometry{false, false, 0}, Geometry{true, true, 0}}) {
      Sample sample = noise(120, 6, 11);
      Hypothesis at_once = second_order(state, 6), in_batches = second_order(state, 6), by_one = second_order(state, 6);
      pass(sample.rows(), sample.batch(), rule, geometry, Tie::mistake, at_once);
      for (std::size_t begin = 0, end; begin < sample.count(); begin = end) {
        end = std::min(begin + 1 + begin % 17, sample.count());
        pass(sample.rows(), sample.batch(begin, end), rule, geometry, Tie::mistake, in_batches);
      }
      for (std::size_t i = 0; i < sample.count(); ++i) {
        PassReport report;
        learn(sample.rows()[i], sample.label(i), 1.0, sample.squared_norms[i], rule, geometry, Tie::mistake, by_one, nullptr,
              report);
      }
      CHECK(same_second_order(at_once, in_batches) && same_second_order(at_once, by_one) && at_once.updates > 0);
    }
  });
}

TEST(an_integer_weight_is_that_many_copies) {
  for_each_second_order([](const auto& rule, const auto& state) {
    Sample weighted = noise(80, 5, 2), copied{5, {}, {}};
    Random random{3};
    for (std::size_t i = 0; i < weighted.count(); ++i) {
      const std::size_t copies = random.below(5);
      weighted.weights.push_back(static_cast<double>(copies) + (i % 7 == 0 ? 0.25 : 0.0));
      for (std::size_t k = 0; k < copies; ++k) {
        copied.values.insert(copied.values.end(), weighted.row(i), weighted.row(i) + 5);
        copied.codes.push_back(weighted.codes[i]);
        copied.weights.push_back(1);
      }
      if (i % 7 == 0) {  // the fraction comes last
        copied.values.insert(copied.values.end(), weighted.row(i), weighted.row(i) + 5);
        copied.codes.push_back(weighted.codes[i]);
        copied.weights.push_back(0.25);
      }
    }
    Hypothesis a = second_order(state, 5), b = second_order(state, 5);
    pass(weighted.rows(), weighted.batch(), rule, {}, Tie::mistake, a);
    pass(copied.rows(), copied.batch(), rule, {}, Tie::mistake, b);
    CHECK(same_second_order(a, b) && a.updates > 0 && near(a.energy, b.energy, b.energy));
  });
}

TEST(columns_that_come_late_change_no_bit) {
  for_each_second_order([](const auto& rule, const auto& state) {
    Sample narrow = noise(40, 3, 5), wide = noise(40, 6, 6), padded{6, {}, narrow.codes};
    for (std::size_t i = 0; i < narrow.count(); ++i) {
      padded.values.insert(padded.values.end(), narrow.row(i), narrow.row(i) + 3);
      padded.values.insert(padded.values.end(), 3, 0.0);
    }
    Hypothesis grown = second_order(state, 3), full = second_order(state, 6);
    pass(narrow.rows(), narrow.batch(), rule, {}, Tie::mistake, grown);
    grown.resize(6);
    pass(padded.rows(), padded.batch(), rule, {}, Tie::mistake, full);
    for (Hypothesis* h : {&grown, &full}) pass(wide.rows(), wide.batch(), rule, {}, Tie::mistake, *h);
    CHECK(same_second_order(grown, full) && grown.updates > 0);
  });
}

TEST(sparse_rows_in_any_order_and_with_repeated_columns_give_the_weights_of_dense_rows) {
  for_each_second_order([](const auto& rule, const auto& state) {
    Sample sample = sparse_integers(60, 4, 21);
    const SparseCopy plain(sample, false), halves(sample, true);
    Hypothesis dense = second_order(state, 4), sparse = second_order(state, 4), in_halves = second_order(state, 4);
    pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, dense);
    pass(plain.rows(), sample.batch(), rule, {}, Tie::mistake, sparse);
    pass(halves.rows(), sample.batch(), rule, {}, Tie::mistake, in_halves);
    CHECK(all_near(with_bias(dense), with_bias(sparse), 1e-9));
    CHECK(all_near(with_bias(sparse), with_bias(in_halves), 1e-9));
    CHECK(dense.updates == sparse.updates && dense.updates == in_halves.updates);
  });
}

TEST(a_row_of_zeros_leaves_the_weights_unchanged_and_is_counted) {
  for_each_second_order([](const auto& rule, const auto& state) {
    Sample sample{2, {0, 0, 1, 2, 0, 0}, {1, 0, 1}, {1e12, 1, 2.5}};
    Hypothesis h = second_order(state, 2);
    const Geometry geometry{false, false, 0};
    pass(sample.rows(), sample.batch(0, 1), rule, geometry, Tie::mistake, h);
    CHECK(h.mistakes.value() == 1e12 && h.steps.value() == 1e12 && h.weights[0] == 0);
    pass(sample.rows(), sample.batch(1, 2), rule, geometry, Tie::mistake, h);
    const std::vector<double> before = h.weights;
    pass(sample.rows(), sample.batch(2, 3), rule, geometry, Tie::mistake, h);
    CHECK(same_bits(before, h.weights) && h.examples.value() == 1e12 + 3.5);
  });
}

TEST(the_sum_has_all_mistakes_and_proves_how_large_a_loss_every_comparator_has) {
  for_each_second_order([](const auto& rule, const auto& state) {
    using Rule = std::remove_cvref_t<decltype(rule)>;
    Sample sample = noise(300, 4, 31);
    for (std::size_t i = 0; i < sample.count(); ++i)  // mostly separable
      if (i % 5 != 0) sample.codes[i] = sample.row(i)[0] + 0.3 * sample.row(i)[2] > 0.1 ? 1 : 0;
    sample.duals.assign(sample.count(), 0.0);
    Hypothesis h = second_order(state, 4);
    const PassReport report = pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, h);
    CHECK(report.moved && report.mistaken && h.mistakes.value() <= h.steps.value());
    if (!Rule::sums_updates) CHECK(h.mistakes.value() == h.steps.value());
    std::vector<double> v(5);
    for (std::size_t i = 0; i < sample.count(); ++i)
      for (std::size_t j = 0; j < 5; ++j) v[j] += sample.duals[i] * sample.label(i) * with_one(sample, i)[j];
    const std::vector<double> sum = sum_of(h);
    CHECK(all_near(sum, v, 1e-12) && h.rounding > 0 && h.rounding < 1e-9);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      std::vector<double> comparator = reals(5, 100 + seed);
      for (double& value : comparator) value *= 1 + static_cast<double>(seed % 10);
      double loss = 0;
      for (std::size_t i = 0; i < sample.count(); ++i)
        loss += sample.duals[i] * std::max(0.0, 1 - sample.label(i) * dot(with_one(sample, i).data(), comparator));
      CHECK(h.steps.value() <= loss + std::sqrt(squared(comparator)) * (std::sqrt(squared(sum)) + h.rounding));
    }
  });
}

TEST(scores_before_learning_are_those_of_the_weights) {
  for_each_second_order([](const auto& rule, const auto& state) {
    Sample sample = noise(50, 3, 41);
    std::vector<double> scores(50), expected;
    Hypothesis h = second_order(state, 3), one_by_one = second_order(state, 3);
    Batch batch = sample.batch();
    batch.scores = scores;
    pass(sample.rows(), batch, rule, {}, Tie::mistake, h);
    for (std::size_t i = 0; i < sample.count(); ++i) {
      expected.push_back(sample.rows()[i].dot(one_by_one.weights.data()) + one_by_one.bias);
      pass(sample.rows(), sample.batch(i, i + 1), rule, {}, Tie::mistake, one_by_one);
    }
    CHECK(same_bits(scores, expected) && same_second_order(h, one_by_one));
  });
}
