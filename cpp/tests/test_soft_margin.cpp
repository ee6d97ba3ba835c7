// The kernels of the soft margin against plain loops: every pass, every layout, and the same bits for any number of threads.
#include <optional>
#include <utility>

#include "novikoff/conjugate_gradients.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/gram.hpp"
#include "novikoff/soft_margin.hpp"
#include "samples.hpp"

namespace {

/// A sparse copy of a sample: zeros are left out.
template <class I>
struct Csr {
  std::vector<double> values;
  std::vector<I> indices, offsets{0};
  std::size_t columns;

  explicit Csr(const Sample& sample) : columns(sample.columns) {
    for (std::size_t i = 0; i < sample.count(); ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        if (sample.row(i)[j] != 0) {
          values.push_back(sample.row(i)[j]);
          indices.push_back(static_cast<I>(j));
        }
      offsets.push_back(static_cast<I>(values.size()));
    }
  }
  CsrRows<double, I> rows() const { return {values.data(), indices.data(), offsets.data(), offsets.size() - 1, columns}; }
};

/// A sample with costs, some of them 0, and a scale; the intercept may be missing.
struct Question {
  Sample sample;
  std::vector<double> costs;
  double constant;

  Examples examples() const { return {sample.codes, 1, costs, 0.5, constant}; }
  std::size_t count() const { return sample.count(); }
  std::size_t width() const { return sample.columns + 1; }
  /// y (s x, 1), plainly.
  std::vector<double> lifted(std::size_t i) const {
    std::vector<double> u(sample.row(i), sample.row(i) + sample.columns);
    for (double& value : u) value *= 0.5 * sample.label(i);
    u.push_back(constant * sample.label(i));
    return u;
  }
  double cost(std::size_t i) const { return costs.empty() ? 1 : costs[i]; }
};

Question question(std::size_t count, std::size_t columns, std::uint64_t seed, bool costly = true, double constant = 1) {
  Question q{noise(count, columns, seed), {}, constant};
  for (std::size_t k = 0; k < q.sample.values.size(); k += 3) q.sample.values[k] = 0;
  if (costly) {
    q.costs = reals(count, seed + 2);
    for (double& cost : q.costs) cost = cost < -0.8 ? 0 : 1.5 + cost;
  }
  return q;
}

void for_each_question(auto&& use) {
  for (bool costly : {false, true})
    for (double constant : {0.0, 1.0}) use(question(67, 5, 40, costly, constant));
}

/// The same rows in every layout.
void for_each_layout(const Sample& sample, auto&& use) {
  use(sample.rows());
  std::vector<double> turned(sample.values.size());
  for (std::size_t i = 0; i < sample.count(); ++i)
    for (std::size_t j = 0; j < sample.columns; ++j) turned[j * sample.count() + i] = sample.row(i)[j];
  use(DenseRows<double>{turned.data(), sample.count(), sample.columns, 1, static_cast<std::ptrdiff_t>(sample.count())});
  const Csr<std::int32_t> narrow(sample);
  const Csr<std::int64_t> wide(sample);
  use(narrow.rows());
  use(wide.rows());
}

std::vector<double> shares(std::size_t count, std::uint64_t seed) {  // from 0 to 1, both ends among them
  std::vector<double> alpha = reals(count, seed);
  for (double& a : alpha) a = std::clamp(0.5 + a, 0.0, 1.0);
  return alpha;
}

std::vector<std::int64_t> every_other(std::size_t count) {
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < count; i += 2) some.push_back(static_cast<std::int64_t>(i));
  return some;
}

bool all_near(std::span<const double> a, std::span<const double> b, double scale = 1) {
  bool good = a.size() == b.size();
  for (std::size_t j = 0; good && j < a.size(); ++j) good = near(a[j], b[j], scale);
  return good;
}

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

// ---- the answer to a margin ------------------------------------------------------------------------------------------

