// A Gaussian distribution over weight vectors with independent coordinates, which AROW and SCW learn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "novikoff/lanes.hpp"
#include "novikoff/second_order_input.hpp"

namespace novikoff {

/// The variances S of the weights, all 1 at first. The means are the weights of the hypothesis.
///
/// An update moves the means along S u and makes the variances of the columns of u smaller:
///
///   w += along y S u,      1/s_j += shrink u_j^2.
///
/// The second line is the update of AROW and of SCW with the matrix restricted to diagonal ones: in both, the matrix minimises
/// -log det(S)/2 + tr(S_old^-1 S)/2 + (a multiple of) u'S u, and for a diagonal S the derivative by s_j is 0 where the second
/// line says. Variances never grow, and remain above 0 because they are not made smaller than the smallest normal number.
struct DiagonalVariance {
  struct Column {
    double variance = 1;
    double sum = 0;  // of y u over the updates, from which proofs are made: docs/theory.md L1

    /// The update by the value u_j of a column, times y, of which v gets the part `weight`.
    void update(double value, double along, double shrink, double weight, double least, double& mean) {
      const double spread = variance * value, smaller = variance / (1 + shrink * spread * value);
      mean += along * spread;
      variance = smaller < least ? least : smaller;
      sum += weight * value;
    }
  };

  std::vector<Column> columns;
  Column bias;

  void resize(std::size_t count) { columns.resize(count); }

  static double least_variance(double floor) { return std::max(floor, std::numeric_limits<double>::min()); }

  /// The variance u'S u of the score.
  double of_score(const auto& x, const SecondOrderInput& s) const {
    return s.scale * s.scale * (x.squares_dot(Variances{columns.data()}) + (s.intercept ? bias.variance : 0.0));
  }

  /// The update, in which no variance falls below `floor`.
  void update(const auto& x, const SecondOrderInput& s, double along, double shrink, double floor, WeightsView w) {
    const double least = least_variance(floor);
    const double step = along * s.y, weight = s.weight * s.y, scale = s.scale;
    const auto update_one = [=](double value, double& mean, Column& column) {
      column.update(value, step, shrink, weight, least, mean);
    };
    double* const means = w.columns.data();
    Column* const of = columns.data();
    // two columns at a time, for which one division is enough
    const auto update_two = [=](std::size_t i, std::size_t j, Two entries) {
      const Two value = scale * entries, variance{of[i].variance, of[j].variance};
      const Two spread = variance * value, smaller = variance / (1 + shrink * spread * value);
      const Two bounded = smaller < least ? Two{least, least} : smaller;
      const Two mean = Two{means[i], means[j]} + step * spread, sum = Two{of[i].sum, of[j].sum} + weight * value;
      means[i] = mean[0];
      means[j] = mean[1];
      of[i] = {bounded[0], sum[0]};
      of[j] = {bounded[1], sum[1]};
    };
    x.for_each_two(update_two, [=](std::size_t j, double value) { update_one(scale * value, means[j], of[j]); });
    if (s.intercept) update_one(scale, w.bias, bias);
  }

 private:
  struct Variances {
    const Column* of;
    double operator[](std::size_t j) const { return of[j].variance; }
  };
};

}  // namespace novikoff
