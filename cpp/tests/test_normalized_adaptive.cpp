// NAG: runs against plain code, and what the scale of a column changes.
#include "second_order_samples.hpp"

namespace {

/// The algorithm of the paper, with the intercept last.
std::vector<double> plain_run(const Sample& sample, double rate, AdaptiveLoss loss) {
  const std::size_t n = sample.columns + 1;
  std::vector<double> w(n), scale(n), squares(n);
  double norms = 0;
  for (std::size_t i = 0; i < sample.count(); ++i) {
    const std::vector<double> u = with_one(sample, i);
    for (std::size_t j = 0; j < n; ++j)
      if (std::abs(u[j]) > scale[j]) {
        w[j] *= scale[j] / std::abs(u[j]);
        scale[j] = std::abs(u[j]);
      }
    for (std::size_t j = 0; j < n; ++j) norms += scale[j] > 0 ? u[j] * u[j] / (scale[j] * scale[j]) : 0;
    const double slope = slope_of(loss, sample.label(i), dot(u.data(), w)), time = static_cast<double>(i + 1);
    for (std::size_t j = 0; j < n; ++j) {
      squares[j] += slope * u[j] * slope * u[j];
      if (squares[j] > 0) w[j] -= rate * std::sqrt(time / norms) * slope * u[j] / (scale[j] * std::sqrt(squares[j]));
    }
  }
  return w;
}

void check_against_plain_code(AdaptiveLoss loss) {
  Sample sample = noise(300, 4, 17);
  for (std::size_t i = 0; i < sample.count(); ++i) sample.values[4 * i + 1] *= 1e3;
  Hypothesis h = second_order(NormalizedState{}, 4);
  pass(sample.rows(), sample.batch(), NormalizedAdaptiveRule{0.3, loss}, {}, Tie::mistake, h);
  CHECK(all_near(with_bias(h), plain_run(sample, 0.3, loss), 1e-9));
}

}  // namespace

TEST(runs_of_normalized_adaptive_agree_with_plain_code) {
  check_against_plain_code(AdaptiveLoss::logistic);
  check_against_plain_code(AdaptiveLoss::hinge);
  check_against_plain_code(AdaptiveLoss::squared);
}

TEST(columns_times_powers_of_two_change_no_gradient) {
  Sample sample = noise(200, 3, 23), scaled = sample;
  for (std::size_t i = 0; i < sample.count(); ++i) {
    scaled.values[3 * i] *= 0x1p40;
    scaled.values[3 * i + 2] *= 0x1p-25;
  }
  Hypothesis a = second_order(NormalizedState{}, 3), b = second_order(NormalizedState{}, 3);
  for (auto [s, h] : {std::pair{&sample, &a}, std::pair{&scaled, &b}})
    pass(s->rows(), s->batch(), NormalizedAdaptiveRule{}, {}, Tie::mistake, *h);
  CHECK(same_bits(a.weights[0], b.weights[0] * 0x1p40) && same_bits(a.weights[1], b.weights[1]));
  CHECK(same_bits(a.weights[2], b.weights[2] * 0x1p-25) && same_bits(a.bias, b.bias) && same(a.mistakes, b.mistakes));
}

TEST(weights_stay_finite_at_any_scale) {
  Random random{5};
  Hypothesis h = second_order(NormalizedState{}, 3);
  for (int k = 0; k < 2000; ++k) {
    Sample sample{3, {}, {static_cast<std::int32_t>(random.below(2))}};
    for (int j = 0; j < 3; ++j) sample.values.push_back(std::ldexp(real(random), static_cast<int>(random.below(600)) - 300));
    pass(sample.rows(), sample.batch(), NormalizedAdaptiveRule{0.5, AdaptiveLoss::squared}, {}, Tie::mistake, h);
    for (double weight : with_bias(h)) CHECK(std::isfinite(weight));
  }
}
