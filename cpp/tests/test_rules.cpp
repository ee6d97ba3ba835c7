// Rules: what each does on its kink and one floating-point number to either side of it.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "data.hpp"
#include "novikoff/rules.hpp"

using check::near;
using check::same_bits;
using namespace novikoff;

namespace {

constexpr double smallest = std::numeric_limits<double>::denorm_min();

double below(double x) { return std::nextafter(x, -std::numeric_limits<double>::infinity()); }
double above(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); }

/// An example of label y whose margin y v.u is `margin`.
RuleInput standing(double y, double margin, double squared_norm = 1, double weight = 1) {
  return {.y = y, .score = y * margin, .squared_norm = squared_norm, .weight = weight, .squared_length = 1, .steps = 1};
}

}  // namespace

TEST(a_score_of_zero_is_a_mistake_or_positive_as_ties_go) {
  for (double zero : {0.0, -0.0}) {
    CHECK(is_mistake(+1, zero, Tie::mistake) && is_mistake(-1, zero, Tie::mistake));
    CHECK(!is_mistake(+1, zero, Tie::positive) && is_mistake(-1, zero, Tie::positive));
  }
}

TEST(the_smallest_score_beside_zero_is_no_tie) {
  for (Tie tie : {Tie::mistake, Tie::positive}) {
    CHECK(!is_mistake(+1, smallest, tie) && is_mistake(+1, -smallest, tie));
    CHECK(is_mistake(-1, smallest, tie) && !is_mistake(-1, -smallest, tie));
  }
}

TEST(the_perceptron_moves_on_mistakes_by_their_weight) {
  for (Tie tie : {Tie::mistake, Tie::positive}) {
    for (double y : {-1.0, 1.0}) {
      for (double score : {-2.0, -smallest, -0.0, 0.0, smallest, 2.0}) {
        for (double weight : {1.0, 0.25}) {
          const RuleInput s{y, score, 9, weight, 4, 3};
          CHECK(same_bits(PerceptronRule{tie}.step(s), is_mistake(y, score, tie) ? weight : 0.0));
        }
      }
    }
  }
}

TEST(a_margin_of_exactly_theta_is_enough) {
  for (double y : {-1.0, 1.0}) {
    const auto step = [y](double margin) {
      RuleInput s = standing(y, margin, 1, 0.5);
      s.squared_length = 4;  // theta |v| = 1
      return FixedMarginRule{0.5}.step(s);
    };
    CHECK(step(1) == 0 && step(above(1)) == 0 && step(2) == 0);
    CHECK(step(below(1)) == 0.5 && step(0) == 0.5 && step(-1) == 0.5);
  }
}

TEST(theta_of_zero_asks_for_no_more_than_a_score_of_zero) {
  for (double y : {-1.0, 1.0}) {
    CHECK(FixedMarginRule{0}.step(standing(y, 0)) == 0);
    CHECK(FixedMarginRule{0}.step(standing(y, -smallest)) == 1);
  }
}

TEST(margin_rules_always_move_from_the_zero_vector) {
  for (double length2 : {0.0, -0.0, -1e-30}) {  // |v|^2 is a running sum, and may come out just below 0
    for (double margin : {0.0, 5.0}) {
      RuleInput s = standing(1, margin, 1, 0.5);
      s.squared_length = length2;
      s.steps = 0;
      CHECK(FixedMarginRule{0.5}.step(s) == 0.5);
      CHECK(DynamicMarginRule{0.5}.step(s) == 0.5);
    }
  }
}

TEST(a_margin_of_exactly_the_dynamic_threshold_is_enough) {
  for (double y : {-1.0, 1.0}) {
    const auto step = [y](double margin) {
      RuleInput s = standing(y, margin, 1, 0.5);
      s.squared_length = 8;  // (1 - epsilon) |v|^2 / M = 1
      s.steps = 4;
      return DynamicMarginRule{0.5}.step(s);
    };
    CHECK(step(1) == 0 && step(above(1)) == 0);
    CHECK(step(below(1)) == 0.5 && step(0) == 0.5 && step(-1) == 0.5);
  }
}

TEST(passive_aggressive_is_passive_from_a_loss_of_exactly_zero) {
  for (double y : {-1.0, 1.0}) {
    CHECK(PassiveAggressiveRule{}.step(standing(y, 1, 4)) == 0);
    CHECK(PassiveAggressiveIRule{1}.step(standing(y, 1, 4)) == 0);
    CHECK(PassiveAggressiveIIRule{0.125}.step(standing(y, 1, 4)) == 0);
    CHECK(PassiveAggressiveRule{}.step(standing(y, above(1), 4)) == 0);
    CHECK(PassiveAggressiveIRule{1}.step(standing(y, above(1), 4)) == 0);
    CHECK(PassiveAggressiveIIRule{0.125}.step(standing(y, above(1), 4)) == 0);
    CHECK(PassiveAggressiveRule{}.step(standing(y, below(1), 4)) == 0);  // a loss that is nothing but rounding
    CHECK(PassiveAggressiveIRule{1}.step(standing(y, below(1), 4)) == 0);
    CHECK(PassiveAggressiveIIRule{0.125}.step(standing(y, below(1), 4)) == 0);
    CHECK(PassiveAggressiveRule{}.step(standing(y, 1 - 0x1p-40, 4)) == 0x1p-40 / 4);
    CHECK(PassiveAggressiveIRule{1}.step(standing(y, 1 - 0x1p-40, 4)) == 0x1p-40 / 4);
    CHECK(PassiveAggressiveIIRule{0.125}.step(standing(y, 1 - 0x1p-40, 4)) == 0x1p-40 / 8);
  }
}

