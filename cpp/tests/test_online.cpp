// The online learners: what one example does, what is counted, and what can be proved of the stream.
#include "samples.hpp"

TEST(k_ones_and_one_k_count_the_same_after_any_fractions) {
  Count one_by_one, at_once;
  for (double part : {0.1, 0.7, 1e-9}) {
    one_by_one.add(part);
    at_once.add(part);
    for (int k = 0; k < 1000; ++k) one_by_one.add(1);
    at_once.add(1000, 0);
    CHECK(same(one_by_one, at_once) && same_bits(one_by_one.value(), at_once.value()));
  }
  CHECK(at_once.whole == 3000 && near(at_once.value(), 3000.8, 1e5));
}

TEST(a_carried_sum_does_not_lose_small_terms) {
  CarriedSum sum;
  sum.add(1e16);
  for (int k = 0; k < 1000; ++k) sum.add(1);
  sum.add(-1e16);
  CHECK(sum.value() == 1000);
  CarriedSum tenths;
  for (int k = 0; k < 1'000'000; ++k) tenths.add(0.1);
  CHECK(std::abs(tenths.value() - 1e5) < 1e-9);
}

TEST(the_score_moves_by_the_squared_norm_towards_the_label) {
  Sample sample = integer_noise(50, 7, 1);
  Hypothesis h = blank(7);
  for (std::size_t i = 0; i < sample.count(); ++i) {
    const double before = dot(sample.row(i), h.weights) + h.bias;
    const PassReport report = pass(sample.rows(), sample.batch(i, i + 1), PerceptronRule{}, {}, Tie::mistake, h);
    const double after = dot(sample.row(i), h.weights) + h.bias;
    CHECK(report.mistaken == (sample.label(i) * before <= 0) && report.moved == report.mistaken);
    CHECK(after - before == (report.moved ? sample.label(i) * (sample.squared_norms[i] + 1) : 0));
    CHECK(report.smallest_margin == sample.label(i) * before);
  }
}

TEST(the_first_example_is_a_tie) {
  for (std::int32_t code : {0, 1}) {
    for (Tie tie : {Tie::mistake, Tie::positive}) {
      Sample sample{1, {2}, {code}};
      Hypothesis h = blank(1);
      const PassReport report = pass(sample.rows(), sample.batch(), PerceptronRule{tie}, {}, tie, h);
      const bool mistake = tie == Tie::mistake || code == 0;
      CHECK(report.mistaken == mistake && report.moved == mistake && h.mistakes.whole == (mistake ? 1 : 0));
      CHECK(h.weights[0] == (mistake ? (code == 1 ? 2 : -2) : 0) && h.bias == h.weights[0] / 2);
      CHECK(h.positives.whole == code && h.examples.whole == 1 && h.squared_radius == 5);
    }
  }
}

TEST(an_integer_weight_is_that_many_copies_bit_for_bit) {
  for (const Geometry& geometry : {Geometry{true, false, 0}, Geometry{false, false, 0}, Geometry{true, true, 0}}) {
    for_each_rule([&](const auto& rule) {
      Sample weighted = noise(60, 5, 2), copied{5, {}, {}};
      Random random{3};
      for (std::size_t i = 0; i < weighted.count(); ++i) {
        const std::size_t copies = random.below(5);
        weighted.weights.push_back(static_cast<double>(copies));
        for (std::size_t k = 0; k < copies; ++k) {
          copied.values.insert(copied.values.end(), weighted.row(i), weighted.row(i) + 5);
          copied.codes.push_back(weighted.codes[i]);
        }
      }
      Hypothesis a = blank(5), b = blank(5);
      for (Hypothesis* h : {&a, &b}) h->count(1, 0, 0.1, false);  // a fraction that came before
      pass(weighted.rows(), weighted.batch(), rule, geometry, Tie::mistake, a);
      pass(copied.rows(), copied.batch(), rule, geometry, Tie::mistake, b);
      CHECK(same(a, b) && a.updates > 0);
      CHECK(near(a.energy, b.energy, b.energy));
      CHECK(same(*a.votes, *b.votes));
    });
  }
}

