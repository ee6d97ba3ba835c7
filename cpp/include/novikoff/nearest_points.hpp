// The nearest points of two convex hulls, two rows at a time, from the products of the rows alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace novikoff {

/// The dual of the hard margin: min 1/2 sum_ij a_i a_j y_i y_j K_ij - sum_i a_i over a >= 0, with sum_i y_i a_i = 0 if it is
/// `balanced`, which a free intercept wants.  docs/theory.md E.
///
/// Sequential minimal optimisation (Platt 1998), in which the two rows are chosen by what they gain (Fan, Chen and Lin 2005,
/// WSS 2). Unbalanced, one row at a time. `scores` are f_i = sum_j a_j y_j K_ij, and follow every step.
struct NearestPoints {
  std::span<const double> products;  // K, row after row
  std::span<const double> signs;
  bool balanced;

  static constexpr double flat = 1e-12;  // of K_ii + K_jj: two rows that are no farther apart are one

  struct Progress {
    std::size_t steps = 0;
    double violation = std::numeric_limits<double>::infinity();  // of the margins, whose unit is 1
  };

  std::size_t count() const { return signs.size(); }
  const double* row(std::size_t i) const { return products.data() + i * count(); }

  /// Steps until margins are as they should be up to `accuracy`, or there were `most` steps, or sum a is above `heaviest`: then
  /// the hulls are too near, or meet.
  Progress descend(std::span<double> a, std::span<double> scores, double accuracy, std::size_t most, double heaviest) const {
    Progress progress;
    double weight = 0;
    for (const double one : a) weight += one;
    for (;; ++progress.steps) {
      const double moved = balanced ? pair(a, scores, accuracy, progress, most) : single(a, scores, accuracy, progress, most);
      weight += moved;
      if (progress.violation <= accuracy || progress.steps == most || weight > heaviest) return progress;
    }
  }

 private:
  /// One step with two rows; returns by how much sum a grew.
  double pair(std::span<double> a, std::span<double> scores, double accuracy, Progress& progress, std::size_t most) const {
    const std::size_t n = count();
    double highest = -std::numeric_limits<double>::infinity(), lowest = std::numeric_limits<double>::infinity();
    std::size_t i = 0, j = 0;
    for (std::size_t k = 0; k < n; ++k) {  // y - f is b on the margin; where it can rise it must not be above where it can fall
      const double rest = signs[k] - scores[k];
      const bool may_rise = signs[k] > 0 || a[k] > 0, may_fall = signs[k] < 0 || a[k] > 0;
      if (may_rise && rest > highest) highest = rest, i = k;
      if (may_fall) lowest = std::min(lowest, rest);
    }
    progress.violation = highest - lowest;
    if (progress.violation <= accuracy || progress.steps == most) return 0;
    const double* const from = row(i);
    double best = -1, bend = 1;
    for (std::size_t k = 0; k < n; ++k) {
      const double apart = highest - (signs[k] - scores[k]);
      if (apart <= 0 || !(signs[k] < 0 || a[k] > 0)) continue;
      const double own = row(k)[k], curve = std::max(from[i] + own - 2 * from[k], flat * (from[i] + own) + flat);
      if (apart * apart > best * curve) best = apart * apart / curve, bend = curve, j = k;
    }
    double step = (highest - (signs[j] - scores[j])) / bend;
    if (signs[i] < 0) step = std::min(step, a[i]);
    if (signs[j] > 0) step = std::min(step, a[j]);
    a[i] = std::max(0.0, a[i] + signs[i] * step);
    a[j] = std::max(0.0, a[j] - signs[j] * step);
    const double* const to = row(j);
    for (std::size_t k = 0; k < n; ++k) scores[k] += step * (from[k] - to[k]);
    return (signs[i] - signs[j]) * step;
  }

  /// One step with one row; returns by how much sum a grew.
  double single(std::span<double> a, std::span<double> scores, double accuracy, Progress& progress, std::size_t most) const {
    const std::size_t n = count();
    double best = 0, worst = 0;
    std::size_t i = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double lack = 1 - signs[k] * scores[k];
      if (lack <= 0 && a[k] == 0) continue;
      worst = std::max(worst, std::abs(lack));
      const double gain = lack * lack / (row(k)[k] + flat);
      if (gain > best) best = gain, i = k;
    }
    progress.violation = worst;
    if (worst <= accuracy || progress.steps == most) return 0;
    const double* const own = row(i);
    const double before = a[i];
    a[i] = std::max(0.0, before + (1 - signs[i] * scores[i]) / (own[i] + flat));
    const double step = signs[i] * (a[i] - before);
    for (std::size_t k = 0; k < n; ++k) scores[k] += step * own[k];
    return a[i] - before;
  }
};

}  // namespace novikoff
