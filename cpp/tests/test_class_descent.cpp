// Coordinate descent for several problems at once: each of them gets what the plain formulas say.
#include <algorithm>

#include "binary_problems.hpp"
#include "novikoff/class_descent.hpp"

namespace {

constexpr std::size_t places = 4;

/// A sample with three classes, and the arrays of a descent.
struct Classes {
  TestProblem q;
  std::vector<std::int32_t> codes, positive{2, 0, 1}, order;
  std::vector<double> alpha, norms, intercepts = std::vector<double>(3);
  std::vector<ClassNumbers<float, places>> weights;
  std::vector<ClassMask> excluded;

  Classes(bool costly, double constant) : q(test_problem(67, 5, 40, costly, constant)) {
    for (std::size_t i = 0; i < q.count(); ++i) {
      codes.push_back(static_cast<std::int32_t>(i % 3));
      order.push_back(static_cast<std::int32_t>(i));
      norms.push_back(scaled_squared_norm(q.sample.rows()[i], 0.5));
    }
    alpha.resize(q.count() * places);
    weights.resize(q.sample.columns);
    excluded.resize(q.count());
  }
  ClassProblems problems() const { return {codes, positive, q.costs, 0.5, q.constant}; }
  ClassState<places> state() { return {alpha.data(), weights.data(), intercepts, excluded, order}; }
  double sign(std::size_t i, std::size_t c) const { return codes[i] == positive[c] ? 1 : -1; }

  /// sum a y (s x, constant) of one problem.
  std::vector<double> pull(std::size_t c) const {
    std::vector<double> sum(q.width());
    for (std::size_t i = 0; i < q.count(); ++i) {
      const double a = q.cost(i) * alpha[i * places + c] * sign(i, c);
      for (std::size_t j = 0; j + 1 < q.width(); ++j) sum[j] += a * 0.5 * q.sample.row(i)[j];
      sum.back() += a;
    }
    return sum;
  }
};

ClassPassSummary fresh(std::size_t active) {
  ClassPassSummary before;
  before.active = active;
  for (PassSummary& own : before.of) own = {infinity, -infinity, 0};
  return before;
}

}  // namespace

TEST(passes_end_where_no_row_of_any_problem_can_move) {
  std::ranges::for_each(all_losses, [](const auto& loss) {
    for (bool costly : {false, true})
      for (double constant : {0.0, 1.0}) {
        Classes c(costly, constant);
        const DualPenalty penalty{0.125, 2 * constant};
        Random random{1};
        for (int pass = 0; pass < 3000; ++pass)
          descend_classes(c.q.sample.rows(), c.problems(), loss, penalty, c.norms, c.state(), fresh(c.q.count()), random);
        for (std::size_t k = 0; k < 3; ++k) {
          const std::vector<double> sum = c.pull(k);
          for (std::size_t i = 0; i < c.q.count(); ++i) {
            if (c.q.cost(i) == 0) continue;
            double score = constant * penalty.rho * sum.back();
            for (std::size_t j = 0; j < c.q.sample.columns; ++j) score += 0.5 * c.q.sample.row(i)[j] * sum[j] / penalty.lambda;
            const double alpha = c.alpha[i * places + k], derivative = c.sign(i, k) * score - 1 + loss.ridge * alpha;
            CHECK(alpha >= 0 && alpha <= loss.top);
            CHECK(alpha == 0 || derivative < 1e-3);  // weights have single precision
            CHECK(alpha == loss.top || derivative > -1e-3);
          }
        }
      }
  });
}

TEST(sums_and_measures_are_those_of_the_plain_formulas_in_every_layout) {
  for (bool costly : {false, true}) {
    Classes c(costly, 1);
    for (std::size_t i = 0; i < c.q.count(); ++i)
      for (std::size_t k = 0; k < 3; ++k) c.alpha[i * places + k] = static_cast<double>((i + k) % 4) / 3;
    for_each_layout(c.q.sample, [&](const auto& rows) {
      std::vector<ClassNumbers<double, places>> sums(c.q.sample.columns);
      std::vector<double> totals(3);
      class_sums(rows, c.problems(), c.alpha.data(), sums.data(), std::span(totals));
      const ClassMeasure found = measure_classes(rows, c.problems(), hinge, c.alpha.data(), sums.data(),
                                                 std::span<const double>(totals), fresh(0), std::span(c.excluded));
      for (std::size_t k = 0; k < 3; ++k) {
        const std::vector<double> sum = c.pull(k);
        for (std::size_t j = 0; j + 1 < c.q.width(); ++j) CHECK(near(sums[j][k], sum[j], 100));
        CHECK(near(totals[k], sum.back(), 100));
        double loss = 0, a = 0, a_alpha = 0;
        std::size_t counted = 0;
        for (std::size_t i = 0; i < c.q.count(); ++i) {
          double score = sum.back();
          for (std::size_t j = 0; j < c.q.sample.columns; ++j) score += 0.5 * c.q.sample.row(i)[j] * sum[j];
          const double alpha = c.alpha[i * places + k], slack = 1 - c.sign(i, k) * score;
          loss += c.q.cost(i) * std::max(0.0, slack);
          a += c.q.cost(i) * alpha;
          a_alpha += c.q.cost(i) * alpha * alpha;
          counted += slack > 0 || alpha > 0;
          CHECK(c.excluded[i] == 0);
        }
        CHECK(near(found.of[k].loss, loss, 1e3) && near(found.of[k].a, a, 1e3) && near(found.of[k].a_alpha, a_alpha, 1e3));
        CHECK(found.of[k].counted == counted);
      }
    });
  }
}

TEST(a_problem_of_a_row_is_excluded_alone_and_a_row_when_all_of_its_problems_are) {
  Classes c(false, 1);
  const DualPenalty penalty{0.125, 2};
  Random random{2};
  ClassPassSummary now = fresh(c.q.count());
  for (int pass = 0; pass < 40; ++pass) {
    const std::vector<double> kept = c.alpha;
    const std::vector<ClassMask> excluded = c.excluded;
    now = descend_classes(c.q.sample.rows(), c.problems(), hinge, penalty, c.norms, c.state(), now, random);
    for (std::size_t i = 0; i < c.q.count(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        if (excluded[i] >> k & 1) CHECK(c.alpha[i * places + k] == kept[i * places + k]);
  }
  CHECK(now.active < c.q.count());
  for (std::size_t k = 0; k < c.q.count(); ++k)
    CHECK((c.excluded[static_cast<std::size_t>(c.order[k])] == 7) == (k >= now.active));
  std::vector<std::int32_t> order(c.q.count());
  CHECK(order_active_first(std::span<const ClassMask>(c.excluded), ClassMask{7}, std::span(order)) == now.active);
  for (std::size_t k = 0; k < c.q.count(); ++k)
    CHECK((c.excluded[static_cast<std::size_t>(order[k])] == 7) == (k >= now.active));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < c.q.count(); ++i) CHECK(order[i] == static_cast<std::int32_t>(i));
}
