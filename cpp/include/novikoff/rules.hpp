// Online rules, and the table of all of them. A rule sees numbers, not vectors: it is given a RuleInput and returns the step
// tau >= 0 of the update v += tau y u. Each rule has a twin in Python, in src/novikoff/theory, that the verifier uses.
//
// To add a rule: write a struct with `double step(const RuleInput&) const`, enter it in `Rule` and in `compiled_rules`, and
// name it in the `kernel` of the Python class. A compiled rule also has `double quiet_margin(double squared_length, double
// steps) const`: a number, not negative, such that there is no update at any margin y v.u above it. Many problems that learn
// from one row are compared with it at once, and only the others are looked at one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "novikoff/arow.hpp"
#include "novikoff/normalized_adaptive.hpp"
#include "novikoff/rule_input.hpp"
#include "novikoff/second_order.hpp"
#include "novikoff/soft_confidence.hpp"

namespace novikoff {

/// Perceptron (Rosenblatt 1958): v += y u on a mistake.  docs/theory.md A1.
struct PerceptronRule {
  Tie tie = Tie::mistake;
  double step(const RuleInput& s) const { return is_mistake(s.y, s.score, tie) ? s.weight : 0.0; }
  double quiet_margin(double, double) const { return 0; }
};

/// Margin perceptron: v += y u while y v.u / |v| < theta, and always at v = 0.  docs/theory.md C1.
struct FixedMarginRule {
  double theta;
  double step(const RuleInput& s) const {
    return s.squared_length > 0 && s.margin() >= theta * std::sqrt(s.squared_length) ? 0.0 : s.weight;
  }
  double quiet_margin(double squared_length, double) const {
    return squared_length > 0 ? theta * std::sqrt(squared_length) : std::numeric_limits<double>::infinity();
  }
};

/// Perceptron with dynamic margin (Panagiotakopoulos and Tsampouka 2011): theta = (1 - epsilon) |v| / M, a fraction of an
/// upper bound on the unknown margin.  docs/theory.md C4.
struct DynamicMarginRule {
  double epsilon;
  double step(const RuleInput& s) const {
    return s.squared_length > 0 && s.margin() * s.steps >= (1 - epsilon) * s.squared_length ? 0.0 : s.weight;
  }
  double quiet_margin(double squared_length, double steps) const {
    constexpr double rounding = 1e-12, least = 1e-290;  // products of smaller numbers may underflow
    if (!(squared_length > 0 && steps > 0)) return std::numeric_limits<double>::infinity();
    return std::max(least, (1 - epsilon) * squared_length / steps * (1 + rounding));
  }
};

/// Passive-aggressive (Crammer et al. 2006, section 3): the nearest v with y v.u >= 1. A fraction of an example goes that
/// fraction of the way. A row too short for a finite step causes no update.
struct PassiveAggressiveRule {
  double quiet_margin(double, double) const { return 1; }
  double step(const RuleInput& s) const { return s.weight * full_step(s, s.squared_norm); }

  /// The step after which a row of this squared length has no loss. A loss within the rounding error of the score is 0.
  static double full_step(const RuleInput& s, double squared_norm) {
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    const double loss = 1 - s.margin();
    if (!(loss > 0) || s.squared_norm == 0) return 0.0;
    if (loss < 1e-6 && loss <= rounding * (1 + std::sqrt(s.squared_length * s.squared_norm))) return 0.0;
    const double tau = loss / squared_norm;
    return std::isfinite(tau) ? tau : 0.0;
  }
};

/// PA-I: tau is clipped at C. The weight belongs to the slack, so it multiplies C before the clip.
struct PassiveAggressiveIRule {
  double C;
  double quiet_margin(double, double) const { return 1; }
  double step(const RuleInput& s) const { return std::min(s.weight * C, PassiveAggressiveRule::full_step(s, s.squared_norm)); }
};

/// PA-II: the squared slack adds 1/(2C) to |u|^2.
struct PassiveAggressiveIIRule {
  double C;
  double quiet_margin(double, double) const { return 1; }
  double step(const RuleInput& s) const { return PassiveAggressiveRule::full_step(s, s.squared_norm + 1 / (2 * s.weight * C)); }
};

/// A rule that is not compiled: a function, such as one of Python, is called for each example.
struct CallbackRule {
  std::function<double(const RuleInput&)> call;

