// The kernels of the soft margin against plain loops: every pass, every memory layout, the same bits for all thread counts.
#include <algorithm>
#include <optional>
#include <utility>

#include "binary_problems.hpp"
#include "novikoff/conjugate_gradients.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/gram.hpp"
#include "novikoff/intercept.hpp"
#include "novikoff/soft_margin.hpp"

namespace {

/// Gauss with pivots: the solution of a square system.
std::vector<double> dense_solve(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  for (std::size_t p = 0; p < n; ++p) {
    std::size_t best = p;
    for (std::size_t i = p + 1; i < n; ++i)
      if (std::abs(matrix[i * n + p]) > std::abs(matrix[best * n + p])) best = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(matrix[p * n + j], matrix[best * n + j]);
    std::swap(right[p], right[best]);
    for (std::size_t i = p + 1; i < n; ++i) {
      const double factor = matrix[i * n + p] / matrix[p * n + p];
      for (std::size_t j = p; j < n; ++j) matrix[i * n + j] -= factor * matrix[p * n + j];
      right[i] -= factor * right[p];
    }
  }
  for (std::size_t p = n; p-- > 0;) {
    for (std::size_t j = p + 1; j < n; ++j) right[p] -= matrix[p * n + j] * right[j];
    right[p] /= matrix[p * n + p];
  }
  return right;
}

}  // namespace

// ---- losses and responses --------------------------------------------------------------------------------------------

TEST(a_response_bends_exactly_at_its_kinks) {
  const Response hinge{0.5, 1};
  CHECK(hinge.at(0, 1) == 0 && !hinge.is_free(0, 1));  // 0 + (1 - 1) / width
  CHECK(hinge.at(0, std::nextafter(1.0, 2.0)) == 0 && !hinge.is_free(0, std::nextafter(1.0, 2.0)));
  CHECK(hinge.at(0, std::nextafter(1.0, 0.0)) > 0 && hinge.is_free(0, std::nextafter(1.0, 0.0)));
  CHECK(hinge.at(0, 0.5) == 1 && !hinge.is_free(0, 0.5));
  CHECK(hinge.at(0, std::nextafter(0.5, 1.0)) < 1 && hinge.is_free(0, std::nextafter(0.5, 1.0)));
  CHECK(hinge.at(0, std::nextafter(0.5, 0.0)) == 1 && !hinge.is_free(0, std::nextafter(0.5, 0.0)));
  CHECK(hinge.at(1, 1) == 1 && !hinge.is_free(1, 1));
  CHECK(hinge.at(1, 1.25) == 0.5 && hinge.is_free(1, 1.25));
  CHECK(hinge.at(1, 1.5) == 0 && !hinge.is_free(1, 1.5));
}

TEST(the_response_of_width_ridge_is_the_derivative_of_the_loss) {
  const Response squared{0.5, infinity};
  for (double margin : {-3.0, 0.0, 0.25, 1.0, 4.0}) {
    CHECK(squared.at(0, margin) == 2 * std::max(0.0, 1 - margin));
    CHECK(squared.at(0, margin) == squared_hinge.derivative(1 - margin));
    CHECK(squared.is_free(0, margin) == (margin < 1));
  }
}

TEST(the_response_of_infinite_width_is_the_centre) {
  const Response still{infinity, 1};
  for (double centre : {0.0, 0.25, 1.0})
    for (double margin : {-1e300, -2.0, 1.0, 7.0}) CHECK(still.at(centre, margin) == centre);
}

// ---- passes against plain loops --------------------------------------------------------------------------------------

TEST(margins_are_those_of_a_plain_loop) {
  for_each_problem([](const TestProblem& q) {
    const std::vector<double> v = reals(q.width(), 7);
    for_each_layout(q.sample, [&](const auto& rows) {
      std::vector<double> margins(q.count(), not_a_number);
      compute_margins(rows, q.problem(), v, Blocks{q.count(), 4}, 2, margins);
      for (std::size_t i = 0; i < q.count(); ++i) CHECK(near(margins[i], dot(v.data(), q.lifted(i))));
    });
  });
}

