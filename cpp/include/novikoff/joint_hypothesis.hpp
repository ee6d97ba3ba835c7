// The state of an online learner of several classes that are learned together: weights v = (v_1, ..., v_K) in one long vector,
// and counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "novikoff/count.hpp"
#include "novikoff/diagonal_variance.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/terms.hpp"

namespace novikoff {

/// The weight that a class has in a column.
struct ClassWeight {
  std::int32_t code;
  double weight;
};

/// The entry of a class in a column, whose classes ascend, or where it would be.
inline auto place_of(auto& column, std::int32_t code) {
  return std::lower_bound(column.begin(), column.end(), code,
                          [](const ClassWeight& entry, std::int32_t sought) { return entry.code < sought; });
}

/// What a second-order rule keeps beside the weights: for each entry of a column, in the same place, the variance of the weight
/// and the sum of the vectors z in this block. A class without an entry has the variance 1 and the sum 0.
struct JointVariance {
  using Column = DiagonalVariance::Column;

  std::vector<std::vector<Column>> columns;
  std::vector<Column> biases;  // one per class
  Terms terms{};               // scratch
};

/// Kesler's construction (docs/theory.md J5): an example (x, y) and another class r make the vector z with x in the block of y,
/// -x in that of r, and 0 elsewhere. v.z is the lead of class y, and every rule for two classes is one for several if it sees z
/// with the label +1, where r is the strongest of the other classes.
///
/// Weights lie column by column, each with the classes that have a weight there, in ascending order. So a row is scored in the
/// time that the nonzero weights of its columns take, and an update changes two entries per column, however many classes there
/// are. The squared radius and the energy of the tally are those of x, and |z|^2 = 2 |x|^2.
struct JointHypothesis : Tally {
  std::vector<std::vector<ClassWeight>> columns;
  std::vector<double> biases;               // one per class
  std::vector<Count> examples_of;           // the examples of each class
  std::vector<std::int32_t> met;            // the classes that have occurred, in the order of their first examples
  std::optional<JointVariance> variance{};  // of second-order rules

  std::size_t classes() const { return biases.size(); }

  void resize(std::size_t count) {
    if (count <= columns.size()) return;
    if (variance) variance->columns.resize(count);  // first: memory may run out
    columns.resize(count);
  }

  /// A class that appears late has the weights that it would have had from the start: 0.  docs/theory.md J6.
  void add_class() {
    examples_of.reserve(classes() + 1);  // first: memory may run out
    if (variance) variance->biases.resize(classes() + 1);
    biases.push_back(0);
    examples_of.emplace_back();
  }