  double step(const RuleInput& s) const {
    const double tau = call(s);
    if (tau >= 0 && std::isfinite(tau)) return tau;
    throw std::invalid_argument("the rule returned the step " + std::to_string(tau) +
                                ", which must be finite and not negative.");
  }
};

using Rule =
    std::variant<PerceptronRule, PassiveAggressiveIRule, PassiveAggressiveRule, PassiveAggressiveIIRule, DiagonalArowRule,
                 FixedMarginRule, DynamicMarginRule, SoftConfidenceRule, NormalizedAdaptiveRule, CallbackRule>;

// The loops over rows are compiled for all rules at once, and ask the rule for each example that is not quiet. It is found by
// comparisons, because std::visit may call through a table, which is never inlined.

/// What `ask` returns for the rule, or `otherwise` if it does not take a rule of this kind.
template <class Answer, class... R>
Answer ask_rule(const std::variant<R...>& rule, Answer otherwise, const auto& ask) {
  const auto is_asked = [&]<class One>(const One* one) {
    if constexpr (std::invocable<decltype(ask), const One&>)
      if (one) return otherwise = ask(*one), true;
    return false;
  };
  (void)(is_asked(std::get_if<R>(&rule)) || ...);
  return otherwise;
}

/// The step of a rule that is not of second order.
inline double step_of(const Rule& rule, const RuleInput& s) {
  return ask_rule(
      rule, 0.0,
      [&](const auto& r)
        requires requires { r.step(s); }
      { return r.step(s); });
}

/// There is no update at a margin above this one.
inline double quiet_margin_of(const Rule& rule, double squared_length, double steps) {
  return ask_rule(
      rule, std::numeric_limits<double>::infinity(),
      [&](const auto& r)
        requires requires { r.quiet_margin(0.0, 0.0); }
      { return r.quiet_margin(squared_length, steps); });
}

/// A rule by its name, as Python knows it.
struct CompiledRule {
  std::string_view name;
  Rule (*make)(double parameter, Tie tie);
};

inline constexpr std::array compiled_rules{
    CompiledRule{"perceptron", [](double, Tie tie) -> Rule { return PerceptronRule{tie}; }},
    CompiledRule{"fixed margin", [](double theta, Tie) -> Rule { return FixedMarginRule{theta}; }},
    CompiledRule{"dynamic margin", [](double epsilon, Tie) -> Rule { return DynamicMarginRule{epsilon}; }},
    CompiledRule{"passive-aggressive", [](double, Tie) -> Rule { return PassiveAggressiveRule{}; }},
    CompiledRule{"passive-aggressive I", [](double C, Tie) -> Rule { return PassiveAggressiveIRule{C}; }},
    CompiledRule{"passive-aggressive II", [](double C, Tie) -> Rule { return PassiveAggressiveIIRule{C}; }},
};

/// A second-order rule by its name. It may have two parameters.
struct CompiledSecondOrderRule {
  std::string_view name;
  Rule (*make)(double parameter, double extra);
};

inline constexpr std::array compiled_second_order_rules{
    CompiledSecondOrderRule{"arow", [](double r, double floor) -> Rule { return DiagonalArowRule{r, floor}; }},
    CompiledSecondOrderRule{"soft confidence I",
                            [](double C, double phi) -> Rule { return SoftConfidenceRule{phi, C, false}; }},
    CompiledSecondOrderRule{"soft confidence II",
                            [](double C, double phi) -> Rule { return SoftConfidenceRule{phi, C, true}; }},
    CompiledSecondOrderRule{"normalized adaptive, logistic",
                            [](double rate, double) -> Rule { return NormalizedAdaptiveRule{rate, AdaptiveLoss::logistic}; }},
    CompiledSecondOrderRule{"normalized adaptive, hinge",
                            [](double rate, double) -> Rule { return NormalizedAdaptiveRule{rate, AdaptiveLoss::hinge}; }},
    CompiledSecondOrderRule{"normalized adaptive, squared",
                            [](double rate, double) -> Rule { return NormalizedAdaptiveRule{rate, AdaptiveLoss::squared}; }},
};

inline Rule rule_named(std::string_view name, double parameter, Tie tie, double extra = 0) {
  for (const CompiledRule& rule : compiled_rules)
    if (rule.name == name) return rule.make(parameter, tie);
  for (const CompiledSecondOrderRule& rule : compiled_second_order_rules)
    if (rule.name == name) return rule.make(parameter, extra);
  throw std::invalid_argument("there is no compiled rule named '" + std::string(name) + "'.");
}

/// What a problem keeps beside its weights at the start; nothing for other than second-order rules.
inline std::optional<SecondOrder> second_order_of(const Rule& rule) {
  return std::visit(
      []<class R>(const R&) -> std::optional<SecondOrder> {
        if constexpr (SecondOrderRule<R>)
          return SecondOrder{typename R::State{}};
        else
          return std::nullopt;
      },
      rule);
}

}  // namespace novikoff
