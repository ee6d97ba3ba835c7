// Losses of the soft margin.
//
// A loss is a function of the slack r = 1 - m of a margin m, of the form
//
//   l(r) = max over 0 <= alpha <= top of  alpha r - ridge/2 alpha^2.
//
// So `top` is the largest derivative of l and `ridge` the curvature of its conjugate; both enter the dual problem.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace novikoff {

/// l(r) = max(0, r), or max(0, r)^2 if there is a ridge.
struct Loss {
  const char* name;
  double top, ridge;

  /// cost * l(slack) for slack >= 0.
  double value(double slack, double cost = 1) const { return ridge > 0 ? cost * slack * slack : cost * slack; }
  /// l'(slack) for any slack.
  double derivative(double slack) const { return slack > 0 ? (ridge > 0 ? 2 * slack : 1.0) : 0.0; }
};

inline constexpr Loss hinge{"hinge", 1, 0};
inline constexpr Loss squared_hinge{"squared_hinge", std::numeric_limits<double>::infinity(), 0.5};
inline constexpr std::array all_losses{hinge, squared_hinge};

inline const Loss& loss_named(std::string_view name) {
  for (const Loss& loss : all_losses)
    if (name == loss.name) return loss;
  throw std::invalid_argument("The kernels have no loss of this name.");
}

/// The smoothed derivative of a loss: the dual variable alpha that belongs to a margin m, near a centre alpha_0,
///
///   alpha(m) = clip(keep alpha_0 + (1 - m) / width, 0, top).
///
/// It maximises alpha (1 - m) - ridge/2 alpha^2 - p/2 (alpha - alpha_0)^2 with width = ridge + p and keep = p / width, the
/// proximal term of Rockafellar's (1976) method of multipliers. With p = 0 it is the derivative of the loss itself. An infinite
/// width returns the centre for every margin.
struct Response {
  double width, top;
  double keep = 1;
  double rate = 1 / width;  // by which alpha falls as the margin rises

  double at(double centre, double margin) const { return clip(unclipped(centre, margin)); }
  /// Whether alpha changes with the margin, that is, lies strictly between its bounds.
  bool is_free(double centre, double margin) const { return is_inside(unclipped(centre, margin)); }

  double unclipped(double centre, double margin) const { return keep * centre + (1 - margin) * rate; }
  double clip(double alpha) const { return std::min(std::max(alpha, 0.0), top); }
  /// Written without a branch: compilers vectorise the loops that call it.
  bool is_inside(double alpha) const { return static_cast<bool>(int{alpha > 0} & int{alpha < top}); }
};

}  // namespace novikoff
