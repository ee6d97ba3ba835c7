// What a second-order learner keeps beside its weights.
//
// A second-order rule sees the vector u, not only numbers, because every column has a step of its own. It has
//
//   using State = ...;                      what it keeps per column, one of SecondOrder's
//   static constexpr bool sums_updates;     whether the sum v has all examples that cause an update; else those of mistakes
//   Change update(const auto& x, const SecondOrderInput& s, WeightsView w, State& state) const;
//
// and `quiet_margin` as other rules have. `update` adds y u to v. Columns of `x` are distinct.
#pragma once

#include <concepts>
#include <cstddef>
#include <variant>

#include "novikoff/diagonal_variance.hpp"
#include "novikoff/normalized_adaptive.hpp"
#include "novikoff/terms.hpp"

namespace novikoff {

template <class Rule>
concept SecondOrderRule = requires {
  typename Rule::State;
  { Rule::sums_updates } -> std::convertible_to<bool>;
};

struct SecondOrder {
  using State = std::variant<DiagonalVariance, NormalizedState>;

  State state;
  Terms terms{};  // scratch

  void resize(std::size_t columns) {
    std::visit([&](auto& s) { s.resize(columns); }, state);
  }
};

}  // namespace novikoff
