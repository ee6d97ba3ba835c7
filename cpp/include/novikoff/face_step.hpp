// A step of the dual problem over the free rows alone, between passes of coordinate descent (More and Toraldo 1991).
//
// Coordinate descent soon finds which dual variables are at a bound, but changes the others slowly if their rows resemble
// each other. The dual problem of the others, without their bounds, is the linear system
//
//   (ridge / c + U R^-1 U') q = y (1 - m - ridge alpha),     q = c y (change of alpha),     R = diag(lambda, ..., 1 / rho),
//
// which conjugate gradients solve roughly in few steps. The point q is clipped to the bounds, and the step goes from alpha
// towards the clipped point, which is feasible all the way, as far as the dual objective rises. If the objective would rise
// for less than half of the way, a shorter q is clipped.
//
// If the loss has no ridge and rows resemble each other, the system is nearly singular, and its solution far outside of the
// bounds. Then a multiple of q is added on the left, which limits q to about ten times alpha and vanishes at the optimum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/conjugate_gradients.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/soft_margin.hpp"

namespace novikoff {

/// The steps of conjugate gradients, and by how much the dual objective rose.
struct FaceStep {
  std::size_t steps = 0;
  double gain = 0;
};

/// The free rows of a dual problem, with v = (w, b) the primal point of alpha.
template <class Rows>
class Face {
 public:
  Face(const Rows& rows, const BinaryProblem& problem, const Loss& loss, const DualPenalty& penalty, std::span<double> alpha,
       std::span<double> v)
      : rows_(rows), problem_(problem), loss_(loss), penalty_(penalty), alpha_(alpha), v_(v) {
    for (std::size_t i = 0; i < alpha.size(); ++i)
      if (alpha[i] > 0 && alpha[i] < loss.top && problem.cost(i) > 0) free_.push_back(static_cast<std::int64_t>(i));
  }

  /// Moves alpha and v. `max_visits` bounds the number of steps times that of the free rows.
  FaceStep move(double accuracy, double max_visits, std::size_t threads) {
    const auto max_steps = static_cast<std::size_t>(max_visits / static_cast<double>(std::max<std::size_t>(1, free_.size())));
    if (free_.empty() || max_steps < min_steps) return {};
    double squared_right = 0, squared_alpha = 0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const auto i = row(k);
      right_.push_back(problem_.sign(i) * (1 - problem_.margin(rows_[i], i, v_) - loss_.ridge * alpha_[i]));
      squared_right += right_.back() * right_.back();
      squared_alpha += alpha_[i] * alpha_[i];
    }
    const double width = loss_.ridge > 0 ? loss_.ridge : damping * std::sqrt(squared_right / squared_alpha);
    std::vector<double> q;
    const double kappa = penalty_.rho > 0 ? 1 / penalty_.rho : 1.0;  // without an intercept its feature is 0
    RowSystem<Rows> system(rows_, problem_, free_, width, Penalty{penalty_.lambda, kappa}, threads);
    FaceStep found{system.solve_for(right_, StoppingRule{accuracy, max_steps}, q)};
    double length = 1;
    for (std::size_t trial = 0; trial < max_trials; ++trial, length *= shorter) {
      const double share = clip(q, length);
      if (!(share >= min_share) && trial + 1 < max_trials) continue;
      if (share > 0) found.gain = take(std::min(share, 1.0));
      break;
    }
    return found;
  }

 private:
  static constexpr std::size_t min_steps = 2, max_trials = 4;
  static constexpr double shorter = 0.25, min_share = 0.5;
  static constexpr double damping = 0.1;  // of the quotient of the lengths of the right side and of alpha

  const Rows& rows_;
  const BinaryProblem& problem_;
  Loss loss_;
  DualPenalty penalty_;
  std::span<double> alpha_, v_;
  std::vector<std::int64_t> free_;
  std::vector<double> right_, target_, sum_;  // of the clipped point: alpha, and the sum of c y (its change) s x
  double slope_ = 0, curvature_ = 0, total_ = 0;

  std::size_t row(std::size_t k) const { return static_cast<std::size_t>(free_[k]); }

  /// Clips alpha + length q. Returns the fraction of the step to it at which the dual objective is largest; 0 if it falls.
  double clip(const std::vector<double>& q, double length) {
    target_.resize(free_.size());
    sum_.assign(rows_.columns, 0.0);
    slope_ = curvature_ = total_ = 0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const auto i = row(k);
      const double cost = problem_.cost(i), sign = problem_.sign(i);
      target_[k] = std::clamp(alpha_[i] + length * q[k] * sign / cost, 0.0, loss_.top);
      const double difference = target_[k] - alpha_[i], change = cost * sign * difference;
      slope_ += change * right_[k];
      curvature_ += loss_.ridge * cost * difference * difference;
      total_ += change;
      add_scaled(rows_[i], change, problem_.scale, sum_.data());
    }
    double square = 0;
    for (const double value : sum_) square += value * (value / penalty_.lambda);
    curvature_ += square + penalty_.rho * total_ * total_;
    return slope_ > 0 && curvature_ > 0 ? slope_ / curvature_ : 0.0;
  }

  /// Takes a fraction of the step to the clipped point; returns the gain of the dual objective.
  double take(double share) {
    for (std::size_t k = 0; k < free_.size(); ++k) {
      double& alpha = alpha_[row(k)];
      alpha = share == 1 ? target_[k] : std::clamp(alpha + share * (target_[k] - alpha), 0.0, loss_.top);
    }
    for (std::size_t j = 0; j < sum_.size(); ++j) v_[j] += share * (sum_[j] / penalty_.lambda);
    v_.back() += share * total_ * penalty_.rho;
    return share * (slope_ - 0.5 * share * curvature_);
  }
};

}  // namespace novikoff
