// AROW with one variance per column: each update is the minimum that defines it, and runs agree with plain code.
#include "second_order_samples.hpp"

namespace {

/// Twice the objective of an update, without constants.
double objective(const std::vector<double>& w, const std::vector<double>& variance, const std::vector<double>& old_w,
                 const std::vector<double>& old_variance, const std::vector<double>& u, double y, double r) {
  double sum = 0, margin = 0, spread = 0;
  for (std::size_t j = 0; j < u.size(); ++j) {
    const double step = w[j] - old_w[j];
    sum += (variance[j] + step * step) / old_variance[j] - std::log(variance[j]);
    margin += y * w[j] * u[j];
    spread += variance[j] * u[j] * u[j];
  }
  const double loss = std::max(0.0, 1 - margin);
  return sum + (loss * loss + spread) / r;
}

std::vector<double> variances_of(const Hypothesis& h) {
  const auto& state = std::get<DiagonalVariance>(h.second->state);
  std::vector<double> variances;
  for (const auto& column : state.columns) variances.push_back(column.variance);
  variances.push_back(state.bias.variance);
  return variances;
}

}  // namespace

TEST(each_update_is_the_minimum_of_its_objective) {
  Sample sample = noise(60, 3, 1);
  Hypothesis h = second_order(DiagonalVariance{}, 3);
  Random random{2};
  for (std::size_t i = 0; i < sample.count(); ++i) {
    const double r = 0.7, y = sample.label(i);
    const std::vector<double> w = with_bias(h), variance = variances_of(h), u = with_one(sample, i);
    if (!pass(sample.rows(), sample.batch(i, i + 1), DiagonalArowRule{r, 0}, {}, Tie::mistake, h).moved) continue;
    const std::vector<double> best_w = with_bias(h), best_variance = variances_of(h);
    const double best = objective(best_w, best_variance, w, variance, u, y, r);
    for (int k = 0; k < 40; ++k) {
      std::vector<double> other_w = best_w, other_variance = best_variance;
      const double size = std::exp(-10.0 * (k % 2));
      for (double& value : other_w) value += size * real(random);
      for (double& value : other_variance) value *= std::exp(size * real(random));
      CHECK(objective(other_w, other_variance, w, variance, u, y, r) >= best - 1e-12 * std::abs(best));
    }
  }
}

TEST(runs_of_arow_agree_with_plain_code) {
  for (const double floor : {0.0, 0.05}) {
    Sample sample = noise(300, 5, 3);
    for (std::size_t i = 0; i < sample.count(); i += 3) sample.weights.resize(sample.count(), 1.0);
    for (std::size_t i = 0; i < sample.count(); i += 4) sample.weights[i] = 1.5;
    std::vector<double> w(6), variance(6, 1.0);
    for (std::size_t i = 0; i < sample.count(); ++i) {
      const std::vector<double> u = with_one(sample, i);
      for (const double p : {1.0, sample.weights[i] - 1}) {
        const double m = sample.label(i) * dot(u.data(), w), r = 0.5 / p;
        if (p == 0 || m >= 1) continue;
        double V = 0;
        for (std::size_t j = 0; j < 6; ++j) V += variance[j] * u[j] * u[j];
        for (std::size_t j = 0; j < 6; ++j) {
          w[j] += (1 - m) / (V + r) * sample.label(i) * variance[j] * u[j];
          variance[j] = std::max(floor, 1 / (1 / variance[j] + u[j] * u[j] / r));
        }
      }
    }
    Hypothesis h = second_order(DiagonalVariance{}, 5);
    pass(sample.rows(), sample.batch(), DiagonalArowRule{0.5, floor}, {}, Tie::mistake, h);
    CHECK(all_near(with_bias(h), w, 1e-9) && all_near(variances_of(h), variance, 1e-9));
    CHECK(floor == 0 || std::ranges::min(h.second ? variances_of(h) : variance) == floor);
  }
}

TEST(variances_stay_positive_and_never_grow) {
  Random random{5};
  Hypothesis h = second_order(DiagonalVariance{}, 3);
  std::vector<double> before = variances_of(h);
  for (int k = 0; k < 2000; ++k) {
    Sample sample{3, {}, {static_cast<std::int32_t>(random.below(2))}};
    for (int j = 0; j < 3; ++j) sample.values.push_back(std::ldexp(real(random), static_cast<int>(random.below(600)) - 300));
    pass(sample.rows(), sample.batch(), DiagonalArowRule{1e-9, 0}, {}, Tie::mistake, h);
    const std::vector<double> after = variances_of(h);
    for (std::size_t j = 0; j < 4; ++j) CHECK(after[j] > 0 && after[j] <= before[j] && std::isfinite(with_bias(h)[j]));
    before = after;
  }
}