TEST(copies_survive_together_as_they_do_one_by_one) {
  Sample weighted = integer_noise(30, 3, 4), copied{3, {}, {}};
  weighted.weights.assign(30, 3);
  for (std::size_t i = 0; i < 90; ++i) {
    copied.values.insert(copied.values.end(), weighted.row(i / 3), weighted.row(i / 3) + 3);
    copied.codes.push_back(weighted.codes[i / 3]);
  }
  Hypothesis a = blank(3), b = blank(3);
  pass(weighted.rows(), weighted.batch(), PerceptronRule{}, {}, Tie::mistake, a);
  pass(copied.rows(), copied.batch(), PerceptronRule{}, {}, Tie::mistake, b);
  CHECK(same_in_all(a, b));
}

TEST(a_fraction_is_one_last_copy_of_that_weight) {
  Sample zero_row{1, {0}, {1}, {2.25}};  // without an intercept, a mistake however often it is seen
  Hypothesis h = blank(1);
  pass(zero_row.rows(), zero_row.batch(), PerceptronRule{}, {.intercept = false}, Tie::mistake, h);
  CHECK(h.updates == 3 && h.steps.value() == 2.25 && h.mistakes.value() == 2.25 && h.examples.value() == 2.25);
  CHECK(h.examples.whole == 2 && h.examples.part == 0.25 && h.positives.value() == 2.25);
  CHECK(h.votes->survived.size() == 1 && h.votes->survived[0].value() == 2.25);  // v = 0 lives through it all

  Sample half{1, {2}, {0}, {0.5}};
  h = blank(1);
  pass(half.rows(), half.batch(), PerceptronRule{}, {}, Tie::mistake, h);
  CHECK(h.weights[0] == -1 && h.bias == -0.5 && h.steps.value() == 0.5 && h.updates == 1 && h.length2.value() == 1.25);
  CHECK(h.mistakes.value() == 0.5 && h.positives.value() == 0 && h.energy == 2.5 && h.squared_radius == 5);

  Sample slack{1, {1}, {1}, {1.5}};  // C = 1/4: a step of 1/4, then one of 1/8
  h = blank(1);
  pass(slack.rows(), slack.batch(), PassiveAggressiveIRule{0.25}, {.intercept = false}, Tie::mistake, h);
  CHECK(h.weights[0] == 0.375 && h.updates == 2 && h.mistakes.value() == 1 && h.examples.value() == 1.5);
}

TEST(a_weight_of_zero_leaves_no_trace) {
  Sample sample = integer_noise(5, 3, 5);
  sample.weights = {0, -0.0, -1, not_a_number, 0};
  Hypothesis h = blank(3);
  const PassReport report = pass(sample.rows(), sample.batch(), PerceptronRule{}, {}, Tie::mistake, h);
  CHECK(same_in_all(h, blank(3)));
  CHECK(!report.moved && !report.mistaken && report.smallest_margin == infinity);
}

