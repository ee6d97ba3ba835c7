// The soft-margin problem, and the passes over its rows that the solvers are made of.
//
//   min over w, b:  lambda/2 |w|^2 + kappa/2 b^2 + sum_i c_i l(1 - m_i),   m_i = y_i (s x_i.w + b),
//
// with l(r) = max(0, r), the hinge, or its square. A dual point is one number alpha_i a row, from 0 to 1 for the hinge and
// from 0 up for its square; a_i = c_i alpha_i are the field's dual variables, and w = sum_i a_i y_i s x_i / lambda at the
// optimum. The scale s is a power of two that brings the rows to about unit length.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novikoff/blocks.hpp"
#include "novikoff/rows.hpp"

namespace novikoff {

/// All that stands beside the rows. `costs` may be empty: then every row costs 1.
struct Examples {
  std::span<const std::int32_t> codes;
  std::int32_t positive;
  std::span<const double> costs;
  double scale;
  double constant;  // 1 with an intercept, 0 without

  double sign(std::size_t i) const { return codes[i] == positive ? 1.0 : -1.0; }
  double cost(std::size_t i) const { return costs.empty() ? 1.0 : costs[i]; }
  /// y (s x.w + b), where the last entry of v = (w, b) is the intercept.
  double margin(const Row auto& x, std::size_t i, std::span<const double> v) const {
    return sign(i) * (scale * x.dot(v.data()) + constant * v.back());
  }
};

/// The dual that answers a margin, near a centre: clip(centre + (1 - m) / width, 0, top). It is the derivative of the loss,
/// smoothed by a proximal term around the centre (Rockafellar 1976, the augmented Lagrangian of the dual). The squared hinge
/// is its own: no centre, width 1/2, no top. An infinite width answers with the centre itself.
struct Response {
  double width, top;
  double keep = 1;  // 0 where there is no centre
  double sharpness = 1 / width;

  double at(double centre, double margin) const { return clip(slide(centre, margin)); }
  /// Whether the answer moves with the margin.
  bool is_free(double centre, double margin) const { return is_inside(slide(centre, margin)); }

  double slide(double centre, double margin) const { return keep * centre + (1 - margin) * sharpness; }
  double clip(double alpha) const { return std::min(std::max(alpha, 0.0), top); }
  bool is_inside(double alpha) const { return static_cast<bool>(int{alpha > 0} & int{alpha < top}); }  // without a branch
};

/// What the rows of one class add up to: sum a, sum a (1 - m), sum a alpha.
struct ClassSums {
  double mass = 0, pull = 0, squares = 0;

  void operator+=(const ClassSums& other) {
    mass += other.mass;
    pull += other.pull;
    squares += other.squares;
  }
};

/// Both classes, negative first, and the loss of all rows: sum c max(0, 1 - m) and sum c max(0, 1 - m)^2.
struct Sums {
  std::array<ClassSums, 2> of_class;
  double hinge = 0, squared_hinge = 0;

  void operator+=(const Sums& other) {
    for (std::size_t k = 0; k < 2; ++k) of_class[k] += other.of_class[k];
    hinge += other.hinge;
    squared_hinge += other.squared_hinge;
  }
};

/// The first and second derivative of the smoothed loss along a direction.
struct Slope {
  double first = 0, second = 0;

  void operator+=(const Slope& other) {
    first += other.first;
    second += other.second;
  }
};

/// Adds a s x to a sum. Where C |x|^2 is huge, a is tiny, and a s may be too small to be exact: s x then comes first.
void add_scaled(const Row auto& x, double a, double scale, double* sum) {
  if (const double factor = a * scale; std::isnormal(factor) || a == 0)
    x.add_to(sum, factor);
  else
    x.for_each([&](std::size_t j, double value) { sum[j] += a * (scale * value); });
}

/// margins[i] = y_i (s x_i.w + b); with a direction in place of (w, b), how fast they change.
void measure(const auto& rows, const Examples& examples, std::span<const double> v, const Blocks& blocks, std::size_t threads,
             std::span<double> margins) {
  blocks.for_each(threads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) margins[i] = examples.margin(rows[i], i, v);
  });
}