TEST(an_answer_bends_exactly_at_its_kinks) {
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

TEST(the_squared_hinge_answers_with_its_own_derivative) {
  const Response squared{0.5, infinity};
  for (double margin : {-3.0, 0.0, 0.25, 1.0, 4.0}) {
    CHECK(squared.at(0, margin) == 2 * std::max(0.0, 1 - margin));
    CHECK(squared.is_free(0, margin) == (margin < 1));
  }
}

TEST(an_infinite_width_answers_with_the_centre) {
  const Response still{infinity, 1};
  for (double centre : {0.0, 0.25, 1.0})
    for (double margin : {-1e300, -2.0, 1.0, 7.0}) CHECK(still.at(centre, margin) == centre);
}

// ---- passes against plain loops --------------------------------------------------------------------------------------

TEST(margins_are_those_of_a_plain_loop) {
  for_each_question([](const Question& q) {
    const std::vector<double> v = reals(q.width(), 7);
    for_each_layout(q.sample, [&](const auto& rows) {
      std::vector<double> margins(q.count(), not_a_number);
      measure(rows, q.examples(), v, Blocks{q.count(), 4}, 2, margins);
      for (std::size_t i = 0; i < q.count(); ++i) CHECK(near(margins[i], dot(v.data(), q.lifted(i))));
    });
  });
}

TEST(answers_add_up_as_in_a_plain_loop) {
  for (const Response& response : {Response{0.25, 1}, Response{0.5, infinity}, Response{infinity, 1}})
    for_each_question([&](const Question& q) {
      const std::vector<double> centres = shares(q.count(), 8), margins = reals(q.count(), 9);
      Sums plain;
      std::vector<double> plain_pulls(2 * q.width());
      for (std::size_t i = 0; i < q.count(); ++i) {
        const double alpha = std::clamp(centres[i] + (1 - margins[i]) / response.width, 0.0, response.top);
        const double a = q.cost(i) * alpha, excess = std::max(0.0, 1 - margins[i]);
        const std::size_t k = q.sample.codes[i] == 1;
        plain += Sums{{}, q.cost(i) * excess, q.cost(i) * excess * excess};
        plain.of_class[k] += ClassSums{a, a * (1 - margins[i]), a * alpha};
        const std::vector<double> u = q.lifted(i);
        for (std::size_t j = 0; j < u.size(); ++j) plain_pulls[k * q.width() + j] += a * u[j];
      }
      for_each_layout(q.sample, [&](const auto& rows) {
        std::vector<double> pulls(2 * q.width(), not_a_number);
        const Sums sums = answer(rows, q.examples(), centres, margins, response, Blocks{q.count(), 8}, 2, pulls);
        CHECK(near(sums.hinge, plain.hinge, 100) && near(sums.squared_hinge, plain.squared_hinge, 100));
        for (std::size_t k = 0; k < 2; ++k) {
          CHECK(near(sums.of_class[k].mass, plain.of_class[k].mass, 1000));
          CHECK(near(sums.of_class[k].pull, plain.of_class[k].pull, 1000));
          CHECK(near(sums.of_class[k].squares, plain.of_class[k].squares, 1000));
        }
        CHECK(all_near(pulls, plain_pulls, 1000));
      });
    });
}

TEST(the_slope_is_the_derivative_of_the_smoothed_loss) {
  for (const Response& response : {Response{0.25, 1}, Response{0.5, infinity}})
    for_each_question([&](const Question& q) {
      const std::vector<double> centres = shares(q.count(), 8), margins = reals(q.count(), 9), rates = reals(q.count(), 10);
      const double step = 0.75;
      double first = 0, second = 0;
      for (std::size_t i = 0; i < q.count(); ++i) {
        const double moved = centres[i] + (1 - margins[i] - step * rates[i]) / response.width;
        first -= q.cost(i) * rates[i] * std::clamp(moved, 0.0, response.top);
        if (moved > 0 && moved < response.top) second += q.cost(i) * rates[i] * rates[i] / response.width;
      }
      const Slope found = slope(q.examples(), centres, margins, rates, step, response, Blocks{q.count(), 4}, 2);
      CHECK(near(found.first, first, 100) && near(found.second, second, 100) && found.second > 0);

      const auto at = [&](double t) {
        return slope(q.examples(), centres, margins, rates, t, response, Blocks{q.count(), 1}, 1).first;
      };
      for (double t = -3; t < 3; t += 0.25) CHECK(at(t + 0.25) >= at(t));  // the loss is convex
    });
}

TEST(free_rows_are_those_whose_answer_moves) {
  for_each_question([](const Question& q) {
    const Response response{0.25, 1};
    const std::vector<double> centres = shares(q.count(), 8), margins = reals(q.count(), 9);
    std::vector<std::int64_t> plain;
    for (std::size_t i = 0; i < q.count(); ++i) {
      const double moved = centres[i] + (1 - margins[i]) / 0.25;
      if (q.cost(i) > 0 && moved > 0 && moved < 1) plain.push_back(static_cast<std::int64_t>(i));
    }
    CHECK(free_rows(q.examples(), centres, margins, response) == plain && !plain.empty());
  });
}

TEST(the_second_derivative_is_that_of_a_plain_loop) {
  for_each_question([](const Question& q) {
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
        gram(rows, q.examples(), some, 0.25, parts, 2, matrix);
        for (std::size_t j = 0; j < side; ++j)
          CHECK(all_near({matrix.data() + j * side, j + 1}, {plain.data() + j * side, j + 1}, 1000));
      }
    });
  });
}

