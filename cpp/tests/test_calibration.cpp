// Online Platt scaling: probabilities that follow the frequencies of the labels at each score.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "check.hpp"
#include "novikoff/calibration.hpp"

using namespace novikoff;

TEST(the_exponential_is_that_of_the_library_up_to_rounding) {
  for (double x = 0; x > -60; x -= 0.013) CHECK(std::abs(exp_of_negative(x) - std::exp(x)) <= 4e-16 * std::exp(x));
  CHECK(exp_of_negative(-1e6) == 0);
  CHECK(std::abs(std::log(Calibration::decay) - Calibration::log_decay) < 1e-18);
}

TEST(without_examples_a_score_of_0_is_undecided) {
  const Calibration calibration;
  CHECK(calibration.probability(0) == 0.5);
  CHECK(calibration.probability(1) > 0.5);
  CHECK(calibration.probability(-1e300) < 0.5);
}

TEST(probabilities_follow_the_frequencies_of_the_labels) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (double unit : {1e-6, 1.0, 1e6}) {
    Calibration calibration;
    for (int k = 0; k < 20000; ++k) {
      const double score = normal(random);
      calibration.learn(uniform(random) < 1 / (1 + std::exp(-(3 * score - 1))) ? 1 : -1, unit * score, 1);
    }
    for (double score : {-1.0, 0.0, 0.5, 1.0})
      CHECK(std::abs(calibration.probability(unit * score) - 1 / (1 + std::exp(-(3 * score - 1)))) < 0.08);
  }
}

TEST(the_probability_does_not_fall_with_the_score) {
  Calibration calibration;
  for (int k = 0; k < 500; ++k) calibration.learn(k % 3 == 0 ? 1 : -1, k % 2 == 0 ? 1 : -1, 1);
  double before = 0;
  for (double score = -5; score < 5; score += 0.01) {
    CHECK(calibration.probability(score) >= before);
    before = calibration.probability(score);
  }
}

TEST(extreme_scores_and_weights_leave_finite_numbers) {
  constexpr double largest = std::numeric_limits<double>::max();
  Calibration calibration;
  for (double score : {0.0, 5e-324, -largest, largest, std::numeric_limits<double>::infinity(), std::nan(""), 1e-300, 1.0})
    for (double w : {0.0, 1e-30, 0.5, 1.0, 9007199254740992.0})
      for (double y : {-1.0, 1.0}) {
        calibration.learn(y, score, w);
        for (double s : {0.0, 1.0, -largest}) {
          const double p = calibration.probability(s);
          CHECK(p >= 0 && p <= 1);
        }
      }
}