TEST(sums_over_dual_variables_are_those_of_a_plain_loop) {
  for (const Response& response : {Response{0.25, 1}, Response{0.5, infinity}, Response{infinity, 1}})
    for_each_problem([&](const TestProblem& q) {
      const std::vector<double> centres = shares(q.count(), 8), margins = reals(q.count(), 9);
      DualSums plain, plain_squared;
      std::vector<double> plain_pulls(2 * q.width());
      for (std::size_t i = 0; i < q.count(); ++i) {
        const double alpha = std::clamp(centres[i] + (1 - margins[i]) / response.width, 0.0, response.top);
        const double a = q.cost(i) * alpha, excess = std::max(0.0, 1 - margins[i]);
        const std::size_t k = q.sample.codes[i] == 1;
        plain.loss += q.cost(i) * excess;
        plain_squared.loss += q.cost(i) * excess * excess;
        plain.of_class[k] += ClassSums{a, a * (1 - margins[i]), a * alpha};
        const std::vector<double> u = q.lifted(i);
        for (std::size_t j = 0; j < u.size(); ++j) plain_pulls[k * q.width() + j] += a * u[j];
      }
      for_each_layout(q.sample, [&](const auto& rows) {
        std::vector<double> pulls(2 * q.width(), not_a_number);
        const Blocks blocks{q.count(), 8};
        const DualSums squared = dual_sums(rows, q.problem(), squared_hinge, centres, margins, response, blocks, 2, pulls);
        const DualSums sums = dual_sums(rows, q.problem(), hinge, centres, margins, response, blocks, 2, pulls);
        CHECK(near(sums.loss, plain.loss, 100) && near(squared.loss, plain_squared.loss, 100));
        CHECK(near(total_loss(q.problem(), hinge, margins, blocks, 2), plain.loss, 100));
        CHECK(near(total_loss(q.problem(), squared_hinge, margins, blocks, 2), plain_squared.loss, 100));
        for (std::size_t k = 0; k < 2; ++k) {
          CHECK(near(sums.of_class[k].a, plain.of_class[k].a, 1000));
          CHECK(near(sums.of_class[k].a_slack, plain.of_class[k].a_slack, 1000));
          CHECK(near(sums.of_class[k].a_alpha, plain.of_class[k].a_alpha, 1000));
        }
        CHECK(all_near(pulls, plain_pulls, 1000));
      });
    });
}

TEST(the_slope_is_the_derivative_of_the_smoothed_loss) {
  for (const Response& response : {Response{0.25, 1}, Response{0.5, infinity}})
    for_each_problem([&](const TestProblem& q) {
      const std::vector<double> centres = shares(q.count(), 8), margins = reals(q.count(), 9), rates = reals(q.count(), 10);
      const double step = 0.75;
      double first = 0, second = 0;
      for (std::size_t i = 0; i < q.count(); ++i) {
        const double moved = centres[i] + (1 - margins[i] - step * rates[i]) / response.width;
        first -= q.cost(i) * rates[i] * std::clamp(moved, 0.0, response.top);
        if (moved > 0 && moved < response.top) second += q.cost(i) * rates[i] * rates[i] / response.width;
      }
      const Slope found = smoothed_slope(q.problem(), centres, margins, rates, step, response, Blocks{q.count(), 4}, 2);
      CHECK(near(found.first, first, 100) && near(found.second, second, 100) && found.second > 0);

      const auto at = [&](double t) {
        return smoothed_slope(q.problem(), centres, margins, rates, t, response, Blocks{q.count(), 1}, 1).first;
      };
      for (double t = -3; t < 3; t += 0.25) CHECK(at(t + 0.25) >= at(t));  // the loss is convex
    });
}

TEST(free_rows_are_those_whose_dual_variable_is_between_its_bounds) {
  for_each_problem([](const TestProblem& q) {
    const Response response{0.25, 1};
    const std::vector<double> centres = shares(q.count(), 8), margins = reals(q.count(), 9);
    std::vector<std::int64_t> plain;
    for (std::size_t i = 0; i < q.count(); ++i) {
      const double moved = centres[i] + (1 - margins[i]) / 0.25;
      if (q.cost(i) > 0 && moved > 0 && moved < 1) plain.push_back(static_cast<std::int64_t>(i));
    }
    CHECK(free_rows(q.problem(), centres, margins, response) == plain && !plain.empty());
  });
}

TEST(the_second_derivative_is_that_of_a_plain_loop) {
  for_each_problem([](const TestProblem& q) {
    const std::vector<std::int64_t> some = every_other(q.count());
    const std::size_t side = q.width();
    std::vector<double> plain(side * side);
    for (std::int64_t row : some) {
      const auto i = static_cast<std::size_t>(row);
      const std::vector<double> u = q.lifted(i);
      for (std::size_t j = 0; j < side; ++j)
        for (std::size_t k = 0; k <= j; ++k) plain[j * side + k] += q.cost(i) / 0.25 * u[j] * u[k];
    }
    for_each_layout(q.sample, [&](const auto& rows) {
      for (std::size_t parts : {1, 2, 8}) {
        std::vector<double> matrix(side * side, not_a_number);
        gram(rows, q.problem(), some, 0.25, parts, 2, matrix);
        for (std::size_t j = 0; j < side; ++j)
          CHECK(all_near({matrix.data() + j * side, j + 1}, {plain.data() + j * side, j + 1}, 1000));
      }
    });
  });
}

