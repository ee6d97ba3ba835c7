// Balanced class weights on a stream: those of the classes met so far.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "novikoff/random.hpp"
#include "novikoff/running_balance.hpp"

using namespace novikoff;

namespace {

/// The weight of an example by the definition: the totals are sorted and added up.
double by_definition(std::vector<double>& totals, std::size_t code, double weight) {
  totals.resize(std::max(totals.size(), code + 1));
  totals[code] += weight;
  std::vector<double> sorted = totals;
  std::sort(sorted.begin(), sorted.end());
  double all = 0, met = 0;
  for (double total : sorted) {
    all += total;
    met += total > 0;
  }
  return weight * all / (met * totals[code]);
}

}  // namespace

TEST(classes_met_so_far_have_the_same_total_weight) {
  RunningBalance balance;
  CHECK(*balance.weigh(0, 1.0) == 1.0);
  CHECK(*balance.weigh(0, 1.0) == 1.0);
  CHECK(*balance.weigh(1, 1.0) == 3.0 / 2);          // 3 / (2 * 1)
  CHECK(*balance.weigh(1, 2.0) == 2 * 5.0 / 6);      // 5 / (2 * 3)
  CHECK(*balance.weigh(3, 0.5) == 0.5 * 5.5 / 1.5);  // class 2 was not met
  CHECK((balance.totals() == std::vector<double>{2, 3, 0, 0.5}));
}

TEST(examples_without_a_weight_are_not_counted) {
  RunningBalance balance;
  CHECK(*balance.weigh(-1, 1.0) == 0.0);
  CHECK(*balance.weigh(0, 0.0) == 0.0);
  CHECK(balance.totals().empty());
}

TEST(the_bits_are_those_of_the_definition_before_and_after_a_weight_that_is_not_an_integer) {
  for (std::size_t first_fraction : {std::size_t{0}, std::size_t{150}, std::size_t{1000}}) {
    Random random{first_fraction + 1};
    RunningBalance balance;
    std::vector<double> totals;
    for (std::size_t k = 0; k < 300; ++k) {
      const std::size_t code = random.below(2 + k / 10);
      const double weight =
          k < first_fraction ? static_cast<double>(1 + random.below(3)) : 0.1 + 0.37 * static_cast<double>(k % 11);
      const double estimate = balance.estimate(static_cast<std::int32_t>(code), weight);
      const double found = *balance.weigh(static_cast<std::int32_t>(code), weight);
      CHECK(found == by_definition(totals, code, weight));
      CHECK(estimate > 0.999 * found && estimate < 2.001 * found);
      if (k % 50 == 49) balance = RunningBalance(balance.totals());  // saved and restored
    }
    CHECK(balance.totals() == totals);
  }
}

TEST(sums_beyond_exact_integers_have_the_bits_of_the_definition) {
  RunningBalance balance;
  std::vector<double> totals;
  for (int k = 0; k < 100; ++k) {
    const auto code = static_cast<std::size_t>(k * k % 7);
    const double weight = 0x1p50 + k;
    CHECK(*balance.weigh(static_cast<std::int32_t>(code), weight) == by_definition(totals, code, weight));
  }
}

TEST(an_example_whose_weight_would_be_too_large_is_not_counted) {
  for (double weight : {1.0, 0.3}) {
    RunningBalance balance;
    for (int k = 0; k < 100; ++k) balance.weigh(0, weight);
    balance.weigh(2, 40 * weight);
    const std::vector<double> before = balance.totals();
    CHECK(!balance.weigh(1, weight, 20.0 * weight));
    CHECK((balance.totals() == std::vector<double>{before[0], 0, before[2]}));
    std::vector<double> totals = balance.totals();
    CHECK(*balance.weigh(1, weight) == by_definition(totals, 1, weight));
    CHECK(*balance.weigh(0, weight) == by_definition(totals, 0, weight));
  }
}

TEST(classes_that_are_removed_are_not_counted) {
  for (double weight : {1.0, 0.3}) {
    RunningBalance balance;
    for (int k = 0; k < 20; ++k) balance.weigh(k % 4, weight);
    balance.keep(3);
    CHECK(balance.totals().size() == 3);
    std::vector<double> totals = balance.totals();
    CHECK(*balance.weigh(1, weight) == by_definition(totals, 1, weight));
  }
}
