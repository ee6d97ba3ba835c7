// The points of the playground, and the products of their rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novikoff/rows.hpp"

namespace novikoff::play {

/// Points of the plane with labels. JavaScript writes the coordinates and the codes: 1 for a positive point, 0 for a negative
/// one.
struct Points {
  std::vector<double> coordinates;  // x, y of the first point, then of the second
  std::vector<std::int32_t> codes;
  std::vector<double> squared_norms;

  explicit Points(std::size_t count) : coordinates(2 * count), codes(count), squared_norms(count) {}

  std::size_t count() const { return codes.size(); }
  DenseRows<double> rows() const { return {coordinates.data(), count(), 2, 2, 1}; }
  double x(std::size_t i) const { return coordinates[2 * i]; }
  double y(std::size_t i) const { return coordinates[2 * i + 1]; }
  double sign(std::size_t i) const { return codes[i] == 1 ? 1.0 : -1.0; }

  /// Computes the squared norms, as the learners of Python do before they learn.
  void measure() {
    const DenseRows<double> all = rows();
    for (std::size_t i = 0; i < count(); ++i) squared_norms[i] = all[i].squared_norm();
  }

  /// A power of two that brings the points, with the constant feature if there is one, to about unit length.
  double unit_scale(bool constant) const {
    double largest = constant ? 1.0 : 0.0;
    for (std::size_t i = 0; i < count(); ++i) largest = std::max({largest, std::abs(x(i)), std::abs(y(i))});
    return largest > 0 ? std::exp2(-std::round(std::log2(largest))) : 1.0;
  }

  std::vector<double> signs() const {
    std::vector<double> found(count());
    for (std::size_t i = 0; i < count(); ++i) found[i] = sign(i);
    return found;
  }

  /// The products of all pairs of rows, each scaled, in row-major order; `constant` is the squared constant feature.
  std::vector<double> products(double scale, double constant) const {
    const std::size_t n = count();
    std::vector<double> found(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) found[i * n + j] = scale * scale * (x(i) * x(j) + y(i) * y(j) + constant);
    return found;
  }
};

}  // namespace novikoff::play