TEST(a_large_weight_of_a_settled_example_is_counted_at_once) {
  Sample sample{1, {1, 1}, {1, 1}, {1, 1e15 + 0.5}};
  Hypothesis h = blank(1);
  pass(sample.rows(), sample.batch(), PerceptronRule{}, {}, Tie::mistake, h);
  CHECK(h.updates == 1 && h.examples.whole == 1'000'000'000'000'001 && h.examples.part == 0.5 && h.mistakes.value() == 1);
}

TEST(the_average_is_the_mean_of_all_hypotheses) {
  for (Tie tie : {Tie::mistake, Tie::positive}) {
    Sample sample = noise(200, 6, 6);
    Random random{7};
    for (std::size_t i = 0; i < 200; ++i) sample.weights.push_back(random.below(2) ? 1.0 : 0.1 + 0.4 * (1 + real(random)));
    Hypothesis h = blank(6);
    pass(sample.rows(), sample.batch(), PerceptronRule{tie}, {}, tie, h);
    const History history = perceptron_history(sample, tie);
    const double total = std::accumulate(history.weights.begin(), history.weights.end(), 0.0);
    std::vector<double> mean(7);
    for (std::size_t t = 0; t < 200; ++t)
      for (std::size_t j = 0; j < 7; ++j) mean[j] += history.weights[t] * history.vectors[t][j] / total;
    const Hypothesis::AveragedVector averaged{h};
    for (std::size_t j = 0; j < 6; ++j) CHECK(near(averaged[j], mean[j], 100));
    CHECK(near(averaged.bias(), mean[6], 100) && same_bits(h.averaged_bias(), averaged.bias()));
    for (std::size_t j = 0; j < 6; ++j) CHECK(near(h.weights[j], history.vectors.back()[j], 100));
  }
}

TEST(the_average_of_every_rule_is_the_mean_of_the_vectors_it_passed_through) {
  for (const Geometry& geometry : {Geometry{true, false, 0}, Geometry{false, false, 0.5}, Geometry{true, true, 0}}) {
    for_each_rule([&](const auto& rule) {
      Sample sample = noise(100, 3, 8);
      Hypothesis h = blank(3);
      std::vector<double> sum(4);
      for (std::size_t i = 0; i < 100; ++i) {
        pass(sample.rows(), sample.batch(i, i + 1), rule, geometry, Tie::mistake, h);
        for (std::size_t j = 0; j < 3; ++j) sum[j] += h.weights[j];
        sum[3] += h.bias;
      }
      const Hypothesis::AveragedVector averaged{h};
      for (std::size_t j = 0; j < 3; ++j) CHECK(near(averaged[j], sum[j] / 100, 100));
      CHECK(near(averaged.bias(), sum[3] / 100, 100));
    });
  }
}

TEST(before_any_example_the_average_is_the_vector_itself) {
  Hypothesis h = blank(2);
  CHECK(same_bits(Hypothesis::AveragedVector{h}[1], 0.0) && same_bits(h.averaged_bias(), 0.0));
  Hypothesis plain;
  plain.bias = 3;
  CHECK(plain.averaged_bias() == 3);
}

TEST(a_vote_counts_each_hypothesis_as_long_as_it_survived) {
  for (Tie tie : {Tie::mistake, Tie::positive}) {
    const double sign_of_zero = tie == Tie::positive ? 1 : 0;
    Sample sample = integer_noise(80, 3, 9);
    for (std::size_t i = 0; i < 80; ++i) sample.weights.push_back(i % 3 == 0 ? 0.25 : 1);
    Hypothesis h = blank(3);
    pass(sample.rows(), sample.batch(), PerceptronRule{tie}, {}, tie, h);
    const History history = perceptron_history(sample, tie);
    const Sample fresh = integer_noise(60, 3, 10);
    std::vector<double> scratch(3);
    int ties = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      double vote = 0, total = 0;
      for (std::size_t t = 0; t < 80; ++t) {
        const std::vector<double>& v = history.vectors[t];
        const double score = std::inner_product(v.begin(), v.end() - 1, fresh.row(i), v.back());
        vote += history.weights[t] * (score > 0 ? 1 : score < 0 ? -1 : sign_of_zero);
        total += history.weights[t];
        ties += score == 0;
      }
      CHECK(near(h.votes->score(fresh.rows()[i], scratch, sign_of_zero), vote / total));
      CHECK(squared(scratch) == 0);
    }
    CHECK(ties > 0);
  }
}

TEST(votes_before_any_example_have_no_opinion) {
  std::vector<double> scratch(1);
  const double x = 1;
  CHECK(Votes{}.score(DenseRow<double>{&x, 1, 1}, scratch, 0) == 0);
  CHECK(Votes{}.score(DenseRow<double>{&x, 1, 1}, scratch, 1) == 0);
}

TEST(votes_sum_repeated_indices) {
  const std::vector<double> values{1, 2, -1};
  const std::vector<std::int32_t> indices{1, 0, 1};
  const SparseRow<double> x{values.data(), indices.data(), 3};  // (2, 0)
  std::vector<double> scratch(2);
  const double second[] = {0, 5}, first[] = {3, 5};
  Votes votes;
  votes.move(x, 1, 0);
  votes.survive(1, 0);
  CHECK(votes.score(DenseRow<double>{second, 2, 1}, scratch, 0) == 0);
  CHECK(votes.score(DenseRow<double>{first, 2, 1}, scratch, 0) == 1);
  CHECK(votes.score(x, scratch, 0) == 1 && squared(scratch) == 0);
  Votes other;
  other.move(DenseRow<double>{second, 2, 1}, 1, 0);
  other.survive(1, 0);
  CHECK(other.score(x, scratch, 0) == 0);
}