TEST(products_of_rows_are_those_of_a_plain_loop) {
  const Question q = question(67, 5, 40);
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
    project(rows, q.examples(), some, v, values);
    combine(rows, q.examples(), some, weights, sum);
    for (std::size_t k = 0; k < some.size(); ++k) {
      const double* x = q.sample.row(static_cast<std::size_t>(some[k]));
      CHECK(near(values[k], 0.5 * std::inner_product(x, x + 5, v.begin(), 0.0)));
      for (std::size_t j = 0; j < 5; ++j) plain[j] += weights[k] * 0.5 * x[j];
    }
    CHECK(all_near(sum, plain, 10));
  });
}

TEST(a_scaled_norm_neither_overflows_nor_vanishes) {
  for (double size : {1e-200, 1.0, 1e200}) {
    const double values[] = {3 * size, -4 * size};
    CHECK(near(scaled_norm(DenseRow<double>{values, 2, 1}, 1 / size), 25, 100));
  }
}

// ---- solvers ---------------------------------------------------------------------------------------------------------

TEST(conjugate_gradients_find_the_direction_of_a_dense_solve) {
  for_each_question([](const Question& q) {
    for (double kappa : {0.0, 0.5}) {
      const double lambda = 0.125, width = 0.25;
      std::vector<std::int64_t> free;
      for (std::int64_t row : every_other(q.count()))
        if (q.cost(static_cast<std::size_t>(row)) > 0) free.push_back(row);
      const std::size_t side = q.width();
      std::vector<double> matrix(side * side), gradient = reals(side, 11);
      if (q.constant == 0) gradient.back() = 0;
      gram(q.sample.rows(), q.examples(), free, width, 1, 1, matrix);
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
          const Examples examples = q.examples();
          RowSystem system(rows, examples, free, width, Ridge{lambda, kappa}, threads);
          const std::size_t steps = system.solve(gradient, Accuracy{1e-12, 1000}, direction, answer);
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
  const Question q = question(20, 5, 40);
  const std::vector<double> gradient = reals(q.width(), 11);
  for (double kappa : {0.0, 0.5}) {
    std::vector<double> direction(q.width(), not_a_number);
    const auto rows = q.sample.rows();
    const Examples examples = q.examples();
    RowSystem system(rows, examples, std::span<const std::int64_t>{}, 0.25, Ridge{0.125, kappa}, 2);
    system.solve(gradient, Accuracy{1e-8, 100}, direction, {});
    for (std::size_t j = 0; j < 5; ++j) CHECK(near(direction[j], -gradient[j] / 0.125, 10));
    CHECK(direction.back() * gradient.back() < 0);
  }
}

namespace {

/// sum a - lambda/2 |w|^2 - b^2 / (2 rho) - ridge/2 sum c alpha^2 of the point (w, b) that alpha makes: what a pass raises.
double dual_value(const Question& q, const DualShape& shape, const std::vector<double>& alpha) {
  std::vector<double> pull(q.width());
  double value = 0;
  for (std::size_t i = 0; i < q.count(); ++i) {
    const std::vector<double> u = q.lifted(i);
    value += q.cost(i) * (alpha[i] - 0.5 * shape.ridge * alpha[i] * alpha[i]);
    for (std::size_t j = 0; j < u.size(); ++j) pull[j] += q.cost(i) * alpha[i] * u[j];
  }
  for (std::size_t j = 0; j + 1 < q.width(); ++j) value -= 0.5 * pull[j] * pull[j] / shape.lambda;
  return value - 0.5 * shape.rho * pull.back() * pull.back();
}

}  // namespace

TEST(every_pass_of_coordinate_descent_raises_the_dual_until_no_row_can) {
  for (double ridge : {0.0, 0.5})
    for_each_question([&](const Question& q) {
      const DualShape shape{0.125, 2 * q.constant, ridge, ridge == 0 ? 1.0 : infinity};
      std::vector<double> alpha(q.count()), norms(q.count()), v(q.width());
      std::vector<std::int32_t> order(q.count());
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = 0; i < q.count(); ++i) norms[i] = scaled_norm(q.sample.rows()[i], 0.5);
      Random random{1};
      double before = 0;
      for (int pass = 0; pass < 2000; ++pass) {
        const Violations fresh{infinity, -infinity, q.count()};
        const Violations found = descend(q.sample.rows(), q.examples(), shape, alpha, norms, order, v, fresh, random);
        const double now = dual_value(q, shape, alpha);
        CHECK(now >= before - 1e-12 * std::abs(before) && now > 0);
        before = now;
        if (found.largest - found.least < 1e-13) break;
      }
      std::vector<double> pull(q.width());
      for (std::size_t i = 0; i < q.count(); ++i) {
        CHECK(alpha[i] >= 0 && alpha[i] <= shape.top);
        const std::vector<double> u = q.lifted(i);
        for (std::size_t j = 0; j < u.size(); ++j) pull[j] += q.cost(i) * alpha[i] * u[j];
      }
      for (std::size_t j = 0; j + 1 < q.width(); ++j) CHECK(near(v[j], pull[j] / shape.lambda, 1e4));
      CHECK(near(v.back(), pull.back() * shape.rho, 1e4));
      for (std::size_t i = 0; i < q.count(); ++i) {  // the conditions of Karush, Kuhn and Tucker
        if (q.cost(i) == 0) continue;
        const double derivative = dot(v.data(), q.lifted(i)) - 1 + ridge * alpha[i];
        CHECK(alpha[i] == 0 || derivative < 1e-6);
        CHECK(alpha[i] == shape.top || derivative > -1e-6);
      }
    });
}

TEST(rows_set_aside_stay_in_the_order_and_keep_their_answers) {
  const Question q = question(67, 5, 40, false);
  const DualShape shape{0.125, 2, 0, 1};
  std::vector<double> alpha(q.count()), norms(q.count()), v(q.width());
  std::vector<std::int32_t> order(q.count());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < q.count(); ++i) norms[i] = scaled_norm(q.sample.rows()[i], 0.5);
  Random random{2};
  Violations state{infinity, -infinity, q.count()};
  for (int pass = 0; pass < 30; ++pass) {
    const std::vector<std::int32_t> aside(order.begin() + static_cast<std::ptrdiff_t>(state.active), order.end());
    std::vector<double> kept;
    for (std::int32_t i : aside) kept.push_back(alpha[static_cast<std::size_t>(i)]);
    state = descend(q.sample.rows(), q.examples(), shape, alpha, norms, order, v, state, random);
    for (std::size_t k = 0; k < aside.size(); ++k) CHECK(alpha[static_cast<std::size_t>(aside[k])] == kept[k]);
  }
  CHECK(state.active < q.count());
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < q.count(); ++i) CHECK(order[i] == static_cast<std::int32_t>(i));
}

