// A run of an online learner over the points, one visit after the other.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "novikoff/pass.hpp"
#include "novikoff/random.hpp"
#include "points.hpp"

namespace novikoff::play {

/// The learners, in the order in which JavaScript numbers them.
enum class Kind : std::int32_t { perceptron, fixed_margin, dynamic_margin, passive_aggressive_I, passive_aggressive_II, arow };
enum class Keep : std::int32_t { last, average, votes };

struct OnlineSettings {
  Kind kind;
  Keep keep;
  double parameter;
  bool intercept, shuffle;
  std::uint32_t seed;
  std::size_t max_passes;
};

/// What is recorded of one visit of a point. JavaScript reads the fields as doubles, in this order.
struct Visit {
  double row, pass, score, step, is_mistake, has_moved;
  double w1, w2, b;                        // after the visit
  double a1, a2, a0;                       // the averaged weights and intercept, after the visit
  double variance1, variance2, variance0;  // of AROW
  double squared_length, steps, margin_bound, mistakes, updates;
};
static_assert(sizeof(Visit) == 20 * sizeof(double));

/// A learner that visits the points in the order of `fit`: in sequence, or shuffled before every pass by the generator that
/// `fit` uses. The seed of that generator is the first number that NumPy's RandomState(seed).randint(2**31) draws.
class OnlineLearner {
 public:
  OnlineLearner(const Points& points, const OnlineSettings& settings)
      : points_(points),
        settings_(settings),
        geometry_{settings.intercept, false, 0},
        random_{std::mt19937(settings.seed)() & 0x7FFFFFFFU},
        order_(points.count()),
        duals_(points.count()) {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    if (settings.keep == Keep::average) h_.average.emplace();
    if (settings.keep == Keep::votes) h_.votes.emplace();
    if (settings.kind == Kind::arow) h_.second.emplace(SecondOrder{DiagonalVariance{}});
    h_.resize(2);
  }

  const Hypothesis& hypothesis() const { return h_; }
  bool has_ended() const { return ended_ || pass_ == settings_.max_passes; }
  /// Whether a pass made no mistake; of the margin perceptron, no update.
  bool has_converged() const { return ended_; }

  /// Visits the next point.
  Visit visit() {
    if (position_ == 0 && settings_.shuffle) shuffle(order_, random_);
    const auto row = static_cast<std::size_t>(order_[position_]);
    duals_[row] = 0;
    const PassReport report = learn(row);
    pass_report_.add(report);
    const double y = points_.sign(row);
    const Visit found = record(row, y * report.smallest_margin, report);
    if (++position_ == order_.size()) end_pass();
    return found;
  }

 private:
  PassReport learn(std::size_t row) {
    switch (settings_.kind) {
      case Kind::perceptron:
        return learn(row, PerceptronRule{});
      case Kind::fixed_margin:
        return learn(row, FixedMarginRule{settings_.parameter});
      case Kind::dynamic_margin:
        return learn(row, DynamicMarginRule{settings_.parameter});
      case Kind::passive_aggressive_I:
        return learn(row, PassiveAggressiveIRule{settings_.parameter});
      case Kind::passive_aggressive_II:
        return learn(row, PassiveAggressiveIIRule{settings_.parameter});
      case Kind::arow:
        break;
    }
    return learn(row, DiagonalArowRule{settings_.parameter, 0});
  }

  PassReport learn(std::size_t row, const auto& rule) {
    const Batch batch{points_.codes, {}, points_.squared_norms, {}, duals_, row, row + 1};
    return pass(points_.rows(), batch, rule, geometry_, Tie::mistake, h_);
  }

  void end_pass() {
    const bool until_no_update = settings_.kind == Kind::fixed_margin || settings_.kind == Kind::dynamic_margin;
    ended_ = !pass_report_.moved || !(pass_report_.mistaken || until_no_update);
    pass_report_ = {};
    position_ = 0;
    ++pass_;
  }

  Visit record(std::size_t row, double score, const PassReport& report) const {
    Visit found{};
    found.row = static_cast<double>(row);
    found.pass = static_cast<double>(pass_);
    found.score = score;
    found.step = duals_[row];
    found.is_mistake = report.mistaken;
    found.has_moved = report.moved;
    found.w1 = h_.weights[0], found.w2 = h_.weights[1], found.b = h_.bias;
    if (h_.average) {
      const Hypothesis::AveragedVector mean{h_};
      found.a1 = mean[0], found.a2 = mean[1], found.a0 = mean.bias();
    }
    if (h_.second) {
      const auto& state = std::get<DiagonalVariance>(h_.second->state);
      found.variance1 = state.columns[0].variance, found.variance2 = state.columns[1].variance;
      found.variance0 = state.bias.variance;
    }
    found.squared_length = h_.length2.value();
    found.steps = h_.steps.value();
    found.margin_bound = h_.margin_bound;
    found.mistakes = h_.mistakes.value();
    found.updates = static_cast<double>(h_.updates);
    return found;
  }

  const Points& points_;
  OnlineSettings settings_;
  Geometry geometry_;
  Random random_;
  std::vector<std::int64_t> order_;
  std::vector<double> duals_;
  Hypothesis h_;
  PassReport pass_report_;
  std::size_t position_ = 0, pass_ = 0;
  bool ended_ = false;
};

}  // namespace novikoff::play
