// The online learners: one loop, what it counts, and what it can prove of the stream.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "novikoff/count.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/votes.hpp"

using check::near;
using check::same_bits;
using namespace novikoff;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Rows with their labels (code 1 is positive) and all that may stand beside them.
struct Sample {
  std::size_t columns;
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  std::vector<double> weights{};
  std::vector<std::int64_t> order{};
  std::vector<double> duals{};
  std::vector<double> squared_norms{};

  std::size_t count() const { return codes.size(); }
  const double* row(std::size_t i) const { return values.data() + i * columns; }
  double label(std::size_t i) const { return codes[i] == 1 ? 1.0 : -1.0; }
  DenseRows<double> rows() const { return {values.data(), count(), columns, static_cast<std::ptrdiff_t>(columns), 1}; }
  Batch batch() { return batch(0, order.empty() ? count() : order.size()); }
  Batch batch(std::size_t begin, std::size_t end) {
    squared_norms.resize(count());
    CHECK(examine(rows(), 0, count(), squared_norms) == count());
    return {codes, weights, squared_norms, order, duals, begin, end};
  }
};

std::vector<std::int32_t> coin_flips(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<std::int32_t> codes(count);
  for (auto& code : codes) code = static_cast<std::int32_t>(random.below(2));
  return codes;
}

Sample noise(std::size_t count, std::size_t columns, std::uint64_t seed) {
  return {columns, reals(count * columns, seed), coin_flips(count, seed + 1)};
}

Sample integer_noise(std::size_t count, std::size_t columns, std::uint64_t seed) {
  return {columns, small_integers(count * columns, seed), coin_flips(count, seed + 1)};
}

/// Points of the plane, at least `gamma` from the line with normal (0.6, 0.8) through the origin.
Sample separable(std::size_t count, double gamma, std::uint64_t seed) {
  Random random{seed};
  Sample sample{2, {}, {}};
  while (sample.count() < count) {
    const double x = real(random), y = real(random), side = 0.6 * x + 0.8 * y;
    if (std::abs(side) < gamma) continue;
    sample.values.insert(sample.values.end(), {x, y});
    sample.codes.push_back(side > 0 ? 1 : 0);
  }
  return sample;
}

Hypothesis blank(std::size_t columns) {
  Hypothesis h;
  h.average.emplace();
  h.votes.emplace();
  h.resize(columns);
  return h;
}

bool same(const Count& a, const Count& b) { return a.whole == b.whole && same_bits(a.part, b.part); }

/// Every bit but those of the energy and of the votes.
bool same(const Hypothesis& a, const Hypothesis& b) {
  return same_bits(a.weights, b.weights) && same_bits(a.bias, b.bias) && same_bits(a.average->weights, b.average->weights) &&
         same_bits(a.average->bias, b.average->bias) && same(a.examples, b.examples) && same(a.mistakes, b.mistakes) &&
         same(a.positives, b.positives) && same(a.steps, b.steps) && a.updates == b.updates &&
         same_bits(a.length2.sum, b.length2.sum) && same_bits(a.length2.carry, b.length2.carry) &&
         same_bits(a.squared_radius, b.squared_radius) && same_bits(a.margin_bound, b.margin_bound);
}

bool same(const Votes& a, const Votes& b) {
  return a.offsets == b.offsets && a.indices == b.indices && same_bits(a.values, b.values) && same_bits(a.steps, b.steps) &&
         same_bits(a.bias_steps, b.bias_steps) &&
         std::ranges::equal(a.survived, b.survived, [](auto& p, auto& q) { return same(p, q); });
}

bool same_in_all(const Hypothesis& a, const Hypothesis& b) {
  return same(a, b) && same(*a.votes, *b.votes) && same_bits(a.energy, b.energy);
}

double squared(std::span<const double> v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0); }

double dot(const double* a, const std::vector<double>& b) { return std::inner_product(b.begin(), b.end(), a, 0.0); }

double smallest_margin(const Sample& sample, const Hypothesis& h) {
  double smallest = infinity;
  for (std::size_t i = 0; i < sample.count(); ++i)
    smallest = std::min(smallest, sample.label(i) * (dot(sample.row(i), h.weights) + h.bias));
  return smallest;
}

void for_each_rule(auto&& use) {
  use(PerceptronRule{});
  use(FixedMarginRule{0.1});
  use(DynamicMarginRule{0.5});
  use(PassiveAggressiveRule{});
  use(PassiveAggressiveIRule{0.3});
  use(PassiveAggressiveIIRule{0.3});
}

