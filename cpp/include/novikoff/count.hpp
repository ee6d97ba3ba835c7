// Sums that do not depend on how they are cut into batches.
#pragma once

#include <cmath>
#include <cstdint>

namespace novikoff {

/// A total of example weights. Whole copies are counted apart from fractions, so that k ones and one k give the same
/// bits whatever fractions came before.
struct Count {
  std::int64_t whole = 0;
  double part = 0;

  void add(std::int64_t copies, double fraction) {
    whole += copies;
    part += fraction;
  }
  void add(double weight) {
    if (weight == 1)
      ++whole;
    else
      part += weight;
  }
  double value() const { return static_cast<double>(whole) + part; }
};

/// A sum with its rounding error carried along (Knuth's two-sum).
struct CarriedSum {
  double sum = 0, carry = 0;

  void add(double term) {
    const double total = sum + term;
    const double back = total - sum;
    carry += (sum - (total - back)) + (term - back);
    sum = total;
  }
  double value() const { return sum + carry; }
};

}  // namespace novikoff