TEST(private_features_equal_explicit_columns) {
  constexpr std::size_t count = 40, columns = 3;
  constexpr double delta = 0.5;
  for (bool intercept : {true, false}) {
    for_each_rule([&]<class R>(const R& rule) {
      Sample narrow = integer_noise(count, columns, 11);
      for (std::size_t i = 0; i < count; ++i) narrow.weights.push_back(i % 4 == 0 ? 2.5 : 1);
      narrow.duals.resize(count);
      Sample wide{columns + count, std::vector<double>(count * (columns + count)), narrow.codes, narrow.weights};
      for (std::size_t i = 0; i < count; ++i) {
        std::copy(narrow.row(i), narrow.row(i) + columns, wide.values.begin() + static_cast<std::ptrdiff_t>(i * wide.columns));
        wide.values[i * wide.columns + columns + i] = delta;
      }
      Hypothesis a = blank(columns), b = blank(wide.columns);
      for (int round = 0; round < 5; ++round) {
        const PassReport in_a = pass(narrow.rows(), narrow.batch(), rule, {intercept, false, delta}, Tie::mistake, a);
        const PassReport in_b = pass(wide.rows(), wide.batch(), rule, {intercept, false, 0}, Tie::mistake, b);
        CHECK(near(in_a.smallest_margin, in_b.smallest_margin, 1000) && in_a.mistaken == in_b.mistaken);
      }
      const std::vector<double> shared(b.weights.begin(), b.weights.begin() + columns);
      if constexpr (std::is_same_v<R, PerceptronRule>) {  // all its numbers are exact
        CHECK(same_bits(a.weights, shared) && same_bits(a.bias, b.bias) && near(a.margin_bound, b.margin_bound, 1e5));
        CHECK(same_bits(a.length2.value(), b.length2.value()) && same_bits(a.energy, b.energy) && a.updates == b.updates);
      }
      for (std::size_t j = 0; j < columns; ++j) CHECK(near(a.weights[j], b.weights[j], 1000));
      for (std::size_t i = 0; i < count; ++i)
        CHECK(near(narrow.label(i) * delta * narrow.duals[i], b.weights[columns + i], 1000));
      CHECK(same(a.mistakes, b.mistakes) && same(a.examples, b.examples) && near(a.bias, b.bias, 1000));
      CHECK(near(a.length2.value(), b.length2.value(), 1e5) &&
            near(a.length2.value(), squared(b.weights) + b.bias * b.bias, 1e5));
      CHECK(near(std::accumulate(narrow.duals.begin(), narrow.duals.end(), 0.0), a.steps.value(), 1000));
      CHECK(same_bits(a.squared_radius, b.squared_radius));
    });
  }
}

TEST(private_features_make_any_labels_separable) {
  Sample sample = integer_noise(40, 2, 12);
  sample.duals.resize(40);
  Hypothesis h = blank(2);
  CHECK(cycle(sample, PerceptronRule{}, {true, false, 1}, h) < 10'000);
  for (std::size_t i = 0; i < 40; ++i) CHECK(sample.label(i) * (dot(sample.row(i), h.weights) + h.bias) + sample.duals[i] > 0);
}

TEST(normalised_rows_have_length_one) {
  Sample sample{2, {3, 4, 0, 0}, {1, 1}};
  Hypothesis h = blank(2);
  pass(sample.rows(), sample.batch(0, 1), PerceptronRule{}, {false, true, 0}, Tie::mistake, h);
  CHECK(near(h.weights[0], 0.6) && near(h.weights[1], 0.8) && h.squared_radius == 1 && h.energy == 1 && h.bias == 0);
  pass(sample.rows(), sample.batch(1, 2), PerceptronRule{}, {false, true, 0}, Tie::mistake, h);
  CHECK(near(h.weights[0], 0.6) && h.energy == 1);  // the zero row stays the zero row
  h = blank(2);
  pass(sample.rows(), sample.batch(), PerceptronRule{}, {true, true, 2}, Tie::mistake, h);
  CHECK(near(h.bias, 1 / std::sqrt(26)) && h.squared_radius == 5);  // 1, and delta^2 = 4 beside it
}

TEST(the_margin_bound_only_falls_and_is_the_least_length_over_steps) {
  for_each_rule([](const auto& rule) {
    Sample sample = noise(300, 3, 18);
    Hypothesis h = blank(3);
    double bound = infinity;
    for (std::size_t i = 0; i < 300; ++i) {
      const auto updates = h.updates;
      pass(sample.rows(), sample.batch(i, i + 1), rule, {}, Tie::mistake, h);
      CHECK(h.margin_bound <= bound && (h.updates > updates || h.margin_bound == bound));
      const double length = std::sqrt(squared(h.weights) + h.bias * h.bias);
      if (h.updates > updates) CHECK(near(h.margin_bound, std::min(bound, length / h.steps.value()), 1e3));
      bound = h.margin_bound;
    }
    CHECK(near(h.length2.value(), squared(h.weights) + h.bias * h.bias, 1e3));
  });
}

TEST(a_stream_bounds_the_margin_of_every_separator) {
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    const double gamma = 0.05;
    Sample sample = separable(500, gamma, seed);
    Hypothesis h = blank(2);
    const Geometry geometry{.intercept = false};
    for (std::size_t i = 0; i < 500; ++i) {
      pass(sample.rows(), sample.batch(i, i + 1), PerceptronRule{}, geometry, Tie::mistake, h);
      CHECK(h.margin_bound >= gamma);
      CHECK(h.margin_bound <= std::sqrt(h.squared_radius / h.steps.value()) * (1 + 1e-12));
    }
    cycle(sample, PerceptronRule{}, geometry, h);
    CHECK(smallest_margin(sample, h) > 0);
    CHECK(static_cast<double>(h.updates) <= h.squared_radius / (gamma * gamma));  // Block and Novikoff
  }
}