/// Passes over the sample until nothing moves; the number of passes.
int cycle(Sample& sample, const auto& rule, const Geometry& geometry, Hypothesis& h) {
  int passes = 1;
  while (pass(sample.rows(), sample.batch(), rule, geometry, Tie::mistake, h).moved && passes < 100'000) ++passes;
  return passes;
}

/// The perceptron as the notes have it, every hypothesis written down: v_t is the one after example t.
struct History {
  std::vector<std::vector<double>> vectors;  // the intercept last
  std::vector<double> weights;
};

History perceptron_history(const Sample& sample, Tie tie) {
  History history;
  std::vector<double> v(sample.columns + 1);
  for (std::size_t i = 0; i < sample.count(); ++i) {
    std::vector<double> u(sample.row(i), sample.row(i) + sample.columns);
    u.push_back(1);
    const double weight = sample.weights.empty() ? 1 : sample.weights[i];
    if (is_mistake(sample.label(i), dot(u.data(), v), tie))
      for (std::size_t j = 0; j < v.size(); ++j) v[j] += weight * sample.label(i) * u[j];
    history.vectors.push_back(v);
    history.weights.push_back(weight);
  }
  return history;
}

}  // namespace

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
  const std::vector<std::int64_t> indices{1, 0, 1};
  const SparseRow<double, std::int64_t> x{values.data(), indices.data(), 3};  // (2, 0)
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

TEST(an_order_is_the_same_as_rows_that_lie_so) {
  for_each_rule([](const auto& rule) {
    Sample ordered = noise(50, 4, 13), moved{4, {}, {}};
    ordered.weights = reals(50, 14);
    for (double& weight : ordered.weights) weight = 1.5 + weight;
    for (std::int64_t i : {7, 3, 49, 3, 0, 21}) ordered.order.push_back(i);  // any rows, any number of times
    for (std::int64_t i = 49; i >= 10; --i) ordered.order.push_back(i);
    for (std::int64_t i : ordered.order) {
      const auto row = static_cast<std::size_t>(i);
      moved.values.insert(moved.values.end(), ordered.row(row), ordered.row(row) + 4);
      moved.codes.push_back(ordered.codes[row]);
      moved.weights.push_back(ordered.weights[row]);
    }
    Hypothesis a = blank(4), b = blank(4);
    pass(ordered.rows(), ordered.batch(), rule, {}, Tie::mistake, a);
    pass(moved.rows(), moved.batch(), rule, {}, Tie::mistake, b);
    CHECK(same_in_all(a, b));

    a = blank(4), b = blank(4);
    pass(ordered.rows(), ordered.batch(5, 20), rule, {}, Tie::mistake, a);
    pass(moved.rows(), moved.batch(5, 20), rule, {}, Tie::mistake, b);
    CHECK(same_in_all(a, b) && a.updates > 0);
  });
}

TEST(a_pass_may_be_cut_anywhere) {
  for_each_rule([](const auto& rule) {
    Sample sample = noise(60, 4, 15);
    Hypothesis whole = blank(4);
    const PassReport report = pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, whole);
    for (std::size_t cut : {0, 1, 8, 30, 59, 60}) {
      Hypothesis parts = blank(4);
      const PassReport head = pass(sample.rows(), sample.batch(0, cut), rule, {}, Tie::mistake, parts);
      const PassReport tail = pass(sample.rows(), sample.batch(cut, 60), rule, {}, Tie::mistake, parts);
      CHECK(same_in_all(whole, parts));
      CHECK(same_bits(report.smallest_margin, std::min(head.smallest_margin, tail.smallest_margin)));
      CHECK(report.moved == (head.moved || tail.moved) && report.mistaken == (head.mistaken || tail.mistaken));
    }
  });
}

TEST(reports_of_the_parts_add_up) {
  Sample sample = noise(60, 4, 16);
  Hypothesis whole = blank(4), parts = blank(4);
  const PassReport report = pass(sample.rows(), sample.batch(), PerceptronRule{}, {}, Tie::mistake, whole);
  PassReport sum;
  CHECK(!sum.moved && !sum.mistaken && sum.smallest_margin == infinity);
  for (std::size_t i = 0; i < 60; i += 20)
    sum.add(pass(sample.rows(), sample.batch(i, i + 20), PerceptronRule{}, {}, Tie::mistake, parts));
  CHECK(same_in_all(whole, parts) && sum.moved && sum.mistaken && same_bits(sum.smallest_margin, report.smallest_margin));
  sum.add(PassReport{});
  CHECK(sum.moved && sum.mistaken && same_bits(sum.smallest_margin, report.smallest_margin));
}