TEST(products_of_rows_are_those_of_a_plain_loop) {
  const TestProblem q = test_problem(67, 5, 40);
  const std::vector<std::int64_t> some = every_other(q.count()), others{66, 0, 3, 3};
  for_each_layout(q.sample, [&](const auto& rows) {
    std::vector<double> products(some.size() * others.size(), not_a_number);
    row_products(rows, 0.5, some, others, 2, products);
    for (std::size_t k = 0; k < some.size(); ++k)
      for (std::size_t l = 0; l < others.size(); ++l) {
        const double* x = q.sample.row(static_cast<std::size_t>(some[k]));
        const double* z = q.sample.row(static_cast<std::size_t>(others[l]));
        CHECK(near(products[k * others.size() + l], 0.25 * std::inner_product(x, x + 5, z, 0.0)));
      }
    const std::vector<double> v = reals(q.width(), 3), weights = reals(some.size(), 4);
    std::vector<double> values(some.size(), not_a_number), sum(q.width(), not_a_number), plain(q.width());
    project(rows, q.problem(), some, v, values);
    combine(rows, q.problem(), some, weights, sum);
    for (std::size_t k = 0; k < some.size(); ++k) {
      const double* x = q.sample.row(static_cast<std::size_t>(some[k]));
      CHECK(near(values[k], 0.5 * std::inner_product(x, x + 5, v.begin(), 0.0)));
      for (std::size_t j = 0; j < 5; ++j) plain[j] += weights[k] * 0.5 * x[j];
    }
    CHECK(all_near(sum, plain, 10));
  });
}

TEST(tiny_duals_of_huge_rows_are_added_to_the_last_digit) {
  const double values[] = {3e120, -1e119}, scale = std::ldexp(1.0, -400), a = 1e-246;  // a times the scale would be 0
  double sum[2] = {};
  add_scaled(DenseRow<double>{values, 2, 1}, a, scale, sum);
  CHECK(sum[0] == a * (scale * values[0]) && sum[1] == a * (scale * values[1]) && sum[0] > 0);
}

TEST(a_scaled_norm_neither_overflows_nor_vanishes) {
  for (double size : {1e-200, 1.0, 1e200}) {
    const double values[] = {3 * size, -4 * size};
    CHECK(near(scaled_squared_norm(DenseRow<double>{values, 2, 1}, 1 / size), 25, 100));
  }
}

// ---- solvers ---------------------------------------------------------------------------------------------------------

TEST(conjugate_gradients_find_the_direction_of_a_dense_solve) {
  for_each_problem([](const TestProblem& q) {
    for (double kappa : {0.0, 0.5}) {
      const double lambda = 0.125, width = 0.25;
      std::vector<std::int64_t> free;
      for (std::int64_t row : every_other(q.count()))
        if (q.cost(static_cast<std::size_t>(row)) > 0) free.push_back(row);
      const std::size_t side = q.width();
      std::vector<double> matrix(side * side), gradient = reals(side, 11);
      if (q.constant == 0) gradient.back() = 0;
      gram(q.sample.rows(), q.problem(), free, width, 1, 1, matrix);
      for (std::size_t j = 0; j < side; ++j) {
        for (std::size_t k = 0; k < j; ++k) matrix[k * side + j] = matrix[j * side + k];
        matrix[j * side + j] += j + 1 < side ? lambda : kappa;
      }
      if (matrix.back() == 0) matrix.back() = 1;  // no intercept at all
      std::vector<double> right = gradient;
      for (double& value : right) value = -value;
      const std::vector<double> plain = dense_solve(matrix, right);
      for_each_layout(q.sample, [&](const auto& rows) {
        for (std::size_t threads : {1, 2}) {
          std::vector<double> direction(side, not_a_number), answer(free.size(), not_a_number);
          const BinaryProblem problem = q.problem();
          RowSystem system(rows, problem, free, width, Penalty{lambda, kappa}, threads);
          const std::size_t steps = system.solve(gradient, StoppingRule{1e-12, 1000}, direction, answer);
          CHECK(steps > 0 && steps < 100);
          for (std::size_t j = 0; j < side; ++j) CHECK(std::abs(direction[j] - plain[j]) <= 1e-8);
          for (std::size_t k = 0; k < free.size(); ++k) {  // q = c / width u.d
            const auto i = static_cast<std::size_t>(free[k]);
            const double along = q.sample.label(i) * dot(plain.data(), q.lifted(i));
            CHECK(std::abs(answer[k] - q.cost(i) / width * along) <= 1e-6);
          }
        }
      });
    }
  });
}