  /// Removes all classes after the first `count`.
  void keep_classes(std::size_t count) {
    if (count >= classes()) return;
    biases.resize(count);
    examples_of.resize(count);
    std::erase_if(met, [&](std::int32_t code) { return static_cast<std::size_t>(code) >= count; });
    if (variance) variance->biases.resize(count);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].erase(place_of(columns[j], static_cast<std::int32_t>(count)), columns[j].end());
      if (variance) variance->columns[j].resize(columns[j].size());
    }
  }

  /// The place of a class in a column, which gets an entry if it has none.
  std::size_t entry(std::size_t j, std::int32_t code) {
    std::vector<ClassWeight>& column = columns[j];
    const auto found = place_of(column, code);
    const std::ptrdiff_t place = found - column.begin();
    if (found != column.end() && found->code == code) return static_cast<std::size_t>(place);
    if (column.size() == column.capacity()) column.reserve(2 * column.size() + 1);  // first: memory may run out
    if (variance) {
      auto& own = variance->columns[j];
      own.insert(own.begin() + place, JointVariance::Column{});
    }
    column.insert(column.begin() + place, {code, 0.0});
    return static_cast<std::size_t>(place);
  }

  /// The score of a row in each class. Columns that no class has seen add nothing. Each score is a sum in the order of the
  /// row's entries, so that zeros among them change no bit of it.
  void score(const Row auto& x, std::span<double> scores) const {
    std::copy(biases.begin(), biases.end(), scores.begin());
    x.for_each([&](std::size_t j, double value) {
      if (value == 0 || j >= columns.size()) return;
      for (const ClassWeight& entry : columns[j]) scores[static_cast<std::size_t>(entry.code)] += value * entry.weight;
    });
  }

  /// v_k += along (x, 1), without the 1 if there is no intercept.
  void add(const Row auto& x, std::int32_t code, double along, bool intercept) {
    x.for_each([&](std::size_t j, double value) {
      if (value == 0) return;
      columns[j][entry(j, code)].weight += along * value;
    });
    if (intercept) biases[static_cast<std::size_t>(code)] += along;
  }

  /// The weights of one class.
  std::vector<double> weights_of(std::size_t k) const {
    check(k);
    const auto code = static_cast<std::int32_t>(k);
    std::vector<double> weights(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto place = place_of(columns[j], code);
      if (place != columns[j].end() && place->code == code) weights[j] = place->weight;
    }
    return weights;
  }
  double bias_of(std::size_t k) const {
    check(k);
    return biases[k];
  }

  /// The variances and sums of one class; those of a class without an entry are as at the start.
  DiagonalVariance variance_of(std::size_t k) const {
    check(k);
    const auto code = static_cast<std::int32_t>(k);
    DiagonalVariance found;
    found.resize(columns.size());
    found.bias = variance->biases[k];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto place = place_of(columns[j], code);
      if (place != columns[j].end() && place->code == code)
        found.columns[j] = variance->columns[j][static_cast<std::size_t>(place - columns[j].begin())];
    }
    return found;
  }

  /// The counts of all classes together, with the examples of one of them as `positives`.
  Tally tally_of(std::size_t k) const {
    check(k);
    Tally tally = *this;
    tally.positives = examples_of[k];
    return tally;
  }

  /// All classes in the form of problems with one class each, as they are stored: those that have occurred in the order of
  /// their first examples, and then the others. The first has the counts of all of them, and `positives` are the examples of
  /// the class.
  std::vector<Hypothesis> hypotheses() const {
    std::vector<std::size_t> place(classes(), classes());
    for (std::size_t p = 0; p < met.size(); ++p) place[static_cast<std::size_t>(met[p])] = p;
    for (std::size_t k = 0, next = met.size(); k < classes(); ++k)
      if (place[k] == classes()) place[k] = next++;
    std::vector<Hypothesis> found(classes());
    if (!found.empty()) static_cast<Tally&>(found[0]) = *this;
    for (std::size_t k = 0; k < classes(); ++k) {
      Hypothesis& h = found[place[k]];
      h.positive = static_cast<std::int32_t>(k);
      h.positives = examples_of[k];
      h.bias = biases[k];
      h.weights.resize(columns.size());
      if (variance) h.second = SecondOrder{variance_of(k)};
    }
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (const ClassWeight& entry : columns[j]) found[place[static_cast<std::size_t>(entry.code)]].weights[j] = entry.weight;
    return found;
  }

  /// The inverse of `hypotheses`, for rules with variances or without.
  static JointHypothesis of(const std::vector<Hypothesis>& stored, bool has_variance = false) {
    JointHypothesis joint;
    if (has_variance) joint.variance.emplace();
    std::vector<const Hypothesis*> of_class(stored.size());
    for (const Hypothesis& h : stored) {
      if (h.positive < 0 || static_cast<std::size_t>(h.positive) >= stored.size() ||
          std::exchange(of_class[static_cast<std::size_t>(h.positive)], &h))
        throw std::invalid_argument("the state of classes that are learned together must have each class once.");
      if (h.positives.value() > 0) joint.met.push_back(h.positive);
    }
    if (!stored.empty()) static_cast<Tally&>(joint) = stored[0];
    joint.positives = {};
    for (const Hypothesis* h : of_class) {
      joint.add_class();
      joint.biases.back() = h->bias;
      joint.examples_of.back() = h->positives;
      joint.resize(h->weights.size());
      const DiagonalVariance* own = has_variance && h->second ? std::get_if<DiagonalVariance>(&h->second->state) : nullptr;
      if (has_variance && !own) throw std::invalid_argument("each class that is learned together must have variances.");
      if (own) joint.variance->biases.back() = own->bias;
      for (std::size_t j = 0; j < h->weights.size(); ++j) {
        const bool is_touched = own && (own->columns[j].variance != 1 || own->columns[j].sum != 0);
        if (h->weights[j] == 0 && !is_touched) continue;
        joint.columns[j].push_back({h->positive, h->weights[j]});
        if (own) joint.variance->columns[j].push_back(own->columns[j]);
      }
    }
    return joint;
  }

  void check(std::size_t k) const {
    if (k >= classes()) throw std::out_of_range("there is no class " + std::to_string(k) + ".");
  }
};

}  // namespace novikoff