TEST(the_margin_perceptron_halts_with_its_margin_within_its_bound) {
  for (double epsilon : {0.5, 0.25}) {
    const double gamma = 0.1;
    Sample sample = separable(200, gamma, 31);
    Hypothesis h = blank(2);
    cycle(sample, FixedMarginRule{(1 - epsilon) * gamma}, {.intercept = false}, h);
    CHECK(smallest_margin(sample, h) >= (1 - epsilon) * gamma * std::sqrt(squared(h.weights)) * (1 - 1e-12));
    const double ratio = std::sqrt(h.squared_radius) / (epsilon * gamma);
    CHECK(static_cast<double>(h.updates) <= 2 * ratio + 2 * ratio * ratio);
    CHECK(h.margin_bound >= gamma);
  }
}

TEST(the_dynamic_margin_halts_near_the_best_margin_unasked) {
  for (double epsilon : {0.5, 0.1}) {
    const double gamma = 0.1;
    Sample sample = separable(200, gamma, 32);
    Hypothesis h = blank(2);
    cycle(sample, DynamicMarginRule{epsilon}, {.intercept = false}, h);
    const double length = std::sqrt(squared(h.weights)), margin = smallest_margin(sample, h) / length;
    CHECK(margin >= (1 - epsilon) * gamma);
    CHECK(margin >= (1 - epsilon) * length / h.steps.value() * (1 - 1e-12) && margin <= h.margin_bound * (1 + 1e-12));
  }
}

TEST(a_passive_aggressive_step_leaves_the_example_at_margin_one) {
  Sample sample = noise(100, 4, 33);
  Hypothesis h = blank(4);
  for (std::size_t i = 0; i < 100; ++i) {
    pass(sample.rows(), sample.batch(i, i + 1), PassiveAggressiveRule{}, {}, Tie::mistake, h);
    CHECK(sample.label(i) * (dot(sample.row(i), h.weights) + h.bias) >= 1 - 1e-12);
  }
}

TEST(votes_hold_together_only_if_all_their_lengths_agree) {
  Votes good;
  good.offsets = {0, 2, 2};
  good.indices = {0, 3};
  good.values = {1, 2};
  good.steps = {1, -1};
  good.bias_steps = {1, -1};
  good.survived.resize(3);
  CHECK(good.is_consistent(4) && Votes{}.is_consistent(0));
  CHECK(!good.is_consistent(3));
  const auto broken = [&](auto&& change) {
    Votes votes = good;
    change(votes);
    return !votes.is_consistent(4);
  };
  CHECK(broken([](Votes& v) { v.offsets = {}; }));
  CHECK(broken([](Votes& v) { v.offsets = {0, 2}; }));
  CHECK(broken([](Votes& v) { v.offsets = {1, 2, 2}; }));
  CHECK(broken([](Votes& v) { v.offsets = {0, 3, 2}; }));
  CHECK(broken([](Votes& v) { v.offsets = {0, 1, 1}; }));
  CHECK(broken([](Votes& v) { v.offsets = {0, 2, 3}; }));
  CHECK(broken([](Votes& v) { v.offsets = {0, -5, 2}; }));
  CHECK(broken([](Votes& v) { v.indices = {0, 4}; }));
  CHECK(broken([](Votes& v) { v.indices = {-1, 3}; }));
  CHECK(broken([](Votes& v) { v.indices = {0}; }));
  CHECK(broken([](Votes& v) { v.values = {1, 2, 3}; }));
  CHECK(broken([](Votes& v) { v.steps = {1}; }));
  CHECK(broken([](Votes& v) { v.bias_steps = {}; }));
  CHECK(broken([](Votes& v) { v.survived.resize(2); }));
}
