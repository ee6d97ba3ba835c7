// Losses of the soft margin.
//
// A loss is a function of the slack r = 1 - m of a margin m, of the form
//
//   l(r) = max over 0 <= alpha <= top of  alpha r - ridge/2 alpha^2.
//
// So `top` is the largest derivative of l and `ridge` the curvature of its conjugate; both enter the dual problem. To add a
// loss, write a struct that satisfies the concept Loss and add it to AnyLoss.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace novikoff {

/// `value` is cost * l(slack) for slack >= 0; `derivative` is l'(slack) for any slack.
template <class L>
concept Loss = requires(double slack, double cost) {
  { L::name } -> std::convertible_to<std::string_view>;
  { L::top } -> std::convertible_to<double>;
  { L::ridge } -> std::convertible_to<double>;
  { L::value(slack, cost) } -> std::same_as<double>;
  { L::derivative(slack) } -> std::same_as<double>;
};

/// l(r) = max(0, r)
struct Hinge {
  static constexpr const char* name = "hinge";
  static constexpr double top = 1, ridge = 0;
  static double value(double slack, double cost = 1) { return cost * slack; }
  static double derivative(double slack) { return slack > 0 ? 1.0 : 0.0; }
};

/// l(r) = max(0, r)^2
struct SquaredHinge {
  static constexpr const char* name = "squared_hinge";
  static constexpr double top = std::numeric_limits<double>::infinity(), ridge = 0.5;
  static double value(double slack, double cost = 1) { return cost * slack * slack; }
  static double derivative(double slack) { return slack > 0 ? 2 * slack : 0.0; }
};

using AnyLoss = std::variant<Hinge, SquaredHinge>;

/// Calls use(loss) for every loss in AnyLoss.
template <std::size_t index = 0>
void for_each_loss(const auto& use) {
  if constexpr (index < std::variant_size_v<AnyLoss>) {
    use(std::variant_alternative_t<index, AnyLoss>{});
    for_each_loss<index + 1>(use);
  }
}

inline AnyLoss loss_named(std::string_view name) {
  AnyLoss found;
  bool is_known = false;
  for_each_loss([&](Loss auto loss) {
    if (name != loss.name) return;
    found = loss;
    is_known = true;
  });
  if (!is_known) throw std::invalid_argument("The kernels have no loss of this name.");
  return found;
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
