// The voted perceptron (Freund and Schapire 1999): each hypothesis votes with the number of examples that it survived.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novikoff/count.hpp"

namespace novikoff {

/// The hypotheses v_0 = 0, v_1, v_2, ... as updates: v_k = v_{k-1} + steps[k-1] u_k, with the rows u_k stored sparsely.
/// survived[k] is the weight of the examples that v_k survived.
struct Votes {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  std::vector<double> values;
  std::vector<double> steps;
  std::vector<double> bias_steps;
  std::vector<Count> survived{Count{}};

  /// Whether the lengths of all arrays agree and all indices are below `columns`.
  bool is_consistent(std::size_t columns) const {
    const std::size_t moves = steps.size();
    if (offsets.size() != moves + 1 || bias_steps.size() != moves || survived.size() != moves + 1) return false;
    if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end())) return false;
    if (static_cast<std::size_t>(offsets.back()) != values.size() || indices.size() != values.size()) return false;
    return std::all_of(indices.begin(), indices.end(),
                       [&](std::int64_t j) { return j >= 0 && static_cast<std::size_t>(j) < columns; });
  }

  void survive(std::int64_t copies, double part) { survived.back().add(copies, part); }

  void move(const auto& x, double step, double bias_step) {
    x.for_each([&](std::size_t j, double value) {
      if (value == 0) return;
      indices.push_back(static_cast<std::int64_t>(j));
      values.push_back(value);
    });
    offsets.push_back(static_cast<std::int64_t>(values.size()));
    steps.push_back(step);
    bias_steps.push_back(bias_step);
    survived.push_back(Count{});
  }

  /// sum_k survived_k sign(v_k.u) / sum_k survived_k. `dense` must be all 0, and is so again afterwards. The sign of 0 is
  /// `sign_of_zero`: 0 or 1, depending on the tie.
  double score(const auto& x, std::vector<double>& dense, double sign_of_zero) const {
    x.for_each([&](std::size_t j, double value) { dense[j] += value; });
    double inner = 0, vote = survived[0].value() * sign_of_zero, total = survived[0].value();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      double product = 0;
      for (auto p = offsets[k]; p < offsets[k + 1]; ++p)
        product += values[static_cast<std::size_t>(p)] * dense[static_cast<std::size_t>(indices[static_cast<std::size_t>(p)])];
      inner += steps[k] * product + bias_steps[k];
      vote += survived[k + 1].value() * (inner > 0 ? 1.0 : inner < 0 ? -1.0 : sign_of_zero);
      total += survived[k + 1].value();
    }
    x.for_each([&](std::size_t j, double) { dense[j] = 0; });
    return total > 0 ? vote / total : 0.0;
  }
};

}  // namespace novikoff
