// The state of an online learner as Python numbers and arrays, and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/scale.hpp"
#include "second_order_state.hpp"
#include "state_fields.hpp"

namespace online_state {

inline nb::dict store(const novikoff::Count& count) {
  nb::dict fields;
  fields["whole"] = count.whole;
  fields["part"] = count.part;
  return fields;
}

inline novikoff::Count restore_count(nb::handle stored, const char* name) {
  const Fields fields(stored, 2, name);
  return {fields.count("whole"), fields.number("part")};
}

inline nb::object store(std::optional<novikoff::Average> average) {
  if (!average) return nb::none();
  nb::dict fields;
  fields["weights"] = to_numpy(std::move(average->weights));
  fields["bias"] = average->bias;
  return fields;
}

inline nb::object store(std::optional<novikoff::Votes> votes) {
  if (!votes) return nb::none();
  std::vector<std::int64_t> wholes;
  std::vector<double> parts;
  for (const novikoff::Count& c : votes->survived) wholes.push_back(c.whole), parts.push_back(c.part);
  nb::dict fields;
  fields["offsets"] = to_numpy(std::move(votes->offsets));
  fields["indices"] = to_numpy(std::move(votes->indices));
  fields["values"] = to_numpy(std::move(votes->values));
  fields["steps"] = to_numpy(std::move(votes->steps));
  fields["bias_steps"] = to_numpy(std::move(votes->bias_steps));
  fields["survived_whole"] = to_numpy(std::move(wholes));
  fields["survived_part"] = to_numpy(std::move(parts));
  return fields;
}

inline novikoff::Votes restore_votes(nb::handle stored, std::size_t columns) {
  const Fields fields(stored, 7, "votes");
  novikoff::Votes votes;
  votes.offsets = fields.vector<std::int64_t>("offsets");
  votes.indices = fields.vector<std::int64_t>("indices");
  votes.values = fields.vector<double>("values");
  votes.steps = fields.vector<double>("steps");
  votes.bias_steps = fields.vector<double>("bias_steps");
  const auto wholes = fields.vector<std::int64_t>("survived_whole");
  const auto parts = fields.vector<double>("survived_part");
  if (wholes.size() != parts.size()) refuse("as many fractions as counts of votes");
  votes.survived.resize(wholes.size());
  for (std::size_t k = 0; k < wholes.size(); ++k) {
    if (wholes[k] < 0 || wholes[k] > largest_count) refuse("counts of votes that are not negative");
    votes.survived[k] = {wholes[k], parts[k]};
  }
  if (!votes.is_consistent(columns)) refuse("votes whose arrays fit each other and the columns");
  return votes;
}

/// How a learner of this configuration forgets, if it does.
inline std::optional<novikoff::Memory> memory_of(const nb::tuple& configuration) {
  const auto forget = as<double>(configuration[10], "forget"), fade = as<double>(configuration[11], "fade");
  if (!(forget >= 0 && forget < 1 && fade > 0 && fade <= 1)) refuse("forget from 0 to below 1, and fade above 0 and up to 1");
  if (forget == 0 && fade == 1) return std::nullopt;
  return novikoff::Memory{forget, fade};
}

inline nb::object store(const std::optional<novikoff::Memory>& memory) {
  if (!memory) return nb::none();
  nb::dict fields;
  fields["scale"] = memory->scale;
  fields["longest"] = memory->longest;
  return fields;
}

inline novikoff::Memory restore_memory(nb::handle stored, novikoff::Memory memory) {
  const Fields fields(stored, 2, "a memory");
  memory.scale = fields.number("scale");
  memory.longest = fields.number("longest");
  if (!(memory.scale >= novikoff::Memory::unit && memory.scale <= 1)) refuse("a scale from 2**-32 to 1");
  return memory;
}

inline nb::object store(const std::optional<novikoff::Calibration>& calibration) {
  if (!calibration) return nb::none();
  nb::dict fields;
  fields["slope"] = calibration->slope;
  fields["offset"] = calibration->offset;
  fields["slope_curvature"] = calibration->slope_curvature;
  fields["curvature"] = calibration->curvature;
  fields["offset_curvature"] = calibration->offset_curvature;
  fields["total"] = calibration->total;
  fields["weight"] = calibration->weight;
  return fields;
}

inline novikoff::Calibration restore_calibration(nb::handle stored) {
  const Fields fields(stored, 7, "a calibration");
  novikoff::Calibration calibration;
  calibration.slope = fields.number("slope");
  calibration.offset = fields.number("offset");
  calibration.slope_curvature = fields.number("slope_curvature");
  calibration.curvature = fields.number("curvature");
  calibration.offset_curvature = fields.number("offset_curvature");
  calibration.total = fields.number("total");
  calibration.weight = fields.number("weight");
  return calibration;
}

inline nb::dict store(novikoff::Hypothesis h) {
  nb::dict fields;
  fields["positive"] = h.positive;
  fields["weights"] = to_numpy(std::move(h.weights));
  fields["bias"] = h.bias;
  fields["average"] = store(std::move(h.average));
  fields["votes"] = store(std::move(h.votes));
  fields["examples"] = store(h.examples);
  fields["mistakes"] = store(h.mistakes);
  fields["positives"] = store(h.positives);
  fields["steps"] = store(h.steps);
  fields["updates"] = h.updates;
  fields["squared_length"] = h.length2.sum;
  fields["squared_length_carry"] = h.length2.carry;
  fields["squared_length_error"] = h.length2_error;
  fields["rounding"] = h.rounding;
  fields["squared_radius"] = h.squared_radius;
  fields["energy"] = h.energy;
  fields["margin_bound"] = h.margin_bound;
  fields["memory"] = store(h.memory);
  fields["second"] = store(std::move(h.second));
  fields["calibration"] = store(h.calibration);
  return fields;
}

/// The inverse of `store`. `keep` is "last", "average" or "votes", `memory` that of a new problem, and `second` what the rule
/// keeps beside the weights.
inline novikoff::Hypothesis restore(nb::handle stored, const std::string& keep, const std::optional<novikoff::Memory>& memory,
                                    const std::optional<novikoff::SecondOrder>& second) {
  const Fields fields(stored, 20, "a problem");
  novikoff::Hypothesis h;
  h.positive = as<std::int32_t>(fields.at("positive"), "positive");
  h.weights = fields.vector<double>("weights");
  h.bias = fields.number("bias");
  if (fields.at("average").is_none() != (keep != "average") || fields.at("votes").is_none() != (keep != "votes"))
    refuse("averages or votes if its rule keeps them, and only then");
  if (keep == "average") {
    const Fields average(fields.at("average"), 2, "an average");
    h.average = novikoff::Average{average.vector<double>("weights"), average.number("bias")};
    if (h.average->weights.size() != h.weights.size()) refuse("averages of all weights");
  }
  if (keep == "votes") h.votes = restore_votes(fields.at("votes"), h.weights.size());
  if (fields.at("second").is_none() == second.has_value()) refuse("a second-order state if its rule has one, and only then");
  if (second) {
    h.second = second;
    restore_second_order(fields.at("second"), h.weights.size(), *h.second);
  }
  if (!fields.at("calibration").is_none()) h.calibration = restore_calibration(fields.at("calibration"));
  h.examples = restore_count(fields.at("examples"), "examples");
  h.mistakes = restore_count(fields.at("mistakes"), "mistakes");
  h.positives = restore_count(fields.at("positives"), "positives");
  h.steps = restore_count(fields.at("steps"), "steps");
  h.updates = fields.count("updates");
  h.length2 = {fields.number("squared_length"), fields.number("squared_length_carry")};
  h.length2_error = fields.number("squared_length_error");
  h.rounding = fields.number("rounding");
  h.squared_radius = fields.number("squared_radius");
  h.energy = fields.number("energy");
  h.margin_bound = fields.number("margin_bound");
  if (fields.at("memory").is_none() != !memory) refuse("a memory if its learner forgets, and only then");
  if (memory) h.memory = restore_memory(fields.at("memory"), *memory);
  return h;
}

/// The numbers of each column that a scale keeps, by their names in the state.
inline auto stored_columns(const novikoff::RunningScale&) {
  using Column = novikoff::RunningScale::Column;
  return std::array{std::pair{"weights", &Column::weight}, std::pair{"squares", &Column::squares}};
}
inline auto stored_columns(const novikoff::CentredScale&) {
  using Column = novikoff::CentredScale::Column;
  return std::array{std::pair{"weights", &Column::weight}, std::pair{"squares", &Column::squares},
                    std::pair{"sums", &Column::sum},       std::pair{"origins", &Column::origin},
                    std::pair{"shifts", &Column::shift},   std::pair{"factors", &Column::factor},
                    std::pair{"centred", &Column::centred}};
}

inline nb::object store(const std::optional<novikoff::Scale>& scale) {
  if (!scale) return nb::none();
  nb::dict fields;
  std::visit(
      [&](const auto& kind) {
        for (const auto& [name, field] : stored_columns(kind)) {
          std::vector<double> numbers;
          for (const auto& column : kind.columns) numbers.push_back(column.*field);
          fields[name] = to_numpy(std::move(numbers));
        }
        if constexpr (requires { kind.total; }) fields["total"] = kind.total;
      },
      scale->kind);
  return fields;
}

/// The inverse. `empty` is the scale of the configuration, if it has one.
inline std::optional<novikoff::Scale> restore_scale(nb::handle stored, std::optional<novikoff::Scale> empty) {
  if (stored.is_none() == empty.has_value()) refuse("a scale if its configuration has one, and only then");
  if (!empty) return std::nullopt;
  std::visit(
      [&](auto& kind) {
        constexpr bool has_total = requires { kind.total; };
        const auto names = stored_columns(kind);
        const Fields fields(stored, names.size() + has_total, "a scale");
        kind.columns.resize(fields.vector<double>("weights").size());
        for (const auto& [name, field] : names) {
          const auto numbers = fields.vector<double>(name);
          if (numbers.size() != kind.columns.size()) refuse("arrays of a scale that have one length");
          for (std::size_t j = 0; j < numbers.size(); ++j) kind.columns[j].*field = numbers[j];
        }
        if constexpr (has_total) {
          kind.total = fields.number("total");
          kind.restore();
        }
      },
      empty->kind);
  return empty;
}

}  // namespace online_state
