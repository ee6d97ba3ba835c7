// What an online learner knows of one binary question: the vector v = (w, b), and what it has counted on the way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "novikoff/count.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/votes.hpp"

namespace novikoff {

/// What u is, given x: u = (x, 1) or x, brought to length 1 or not, with a private feature of value delta or none.
/// The private feature of an example is never stored: its weight is delta times the example's own total step. THEORY D1.
struct Geometry {
  bool intercept = true;
  bool normalize = false;
  double delta = 0;
};

/// The running sum behind the average of all hypotheses, kept lazily: with delta_s the step after a clock of s,
/// the average at clock T is v - (sum_s s delta_s) / T.
struct Average {
  std::vector<double> weights;
  double bias = 0;
};

struct Hypothesis {
  std::int32_t positive = 1;  // the class code that this question calls +1; -1: no class at all
  std::vector<double> weights;
  double bias = 0;
  std::optional<Average> average;
  std::optional<Votes> votes;

  Count examples, mistakes, positives;
  Count steps;              // sum of tau: M for the perceptrons
  std::int64_t updates = 0;  // how often v moved
  CarriedSum length2;       // |v|^2
  double squared_radius = 0;
  double energy = 0;  // sum of |u|^2 over all examples: with the counts, the mark of the data that were seen
  double margin_bound = std::numeric_limits<double>::infinity();  // smallest |v| / M so far.  THEORY B

  void resize(std::size_t columns) {
    if (columns <= weights.size()) return;
    weights.resize(columns);
    if (average) average->weights.resize(columns);
  }

  void count(double y, std::int64_t copies, double part, bool mistake) {
    tally(examples, copies, part);
    if (y > 0) tally(positives, copies, part);
    if (mistake) tally(mistakes, copies, part);
    if (votes) votes->survive(static_cast<double>(copies) + part);
  }

  /// v += tau y u, where u = scale (x, 1).
  void move(const auto& x, const Standing& s, double tau, double scale, bool intercept) {
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
    length2.add(2 * tau * s.margin());
    length2.add(tau * tau * s.squared_norm);
    steps.add(tau);
    ++updates;
    margin_bound = std::min(margin_bound, std::sqrt(std::max(0.0, length2.value())) / steps.value());
  }

  double averaged_bias() const { return average ? AveragedVector{*this}.bias() : bias; }

  /// The average of all hypotheses, one coordinate at a time.
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

 private:
  static void tally(Count& total, std::int64_t copies, double part) {
    total.add_whole(copies);
    if (part > 0) total.add(part);
  }
};

}  // namespace novikoff