TEST(margins_tell_the_rows_that_a_pass_would_set_aside) {
  const std::vector<double> alpha{0, 0, 1, 1, 0.5, 0, 0.5, 1, 0}, margins{3, 1.5, -1, 0.5, 7, 0.2, -4, 2, 2.5};
  const Violations before{1, -0.75, 0};
  std::vector<std::uint8_t> aside(2, 255);  // what it held before does not matter
  set_aside(DualShape{1, 0, 0, 1}, alpha, margins, before, aside);
  CHECK(aside[0] == 0b101 && aside[1] == 1);  // alpha = 0 with a margin above 2, or alpha = 1 with one below 0.25
  std::vector<std::int32_t> order(9);
  CHECK(line_up(aside, order) == 6);
  CHECK((order == std::vector<std::int32_t>{1, 3, 4, 5, 6, 7, 0, 2, 8}));
  set_aside(DualShape{1, 0, 0, 1}, alpha, margins, Violations{-1, 1, 0}, aside);  // a pass that found nothing to do
  CHECK(line_up(aside, order) == 9);
}

TEST(a_row_of_zeros_goes_to_the_bound_that_its_derivative_points_to) {
  const Sample sample{2, {0, 0, 0, 0}, {1, 0}};
  const Examples examples{sample.codes, 1, {}, 1, 0};
  std::vector<double> alpha(2), norms(2), v(3);
  std::vector<std::int32_t> order{0, 1};
  Random random{3};
  descend(sample.rows(), examples, DualShape{1, 0, 0, 1}, alpha, norms, order, v, Violations{infinity, -infinity, 2}, random);
  CHECK(alpha[0] == 1 && alpha[1] == 1);  // it loses 1 whatever w is
  CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0);
}

