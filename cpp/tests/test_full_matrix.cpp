// The full matrix: the factor against plain elimination, and the two learners against plain code and their theorem.
#include "second_order_samples.hpp"

namespace {

using Square = std::vector<std::vector<double>>;

/// The solution of A w = v by elimination with the largest pivot.
std::vector<double> solved(Square A, std::vector<double> v) {
  const std::size_t n = v.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
    std::swap(A[k], A[best]);
    std::swap(v[k], v[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      v[i] -= factor * v[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) v[k] -= A[k][j] * v[j];
    v[k] /= A[k][k];
  }
  return v;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// U D U' written out, the intercept first.
Square written_out(const FullMatrix& matrix) {
  const std::size_t n = matrix.columns.size() + 1;
  Square U(n, std::vector<double>(n)), A(n, std::vector<double>(n));
  std::size_t next = 0;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) U[i][j] = matrix.upper[next++];
    U[j][j] = 1;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double pivot = matrix.a + (j == 0 ? matrix.bias.gain : matrix.columns[j - 1].gain);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) A[i][k] += U[i][j] * pivot * U[k][j];
  }
  return A;
}

const FullMatrix& matrix_of(const Hypothesis& h) { return std::get<FullMatrix>(h.second->state); }

/// A run as the papers write it, with the matrix inverted for every prediction. The intercept is last.
struct PlainRun {
  Square A;
  std::vector<double> v, w;
  std::vector<bool> updated;

  PlainRun(const Sample& sample, double a, bool has_margin) : v(sample.columns + 1), w(v) {
    const std::size_t n = v.size();
    A.assign(n, std::vector<double>(n));
    for (std::size_t j = 0; j < n; ++j) A[j][j] = a;
    for (std::size_t i = 0; i < sample.count(); ++i) {
      const std::vector<double> u = with_one(sample, i);
      const double y = sample.label(i), margin = y * product(u, w);
      updated.push_back(has_margin ? margin < 1 : margin <= 0);
      if (!updated.back()) continue;
      for (std::size_t j = 0; j < n; ++j) {
        v[j] += y * u[j];
        for (std::size_t k = 0; k < n; ++k) A[j][k] += u[j] * u[k];
      }
      w = solved(A, v);
    }
  }
};

}  // namespace

TEST(runs_with_a_full_matrix_agree_with_plain_code) {
  for (const bool has_margin : {false, true}) {
    Sample sample = noise(150, 5, 3);
    const PlainRun plain(sample, 0.5, has_margin);
    const FullMatrixRule rule{0.5, has_margin};
    Hypothesis h = second_order(rule.start(), 5);
    std::vector<bool> updated;
    for (std::size_t i = 0; i < sample.count(); ++i)
      updated.push_back(pass(sample.rows(), sample.batch(i, i + 1), rule, {}, Tie::mistake, h).moved);
    CHECK(updated == plain.updated && all_near(with_bias(h), plain.w, 1e-9) && all_near(sum_of(h), plain.v, 1e-12));
    const Square A = written_out(matrix_of(h));
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < 6; ++k) CHECK(std::abs(A[i][k] - plain.A[(i + 5) % 6][(k + 5) % 6]) < 1e-9);
  }
}

TEST(arow_in_this_form_is_arow_with_a_covariance) {
  Sample sample = noise(80, 3, 9);
  const double r = 0.7;
  std::vector<double> w(4);
  Square S(4, std::vector<double>(4));
  for (std::size_t j = 0; j < 4; ++j) S[j][j] = 1;
  for (std::size_t i = 0; i < sample.count(); ++i) {
    const std::vector<double> u = with_one(sample, i);
    const double y = sample.label(i), loss = 1 - y * product(u, w);
    if (loss <= 0) continue;
    std::vector<double> spread(4);
    for (std::size_t j = 0; j < 4; ++j) spread[j] = product(S[j], u);
    const double beta = 1 / (product(u, spread) + r);
    for (std::size_t j = 0; j < 4; ++j) {
      w[j] += loss * beta * y * spread[j];
      for (std::size_t k = 0; k < 4; ++k) S[j][k] -= beta * spread[j] * spread[k];
    }
  }
  Hypothesis h = second_order(FullMatrix{r}, 3);
  pass(sample.rows(), sample.batch(), FullMatrixRule{r, true}, {}, Tie::mistake, h);
  CHECK(all_near(with_bias(h), w, 1e-9));
}

