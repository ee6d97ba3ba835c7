// What learners need of one row of a matrix.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>

#include "novikoff/repeats.hpp"

namespace novikoff {

/// Squared norms below this, other than 0, lose digits when they are multiplied.
constexpr double least_squared_norm = 1e-240;

/// The squared norm of a row, or NaN if the row is not zero but its squared norm is too small to compute with.
inline double large_enough(double squared_norm, bool is_zero) {
  return squared_norm >= least_squared_norm || is_zero ? squared_norm : std::numeric_limits<double>::quiet_NaN();
}

/// The operations that learners need on one example x: its product with a vector, its squared norm, and adding a multiple of
/// it to a vector. `examine` returns the squared norm as well, but NaN if that underflows or if an index is outside of the
/// matrix. A row is bad unless the result is finite. `repeats` is kept between the rows of a matrix.
template <class R>
concept Row = requires(const R x, const double* w, double* v, double a, std::size_t columns, Repeats& repeats) {
  { x.dot(w) } -> std::same_as<double>;
  { x.squared_norm() } -> std::same_as<double>;
  { x.examine(columns, repeats) } -> std::same_as<double>;
  x.add_to(v, a);
  x.for_each([](std::size_t, double) {});
  { x.size } -> std::convertible_to<std::size_t>;
};

/// The product of a row with a vector, and the squared norm of the row.
struct ProductAndNorm {
  double product, squared_norm;
};

}  // namespace novikoff