TEST(the_intercept_is_balanced_where_the_loss_is_least) {
  for (bool squared : {false, true}) {
    const Question q = question(67, 5, 40);
    std::vector<double> margins = reals(q.count(), 9);
    const std::vector<double> before = margins;
    const auto loss = [&](double shift) {
      double total = 0;
      for (std::size_t i = 0; i < q.count(); ++i) {
        const double excess = std::max(0.0, 1 - before[i] - q.sample.label(i) * shift);
        total += q.cost(i) * (squared ? excess * excess : excess);
      }
      return total;
    };
    const double shift = balance(q.examples(), margins, squared, 0.0, Blocks{q.count(), 4}, 2);
    for (std::size_t i = 0; i < q.count(); ++i) CHECK(near(margins[i], before[i] + q.sample.label(i) * shift, 10));
    for (double other = -4; other < 4; other += 0.001) CHECK(loss(shift) <= loss(other) + 1e-9);
  }
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
  const Question q = question(3000, 9, 50);
  const std::vector<double> centres = shares(q.count(), 8), v = reals(q.width(), 7), rates = reals(q.count(), 10);
  const std::vector<std::int64_t> some = every_other(q.count());
  const Response response{0.25, 1};
  const Blocks blocks{q.count(), 16};
  for_each_layout(q.sample, [&](const auto& rows) {
    const auto all = [&](std::size_t threads) {
      std::vector<double> found(q.count()), pulls(2 * q.width()), matrix(q.width() * q.width()), direction(q.width());
      measure(rows, q.examples(), v, blocks, threads, found);
      const Sums sums = answer(rows, q.examples(), centres, found, response, blocks, threads, pulls);
      const Slope along = slope(q.examples(), centres, found, rates, 0.5, response, blocks, threads);
      gram(rows, q.examples(), some, 0.25, 8, threads, matrix);
      std::vector<std::int64_t> free = free_rows(q.examples(), centres, found, response);
      const Examples examples = q.examples();
      RowSystem system(rows, examples, free, 0.25, Ridge{0.125, 0}, threads);
      std::vector<double> rest(free.size());
      const std::size_t steps = system.solve({pulls.data(), q.width()}, Accuracy{1e-8, 100}, direction, rest);
      std::vector<double> shifted = found;
      const double shift = balance(q.examples(), shifted, false, 0.0, blocks, threads);
      for (const auto& part : {pulls, matrix, direction, rest, shifted}) found.insert(found.end(), part.begin(), part.end());
      for (const ClassSums& one : sums.of_class) found.insert(found.end(), {one.mass, one.pull, one.squares});
      found.insert(found.end(), {sums.hinge, sums.squared_hinge, along.first, along.second, shift});
      found.push_back(static_cast<double>(steps));
      return found;
    };
    const std::vector<double> alone = all(1);
    for (std::size_t threads : {2, 3, 5, 16}) CHECK(same_bits(alone, all(threads)));
  });
}