TEST(the_energy_is_below_the_log_determinant_and_corrections_for_columns_that_nearly_depend) {
  for (const bool has_margin : {false, true})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Sample sample = noise(200, 4, 50 + seed);
      for (std::size_t i = 0; i < sample.count(); ++i) {
        double* row = sample.values.data() + 4 * i;
        row[3] = row[0] * 1e3 + row[3] * std::pow(10.0, -static_cast<double>(seed % 8));
        if (i % 6 != 0) sample.codes[i] = row[0] - row[1] > 0 ? 1 : 0;
      }
      const double a = 1e-3;
      Hypothesis h = second_order(FullMatrix{a}, 4);
      pass(sample.rows(), sample.batch(), FullMatrixRule{a, has_margin}, {}, Tie::mistake, h);
      const FullMatrix& matrix = matrix_of(h);
      double log_det = std::log1p(matrix.bias.gain / a);
      for (const FullMatrix::Column& column : matrix.columns) log_det += std::log1p(column.gain / a);
      const double energy = product(sum_of(h), with_bias(h));  // v'A^-1 v
      CHECK(energy > 0 && energy <= log_det + h.steps.value() - h.mistakes.value());
    }
}

TEST(gains_are_never_negative_and_numbers_stay_finite_at_any_scale) {
  Random random{8};
  const FullMatrixRule rule{1e-3, true};
  Hypothesis h = second_order(rule.start(), 6);
  for (int k = 0; k < 3000; ++k) {
    Sample sample{6, {}, {static_cast<std::int32_t>(random.below(2))}};
    const auto power = [&] { return static_cast<int>(random.below(200)) - 100; };
    const double common = std::ldexp(real(random), power());
    for (int j = 0; j < 6; ++j) sample.values.push_back(k % 2 ? common : std::ldexp(real(random), power()));
    pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, h);
    for (const FullMatrix::Column& column : matrix_of(h).columns) CHECK(column.gain >= 0 && std::isfinite(column.gain));
    for (double weight : with_bias(h)) CHECK(std::isfinite(weight));
  }
}

TEST(an_example_that_would_overflow_enters_the_sum_alone) {
  Sample sample{1, {1.0, 1e150, -1e150}, {1, 0, 0}};
  const FullMatrixRule rule{1.0, false};
  Hypothesis h = second_order(rule.start(), 1);
  pass(sample.rows(), sample.batch(0, 1), rule, {}, Tie::mistake, h);
  const double weight = h.weights[0];
  pass(sample.rows(), sample.batch(1, 2), rule, {}, Tie::mistake, h);
  CHECK(h.weights[0] == weight && h.steps.value() == 2 && matrix_of(h).columns[0].sum == 1 - 1e150);
  CHECK(h.mistakes.value() == 2 && std::isfinite(matrix_of(h).trace));
}

TEST(a_late_column_does_not_change_a_bit) {
  Sample sample = noise(100, 4, 7);
  for (std::size_t i = 0; i < 60; ++i) sample.values[4 * i + 3] = 0;
  const FullMatrixRule rule{0.5, true};
  Hypothesis all = second_order(rule.start(), 4), grown = second_order(rule.start(), 3);
  Sample narrow{3, {}, {sample.codes.begin(), sample.codes.begin() + 60}};
  for (std::size_t i = 0; i < 60; ++i) narrow.values.insert(narrow.values.end(), sample.row(i), sample.row(i) + 3);
  pass(sample.rows(), sample.batch(), rule, {}, Tie::mistake, all);
  pass(narrow.rows(), narrow.batch(), rule, {}, Tie::mistake, grown);
  grown.resize(4);
  pass(sample.rows(), sample.batch(60, 100), rule, {}, Tie::mistake, grown);
  CHECK(same_second_order(all, grown));
}
