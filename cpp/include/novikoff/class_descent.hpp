// Dual coordinate descent for several one-vs-rest problems at once (coordinate_descent.hpp has that of one).
//
// The problems share the rows. A row is read once for all of them: the weights lie column by column, those of one column side
// by side, so that a value of the row is multiplied with the weights of four problems by one vector instruction. Each problem
// has its own dual variable for the row, and its own shrinking. Steps are made with weights in single precision; `class_sums`
// computes the weights that belong to the dual variables in double precision, and the bounds are those of these weights.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "novikoff/coordinate_descent.hpp"

namespace novikoff {

/// The most problems of one pass. Sixteen would need more vectors than processors have registers for.
constexpr std::size_t max_classes_at_once = 12;

/// One bit per problem.
using ClassMask = std::uint16_t;

/// One number for each of N problems, a multiple of 4, in vectors of 16 bytes, which every 64-bit processor has.
template <class T, std::size_t N>
struct ClassNumbers {
  static constexpr std::size_t per_vector = 16 / sizeof(T);
  typedef T Vector __attribute__((vector_size(16)));
  Vector at[N / per_vector] = {};

  void set(std::size_t c, T value) { at[c / per_vector][c % per_vector] = value; }
  T operator[](std::size_t c) const { return at[c / per_vector][c % per_vector]; }

  /// this += a * other
  [[gnu::always_inline]] void add(T a, const ClassNumbers& other) {
    for (std::size_t k = 0; k < N / per_vector; ++k) at[k] += a * other.at[k];
  }
};

/// x.w of each problem, for weights that lie column by column.
template <class T, std::size_t N>
ClassNumbers<T, N> class_scores(const Row auto& x, const ClassNumbers<T, N>* weights) {
  ClassNumbers<T, N> sum;
  x.for_each([&](std::size_t j, double value) __attribute__((always_inline)) { sum.add(static_cast<T>(value), weights[j]); });
  return sum;
}

/// weights += a x
template <class T, std::size_t N>
void add_to_classes(const Row auto& x, const ClassNumbers<T, N>& a, ClassNumbers<T, N>* weights) {
  x.for_each([&](std::size_t j, double value) __attribute__((always_inline)) { weights[j].add(static_cast<T>(value), a); });
}

/// What the problems share: the rows' labels and costs, which class is +1 in each problem, and the scale.
struct ClassProblems {
  std::span<const std::int32_t> codes;
  std::span<const std::int32_t> positive;  // one code per problem
  std::span<const double> costs;
  double scale, constant;