/// What the answers to the margins add up to: their sums, and for each class sum a y (s x, 1) in `pulls`, the negative class
/// first. Each block adds to vectors of its own.
Sums answer(const auto& rows, const Examples& examples, std::span<const double> centres, std::span<const double> margins,
            const Response& response, const Blocks& blocks, std::size_t threads, std::span<double> pulls) {
  const std::size_t width = rows.columns + 1;
  std::vector<double> parts((blocks.count - 1) * 2 * width);
  std::vector<Sums> sums(blocks.count);
  blocks.for_each(threads, [&](std::size_t block, std::size_t first, std::size_t last) {
    double* const own = block == 0 ? pulls.data() : parts.data() + (block - 1) * 2 * width;
    if (block == 0) std::fill_n(own, 2 * width, 0.0);
    Sums total;
    for (std::size_t i = first; i < last; ++i) {
      const double cost = examples.cost(i), rest = 1 - margins[i], excess = std::max(rest, 0.0);
      const double alpha = response.at(centres[i], margins[i]), a = cost * alpha, sign = examples.sign(i);
      total.hinge += cost * excess;
      total.squared_hinge += cost * excess * excess;
      if (a == 0) continue;
      const std::size_t k = sign > 0;
      total.of_class[k] += ClassSums{a, a * rest, a * alpha};
      add_scaled(rows[i], a * sign, examples.scale, own + k * width);
      own[k * width + rows.columns] += a * sign * examples.constant;
    }
    sums[block] = total;
  });
  for (std::size_t block = 1; block < blocks.count; ++block) {
    sums[0] += sums[block];
    for (std::size_t j = 0; j < 2 * width; ++j) pulls[j] += parts[(block - 1) * 2 * width + j];
  }
  return sums[0];
}

/// The derivatives at `step` of the smoothed loss along the direction that changes the margins at these rates.
inline Slope slope(const Examples& examples, std::span<const double> centres, std::span<const double> margins,
                   std::span<const double> rates, double step, const Response& response, const Blocks& blocks,
                   std::size_t threads) {
  return blocks.sum<Slope>(threads, [&](std::size_t first, std::size_t last) {
    Slope total;
    for (std::size_t i = first; i < last; ++i) {
      const double alpha = response.slide(centres[i], margins[i] + step * rates[i]), pace = examples.cost(i) * rates[i];
      total.first -= pace * response.clip(alpha);
      total.second += pace * rates[i] * static_cast<double>(response.is_inside(alpha));
    }
    total.second *= response.sharpness;
    return total;
  });
}

/// The rows whose answer moves with their margin. They are counted first: a vector that grows takes twice the memory.
inline std::vector<std::int64_t> free_rows(const Examples& examples, std::span<const double> centres,
                                           std::span<const double> margins, const Response& response) {
  const auto is_free = [&](std::size_t i) { return examples.cost(i) > 0 && response.is_free(centres[i], margins[i]); };
  std::size_t count = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) count += is_free(i);
  std::vector<std::int64_t> found;
  found.reserve(count);
  for (std::size_t i = 0; i < margins.size(); ++i)
    if (is_free(i)) found.push_back(static_cast<std::int64_t>(i));
  return found;
}

/// The squared length of s x.
double scaled_norm(const Row auto& x, double scale) {
  double sum = 0;
  x.for_each([&](std::size_t, double value) { sum += (scale * value) * (scale * value); });
  return sum;
}

/// The derivative of the loss by a shift of the intercept; half of it for the squared hinge.
inline double lean(const Examples& examples, std::span<const double> margins, double shift, bool squared, const Blocks& blocks,
                   std::size_t threads) {
  return blocks.sum<double>(threads, [&](std::size_t first, std::size_t last) {
    double total = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double sign = examples.sign(i), rest = 1 - margins[i] - sign * shift;
      total -= rest > 0 ? sign * examples.cost(i) * (squared ? rest : 1.0) : 0.0;
    }
    return total;
  });
}