TEST(unseen_rows_learn_the_same_as_examined_ones) {
  for (std::size_t count : std::vector<std::size_t>{0, 1, 63, 64, 65, 1000}) {
    for (bool backwards : {false, true}) {
      Sample sample = noise(count, 3, 39);
      for (std::size_t i = count; backwards && i-- > 0;) sample.order.push_back(static_cast<std::int64_t>(i));
      Learner seen{PerceptronRule{}, {}, Tie::mistake, {blank(3)}}, unseen = seen;
      const Batch batch = sample.batch();
      const PassReport report = seen.learn(0, sample.rows(), batch);
      std::vector<double> norms(count, -1);
      PassReport unseen_report;
      Batch unexamined = batch;
      unexamined.squared_norms = norms;
      CHECK(unseen.learn_unseen(0, sample.rows(), unexamined, norms, unseen_report) == count);
      CHECK(same_bits(norms, sample.squared_norms) && same_in_all(seen.questions[0], unseen.questions[0]));
      CHECK(report.moved == unseen_report.moved && report.mistaken == unseen_report.mistaken);
      CHECK(same_bits(report.smallest_margin, unseen_report.smallest_margin));
    }
  }
}

TEST(a_bad_row_of_any_block_is_found) {
  constexpr std::size_t block = 64, count = 3 * block;
  for (std::size_t bad : {std::size_t{0}, block - 1, block, 2 * block + 7, count - 1}) {
    Sample sample = noise(count, 2, 40);
    sample.values[2 * bad] = not_a_number;
    sample.weights.assign(count, 1);
    sample.weights[bad] = 0;  // no excuse
    std::vector<double> norms(count);
    PassReport report;
    Learner learner{PerceptronRule{}, {}, Tie::mistake, {blank(2)}};
    const Batch batch{sample.codes, sample.weights, norms, {}, {}, 0, count};
    CHECK(learner.learn_unseen(0, sample.rows(), batch, norms, report) == bad);
    CHECK(learner.questions[0].examples.whole == static_cast<std::int64_t>(bad / block * block));  // the blocks before it
  }
}

namespace {

/// Whether rows are examined up to the bad one and no further, and nothing is learned from its block.
template <class Rows>
bool stops_at(const Rows& rows, std::size_t bad) {
  const std::vector<std::int32_t> codes = coin_flips(rows.count, 17);
  std::vector<double> norms(rows.count, -1);
  bool ok = examine(rows, 0, rows.count, norms) == bad;
  for (std::size_t i = 0; i < rows.count; ++i) ok &= i < bad ? norms[i] >= 0 : i == bad || norms[i] == -1;
  ok &= examine(rows, 0, bad, norms) == bad && examine(rows, bad + 1, rows.count, norms) == rows.count;

  std::vector<std::int64_t> order(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) order[i] = static_cast<std::int64_t>(rows.count - 1 - i);
  for (std::span<const std::int64_t> visited : {std::span<const std::int64_t>{}, std::span<const std::int64_t>{order}}) {
    Learner learner{PerceptronRule{}, {}, Tie::mistake, {blank(rows.columns)}};
    PassReport report;
    ok &= learner.learn_unseen(0, rows, {codes, {}, norms, visited, {}, 0, rows.count}, norms, report) == bad;
    ok &= same_in_all(learner.questions[0], blank(rows.columns)) && !report.moved;
  }
  return ok;
}

template <class T>
bool dense_stops_at(std::size_t bad, double value) {
  std::vector<T> values(60);
  for (std::size_t k = 0; k < 60; ++k) values[k] = static_cast<T>(k % 7) - T{3};
  values[3 * bad + 1] = static_cast<T>(value);
  return stops_at(DenseRows<T>{values.data(), 20, 3, 3, 1}, bad);
}

/// Twenty rows of three entries in five columns, one entry of one row replaced.
template <class T, class I>
bool sparse_stops_at(std::size_t bad, std::size_t entry, double value, std::int64_t index, bool sorted) {
  std::vector<T> values(60);
  std::vector<I> indices(60), offsets(21);
  for (std::size_t k = 0; k < 60; ++k) {
    values[k] = static_cast<T>(k % 7) - T{3};
    indices[k] = static_cast<I>(sorted ? k % 3 + 1 : 3 - k % 3);
    offsets[k / 3 + 1] = static_cast<I>(3 * (k / 3 + 1));
  }
  values[3 * bad + entry] = static_cast<T>(value);
  indices[3 * bad + entry] = static_cast<I>(index);
  return stops_at(CsrRows<T, I>{values.data(), indices.data(), offsets.data(), 20, 5}, bad);
}

}  // namespace

