// Passes of coordinate descent: they increase the dual objective, and shrinking excludes only rows that cannot move.
#include <algorithm>

#include "binary_problems.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/face_step.hpp"

namespace {

/// The dual objective with the intercept term rho/2 (sum a y)^2: a pass increases it.
double dual_value(const TestProblem& q, double ridge, const DualPenalty& penalty, const std::vector<double>& alpha) {
  std::vector<double> pull(q.width());
  double value = 0;
  for (std::size_t i = 0; i < q.count(); ++i) {
    const std::vector<double> u = q.lifted(i);
    value += q.cost(i) * (alpha[i] - 0.5 * ridge * alpha[i] * alpha[i]);
    for (std::size_t j = 0; j < u.size(); ++j) pull[j] += q.cost(i) * alpha[i] * u[j];
  }
  for (std::size_t j = 0; j + 1 < q.width(); ++j) value -= 0.5 * pull[j] * pull[j] / penalty.lambda;
  return value - 0.5 * penalty.rho * pull.back() * pull.back();
}

}  // namespace

TEST(every_pass_of_coordinate_descent_raises_the_dual_until_no_row_can) {
  std::ranges::for_each(all_losses, [](const auto& loss) {
    for_each_problem([&](const TestProblem& q) {
      const DualPenalty penalty{0.125, 2 * q.constant};
      std::vector<double> alpha(q.count()), norms(q.count()), v(q.width());
      std::vector<std::int32_t> order(q.count());
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = 0; i < q.count(); ++i) norms[i] = scaled_squared_norm(q.sample.rows()[i], 0.5);
      Random random{1};
      double before = 0;
      for (int pass = 0; pass < 2000; ++pass) {
        const PassSummary fresh{infinity, -infinity, q.count()};
        const PassSummary found = descend(q.sample.rows(), q.problem(), loss, penalty, alpha, norms, order, v, fresh, random);
        const double now = dual_value(q, loss.ridge, penalty, alpha);
        CHECK(now >= before - 1e-12 * std::abs(before) && now > 0);
        before = now;
        if (found.largest - found.least < 1e-13) break;
      }
      std::vector<double> pull(q.width());
      for (std::size_t i = 0; i < q.count(); ++i) {
        CHECK(alpha[i] >= 0 && alpha[i] <= loss.top);
        const std::vector<double> u = q.lifted(i);
        for (std::size_t j = 0; j < u.size(); ++j) pull[j] += q.cost(i) * alpha[i] * u[j];
      }
      for (std::size_t j = 0; j + 1 < q.width(); ++j) CHECK(near(v[j], pull[j] / penalty.lambda, 1e4));
      CHECK(near(v.back(), pull.back() * penalty.rho, 1e4));
      for (std::size_t i = 0; i < q.count(); ++i) {  // the conditions of Karush, Kuhn and Tucker
        if (q.cost(i) == 0) continue;
        const double derivative = dot(v.data(), q.lifted(i)) - 1 + loss.ridge * alpha[i];
        CHECK(alpha[i] == 0 || derivative < 1e-6);
        CHECK(alpha[i] == loss.top || derivative > -1e-6);
      }
    });
  });
}

