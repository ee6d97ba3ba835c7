// Scores and the sum of multiples of rows, against plain loops in every memory layout.
#include "binary_problems.hpp"
#include "novikoff/measure.hpp"

TEST(scores_and_sum_are_those_of_plain_loops) {
  const Sample sample = noise(20, 7, 61);
  std::vector<double> weights = reals(7, 62), coefficients = reals(20, 63);
  coefficients[3] = 0;
  std::vector<double> plain_scores(20), plain_total(7);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 7; ++j) {
      plain_scores[i] += weights[j] * sample.values[i * 7 + j];
      plain_total[j] += coefficients[i] * sample.values[i * 7 + j];
    }
  for_each_layout(sample, [&](const auto& rows) {
    std::vector<double> scores(20, 9.0), total(7, 9.0);  // both are overwritten
    measure(rows, weights, coefficients, scores, total);
    CHECK(all_near(scores, plain_scores, 1000) && all_near(total, plain_total, 1000));
  });
}