TEST(a_dense_row_that_is_not_finite_is_bad) {
  for (std::size_t bad : {0, 1, 11, 19}) {
    for (double value : {not_a_number, infinity, -infinity}) {
      CHECK(dense_stops_at<double>(bad, value));
      CHECK(dense_stops_at<float>(bad, value));
    }
    CHECK(dense_stops_at<double>(bad, 1e200));  // finite itself; its square is not
    CHECK(!dense_stops_at<double>(bad, 1e150));
    CHECK(!dense_stops_at<float>(bad, 1e38));
  }
}

TEST(a_sparse_row_that_is_not_finite_or_out_of_bounds_is_bad) {
  const auto check = []<class T, class I>(T, I) {
    for (std::size_t bad : {0, 11, 19}) {
      for (bool sorted : {true, false}) {
        for (double value : {not_a_number, infinity, -infinity}) CHECK(sparse_stops_at<T, I>(bad, 1, value, 2, sorted));
        CHECK(sparse_stops_at<T, I>(bad, sorted ? 2 : 0, 1, 5, sorted));
        CHECK(sparse_stops_at<T, I>(bad, sorted ? 0 : 2, 1, -1, sorted));
        CHECK(sparse_stops_at<T, I>(bad, 1, 1, 5, sorted));  // out of order, too
        CHECK(sparse_stops_at<T, I>(bad, 1, 1, std::numeric_limits<I>::max(), sorted));
        CHECK(sparse_stops_at<T, I>(bad, 1, 1, std::numeric_limits<I>::min(), sorted));
        CHECK(!sparse_stops_at<T, I>(bad, 1, 1, 4, sorted));
        CHECK(!sparse_stops_at<T, I>(bad, 1, 1, 0, sorted));
      }
    }
  };
  check(float{}, std::int32_t{});
  check(double{}, std::int32_t{});
  check(float{}, std::int64_t{});
  check(double{}, std::int64_t{});
  CHECK((sparse_stops_at<double, std::int32_t>(7, 1, 1e200, 2, true)));
  CHECK((sparse_stops_at<double, std::int32_t>(7, 1, infinity, 3, false)));  // a repeated index
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

TEST(all_layouts_and_types_learn_the_same_hypothesis) {
  Sample sample = integer_noise(50, 6, 34);
  for (std::size_t k = 0; k < sample.values.size(); k += 3) sample.values[k] = 0;
  const std::vector<float> floats(sample.values.begin(), sample.values.end());
  std::vector<double> f_order(300), nonzeros;
  std::vector<float> float_nonzeros;
  std::vector<std::int32_t> columns32, offsets32{0};
  std::vector<std::int64_t> columns64, offsets64{0};
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const double value = sample.row(i)[j];
      f_order[50 * j + i] = value;
      if (value == 0) continue;
      nonzeros.push_back(value);
      float_nonzeros.push_back(static_cast<float>(value));
      columns32.push_back(static_cast<std::int32_t>(j));
      columns64.push_back(static_cast<std::int64_t>(j));
    }
    offsets32.push_back(static_cast<std::int32_t>(nonzeros.size()));
    offsets64.push_back(static_cast<std::int64_t>(nonzeros.size()));
  }
  const std::vector<AnyRows> layouts{
      sample.rows(),
      DenseRows<double>{f_order.data(), 50, 6, 1, 50},
      DenseRows<float>{floats.data(), 50, 6, 6, 1},
      CsrRows<double, std::int32_t>{nonzeros.data(), columns32.data(), offsets32.data(), 50, 6},
      CsrRows<double, std::int64_t>{nonzeros.data(), columns64.data(), offsets64.data(), 50, 6},
      CsrRows<float, std::int32_t>{float_nonzeros.data(), columns32.data(), offsets32.data(), 50, 6},
      CsrRows<float, std::int64_t>{float_nonzeros.data(), columns64.data(), offsets64.data(), 50, 6},
  };
  for_each_rule([&]<class R>(const R& rule) {
    if constexpr (std::is_same_v<R, PassiveAggressiveRule> || std::is_same_v<R, PassiveAggressiveIIRule> ||
                  std::is_same_v<R, PassiveAggressiveIRule>)
      return;  // their steps are not exact
    std::vector<Hypothesis> learned;
    for (const AnyRows& rows : layouts) {
      Learner learner{rule, {}, Tie::mistake, {blank(0)}};
      learner.learn(0, rows, sample.batch());
      learned.push_back(learner.questions[0]);
    }
    for (Hypothesis& h : learned) {
      CHECK(near(h.margin_bound, learned[0].margin_bound, 1e5));  // what is allowed for rounding goes by the terms of a row
      h.margin_bound = learned[0].margin_bound;
      CHECK(same_in_all(h, learned[0]) && h.updates > 0 && h.weights.size() == 6);
    }
  });
}