/// The shift of the intercept that makes the loss least, or at most `enough` more, applied to the margins. The loss is
/// convex: where its derivative is d, what is least within h is at most |d| h lower. The root of the derivative is sought
/// where a line through both ends would have it (Dowell and Jarratt 1971), and every third time in the middle.
inline double balance(const Examples& examples, std::span<double> margins, bool squared, double enough, const Blocks& blocks,
                      std::size_t threads) {
  constexpr double close = 1e-15;
  const double start = lean(examples, margins, 0, squared, blocks, threads);
  if (start == 0) return 0;
  const double direction = start < 0 ? 1 : -1;
  const auto slope = [&](double shift) { return direction * lean(examples, margins, shift, squared, blocks, threads); };
  double inside = 0, outside = direction * 1e-3;  // the loss falls at `inside` and no longer does at `outside`
  double left = direction * start, rise = slope(outside);
  for (; std::abs(outside) < 1e12 && rise < 0; rise = slope(outside)) {
    inside = outside;
    left = rise;
    outside *= 4;
  }
  const double most = squared ? enough / 2 : enough;
  double right = rise;  // both are halved while the other end moves
  for (int step = 1;
       std::abs(outside - inside) > close * std::max(1.0, std::abs(outside)) && rise * std::abs(outside - inside) > most;
       ++step) {
    const double share = step % 3 == 0 ? 0.5 : std::clamp(-left / (right - left), 0.01, 0.99);
    const double middle = inside + share * (outside - inside), found = slope(middle);
    if (found < 0) {
      inside = middle, left = found, right = right / 2;
    } else {
      outside = middle, rise = right = found, left = left / 2;
    }
  }
  const double shift = outside;
  for (std::size_t i = 0; i < margins.size(); ++i) margins[i] += examples.sign(i) * shift;
  return shift;
}

/// The loss of all rows.
inline double loss(const Examples& examples, std::span<const double> margins, bool squared, const Blocks& blocks,
                   std::size_t threads) {
  return blocks.sum<double>(threads, [&](std::size_t first, std::size_t last) {
    double total = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double excess = std::max(0.0, 1 - margins[i]);
      total += examples.cost(i) * (squared ? excess * excess : excess);
    }
    return total;
  });
}

/// What can be said of a matrix before it is used: how many rows there are before the first with a value that is not finite
/// or an index out of range, the largest value, and whether the indices of every row rise.
struct Survey {
  std::size_t good = 0;
  double largest = 0;
  bool rising = true;
};

template <class T>
Survey survey(const DenseRows<T>& rows) {
  Survey found;
  for (; found.good < rows.count; ++found.good) {
    const double largest = rows[found.good].largest();
    if (std::isnan(largest)) break;
    found.largest = std::max(found.largest, largest);
  }
  return found;
}

template <class T, class I>
Survey survey(const CsrRows<T, I>& rows) {
  Survey found;
  for (; found.good < rows.count; ++found.good) {
    const SparseRow<T, I> x = rows[found.good];
    double largest = 0, poison = 0;
    unsigned falls = 0, outside = 0;
    for (std::size_t k = 0; k < x.size; ++k) {
      const double value = static_cast<double>(x.values[k]);
      largest = std::max(largest, std::abs(value));
      poison += value * 0;
      falls |= static_cast<unsigned>(k > 0 && x.indices[k - 1] >= x.indices[k]);
      outside |= static_cast<unsigned>(x.indices[k] < 0 || static_cast<std::size_t>(x.indices[k]) >= rows.columns);
    }
    if (poison != 0 || outside) break;
    found.rising = found.rising && falls == 0;
    found.largest = std::max(found.largest, largest);
  }
  return found;
}

}  // namespace novikoff
