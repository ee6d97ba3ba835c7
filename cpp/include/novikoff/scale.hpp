// How a learner scales the columns while examples come: one of the kinds of scale, chosen when the learner is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "novikoff/centred_scale.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/running_scale.hpp"

namespace novikoff {

struct Scale {
  std::variant<RunningScale, CentredScale> kind;

  bool operator==(const Scale&) const = default;

  void resize(std::size_t count) {
    std::visit([&](auto& scale) { scale.resize(count); }, kind);
  }

  /// The number of columns of rows as they are seen, given that of rows as they come.
  std::size_t width(std::size_t columns) const {
    return std::max(columns, std::visit([](const auto& scale) { return scale.columns.size(); }, kind));
  }

  std::vector<double> factors() const {
    return std::visit([](const auto& scale) { return scale.factors(); }, kind);
  }

  /// What is subtracted from each column before it is multiplied; nothing if zeros remain zeros.
  std::optional<std::vector<double>> shifts() const {
    const auto* centred = std::get_if<CentredScale>(&kind);
    return centred ? std::optional(centred->shifts()) : std::nullopt;
  }

  /// Prefetches what is known of the columns of a row that comes soon.
  [[gnu::always_inline]] void expect(const Row auto& x) const {
    if constexpr (requires { x.indices; })
      if (const auto* centred = std::get_if<CentredScale>(&kind)) centred->expect(x);
  }

  /// Appends the values of x, and its columns if it is sparse, as the learner sees them now. Nothing is counted.
  template <Row X>
  void apply(const X& x, std::vector<double>& values, std::vector<std::int32_t>& indices) const {
    if (const auto* centred = std::get_if<CentredScale>(&kind)) return centred->apply(x, values, indices);
    std::get<RunningScale>(kind).apply(x, place_for(x, values, indices));
  }

  /// Counts an example of weight at most 1, and appends it as it is learned. All columns must be known. `sums` is scratch.
  template <Row X>
  void see(const X& x, double weight, std::vector<double>& sums, std::vector<double>& values,
           std::vector<std::int32_t>& indices) {
    if (auto* centred = std::get_if<CentredScale>(&kind)) return centred->see(x, weight, values, indices);
    std::get<RunningScale>(kind).see(x, weight, sums, place_for(x, values, indices));
  }

  /// The same, but the example is appended as it is predicted, and once more if its score could be another one as it is
  /// learned. Returns whether there are two rows, which have the same columns.
  template <Row X>
  bool see_both(const X& x, double weight, std::vector<double>& sums, std::vector<double>& values,
                std::vector<std::int32_t>& indices) {
    if (auto* centred = std::get_if<CentredScale>(&kind)) return centred->see_both(x, weight, values, indices);
    apply(x, values, indices);
    see(x, weight, sums, values, indices);
    return true;
  }

 private:
  /// Appends the columns of x, and returns the place for as many values.
  template <Row X>
  static double* place_for(const X& x, std::vector<double>& values, std::vector<std::int32_t>& indices) {
    if constexpr (requires { x.indices; }) indices.insert(indices.end(), x.indices, x.indices + x.size);
    values.resize(values.size() + x.size);
    return values.data() + values.size() - x.size;
  }
};

/// A scale by its name, as Python knows it; none for an empty name.
inline std::optional<Scale> scale_named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name == "running") return Scale{RunningScale{}};
  if (name == "centred") return Scale{CentredScale{}};
  throw std::invalid_argument("there is no scale named '" + std::string(name) + "'.");
}

/// Values and columns from place `first` on as a row like x.
template <class T>
DenseRow<double> row_like(const DenseRow<T>&, const std::vector<double>& values, const auto&, std::size_t first = 0) {
  return {values.data() + first, values.size() - first, 1};
}
template <class T>
SparseRow<double> row_like(const SparseRow<T>&, const std::vector<double>& values, const std::vector<std::int32_t>& indices,
                           std::size_t first = 0) {
  return {values.data() + first, indices.data() + first, values.size() - first};
}

/// |u|^2 of a row that was seen, which has no value in a column twice.
template <class R>
double norm_of_seen(const R& u) {
  if constexpr (requires { u.sum_of_squares(); })
    return u.sum_of_squares();
  else
    return u.squared_norm();
}

/// Scratch for one row as it is seen.
struct SeenScratch {
  std::vector<double> sums, values;
  std::vector<std::int32_t> indices;

  /// Calls `use` with x as it is seen now.
  template <Row X>
  void apply(const Scale& scale, const X& x, const auto& use) {
    clear();
    scale.apply(x, values, indices);
    use(row_like(x, values, indices));
  }

  /// Calls `learn(u, squared_norm, weight)` for each copy of an example, as it is seen: an integer weight k is k copies, one
  /// after the other, and a fraction is one last copy.
  template <Row X>
  void see(Scale& scale, const X& x, double weight, const auto& learn) {
    auto whole = static_cast<std::int64_t>(weight);
    double part = weight - static_cast<double>(whole);
    while (whole > 0 || part > 0) {
      const double copy = whole > 0 ? 1.0 : part;
      clear();
      scale.see(x, copy, sums, values, indices);
      const auto u = row_like(x, values, indices);
      learn(u, norm_of_seen(u), copy);
      if (whole > 0)
        --whole;
      else
        part = 0;
    }
  }

 private:
  void clear() {
    values.clear();
    indices.clear();
  }
};

}  // namespace novikoff
