// Passes of coordinate descent: they raise the dual, and set aside only rows that cannot move.
#include "novikoff/coordinate_descent.hpp"
#include "questions.hpp"

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

int main() { return check::run_all(); }
