// Two of the classes that are learned together by a second-order rule: the block of an example's class and that of its rival.
#pragma once

#include <cstddef>
#include <cstdint>

#include "novikoff/joint_hypothesis.hpp"
#include "novikoff/second_order_input.hpp"

namespace novikoff {

/// The weights and variances that an update along z (docs/theory.md J5) changes: u in the block of `own` and -u in that of
/// `rival`. To a rule they are what WeightsView and DiagonalVariance are for one binary problem. Time is that of finding the
/// two classes in each column of the row, however many classes there are.
struct ClassPair {
  JointHypothesis& joint;
  std::int32_t own, rival;

  /// The variance z'S z of the lead.
  double of_score(const auto& x, const SecondOrderInput& s) const {
    double total = 0;
    x.for_each([&](std::size_t j, double value) {
      if (value != 0) total += value * value * (variance(j, own) + variance(j, rival));
    });
    if (s.intercept) total += bias(own).variance + bias(rival).variance;
    return s.scale * s.scale * total;
  }

  /// As `DiagonalVariance::update`. The columns of `x` are distinct.
  void update(const auto& x, const SecondOrderInput& s, double along, double shrink, double floor, const ClassPair&) {
    const double least = DiagonalVariance::least_variance(floor);
    const auto update_block = [&](std::int32_t code, double sign) {
      const double scale = sign * s.scale;
      x.for_each([&](std::size_t j, double value) {
        if (value == 0) return;
        const std::size_t place = joint.entry(j, code);
        joint.variance->columns[j][place].update(scale * value, along, shrink, s.weight, least, joint.columns[j][place].weight);
      });
      if (s.intercept) bias(code).update(scale, along, shrink, s.weight, least, joint.biases[static_cast<std::size_t>(code)]);
    };
    update_block(own, 1.0);
    update_block(rival, -1.0);
  }

 private:
  JointVariance::Column& bias(std::int32_t code) const { return joint.variance->biases[static_cast<std::size_t>(code)]; }

  double variance(std::size_t j, std::int32_t code) const {
    const auto& column = joint.columns[j];
    const auto found = place_of(column, code);
    if (found == column.end() || found->code != code) return 1;
    return joint.variance->columns[j][static_cast<std::size_t>(found - column.begin())].variance;
  }
};

}  // namespace novikoff
