// Balanced class weights on a stream.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace novikoff {

/// Weights n / (K n_c) of the K classes met so far, where n_c is the total weight of the examples of class c so far, the
/// present one included, and n that of all. The sum n is formed in ascending order, so that the weights do not depend on how
/// the classes are numbered. RunningBalance in src/novikoff/_class_weights.py has the same bits; the verifier uses it.
///
/// While all totals are integers, every sum of them is exact, so one that is updated has the bits of the sum in ascending
/// order, and an example takes the same time for any number of classes. Otherwise, the totals are kept sorted.
class RunningBalance {
 public:
  RunningBalance() = default;

  /// Goes on from totals that are not negative, one per class.
  explicit RunningBalance(std::vector<double> totals) : totals_(std::move(totals)) {
    for (double total : totals_) {
      sum_ += total;
      met_ += total > 0;
      exact_ = exact_ && is_whole(total) && sum_ < most_exact;
    }
    if (!exact_) sort();
  }

  /// The total weight of each class, by its code.
  const std::vector<double>& totals() const { return totals_; }

  /// Forgets all classes after the first ones.
  void keep(std::size_t classes) {
    if (classes >= totals_.size()) return;
    totals_.resize(classes);
    *this = RunningBalance(std::move(totals_));
  }

  /// About what `weigh` would return.
  double estimate(std::int32_t code, double weight) const {
    const auto place = static_cast<std::size_t>(code);
    const double total = weight + (code >= 0 && place < totals_.size() ? totals_[place] : 0.0);
    return weight * (sum_ + weight) / (static_cast<double>(std::max<std::size_t>(1, met_)) * total);
  }

  /// Counts an example and returns its weight times that of its class. Returns nothing, and counts nothing, if that would be
  /// above `most`.
  std::optional<double> weigh(std::int32_t code, double weight, double most = std::numeric_limits<double>::infinity()) {
    if (code < 0 || !(weight > 0)) return 0.0;  // a row that is skipped
    const auto place = static_cast<std::size_t>(code);
    if (place >= totals_.size()) add_classes(place + 1);
    const double before = totals_[place], after = before + weight;
    if (exact_ && !(is_whole(weight) && sum_ + weight < most_exact)) sort();
    const std::size_t met = met_ + (before > 0 ? 0 : 1);
    double all = sum_ + weight;
    if (!exact_) {
      replace(before, after);
      all = 0;
      for (double total : sorted_) all += total;
    }
    const double balanced = weight * all / (static_cast<double>(met) * after);
    if (balanced > most) {
      if (!exact_) replace(after, before);
      return std::nullopt;
    }
    totals_[place] = after;
    met_ = met;
    sum_ = all;
    return balanced;
  }

 private:
  static constexpr double most_exact = 0x1p53;  // sums of integers below are exact

  static bool is_whole(double value) { return value == std::floor(value) && value < most_exact; }

  void add_classes(std::size_t count) {
    if (!exact_) sorted_.insert(sorted_.begin(), count - totals_.size(), 0.0);
    totals_.resize(count);
  }

  void sort() {
    sorted_ = totals_;
    std::sort(sorted_.begin(), sorted_.end());
    exact_ = false;
  }

  /// Puts a total at its new place among the others.
  void replace(double before, double after) {
    const auto old = std::lower_bound(sorted_.begin(), sorted_.end(), before);
    if (after >= before) {
      const auto next = std::lower_bound(old + 1, sorted_.end(), after);
      std::move(old + 1, next, old);
      *(next - 1) = after;
    } else {
      const auto next = std::lower_bound(sorted_.begin(), old, after);
      std::move_backward(next, old, old + 1);
      *next = after;
    }
  }

  std::vector<double> totals_;
  std::vector<double> sorted_;  // the same in ascending order, unless the sum is exact
  double sum_ = 0;
  std::size_t met_ = 0;  // classes with a positive total
  bool exact_ = true;    // whether the sum is that of integers, and below 2^53
};

}  // namespace novikoff
