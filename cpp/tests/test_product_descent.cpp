// The dual problem over products: by the conditions that tell its solution, on random rows.
#include <random>

#include "check.hpp"
#include "novikoff/product_descent.hpp"

using novikoff::ProductProblem;

namespace {

struct Descended {
  std::vector<double> signs, products, tops, ridges, t, gradient;
  ProductProblem::Progress progress;
};

/// Random rows of few columns with random labels, solved to a gap of 1e-10.
Descended solve(std::size_t count, double top, double ridge, double offset, bool balanced, std::size_t max_steps = 1'000'000) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  constexpr std::size_t columns = 5;
  std::vector<double> x(count * columns);
  for (double& value : x) value = normal(random);
  Descended found{std::vector<double>(count),
                  std::vector<double>(count * count),
                  std::vector<double>(count, top),
                  std::vector<double>(count, ridge),
                  std::vector<double>(count),
                  {},
                  {}};
  for (std::size_t i = 0; i < count; ++i) {
    found.signs[i] = x[i * columns] + normal(random) > 0 ? 1 : -1;
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t k = 0; k < columns; ++k) found.products[i * count + j] += x[i * columns + k] * x[j * columns + k];
  }
  found.gradient = found.signs;
  const ProductProblem problem{found.products, found.signs, found.tops, found.ridges, 0.7, offset, balanced};
  found.progress = problem.descend(found.t, found.gradient, 1e-10, max_steps);
  return found;
}

void the_gap_closes(double top, double ridge, double offset, bool balanced) {
  const Descended found = solve(50, top, ridge, offset, balanced);
  CHECK(found.progress.bounds.relative_gap() <= 1e-10);
  double sum = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    sum += found.t[i];
    CHECK(found.signs[i] * found.t[i] >= 0 && found.signs[i] * found.t[i] <= top);
  }
  if (balanced) CHECK(std::abs(sum) < 1e-12);
}

}  // namespace

TEST(the_gradient_that_is_updated_step_by_step_is_that_of_the_variables) {
  const Descended found = solve(50, 1, 0.1, 0.5, false);
  for (std::size_t i = 0; i < 50; ++i) {
    double expected = found.signs[i] - found.ridges[i] * found.t[i];
    for (std::size_t j = 0; j < 50; ++j) expected -= found.t[j] * (0.7 * found.products[i * 50 + j] + 0.5);
    CHECK(std::abs(found.gradient[i] - expected) < 1e-10);
  }
}

TEST(the_gap_closes_for_every_loss_and_intercept) {
  constexpr double none = std::numeric_limits<double>::infinity();
  for (const bool balanced : {false, true}) {
    the_gap_closes(1, 0, 0, balanced);
    the_gap_closes(none, 0.5, 0, balanced);
  }
  the_gap_closes(1, 0, 2, false);
}

TEST(it_stops_after_the_given_number_of_steps) {
  CHECK(solve(50, 1, 0, 0, true, 0).progress.steps == 0);
  CHECK(solve(50, 1, 0, 0, true, 7).progress.steps == 7);
}
