// Mixtures of learners, whose leader predicts.
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "novikoff/mixture.hpp"

/// Member 0 is right at even examples, member 1 at odd ones, and member 2 is always wrong.
TEST(the_member_with_fewest_mistakes_leads) {
  std::vector<double> decayed(4), whole(4), part(4);
  const std::vector<std::int32_t> labels{0, 0, 0, 0}, predictions{0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1};
  const std::vector<double> amounts{1.0, 1.0, 0.0, 0.5};
  std::vector<std::int32_t> leaders(4);
  novikoff::mix(0.5, {decayed, whole, part}, predictions, labels, amounts, leaders);
  CHECK((leaders == std::vector<std::int32_t>{0, 0, 1, 1}));  // after the second, member 1 has the fewest: 0.5 against 1
  CHECK((decayed == std::vector<double>{1.0, 0.25, 1.25, 0.5}));
  CHECK((whole == std::vector<double>{1.0, 1.0, 2.0, 1.0}));
  CHECK((part == std::vector<double>{0.5, 0.0, 0.5, 0.0}));
}
