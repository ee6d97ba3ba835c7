// The second-order perceptron with a diagonal matrix against plain code and its theorem.
#include "second_order_samples.hpp"

TEST(runs_of_second_order_perceptron_agree_with_plain_code) {
  Sample sample = noise(200, 5, 4);
  const DiagonalPerceptronRule rule{0.5};
  Hypothesis h = second_order(ColumnSquares{}, 5);
  pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, h);
  std::vector<double> A(6, 0.5), v(6), w(6);
  double mistakes = 0;
  for (std::size_t i = 0; i < sample.count(); ++i) {
    const std::vector<double> u = with_one(sample, i);
    double score = 0;
    for (std::size_t j = 0; j < 6; ++j) score += w[j] * u[j];
    if (sample.label(i) * score > 0) continue;
    ++mistakes;
    for (std::size_t j = 0; j < 6; ++j) {
      A[j] += u[j] * u[j];
      v[j] += sample.label(i) * u[j];
      w[j] = v[j] / A[j];
    }
  }
  CHECK(h.mistakes.value() == mistakes && h.steps.value() == mistakes);
  CHECK(all_near(with_bias(h), w, 1e-12) && all_near(sum_of(h), v, 1e-12));
}

TEST(the_energy_is_below_the_log_determinant_times_the_factor_of_the_matrix_before) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Sample sample = noise(300, 3, seed);
    const double a = std::pow(10.0, static_cast<double>(seed % 4) - 2);
    Hypothesis h = second_order(ColumnSquares{}, 3);
    pass(sample.rows(), sample.batch(), DiagonalPerceptronRule{a}, {}, Tie::mistake, h);
    double largest = 1, log_det = 0, energy = 0;
    for (double value : sample.values) largest = std::max(largest, value * value);
    const auto add = [&](const ColumnSquares::Column& column) {
      log_det += std::log1p(column.squares / a);
      energy += column.sum * column.sum / (a + column.squares);
    };
    add(std::get<ColumnSquares>(h.second->state).bias);
    for (const auto& column : std::get<ColumnSquares>(h.second->state).columns) add(column);
    CHECK(energy <= log_det * largest / a / std::log1p(largest / a));
  }
}

TEST(sums_of_squares_do_not_overflow) {
  Sample sample{1, {1e153, -1e153, 1e153}, {0, 0, 0}};
  Hypothesis h = second_order(ColumnSquares{}, 1);
  for (int k = 0; k < 100; ++k) pass(sample.rows(), sample.batch(), DiagonalPerceptronRule{1.0}, {}, Tie::mistake, h);
  CHECK(std::isfinite(h.weights[0]) && std::isfinite(std::get<ColumnSquares>(h.second->state).columns[0].squares));
}