TEST(a_score_of_zero_is_a_loss_of_one_for_either_label) {
  for (double y : {-1.0, 1.0}) {
    CHECK(PassiveAggressiveRule{}.step(standing(y, 0, 4)) == 0.25);
    CHECK(PassiveAggressiveIRule{1}.step(standing(y, 0, 4)) == 0.25);
    CHECK(PassiveAggressiveIIRule{0.125}.step(standing(y, 0, 4)) == 0.125);
  }
}

TEST(a_zero_row_moves_no_passive_aggressive_learner) {
  for (double margin : {0.0, -1.0, 0.5}) {
    CHECK(PassiveAggressiveRule{}.step(standing(1, margin, 0)) == 0);
    CHECK(PassiveAggressiveIRule{1}.step(standing(1, margin, 0)) == 0);
    CHECK(PassiveAggressiveIIRule{1}.step(standing(1, margin, 0)) == 0);
  }
}

TEST(a_passive_aggressive_step_brings_the_margin_to_one) {
  Random random{1};
  for (int k = 0; k < 1000; ++k) {
    const double margin = 3 * real(random) - 2, norm2 = 2 + real(random);
    CHECK(near(margin + PassiveAggressiveRule{}.step(standing(1, margin, norm2)) * norm2, std::max(margin, 1.0), 10));
  }
}

TEST(pa_i_clips_its_step_at_exactly_C) {
  for (double y : {-1.0, 1.0}) {
    const RuleInput s = standing(y, 0.5);  // unclipped: 0.5
    CHECK(PassiveAggressiveIRule{0.5}.step(s) == 0.5);
    CHECK(PassiveAggressiveIRule{above(0.5)}.step(s) == 0.5);
    CHECK(PassiveAggressiveIRule{below(0.5)}.step(s) == below(0.5));
    CHECK(PassiveAggressiveIRule{0.5}.step(standing(y, 0.5 - 0x1p-53)) == 0.5);
    CHECK(PassiveAggressiveIRule{0.5}.step(standing(y, 0.5 + 0x1p-53)) == 0.5 - 0x1p-53);
    CHECK(PassiveAggressiveIRule{0.5}.step(standing(y, -100)) == 0.5);
  }
}

TEST(a_weight_multiplies_C_where_there_is_one) {
  CHECK(PassiveAggressiveIRule{1}.step(standing(1, 0, 1, 0.25)) == 0.25);
  CHECK(PassiveAggressiveIRule{1}.step(standing(1, 0, 8, 0.25)) == 0.125);  // not clipped, so not weighted
  for (double margin : {-3.0, 0.0, 0.75})
    CHECK(same_bits(PassiveAggressiveIIRule{0.5}.step(standing(1, margin, 3, 0.25)),
                    PassiveAggressiveIIRule{0.125}.step(standing(1, margin, 3, 1))));
  CHECK(PassiveAggressiveRule{}.step(standing(1, 0, 4, 0.25)) == 0.0625);  // no slack to weigh: a part of the way
}

TEST(pa_ii_solves_its_own_problem) {
  Random random{2};
  for (int k = 0; k < 1000; ++k) {
    const double C = 1.5 + real(random), norm2 = 2 + real(random), margin = real(random);
    const double tau = PassiveAggressiveIIRule{C}.step(standing(-1, margin, norm2));
    const double slack = 1 - (margin + tau * norm2);
    CHECK(near(tau, 2 * C * slack, 10));  // the derivative of 1/2 tau^2 |u|^2 + C slack^2 is 0
    CHECK(tau > 0 && tau < PassiveAggressiveRule{}.step(standing(-1, margin, norm2)));
  }
}

TEST(a_large_C_leaves_the_passive_aggressive_step) {
  for (double margin : {-2.0, 0.0, 0.5, 1.0, 2.0}) {
    const RuleInput s = standing(1, margin, 3);
    CHECK(same_bits(PassiveAggressiveIRule{1e300}.step(s), PassiveAggressiveRule{}.step(s)));
    CHECK(same_bits(PassiveAggressiveIIRule{1e300}.step(s), PassiveAggressiveRule{}.step(s)));
  }
}
