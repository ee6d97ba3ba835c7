// Hard and soft margins, by steps of sequential minimal optimisation that are recorded one after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "novikoff/nearest_points.hpp"
#include "novikoff/product_descent.hpp"
#include "points.hpp"

namespace novikoff::play {

/// What is recorded after some steps. JavaScript reads the fields as doubles, in this order; the dual variables of all points
/// follow. `lower` and `upper` enclose the largest margin (hard margin), or the least objective (soft margin).
struct Frame {
  double steps, w1, w2, b, lower, upper;
};
constexpr std::size_t frame_fields = sizeof(Frame) / sizeof(double);

/// The frames of a run: the first steps one by one, then by growing leaps.
class Frames {
 public:
  explicit Frames(std::size_t points) : points_(points) {}

  void add(const Frame& frame, const std::vector<double>& duals) {
    const double* const fields = &frame.steps;
    values_.insert(values_.end(), fields, fields + frame_fields);
    values_.insert(values_.end(), duals.begin(), duals.end());
  }
  /// The number of steps before the next frame.
  static std::size_t leap(std::size_t steps) {
    constexpr std::size_t single_steps = 200, leaps_per_doubling = 16;
    return steps < single_steps ? 1 : steps / leaps_per_doubling;
  }
  std::size_t count() const { return values_.size() / (frame_fields + points_); }
  const double* data() const { return values_.data(); }

 private:
  std::size_t points_;
  std::vector<double> values_;
};

/// The role of the intercept: none, free, or the weight of a constant feature of 1, as online learners have it.
enum class Intercept : std::int32_t { none, free, feature };

struct Plane {
  double w1 = 0, w2 = 0, b = 0;

  double score(const Points& points, std::size_t i) const { return w1 * points.x(i) + w2 * points.y(i) + b; }
};

/// The separator of largest margin: docs/theory.md E1 and E2.
class HardMargin {
 public:
  HardMargin(const Points& points, Intercept intercept)
      : points_(points),
        intercept_(intercept),
        scale_(points.unit_scale(intercept == Intercept::feature)),
        signs_(points.signs()),
        products_(points.products(scale_, intercept == Intercept::feature ? 1.0 : 0.0)),
        duals_(points.count()),
        scores_(points.count()) {}

  /// Makes at most `max_steps` steps; stops at the relative distance `tol` of the bounds.
  void solve(std::size_t max_steps, double tol, Frames& frames) {
    const NearestPoints problem{products_, signs_, intercept_ == Intercept::free};
    constexpr double accuracy = 1e-13, unlimited = std::numeric_limits<double>::infinity();
    std::size_t steps = 0;
    for (double violation = unlimited;;) {
      const Frame now = frame(steps);
      frames.add(now, duals_);
      if (steps >= max_steps || violation <= accuracy || (now.lower > 0 && now.upper - now.lower <= tol * now.upper)) return;
      const NearestPoints::Progress made = problem.descend(duals_, scores_, accuracy, Frames::leap(steps), unlimited);
      violation = made.violation;
      steps += made.steps;
      if (made.steps == 0) violation = 0;
    }
  }

 private:
  Frame frame(std::size_t steps) const {
    Plane plane;
    double sum = 0;
    for (std::size_t i = 0; i < points_.count(); ++i) {
      const double a = duals_[i] * signs_[i];
      plane.w1 += a * points_.x(i);
      plane.w2 += a * points_.y(i);
      plane.b += intercept_ == Intercept::feature ? a : 0.0;
      sum += duals_[i];
    }
    const double length = std::sqrt(plane.w1 * plane.w1 + plane.w2 * plane.w2 + plane.b * plane.b);
    Frame found{
        static_cast<double>(steps), 0, 0, 0, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    if (!(sum > 0 && length > 0)) return found;
    found.upper = length / sum;
    double least[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < points_.count(); ++i) {
      double& own = least[points_.codes[i] == 1];
      own = std::min(own, signs_[i] * plane.score(points_, i));
    }
    double smallest = std::min(least[0], least[1]);
    if (intercept_ == Intercept::free) {
      plane.b = (least[0] - least[1]) / 2;
      smallest = (least[0] + least[1]) / 2;
    }
    found.lower = std::min(smallest / length, found.upper);
    const double canonical = smallest > 0 ? 1 / smallest : 1 / length;  // the smallest y f(x) becomes 1
    found.w1 = plane.w1 * canonical, found.w2 = plane.w2 * canonical, found.b = plane.b * canonical;
    return found;
  }

  const Points& points_;
  Intercept intercept_;
  double scale_;
  std::vector<double> signs_, products_, duals_, scores_;
};

/// The soft margin with the hinge or the squared hinge: docs/theory.md E3.
class SoftMargin {
 public:
  SoftMargin(const Points& points, double C, bool squared, bool intercept)
      : points_(points),
        C_(C),
        squared_(squared),
        intercept_(intercept),
        signs_(points.signs()),
        products_(points.products(1, 0)),
        tops_(points.count(), squared ? std::numeric_limits<double>::infinity() : C),
        ridges_(points.count(), squared ? 1 / (2 * C) : 0.0),
        variables_(points.count()),
        gradient_(signs_) {}

  void solve(std::size_t max_steps, double tol, Frames& frames) {
    const ProductProblem problem{products_, signs_, tops_, ridges_, 1.0, 0.0, intercept_};
    std::size_t steps = 0;
    while (true) {
      const std::size_t wanted = steps == 0 && frames.count() == 0 ? 0 : Frames::leap(steps);
      const ProductProblem::Progress made = problem.descend(variables_, gradient_, tol, wanted);
      steps += made.steps;
      const Frame now = frame(steps, made.bounds);
      if (made.steps > 0 || wanted == 0) add(now, frames);
      const bool is_solved = now.upper - now.lower <= tol * now.upper;
      if (steps >= max_steps || (wanted > 0 && (is_solved || made.steps == 0))) return;
    }
  }

 private:
  void add(const Frame& now, Frames& frames) const {
    std::vector<double> duals(variables_);
    for (std::size_t i = 0; i < duals.size(); ++i) duals[i] *= signs_[i];
    frames.add(now, duals);
  }

  /// The objective 1/2 |w|^2 + C sum of the losses.
  double objective(const Plane& plane) const {
    double loss = 0;
    for (std::size_t i = 0; i < points_.count(); ++i) {
      const double slack = std::max(0.0, 1 - signs_[i] * plane.score(points_, i));
      loss += squared_ ? slack * slack : slack;
    }
    return 0.5 * (plane.w1 * plane.w1 + plane.w2 * plane.w2) + C_ * loss;
  }

  /// The plane of the dual variables, or one of the same direction that has every point outside of its margin, if that is
  /// better.
  Frame frame(std::size_t steps, const ProductProblem::Bounds& bounds) const {
    Plane plane{0, 0, bounds.intercept};
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points_.count(); ++i) {
      plane.w1 += variables_[i] * points_.x(i);
      plane.w2 += variables_[i] * points_.y(i);
    }
    for (std::size_t i = 0; i < points_.count(); ++i) nearest = std::min(nearest, signs_[i] * plane.score(points_, i));
    if (nearest > 0) {
      const Plane stretched{plane.w1 / nearest, plane.w2 / nearest, plane.b / nearest};
      if (objective(stretched) < objective(plane)) plane = stretched;
    }
    return {static_cast<double>(steps), plane.w1, plane.w2, plane.b, bounds.dual, objective(plane)};
  }

  const Points& points_;
  double C_;
  bool squared_, intercept_;
  std::vector<double> signs_, products_, tops_, ridges_, variables_, gradient_;
};

}  // namespace novikoff::play
