// Rows with labels for the tests of the online learners, and whether two learners are the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "novikoff/count.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/random.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/votes.hpp"

using check::near;
using check::same_bits;
using namespace novikoff;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

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

inline std::vector<std::int32_t> coin_flips(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<std::int32_t> codes(count);
  for (auto& code : codes) code = static_cast<std::int32_t>(random.below(2));
  return codes;
}

inline Sample noise(std::size_t count, std::size_t columns, std::uint64_t seed) {
  return {columns, reals(count * columns, seed), coin_flips(count, seed + 1)};
}

inline Sample integer_noise(std::size_t count, std::size_t columns, std::uint64_t seed) {
  return {columns, small_integers(count * columns, seed), coin_flips(count, seed + 1)};
}

/// Points of the plane, at least `gamma` from the line with normal (0.6, 0.8) through the origin.
inline Sample separable(std::size_t count, double gamma, std::uint64_t seed) {
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

inline Hypothesis blank(std::size_t columns) {
  Hypothesis h;
  h.average.emplace();
  h.votes.emplace();
  h.resize(columns);
  return h;
}

inline bool same(const Count& a, const Count& b) { return a.whole == b.whole && same_bits(a.part, b.part); }

/// Every bit but those of the energy and of the votes.
inline bool same(const Hypothesis& a, const Hypothesis& b) {
  return same_bits(a.weights, b.weights) && same_bits(a.bias, b.bias) && same_bits(a.average->weights, b.average->weights) &&
         same_bits(a.average->bias, b.average->bias) && same(a.examples, b.examples) && same(a.mistakes, b.mistakes) &&
         same(a.positives, b.positives) && same(a.steps, b.steps) && a.updates == b.updates &&
         same_bits(a.length2.sum, b.length2.sum) && same_bits(a.length2.carry, b.length2.carry) &&
         same_bits(a.squared_radius, b.squared_radius) && same_bits(a.margin_bound, b.margin_bound);
}

inline bool same(const Votes& a, const Votes& b) {
  return a.offsets == b.offsets && a.indices == b.indices && same_bits(a.values, b.values) && same_bits(a.steps, b.steps) &&
         same_bits(a.bias_steps, b.bias_steps) &&
         std::ranges::equal(a.survived, b.survived, [](auto& p, auto& q) { return same(p, q); });
}

inline bool same_in_all(const Hypothesis& a, const Hypothesis& b) {
  return same(a, b) && same(*a.votes, *b.votes) && same_bits(a.energy, b.energy);
}

inline double squared(std::span<const double> v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0); }

inline double dot(const double* a, const std::vector<double>& b) { return std::inner_product(b.begin(), b.end(), a, 0.0); }

inline double smallest_margin(const Sample& sample, const Hypothesis& h) {
  double smallest = infinity;
  for (std::size_t i = 0; i < sample.count(); ++i)
    smallest = std::min(smallest, sample.label(i) * (dot(sample.row(i), h.weights) + h.bias));
  return smallest;
}

inline void for_each_rule(auto&& use) {
  use(PerceptronRule{});
  use(FixedMarginRule{0.1});
  use(DynamicMarginRule{0.5});
  use(PassiveAggressiveRule{});
  use(PassiveAggressiveIRule{0.3});
  use(PassiveAggressiveIIRule{0.3});
}

/// Passes over the sample until nothing moves; the number of passes.
inline int cycle(Sample& sample, const auto& rule, const Geometry& geometry, Hypothesis& h) {
  int passes = 1;
  while (pass(sample.rows(), sample.batch(), rule, geometry, Tie::mistake, h).moved && passes < 100'000) ++passes;
  return passes;
}

/// The perceptron as the notes have it, every hypothesis written down: v_t is the one after example t.
struct History {
  std::vector<std::vector<double>> vectors;  // the intercept last
  std::vector<double> weights;
};

inline History perceptron_history(const Sample& sample, Tie tie) {
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