// ---- the survey ------------------------------------------------------------------------------------------------------

TEST(a_survey_finds_the_largest_value_and_the_first_bad_row) {
  for (double bad : {not_a_number, infinity, -infinity}) {
    Sample sample = noise(20, 3, 60);
    sample.values[4] = -7;
    for_each_layout(sample, [](const auto& rows) {
      const Survey found = survey(rows);
      CHECK(found.good == 20 && found.largest == 7 && found.rising);
    });
    for (std::size_t row : {0, 5, 19}) {
      Sample wrong = sample;
      wrong.values[row * 3 + 2] = bad;
      if (row < 19) wrong.values[19 * 3] = bad;
      for_each_layout(wrong, [&](const auto& rows) { CHECK(survey(rows).good == row); });
    }
  }
}

TEST(a_survey_takes_the_largest_doubles_for_what_they_are) {
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  const Sample sample{2, {most, -most, least, 0}, {1, 0}};
  for_each_layout(sample, [&](const auto& rows) { CHECK(survey(rows).good == 2 && survey(rows).largest == most); });
}

TEST(a_survey_finds_indices_that_lie_outside_or_do_not_rise) {
  const std::vector<double> values{1, 2, 3, 4};
  const auto surveyed = [&]<class I>(std::vector<I> indices) {
    const std::vector<I> offsets{0, 2, 4};
    return survey(CsrRows<double, I>{values.data(), indices.data(), offsets.data(), 2, 3});
  };
  const auto both = [&](std::vector<std::int32_t> indices, std::size_t good, std::optional<bool> rising) {
    const Survey narrow = surveyed(indices), wide = surveyed(std::vector<std::int64_t>(indices.begin(), indices.end()));
    CHECK(narrow.good == good && wide.good == good);
    if (rising) CHECK(narrow.rising == *rising && wide.rising == *rising);
  };
  both({0, 1, 1, 2}, 2, true);
  both({0, 1, 2, 1}, 2, false);
  both({1, 0, 1, 2}, 2, false);
  both({0, 1, 2, 2}, 2, false);  // one stands twice
  both({0, 1, 1, 3}, 1, {});
  both({0, -1, 1, 2}, 0, {});
}

TEST(an_empty_row_and_stored_zeros_are_good) {
  const double values[] = {0, 5};
  const std::int32_t indices[] = {0, 1}, offsets[] = {0, 0, 2, 2};
  const Survey found = survey(CsrRows<double, std::int32_t>{values, indices, offsets, 3, 2});
  CHECK(found.good == 3 && found.rising && found.largest == 5);
}

int main() { return check::run_all(); }
