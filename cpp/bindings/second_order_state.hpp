// What a second-order rule keeps beside the weights as Python numbers and arrays, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "novikoff/second_order.hpp"
#include "state_fields.hpp"

namespace online_state {

/// The numbers that a second-order state has for each column and for the intercept, by name.
template <class Column>
struct ColumnField {
  const char* name;
  double Column::* member;
  double initial;  // of a column that has not occurred. It is stored as 0, which is not a possible value if it is not 0.
};
template <class State>
struct SecondOrderFields;
template <>
struct SecondOrderFields<novikoff::DiagonalVariance> {
  using Column = novikoff::DiagonalVariance::Column;
  static constexpr ColumnField<Column> columns[] = {{"variances", &Column::variance, 1.0}, {"sum", &Column::sum, 0.0}};
  static auto numbers(auto&) { return std::vector<std::pair<const char*, double*>>{}; }
};
template <>
struct SecondOrderFields<novikoff::NormalizedState> {
  using Column = novikoff::NormalizedState::Column;
  static constexpr ColumnField<Column> columns[] = {
      {"scales", &Column::scale, 0.0}, {"squares", &Column::squares, 0.0}, {"sum", &Column::sum, 0.0}};
  static auto numbers(novikoff::NormalizedState& state) {
    return std::vector<std::pair<const char*, double*>>{{"norms", &state.norms}, {"time", &state.time}};
  }
};

/// Arrays with a number for each column, and numbers: those of the intercept have the names of the arrays.
inline nb::object store(std::optional<novikoff::SecondOrder> second) {
  if (!second) return nb::none();
  return std::visit(
      []<class State>(State& state) -> nb::object {
        using Fields = SecondOrderFields<State>;
        nb::dict vectors, numbers;
        for (const auto& field : Fields::columns) {
          std::vector<double> values;
          values.reserve(state.columns.size());
          for (const auto& column : state.columns)
            values.push_back(column.*field.member == field.initial ? 0.0 : column.*field.member);
          vectors[field.name] = to_numpy(std::move(values));
          numbers[field.name] = state.bias.*field.member;
        }
        for (const auto& [name, number] : Fields::numbers(state)) numbers[name] = *number;
        nb::dict fields;
        fields["vectors"] = vectors;
        fields["numbers"] = numbers;
        return fields;
      },
      second->state);
}

/// Fills a state at the start, which is of the right kind.
inline void restore_second_order(nb::handle stored, std::size_t columns, novikoff::SecondOrder& second) {
  const Fields fields(stored, 2, "a second-order state");
  std::visit(
      [&]<class State>(State& state) {
        using Known = SecondOrderFields<State>;
        const auto others = Known::numbers(state);
        const Fields vectors(fields.at("vectors"), std::size(Known::columns), "vectors");
        const Fields numbers(fields.at("numbers"), std::size(Known::columns) + others.size(), "numbers");
        state.resize(columns);
        for (const auto& field : Known::columns) {
          const auto values = vectors.vector<double>(field.name);
          if (values.size() != columns) refuse(std::string(field.name) + " for all weights");
          for (std::size_t j = 0; j < columns; ++j) state.columns[j].*field.member = values[j] == 0 ? field.initial : values[j];
          state.bias.*field.member = numbers.number(field.name);
        }
        for (const auto& [name, number] : others) *number = numbers.number(name);
      },
      second.state);
}

}  // namespace online_state
