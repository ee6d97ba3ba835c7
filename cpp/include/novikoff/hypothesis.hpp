// The state of one binary problem of an online learner: the weights v = (w, b), and counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "novikoff/boxed.hpp"
#include "novikoff/calibration.hpp"
#include "novikoff/count.hpp"
#include "novikoff/memory.hpp"
#include "novikoff/rule_input.hpp"
#include "novikoff/second_order.hpp"
#include "novikoff/votes.hpp"

namespace novikoff {

/// How a row x becomes the vector u of the theorems: u = (x, 1) with an intercept, else x; scaled to length 1 if `normalize`;
/// with a private feature of value delta unless delta is 0. The private feature of an example is never stored: its weight is
/// delta times the example's own total step.  docs/theory.md D1.
struct Geometry {
  bool intercept = true;
  bool normalize = false;
  double delta = 0;
};

/// The running sum behind the average of all weights, updated only when the weights change: with delta_s the update after s
/// examples, the average after T examples is v - (sum_s s delta_s) / T.
struct Average {
  std::vector<double> weights;
  double bias = 0;
};

/// What is counted while a problem is learned.
struct Tally {
  Count examples, mistakes, positives;
  Count steps;               // sum of tau: M for the perceptrons
  std::int64_t updates = 0;  // number of updates
  CarriedSum length2;        // |v|^2
  double length2_error = 0;  // bound on its error, which comes from rounded scores
  double rounding = 0;       // bound on the distance of the stored v from the exact sum of its updates
  double squared_radius = 0;
  double energy = 0;  // sum of |u|^2 over all examples: the verifier tells data apart by it
  double margin_bound = std::numeric_limits<double>::infinity();  // smallest |v| / M so far.  docs/theory.md B

  /// Counts the update v += tau y u by a row of so many terms.
  void count_update(const RuleInput& s, double tau, std::size_t terms) {
    lengthen(s, tau, terms);
    steps.add(tau);
    ++updates;
    margin_bound = std::min(margin_bound, largest_length() / steps.value());
  }

  /// Counts updates along u = 0, by which v does not change.
  void stand_still(std::int64_t copies, double part) {
    steps.add(copies, part);
    updates += copies + (part > 0);
    margin_bound = std::min(margin_bound, largest_length() / steps.value());
  }

  /// Counts examples of u that enter the sum v of a second-order learner. An entry of v is at most the number of them times
  /// R, and every addition rounds it once.
  void count_added(std::int64_t copies, double part) {
    steps.add(copies, part);
    updates += copies + (part > 0);
    constexpr double least = 1e-290;  // more than numbers below the smallest normal one lose
    rounding += std::numeric_limits<double>::epsilon() * (steps.value() + 2) * std::sqrt(squared_radius) + least;
  }

  /// An upper bound on |v|, rounding included.
  double largest_length() const { return std::sqrt(std::max(0.0, length2.value()) + length2_error); }

  /// |v + tau y u|^2 = |v|^2 + 2 tau y v.u + tau^2 |u|^2. The error of a score of k terms is at most k + 4 roundings of |v|
  /// |u| (Higham 2002, section 3.1).
  void lengthen(const RuleInput& s, double tau, std::size_t terms) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double before = largest_length(), along = tau * std::sqrt(s.squared_norm);
    length2.add(2 * tau * s.margin());
    length2.add(tau * s.squared_norm * tau);  // in an order in which the square of a tiny step does not underflow
    length2_error += static_cast<double>(terms + 8) * epsilon * along * (2 * before + along) + 2 * along * rounding +
                     std::numeric_limits<double>::min();
    constexpr double far_above_underflow = 1e-290;  // numbers below the smallest normal one do not change it
    const double rounded = epsilon * (before + 2 * along);
    if (rounded > far_above_underflow) [[likely]]  // because processors are slow at numbers below the normal ones
      rounding += rounded;
    else
      rounding += rounded + static_cast<double>(terms) * std::numeric_limits<double>::denorm_min();
  }
};

struct Hypothesis : Tally {
  std::int32_t positive = 1;  // the code of the class that is +1 in this problem; -1 for none
  std::vector<double> weights;
  double bias = 0;
  Boxed<Average> average;
  Boxed<Votes> votes;
  Boxed<Memory> memory;  // of a learner that forgets: then weights and lengths, steps and rounding are in stored units

  /// The factor by which stored numbers are multiplied.
  double scale() const { return memory ? memory->scale : 1.0; }

  /// v *= kept, for a learner that forgets. Before the factor of the stored numbers becomes too small, it is moved into them:
  /// returns the power of two by which they were multiplied.
  double shrink(double kept) {
    double moved = 1;
    memory->scale *= kept;
    while (memory->scale < Memory::unit) {
      constexpr double unit = Memory::unit, tiny = std::numeric_limits<double>::min();  // for what underflows
      memory->scale /= unit;
      moved *= unit;
      for (double& w : weights) w *= unit;
      bias *= unit;
      length2 = {length2.sum * unit * unit, length2.carry * unit * unit};
      length2_error = length2_error * unit * unit + tiny;
      rounding = rounding * unit + static_cast<double>(weights.size() + 1) * std::numeric_limits<double>::denorm_min();
      steps = {0, steps.value() * unit};
    }
    return moved;
  }
  Boxed<SecondOrder> second;       // of second-order learners
  Boxed<Calibration> calibration;  // of the scores that were given before learning, if probabilities are asked for

  void resize(std::size_t columns) {
    if (columns <= weights.size()) return;
    if (second) second->resize(columns);
    if (average && average->weights.size() < columns) average->weights.resize(columns);  // first: memory may run out
    weights.resize(columns);
  }

  void count(double y, std::int64_t copies, double part, bool mistake) {
    examples.add(copies, part);
    const std::int64_t positive_copies = y > 0 ? copies : 0;  // without a branch: labels are hard to predict
    positives.add(positive_copies, y > 0 ? part : 0.0);
    if (mistake) mistakes.add(copies, part);
    if (votes) votes->survive(copies, part);
  }

  /// Counts whole examples that were predicted right and caused no update.
  void count_quiet(std::int64_t copies, std::int64_t positive_copies) {
    examples.add(copies, 0.0);
    positives.add(positive_copies, 0.0);
    if (votes) votes->survive(copies, 0.0);
  }

  /// v += tau y u, where u = scale (x, 1).
  void move(const auto& x, const RuleInput& s, double tau, double scale, bool intercept) {
    const double along = tau * s.y * scale;
    const double bias_step = intercept ? along : 0.0;
    if (average) {
      const double clock = examples.value();
      x.add_to(average->weights.data(), clock * along);
      average->bias += clock * bias_step;
    }
    if (votes) votes->move(x, along, bias_step);
    x.add_to(weights.data(), along);
    bias += bias_step;
    count_update(s, tau, x.size);
  }

  double averaged_bias() const { return average ? AveragedVector{*this}.bias() : bias; }

  /// The average of all weights, one coordinate at a time.
  struct AveragedVector {
    const Hypothesis& of;
    double operator[](std::size_t j) const { return at(of.weights[j], of.average->weights[j]); }
    double bias() const { return at(of.bias, of.average->bias); }

   private:
    double at(double now, double sum) const {
      const double clock = of.examples.value();
      return clock > 0 ? now - sum / clock : now;
    }
  };
};

}  // namespace novikoff
