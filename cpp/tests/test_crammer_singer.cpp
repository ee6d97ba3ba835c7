// The joint machine: projections to the simplex, states of rows, and passes that raise the dual in every layout.
#include "binary_problems.hpp"
#include "novikoff/crammer_singer.hpp"

TEST(the_projection_is_the_nearest_point_of_the_simplex) {
  Random random{1};
  for (std::size_t size = 2; size < 7; ++size)
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<double> z(size);
      for (double& value : z) value = 2 * real(random) + (repeat % 2 ? 1e9 : 0);
      std::vector<double> found = z;
      project_to_simplex(found);
      double sum = 0, threshold = 0;
      for (std::size_t k = 0; k < size; ++k) {
        CHECK(found[k] >= 0);
        sum += found[k];
        if (found[k] > 0) threshold = z[k] - found[k];
      }
      CHECK(std::abs(sum - 1) < 1e-12);
      for (std::size_t k = 0; k < size; ++k)  // z - found is one number where there is mass, and not above it elsewhere
        CHECK(found[k] > 0 ? std::abs(z[k] - found[k] - threshold) < 1e-6 : z[k] <= threshold + 1e-6);
    }
}

TEST(a_mass_that_is_alone_is_exactly_1) {
  std::vector<double> z{0.1, 1e17, -3};
  project_to_simplex(z);
  CHECK(z[0] == 0 && z[1] == 1 && z[2] == 0);
}

TEST(the_state_of_a_row_tells_violation_lead_and_gap) {
  const RowState leading = RowState::of(std::vector<double>{0, 1, 0}, std::vector<double>{0.5, 2, 1.25});
  CHECK(leading.violation == 0 && leading.lead == 0.75 && leading.gap == 0);
  const RowState behind = RowState::of(std::vector<double>{0.25, 0.75, 0}, std::vector<double>{1, 2, 4});
  CHECK(behind.violation == 3 && behind.lead < 0 && behind.gap == 2.25);
  const RowState tied = RowState::of(std::vector<double>{1, 0}, std::vector<double>{2, 2});
  CHECK(tied.violation == 0 && tied.lead == 0);
}

TEST(rests_become_longer_and_end_when_the_row_moves) {
  Rest rest{0};
  for (const int passes : {1, 3, 7, 15, 15}) {
    CHECK(!rest.skip());
    rest.begin();
    for (int pass = 0; pass < passes; ++pass) CHECK(rest.skip());
  }
  CHECK(!rest.skip());
  rest.end();
  rest.begin();
  CHECK(rest.skip() && !rest.skip());
}

namespace {

template <class Real>
void check_passes(double tolerance) {
  const TestProblem q = test_problem(67, 5, 40);
  std::vector<std::int32_t> codes(q.count());
  Random labels{5};
  for (std::int32_t& code : codes) code = static_cast<std::int32_t>(labels.below(3));
  const JointProblem problem{codes, 3, q.costs, 0.5, 1};
  const DualPenalty penalty{0.125, 2};
  for_each_layout(q.sample, [&](const auto& rows) {
    constexpr std::size_t stride = 4;
    std::vector<double> alpha(q.count() * 3), norms(q.count()), b(3), sums(q.sample.columns * 3), totals(3);
    std::vector<Real> v(q.sample.columns * stride);
    std::vector<Rest> rests(q.count());
    std::vector<std::int32_t> order(q.count());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i < q.count(); ++i) {
      alpha[i * 3 + static_cast<std::size_t>(codes[i])] = 1;
      norms[i] = scaled_squared_norm(rows[i], 0.5);
    }
    const JointState<Real> state{alpha, {v.data(), stride}, b, norms, rests};
    Random random{1};
    JointPassSummary last;
    double before = 0;
    for (int pass = 0; pass < 400; ++pass) {
      last = descend(rows, problem, penalty, 1.5, state, order, JointPassSummary{infinity, q.count()}, random);
      joint_sums(rows, problem, alpha, sums, totals);
      double now = 0;
      for (std::size_t i = 0; i < q.count(); ++i) now += q.cost(i) * (1 - alpha[i * 3 + static_cast<std::size_t>(codes[i])]);
      for (const double sum : sums) now -= 0.5 * sum * sum / penalty.lambda;
      for (const double total : totals) now -= 0.5 * penalty.rho * total * total;
      CHECK(now >= before - tolerance);
      before = now;
    }
    CHECK(last.active == q.count() && last.visits <= q.count() && last.gap < 1e-2 * before);
    for (std::size_t j = 0; j < q.sample.columns; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(std::abs(static_cast<double>(v[j * stride + k]) - sums[j * 3 + k] / penalty.lambda) < 10 * tolerance);
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(b[k] - penalty.rho * totals[k]) < 1e-9);
  });
}

}  // namespace

TEST(passes_raise_the_dual_in_every_layout_and_precision) {
  check_passes<double>(1e-9);
  check_passes<float>(1e-3);
}