TEST(without_free_rows_the_direction_is_downhill) {
  const TestProblem q = test_problem(20, 5, 40);
  const std::vector<double> gradient = reals(q.width(), 11);
  for (double kappa : {0.0, 0.5}) {
    std::vector<double> direction(q.width(), not_a_number);
    const auto rows = q.sample.rows();
    const BinaryProblem problem = q.problem();
    RowSystem system(rows, problem, std::span<const std::int64_t>{}, 0.25, Penalty{0.125, kappa}, 2);
    system.solve(gradient, StoppingRule{1e-8, 100}, direction, {});
    for (std::size_t j = 0; j < 5; ++j) CHECK(near(direction[j], -gradient[j] / 0.125, 10));
    CHECK(direction.back() * gradient.back() < 0);
  }
}

TEST(the_shifted_intercept_minimises_the_loss) {
  std::ranges::for_each(all_losses, [](const auto& own) {
    const TestProblem q = test_problem(67, 5, 40);
    std::vector<double> margins = reals(q.count(), 9);
    const std::vector<double> before = margins;
    const auto loss = [&](double shift) {
      double total = 0;
      for (std::size_t i = 0; i < q.count(); ++i) {
        const double excess = std::max(0.0, 1 - before[i] - q.sample.label(i) * shift);
        total += own.value(excess, q.cost(i));
      }
      return total;
    };
    const double shift = shift_intercept(q.problem(), own, margins, 0.0, Blocks{q.count(), 4}, 2);
    for (std::size_t i = 0; i < q.count(); ++i) CHECK(near(margins[i], before[i] + q.sample.label(i) * shift, 10));
    for (double other = -4; other < 4; other += 0.001) CHECK(loss(shift) <= loss(other) + 1e-9);
  });
}

// ---- threads ---------------------------------------------------------------------------------------------------------

TEST(blocks_cover_the_rows_once_and_in_order) {
  for (std::size_t rows : {1, 7, 64, 1000})
    for (std::size_t count : {1, 2, 4, 16}) {
      if (count > rows) continue;
      const Blocks blocks{rows, count};
      std::vector<int> seen(rows);
      CHECK(blocks.begin(0) == 0 && blocks.begin(count) == rows);
      blocks.for_each(2, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) ++seen[i];
      });
      CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(rows));
    }
  CHECK(Blocks::of(3, 0, 10).count == 1 && Blocks::of(1'000'000, 50'000'000, 50).count == 16);
}

TEST(every_number_of_threads_gives_the_same_bits) {
  const TestProblem q = test_problem(3000, 9, 50);
  const std::vector<double> centres = shares(q.count(), 8), v = reals(q.width(), 7), rates = reals(q.count(), 10);
  const std::vector<std::int64_t> some = every_other(q.count());
  const Response response{0.25, 1};
  const Blocks blocks{q.count(), 16};
  for_each_layout(q.sample, [&](const auto& rows) {
    const auto all = [&](std::size_t threads) {
      std::vector<double> found(q.count()), pulls(2 * q.width()), matrix(q.width() * q.width()), direction(q.width());
      compute_margins(rows, q.problem(), v, blocks, threads, found);
      const DualSums sums = dual_sums(rows, q.problem(), squared_hinge, centres, found, response, blocks, threads, pulls);
      const Slope along = smoothed_slope(q.problem(), centres, found, rates, 0.5, response, blocks, threads);
      gram(rows, q.problem(), some, 0.25, 8, threads, matrix);
      std::vector<std::int64_t> free = free_rows(q.problem(), centres, found, response);
      const BinaryProblem problem = q.problem();
      RowSystem system(rows, problem, free, 0.25, Penalty{0.125, 0}, threads);
      std::vector<double> rest(free.size());
      const std::size_t steps = system.solve({pulls.data(), q.width()}, StoppingRule{1e-8, 100}, direction, rest);
      std::vector<double> shifted = found;
      const double shift = shift_intercept(q.problem(), hinge, shifted, 0.0, blocks, threads);
      for (const auto& part : {pulls, matrix, direction, rest, shifted}) found.insert(found.end(), part.begin(), part.end());
      for (const ClassSums& one : sums.of_class) found.insert(found.end(), {one.a, one.a_slack, one.a_alpha});
      found.insert(found.end(), {sums.loss, along.first, along.second, shift});
      found.push_back(static_cast<double>(steps));
      return found;
    };
    const std::vector<double> alone = all(1);
    for (std::size_t threads : {2, 3, 5, 16}) CHECK(same_bits(alone, all(threads)));
  });
}