TEST(a_step_over_the_free_rows_raises_the_dual_by_what_it_says_and_moves_no_other_row) {
  std::size_t moved = 0;
  std::ranges::for_each(all_losses, [&](const auto& loss) {
    for_each_problem([&](const TestProblem& q) {
      const DualPenalty penalty{0.125, 2 * q.constant};
      std::vector<double> alpha(q.count()), norms(q.count()), v(q.width());
      std::vector<std::int32_t> order(q.count());
      std::iota(order.begin(), order.end(), 0);
      const auto rows = q.sample.rows();
      for (std::size_t i = 0; i < q.count(); ++i) norms[i] = scaled_squared_norm(rows[i], 0.5);
      Random random{1};
      descend(rows, q.problem(), loss, penalty, alpha, norms, order, v, PassSummary{infinity, -infinity, q.count()}, random);
      const std::vector<double> kept = alpha;
      const BinaryProblem problem = q.problem();
      const double before = dual_value(q, loss.ridge, penalty, alpha);
      Face face(rows, problem, loss, penalty, alpha, v);
      const FaceStep found = face.move(1e-3, 1e6, 1);
      CHECK(found.gain >= 0 && near(dual_value(q, loss.ridge, penalty, alpha), before + found.gain, 1e4));
      moved += found.gain > 0;
      std::vector<double> pull(q.width());
      for (std::size_t i = 0; i < q.count(); ++i) {
        CHECK(alpha[i] >= 0 && alpha[i] <= loss.top);
        CHECK((kept[i] > 0 && kept[i] < loss.top) || alpha[i] == kept[i]);
        const std::vector<double> u = q.lifted(i);
        for (std::size_t j = 0; j < u.size(); ++j) pull[j] += q.cost(i) * alpha[i] * u[j];
      }
      for (std::size_t j = 0; j + 1 < q.width(); ++j) CHECK(near(v[j], pull[j] / penalty.lambda, 1e4));
      CHECK(near(v.back(), pull.back() * penalty.rho, 1e4));
    });
  });
  CHECK(moved > 0);
}

TEST(excluded_rows_stay_in_the_order_and_keep_their_dual_variables) {
  const TestProblem q = test_problem(67, 5, 40, false);
  const DualPenalty penalty{0.125, 2};
  std::vector<double> alpha(q.count()), norms(q.count()), v(q.width());
  std::vector<std::int32_t> order(q.count());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < q.count(); ++i) norms[i] = scaled_squared_norm(q.sample.rows()[i], 0.5);
  Random random{2};
  PassSummary state{infinity, -infinity, q.count()};
  for (int pass = 0; pass < 30; ++pass) {
    const std::vector<std::int32_t> shrunk(order.begin() + static_cast<std::ptrdiff_t>(state.active), order.end());
    std::vector<double> kept;
    for (std::int32_t i : shrunk) kept.push_back(alpha[static_cast<std::size_t>(i)]);
    state = descend(q.sample.rows(), q.problem(), hinge, penalty, alpha, norms, order, v, state, random);
    for (std::size_t k = 0; k < shrunk.size(); ++k) CHECK(alpha[static_cast<std::size_t>(shrunk[k])] == kept[k]);
  }
  CHECK(state.active < q.count());
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < q.count(); ++i) CHECK(order[i] == static_cast<std::int32_t>(i));
}

TEST(shrinking_by_margins_excludes_the_rows_that_a_pass_would) {
  const std::vector<double> alpha{0, 0, 1, 1, 0.5, 0, 0.5, 1, 0}, margins{3, 1.5, -1, 0.5, 7, 0.2, -4, 2, 2.5};
  const PassSummary before{1, -0.75, 0};
  std::vector<std::uint8_t> shrunk(2, 255);  // what it held before does not matter
  mark_shrunk(hinge, alpha, margins, before, shrunk);
  CHECK(shrunk[0] == 0b101 && shrunk[1] == 1);  // alpha = 0 with a margin above 2, or alpha = 1 with one below 0.25
  std::vector<std::int32_t> order(9);
  CHECK(order_active_first(shrunk, order) == 6);
  CHECK((order == std::vector<std::int32_t>{1, 3, 4, 5, 6, 7, 0, 2, 8}));
  mark_shrunk(hinge, alpha, margins, PassSummary{-1, 1, 0}, shrunk);  // a pass that found nothing to do
  CHECK(order_active_first(shrunk, order) == 9);
}

TEST(a_row_of_zeros_goes_to_the_bound_that_its_derivative_points_to) {
  const Sample sample{2, {0, 0, 0, 0}, {1, 0}};
  const BinaryProblem problem{sample.codes, 1, {}, 1, 0};
  std::vector<double> alpha(2), norms(2), v(3);
  std::vector<std::int32_t> order{0, 1};
  Random random{3};
  descend(sample.rows(), problem, hinge, DualPenalty{1, 0}, alpha, norms, order, v, PassSummary{infinity, -infinity, 2},
          random);
  CHECK(alpha[0] == 1 && alpha[1] == 1);  // it loses 1 whatever w is
  CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0);
}
