// Binary problems of the soft margin for tests: samples with costs, in every memory layout.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "novikoff/soft_margin.hpp"
#include "samples.hpp"

/// A sparse copy of a sample: zeros are left out.
struct Csr {
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> offsets{0};
  std::size_t columns;

  explicit Csr(const Sample& sample) : columns(sample.columns) {
    for (std::size_t i = 0; i < sample.count(); ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        if (sample.row(i)[j] != 0) {
          values.push_back(sample.row(i)[j]);
          indices.push_back(static_cast<std::int32_t>(j));
        }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  CsrRows<double> rows() const { return {values.data(), indices.data(), offsets.data(), offsets.size() - 1, columns}; }
};

/// A sample with costs, some of them 0, and a scale; the intercept may be missing.
struct TestProblem {
  Sample sample;
  std::vector<double> costs;
  double constant;

  BinaryProblem problem() const { return {sample.codes, 1, costs, 0.5, constant}; }
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

inline TestProblem test_problem(std::size_t count, std::size_t columns, std::uint64_t seed, bool costly = true,
                                double constant = 1) {
  TestProblem q{noise(count, columns, seed), {}, constant};
  for (std::size_t k = 0; k < q.sample.values.size(); k += 3) q.sample.values[k] = 0;
  if (costly) {
    q.costs = reals(count, seed + 2);
    for (double& cost : q.costs) cost = cost < -0.8 ? 0 : 1.5 + cost;
  }
  return q;
}

void for_each_problem(auto&& use) {
  for (bool costly : {false, true})
    for (double constant : {0.0, 1.0}) use(test_problem(67, 5, 40, costly, constant));
}

/// The same rows in every layout.
void for_each_layout(const Sample& sample, auto&& use) {
  use(sample.rows());
  std::vector<double> turned(sample.values.size());
  for (std::size_t i = 0; i < sample.count(); ++i)
    for (std::size_t j = 0; j < sample.columns; ++j) turned[j * sample.count() + i] = sample.row(i)[j];
  use(DenseRows<double>{turned.data(), sample.count(), sample.columns, 1, static_cast<std::ptrdiff_t>(sample.count())});
  const Csr sparse(sample);
  use(sparse.rows());
}

inline std::vector<double> shares(std::size_t count, std::uint64_t seed) {  // from 0 to 1, both ends among them
  std::vector<double> alpha = reals(count, seed);
  for (double& a : alpha) a = std::clamp(0.5 + a, 0.0, 1.0);
  return alpha;
}

inline std::vector<std::int64_t> every_other(std::size_t count) {
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < count; i += 2) some.push_back(static_cast<std::int64_t>(i));
  return some;
}

inline bool all_near(std::span<const double> a, std::span<const double> b, double scale = 1) {
  bool good = a.size() == b.size();
  for (std::size_t j = 0; good && j < a.size(); ++j) good = near(a[j], b[j], scale);
  return good;
}