  double sign(std::size_t i, std::size_t c) const { return codes[i] == positive[c] ? 1.0 : -1.0; }
  double cost(std::size_t i) const { return costs.empty() ? 1.0 : costs[i]; }
  ClassMask all() const { return static_cast<ClassMask>((1u << positive.size()) - 1); }
};

/// The arrays that a pass changes. Entries of a row, or of a column, are N numbers side by side, one per problem.
template <std::size_t N>
struct ClassState {
  double* alpha;
  ClassNumbers<float, N>* weights;
  std::span<double> intercepts;
  std::span<ClassMask> excluded;  // for each row, the problems in which it is shrunk
  std::span<std::int32_t> order;
};

/// What one pass found for each problem, whose `active` is the number of rows that it did not exclude. The others count rows.
struct ClassPassSummary {
  std::array<PassSummary, max_classes_at_once> of{};
  std::size_t active = 0, visits = 0;
};

/// Calls use(c) for every problem of a mask.
void for_each_class(ClassMask mask, auto&& use) {
  for (; mask != 0; mask = static_cast<ClassMask>(mask & (mask - 1))) use(static_cast<std::size_t>(std::countr_zero(mask)));
}

/// One pass over the first `before.active` rows of the order, shuffled. A row that is excluded in all problems moves to the
/// end.
template <std::size_t N, class Rows>
ClassPassSummary descend_classes(const Rows& rows, const ClassProblems& problems, const Loss& loss, const DualPenalty& penalty,
                                 std::span<const double> squared_norms, const ClassState<N>& state,
                                 const ClassPassSummary& before, Random& random) {
  constexpr std::size_t fetch_offset = 12, fetch_values = 4;
  ClassPassSummary now;
  now.active = before.active;
  shuffle(state.order.first(now.active), random);
  const ClassMask all = problems.all();
  const double step = problems.scale / penalty.lambda;
  for (std::size_t k = 0; k < now.active; ++k) {
    if constexpr (requires(const Rows& r) { r.expect(0); }) {
      if (k + fetch_offset < now.active) rows.expect(static_cast<std::size_t>(state.order[k + fetch_offset]));
      if (k + fetch_values < now.active) rows[static_cast<std::size_t>(state.order[k + fetch_values])].prefetch();
    }
    const auto i = static_cast<std::size_t>(state.order[k]);
    const auto x = rows[i];
    const auto scores = class_scores(x, state.weights);
    const double cost = problems.cost(i), curvature = cost * (squared_norms[i] / penalty.lambda + penalty.rho) + loss.ridge;
    double* const alpha = state.alpha + i * N;
    ClassNumbers<float, N> along;
    bool moves = false;
    ++now.visits;
    for_each_class(static_cast<ClassMask>(all & ~state.excluded[i]), [&](std::size_t c) {
      const double y = problems.sign(i, c), old = alpha[c];
      const double slack = 1 - y * (problems.scale * static_cast<double>(scores[c]) + problems.constant * state.intercepts[c]);
      const double derivative = loss.ridge * old - slack;
      PassSummary& own = now.of[c];
      own.gap += cost * (loss.value(std::max(slack, 0.0)) - old * (slack - 0.5 * loss.ridge * old));
      if (ShrinkingLimits(before.of[c]).exclude(old, loss.top, derivative)) {
        state.excluded[i] = static_cast<ClassMask>(state.excluded[i] | (1u << c));
        return;
      }
      ++own.active;
      const bool at_bound = (old == 0 && derivative > 0) || (old == loss.top && derivative < 0);
      own.largest = std::max(own.largest, at_bound ? 0.0 : derivative);
      own.least = std::min(own.least, at_bound ? 0.0 : derivative);
      if (at_bound || derivative == 0) return;
      const double minimum = curvature > 0 ? old - derivative / curvature : (derivative < 0 ? loss.top : 0.0);
      alpha[c] = std::clamp(minimum, 0.0, loss.top);
      const double change = cost * (alpha[c] - old) * y;
      if (change == 0) return;
      along.set(c, static_cast<float>(change * step));
      state.intercepts[c] += change * penalty.rho;
      moves = true;
    });
    if (moves) add_to_classes(x, along, state.weights);
    if ((all & ~state.excluded[i]) == 0) std::swap(state.order[k--], state.order[--now.active]);
  }
  return now;
}

/// Overwrites the sums with those of a_i y_i s x_i over all rows, column by column, and of a_i y_i.
template <std::size_t N, class Rows>
void class_sums(const Rows& rows, const ClassProblems& problems, const double* alpha, ClassNumbers<double, N>* sums,
                std::span<double> totals) {
  std::fill_n(sums, rows.columns, ClassNumbers<double, N>{});
  std::fill(totals.begin(), totals.end(), 0.0);
  for (std::size_t i = 0; i < rows.count; ++i) {
    ClassNumbers<double, N> a;
    bool counts = false;
    for (std::size_t c = 0; c < problems.positive.size(); ++c) {
      const double own = problems.cost(i) * alpha[i * N + c] * problems.sign(i, c);
      counts |= own != 0;
      totals[c] += own;
      a.set(c, own * problems.scale);
    }
    if (counts) add_to_classes(rows[i], a, sums);
  }
}

/// Sums over the rows for each problem, and the number of rows with a margin below 1 or a dual variable above 0.
struct ClassMeasure {
  struct Sums {
    double loss = 0, a = 0, a_alpha = 0;
    std::size_t counted = 0;
  };
  std::array<Sums, max_classes_at_once> of{};
};

/// Measures the weights of each problem on all rows, and marks where a row can be skipped.
template <std::size_t N, class Rows>
ClassMeasure measure_classes(const Rows& rows, const ClassProblems& problems, const Loss& loss, const double* alpha,
                             const ClassNumbers<double, N>* weights, std::span<const double> intercepts,
                             const ClassPassSummary& before, std::span<ClassMask> excluded) {
  ClassMeasure found;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const auto scores = class_scores(rows[i], weights);
    const double cost = problems.cost(i);
    excluded[i] = 0;
    for (std::size_t c = 0; c < problems.positive.size(); ++c) {
      const double own = alpha[i * N + c];
      const double margin = problems.sign(i, c) * (problems.scale * scores[c] + problems.constant * intercepts[c]);
      ClassMeasure::Sums& sums = found.of[c];
      sums.loss += loss.value(std::max(1 - margin, 0.0), cost);
      sums.a += cost * own;
      sums.a_alpha += cost * own * own;
      sums.counted += margin < 1 || own > 0;
      const int skipped = ShrinkingLimits(before.of[c]).exclude(own, loss.top, loss.ridge * own - (1 - margin));
      excluded[i] = static_cast<ClassMask>(excluded[i] | (skipped << c));
    }
  }
  return found;
}

/// Fills `order` with the rows that are active in a problem, then the others, and returns the number of active ones.
inline std::size_t order_active_first(std::span<const ClassMask> excluded, ClassMask all, std::span<std::int32_t> order) {
  std::size_t active = 0, last = order.size();
  for (std::size_t i = 0; i < order.size(); ++i)
    order[(excluded[i] & all) == all ? --last : active++] = static_cast<std::int32_t>(i);
  return active;
}

}  // namespace novikoff
