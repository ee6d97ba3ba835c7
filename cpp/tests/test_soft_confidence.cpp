// SCW-I and SCW-II: the closed forms against a search for the minimum, and runs against plain code.
#include "second_order_samples.hpp"

namespace {

/// The minimum of a function with one valley, by golden sections.
double lowest(const auto& function, double from, double to) {
  constexpr double ratio = 0.6180339887498949;
  for (int k = 0; k < 90; ++k) {
    const double a = to - ratio * (to - from), b = from + ratio * (to - from);
    (function(a) < function(b) ? to : from) = function(a) < function(b) ? b : a;
  }
  return (from + to) / 2;
}

/// Of the divergence between two Gaussian distributions, only the distribution of y w.u matters: in the other directions,
/// nothing changes. With the margin m + move and the deviation sigma after the update, the divergence is
/// (move^2/V + sigma^2/V - 1 - log(sigma^2/V)) / 2.
double objective(double margin, double variance, double phi, double C, bool squared_loss, double move, double sigma) {
  const double loss = std::max(0.0, phi * sigma - margin - move), ratio = sigma * sigma / variance;
  return (move * move / variance + ratio - 1 - std::log(ratio)) / 2 + C * (squared_loss ? loss * loss : loss);
}

struct Found {
  double move, sigma, value;
};

Found search(double margin, double variance, double phi, double C, bool squared_loss) {
  const double deviation = std::sqrt(variance), reach = 2 * (std::abs(margin) + (phi + 1) * deviation) + C * variance;
  const auto best_sigma = [&](double move) {
    return lowest([&](double s) { return objective(margin, variance, phi, C, squared_loss, move, s); }, 1e-9 * deviation,
                  deviation);
  };
  const auto value = [&](double move) { return objective(margin, variance, phi, C, squared_loss, move, best_sigma(move)); };
  const double move = lowest(value, 0, reach);
  return {move, best_sigma(move), value(move)};
}

/// sigma after S^-1 += shrink u u'.
double deviation_after(double variance, double shrink) { return std::sqrt(1 / (1 / variance + shrink)); }

}  // namespace

TEST(the_closed_forms_are_minima) {
  Random random{1};
  int clipped = 0, without_loss = 0;
  for (int k = 0; k < 150; ++k) {
    const double margin = 2 * real(random), variance = std::exp(2 * real(random)), phi = 1.01 + real(random);
    const double C = std::exp(3 * real(random));
    for (const bool squared_loss : {false, true}) {
      const ConfidenceStep step = SoftConfidenceRule{phi, C, squared_loss}.step(margin, variance, 1.0);
      clipped += !squared_loss && step.along == C;
      without_loss += step.along == 0;
      const Found best = search(margin, variance, phi, C, squared_loss);
      const double move = step.along * variance, sigma = deviation_after(variance, step.shrink);
      CHECK(objective(margin, variance, phi, C, squared_loss, move, sigma) <= best.value + 1e-12 * (1 + best.value));
      CHECK(std::abs(move - best.move) < 1e-5 * (1 + best.move) && std::abs(sigma - best.sigma) < 1e-5 * (1 + best.sigma));
    }
  }
  CHECK(clipped > 10 && without_loss > 10);
}

TEST(the_closed_forms_are_those_of_the_paper) {
  Random random{2};
  for (int k = 0; k < 2000; ++k) {
    const double m = 2 * real(random), V = std::exp(3 * real(random)), phi = 1.01 + real(random),
                 C = std::exp(3 * real(random));
    const double phi2 = phi * phi, psi = 1 + phi2 / 2, zeta = 1 + phi2;
    const double one =
        std::min(C, std::max(0.0, (-m * psi + std::sqrt(m * m * phi2 * phi2 / 4 + V * phi2 * zeta)) / (V * zeta)));
    const double n = V + 1 / (2 * C), gamma = phi * std::sqrt(phi2 * m * m * V * V + 4 * n * V * (n + V * phi2));
    const double two = std::max(0.0, (-(2 * m * n + phi2 * m * V) + gamma) / (2 * (n * n + n * V * phi2)));
    const ConfidenceStep first = SoftConfidenceRule{phi, C, false}.step(m, V, 1.0);
    const ConfidenceStep second = SoftConfidenceRule{phi, C, true}.step(m, V, 1.0);
    CHECK(near(first.along, one, 100 * (1 + one)) && near(second.along, two, 100 * (1 + two)));
    const double root = (-first.along * V * phi + std::sqrt(first.along * first.along * V * V * phi2 + 4 * V)) / 2;
    const double beta = first.along * phi / (root + V * first.along * phi);
    CHECK(near(1 / (1 / V + first.shrink), V - beta * V * V, 100 * (V + 1)));
  }
}

TEST(a_margin_at_the_threshold_causes_no_update) {
  for (double variance : {0.25, 1.0, 1e-200, 1e200}) {
    const double threshold = 1.5 * std::sqrt(variance);
    for (double margin : {threshold, std::nextafter(threshold, infinity), 2 * threshold}) {
      CHECK(SoftConfidenceRule{1.5, 1, false}.step(margin, variance, 1.0).along == 0);
      CHECK(SoftConfidenceRule{1.5, 1, true}.step(margin, variance, 1.0).along == 0);
    }
    const double below = std::nextafter(threshold, 0.0);
    CHECK(SoftConfidenceRule{1.5, 1, false}.step(below, variance, 1.0).along > 0);
    CHECK(SoftConfidenceRule{1.5, 1, false}.step(below, variance, 1.0).along * variance <= 1e-12 * threshold);
  }
}

TEST(runs_of_soft_confidence_agree_with_plain_code) {
  for (const bool squared_loss : {false, true}) {
    Sample sample = noise(200, 5, 3);
    const double phi = 1.3, C = 0.4;
    std::vector<double> w(6), variance(6, 1.0);
    for (std::size_t i = 0; i < sample.count(); ++i) {
      const std::vector<double> u = with_one(sample, i);
      double V = 0;
      for (std::size_t j = 0; j < 6; ++j) V += variance[j] * u[j] * u[j];
      const double m = sample.label(i) * dot(u.data(), w);
      const ConfidenceStep step = SoftConfidenceRule{phi, C, squared_loss}.step(m, V, 1.0);
      for (std::size_t j = 0; j < 6; ++j) {
        w[j] += step.along * sample.label(i) * variance[j] * u[j];
        variance[j] = 1 / (1 / variance[j] + step.shrink * u[j] * u[j]);
      }
    }
    Hypothesis h = second_order(DiagonalVariance{}, 5);
    pass(sample.rows(), sample.batch(), SoftConfidenceRule{phi, C, squared_loss}, {}, Tie::mistake, h);
    CHECK(all_near(with_bias(h), w, 1e-9));
  }
}