TEST(one_example_at_a_time_equals_a_pass_for_every_class) {
  Sample sample = noise(60, 4, 35);
  Random random{36};
  for (auto& code : sample.codes) code = static_cast<std::int32_t>(random.below(3));
  sample.weights = reals(60, 37);
  for (double& weight : sample.weights) weight = 1 + weight;
  for_each_rule([&](const auto& rule) {
    Learner batch{rule, {}, Tie::mistake, {blank(0), blank(0), blank(0), blank(0)}}, single = batch;
    for (Learner* learner : {&batch, &single})
      for (std::int32_t code = 0; code < 4; ++code) learner->questions[static_cast<std::size_t>(code)].positive = code - 1;
    for (std::size_t question = 0; question < 4; ++question) batch.learn(question, sample.rows(), sample.batch());
    for (std::size_t i = 0; i < 60; ++i)
      single.learn_one(sample.rows()[i], 4, sample.squared_norms[i], sample.codes[i], sample.weights[i]);
    for (std::size_t question = 0; question < 4; ++question)
      CHECK(same_in_all(batch.questions[question], single.questions[question]));
    CHECK(batch.questions[0].positives.value() == 0);  // -1 is no class at all
    CHECK(
        near(batch.questions[1].positives.value() + batch.questions[2].positives.value() + batch.questions[3].positives.value(),
             batch.questions[0].examples.value(), 100));
  });
}

TEST(late_columns_start_at_zero_and_keep_the_rest) {
  const std::vector<double> early{1, 2}, late{1, 2, 3, 4};
  Learner learner{PerceptronRule{}, {}, Tie::mistake, {blank(0)}};
  Hypothesis& h = learner.questions[0];
  learner.learn_one(DenseRow<double>{early.data(), 2, 1}, 2, 5, 1, 1);
  CHECK((h.weights == early));
  learner.learn_one(DenseRow<double>{late.data(), 4, 1}, 4, 30, 0, 1);
  CHECK((h.weights == std::vector<double>{0, 0, -3, -4}) && h.bias == 0 && h.average->weights.size() == 4);
  h.resize(1);
  CHECK(h.weights.size() == 4);
}

TEST(a_learner_scores_by_vote_or_average_or_its_last_vector) {
  Sample sample = noise(60, 3, 38);
  Learner learner{PerceptronRule{}, {}, Tie::mistake, {blank(0)}};
  Hypothesis& h = learner.questions[0];
  learner.learn(0, sample.rows(), sample.batch());
  std::vector<double> scratch(3);
  const auto x = sample.rows()[5];
  CHECK(same_bits(score(h, x, learner.tie, scratch), h.votes->score(x, scratch, 0)));
  h.votes.reset();
  const Hypothesis::AveragedVector v{h};
  CHECK(near(score(h, x, learner.tie, scratch), x.values[0] * v[0] + x.values[1] * v[1] + x.values[2] * v[2] + v.bias(), 100));
  h.average.reset();
  CHECK(near(score(h, x, learner.tie, scratch), dot(x.values, h.weights) + h.bias, 100));
}

TEST(hypotheses_of_no_opinion_vote_positive_when_ties_do) {
  const double x = 1;
  std::vector<double> scratch(1);
  for (Tie tie : {Tie::mistake, Tie::positive}) {
    Learner learner{PerceptronRule{tie}, {}, tie, {blank(1)}};
    learner.questions[0].votes->survive(1, 0);
    CHECK(score(learner.questions[0], DenseRow<double>{&x, 1, 1}, tie, scratch) == (tie == Tie::positive ? 1 : 0));
  }
}

int main() { return check::run_all(); }
