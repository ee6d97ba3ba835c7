// Learners that forget: by the definition, written with weights that are multiplied at every step.
#include "novikoff/forgetting.hpp"
#include "samples.hpp"

namespace {

Hypothesis forgetful(std::size_t columns, double forget, double fade) {
  Hypothesis h;
  h.memory = Memory{forget, fade};
  h.resize(columns);
  return h;
}

bool same_memory(const Hypothesis& a, const Hypothesis& b) {
  return same_bits(a.weights, b.weights) && same_bits(a.bias, b.bias) && same(a.examples, b.examples) &&
         same(a.mistakes, b.mistakes) && same(a.steps, b.steps) && a.updates == b.updates &&
         same_bits(a.length2.sum, b.length2.sum) && same_bits(a.length2.carry, b.length2.carry) &&
         same_bits(a.margin_bound, b.margin_bound) && same_bits(a.rounding, b.rounding) &&
         same_bits(a.memory->scale, b.memory->scale) && same_bits(a.memory->longest, b.memory->longest);
}

/// v, the sum of what is remembered of all steps, and the largest |v| after an update.
struct PlainForgetting {
  std::vector<double> v;  // the intercept last
  double remembered = 0, longest = 0, mistakes = 0;
};

PlainForgetting by_definition(const Sample& sample, const auto& rule, double forget, double fade) {
  PlainForgetting found{std::vector<double>(sample.columns + 1)};
  const auto shrink = [&](double kept) {
    for (double& value : found.v) value *= kept;
    found.remembered *= kept;
  };
  for (std::size_t i = 0; i < sample.count(); ++i) {
    std::vector<double> u(sample.row(i), sample.row(i) + sample.columns);
    u.push_back(1);
    const double y = sample.label(i);
    const auto input = [&] { return RuleInput{y, dot(u.data(), found.v), squared(u), 1, squared(found.v), found.remembered}; };
    shrink(fade);
    found.mistakes += is_mistake(y, input().score, Tie::mistake);
    if (rule.step(input()) == 0) continue;
    shrink(1 - forget);
    const double tau = rule.step(input());
    for (std::size_t j = 0; j < u.size(); ++j) found.v[j] += tau * y * u[j];
    found.remembered += tau;
    found.longest = std::max(found.longest, std::sqrt(squared(found.v)));
  }
  return found;
}

void for_each_way(auto&& use) {
  for (const auto& [forget, fade] : {std::pair{0.0, 0.9}, {0.1, 1.0}, {0.05, 0.999}, {0.9, 0.01}, {0.0, 0x1p-50}})
    use(forget, fade);
}

}  // namespace

TEST(a_learner_that_forgets_follows_the_definition) {
  for_each_way([](double forget, double fade) {
    for_each_rule([&](const auto& rule) {
      Sample sample = noise(300, 4, 71);  // so many that the scale is moved into the weights, except if little is forgotten
      Hypothesis h = forgetful(4, forget, fade);
      pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, h);
      const PlainForgetting plain = by_definition(sample, rule, forget, fade);
      const double size = 1e-9 * (1 + plain.longest);
      for (std::size_t j = 0; j < 4; ++j) CHECK(std::abs(h.scale() * h.weights[j] - plain.v[j]) < size);
      CHECK(std::abs(h.scale() * h.bias - plain.v[4]) < size);
      CHECK(std::abs(h.scale() * h.steps.value() - plain.remembered) < 1e-9 * (1 + plain.remembered));
      CHECK(h.memory->longest >= plain.longest - size && h.memory->longest < plain.longest * (1 + 1e-6));
      CHECK(h.mistakes.value() == plain.mistakes && h.memory->scale >= Memory::unit && h.memory->scale <= 1);
      const double length = std::sqrt(squared(plain.v));
      CHECK(h.margin_bound <= length / plain.remembered * (1 + 1e-6) + 1e-9 || plain.remembered == 0);
    });
  });
}

TEST(forgetting_is_the_same_however_a_stream_is_cut) {
  for_each_way([](double forget, double fade) {
    Sample sample = noise(120, 3, 72);
    Hypothesis whole = forgetful(3, forget, fade);
    pass(sample.rows(), sample.batch(), PassiveAggressiveIRule{0.3}, {}, Tie::mistake, whole);
    for (std::size_t cut : {0, 1, 59, 120}) {
      Hypothesis parts = forgetful(3, forget, fade);
      pass(sample.rows(), sample.batch(0, cut), PassiveAggressiveIRule{0.3}, {}, Tie::mistake, parts);
      pass(sample.rows(), sample.batch(cut, 120), PassiveAggressiveIRule{0.3}, {}, Tie::mistake, parts);
      CHECK(same_memory(whole, parts));
    }
  });
}

TEST(a_weight_of_3_is_three_copies_also_if_they_are_forgotten) {
  for_each_way([](double forget, double fade) {
    for_each_rule([&](const auto& rule) {
      Sample once = noise(40, 3, 73), copies{3, {}, {}};
      once.weights.assign(40, 3.0);
      for (std::size_t i = 0; i < 120; ++i) {
        copies.values.insert(copies.values.end(), once.row(i / 3), once.row(i / 3) + 3);
        copies.codes.push_back(once.codes[i / 3]);
      }
      Hypothesis a = forgetful(3, forget, fade), b = forgetful(3, forget, fade);
      pass(once.rows(), once.batch(), rule, {}, Tie::mistake, a);
      pass(copies.rows(), copies.batch(), rule, {}, Tie::mistake, b);
      CHECK(same_memory(a, b));
    });
  });
}

TEST(a_fraction_of_an_example_forgets_that_fraction) {
  const Memory memory{0.2, 0.5};
  CHECK(memory.kept_by_example(1) == 0.5 && memory.kept_by_example(0.5) == 0.75 && memory.kept_by_update(0.5) == 0.9);
}

TEST(scores_are_those_of_the_weights_that_are_left) {
  Sample sample = noise(50, 3, 74);
  Hypothesis h = forgetful(3, 0.1, 0.9);
  pass(sample.rows(), sample.batch(), PerceptronRule{}, {}, Tie::mistake, h);
  std::vector<double> scratch;
  for (std::size_t i = 0; i < 50; ++i) {
    const double expected = h.scale() * (dot(sample.row(i), h.weights) + h.bias);
    CHECK(near(score(h, sample.rows()[i], 3, Tie::mistake, scratch), expected));
    CHECK(near(score(h, sample.rows()[i], 5, Tie::mistake, scratch), expected));  // more columns than it has seen
  }
}

TEST(weights_that_fade_to_nothing_are_0_and_learn_again) {
  Hypothesis h = forgetful(1, 0, 0x1p-40);
  Sample zeros{1, std::vector<double>(60), std::vector<std::int32_t>(60, 1)}, ones{1, {1.0}, {1}};
  pass(ones.rows(), ones.batch(), PerceptronRule{}, {.intercept = false}, Tie::mistake, h);
  CHECK(h.scale() * h.weights[0] == 1 && h.memory->longest >= 1);
  pass(zeros.rows(), zeros.batch(), PerceptronRule{Tie::positive}, {.intercept = false}, Tie::positive, h);
  CHECK(h.weights[0] == 0 && h.memory->scale >= Memory::unit);
  pass(ones.rows(), ones.batch(), PerceptronRule{}, {.intercept = false}, Tie::mistake, h);
  CHECK(near(h.scale() * h.weights[0], 1));
}
