// Newton steps over products: small linear systems, and the maximum over the free variables.
#include <random>

#include "check.hpp"
#include "novikoff/product_newton.hpp"

using namespace novikoff;

namespace {

/// The products of random rows, with labels at random.
struct Example {
  static constexpr std::size_t count = 20;
  std::vector<double> signs, products, tops, ridges, t, gradient;

  explicit Example(double top) : signs(count), products(count * count), tops(count, top), ridges(count, 0.1), t(count) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    constexpr std::size_t columns = 30;
    std::vector<double> x(count * columns);
    for (double& value : x) value = normal(random);
    for (std::size_t i = 0; i < count; ++i) {
      signs[i] = i % 2 == 0 ? 1 : -1;
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t k = 0; k < columns; ++k) products[i * count + j] += x[i * columns + k] * x[j * columns + k];
    }
    for (std::size_t i = 0; i < count; ++i) t[i] = 1e-4 * signs[i];
    gradient = expected_gradient();
  }
  ProductProblem problem(bool balanced) const { return {products, signs, tops, ridges, 0.5, 0, balanced}; }

  std::vector<double> expected_gradient() const {
    std::vector<double> found(count);
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = signs[i] - ridges[i] * t[i];
      for (std::size_t j = 0; j < count; ++j) found[i] -= 0.5 * products[i * count + j] * t[j];
    }
    return found;
  }
  double dual() const {
    double sum = 0;
    const std::vector<double> own = expected_gradient();
    for (std::size_t i = 0; i < count; ++i) sum += 0.5 * t[i] * (signs[i] + own[i]);
    return sum;
  }
  std::size_t newton(bool balanced, std::size_t most = count) {
    const ProductProblem own = problem(balanced);
    return ProductNewton{own, t, gradient}.run(0, most, solve_small);
  }
};

}  // namespace

TEST(a_small_system_is_solved_for_both_right_hand_sides) {
  std::vector<double> matrix{4, 2, -1, 2, 5, 0.5, -1, 0.5, 3}, right{1, 2, 3, -1, 0, 1};
  const std::vector<double> before = matrix, wanted = right;
  CHECK(solve_small(matrix, right));
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < 3; ++i) {
      double found = 0;
      for (std::size_t j = 0; j < 3; ++j) found += before[3 * i + j] * right[3 * side + j];
      CHECK(std::abs(found - wanted[3 * side + i]) < 1e-14);
    }
}

TEST(a_matrix_that_is_not_positive_definite_is_refused) {
  std::vector<double> indefinite{1, 2, 2, 1}, right(4, 1.0);
  CHECK(!solve_small(indefinite, right));
  std::vector<double> broken{std::nan(""), 0, 0, 1};
  CHECK(!solve_small(broken, right));
}

TEST(the_gradient_of_the_free_variables_is_the_same_at_the_end) {
  for (const bool balanced : {false, true}) {
    Example example(std::numeric_limits<double>::infinity());
    const double before = example.dual();
    CHECK(example.newton(balanced) == Example::count);
    CHECK(example.dual() > before);
    const std::vector<double> expected = example.expected_gradient();
    double sum = 0, level = std::nan("");
    for (std::size_t i = 0; i < Example::count; ++i) {
      CHECK(std::abs(example.gradient[i] - expected[i]) < 1e-12);
      CHECK(example.signs[i] * example.t[i] >= 0);
      sum += example.t[i];
      if (example.t[i] == 0) continue;
      if (std::isnan(level)) level = balanced ? expected[i] : 0.0;
      CHECK(std::abs(expected[i] - level) < 1e-10);
    }
    if (balanced) CHECK(std::abs(sum) < 1e-12);
  }
}

TEST(variables_end_at_their_bounds_and_never_beyond) {
  Example example(1e-3);
  const double before = example.dual();
  example.newton(true);
  CHECK(example.dual() > before);
  std::size_t at_top = 0;
  for (std::size_t i = 0; i < Example::count; ++i) {
    const double a = example.signs[i] * example.t[i];
    CHECK(a >= 0 && a <= 1e-3);
    at_top += a == 1e-3;
  }
  CHECK(at_top > 0);
}

TEST(nothing_is_done_if_too_many_variables_are_free) {
  Example example(1);
  const std::vector<double> before = example.t;
  CHECK(example.newton(true, 5) == Example::count);
  CHECK(example.t == before);
}
