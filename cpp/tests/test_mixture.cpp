// Mixtures of learners: powers, leaders, votes and shares against plain loops.
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "novikoff/mixture.hpp"

using namespace novikoff;

namespace {

struct Counts {
  std::vector<double> decayed, whole, part, weights, fewest;
  explicit Counts(std::size_t members)
      : decayed(members + 1), whole(members + 1), part(members + 1), weights(members, 1.0), fewest(3 * members) {}
  MixtureCounts spans() { return {decayed, whole, part, weights, fewest}; }
};

}  // namespace

TEST(powers_are_those_of_the_library) {
  for (double beta : {0.1, 0.5, 0.9})
    for (double d : {0.0, 0.25, 1.0, 1.5, 3.999, 17.3, 1000.0})
      CHECK(std::abs(Power(beta)(d) - std::pow(beta, d)) <= 1e-13 * std::pow(beta, d));
  CHECK(Power(0.5)(3.0) == 0.125);
  CHECK(Power(0.5)(5000.0) == 0.0);
}

/// Member 0 is right at even examples, member 1 at odd ones, and member 2 is always wrong.
TEST(the_member_with_fewest_mistakes_leads) {
  Counts counts(3);
  const std::vector<std::int32_t> labels{0, 0, 0, 0}, predictions{0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1};
  const std::vector<double> amounts{1.0, 1.0, 0.0, 0.5};
  std::vector<std::int32_t> chosen(4);
  const Mixture mixture{Vote::leader, 0.5, 0.5, 0.1};
  const MixtureCounts spans = counts.spans();
  MixturePass(mixture, spans).run(predictions, labels, amounts, chosen);
  CHECK((chosen == std::vector<std::int32_t>{0, 1, 1, 0}));  // after the second, member 1 has the fewest: 0.5 against 1
  CHECK((counts.decayed == std::vector<double>{1.0, 0.25, 1.25, 0.5}));
  CHECK((counts.whole == std::vector<double>{1.0, 1.0, 2.0, 1.0}));
  CHECK((counts.part == std::vector<double>{0.5, 0.0, 0.5, 0.0}));
}

TEST(votes_are_summed_by_label_and_ties_go_to_the_first) {
  Counts counts(3);
  const std::vector<std::int32_t> labels{2, 2}, predictions{5, 5, 2, 2, 2, 2};
  const std::vector<double> amounts{1.0, 1.0};
  std::vector<std::int32_t> chosen(2);
  const Mixture mixture{Vote::majority, 1.0, 0.5, 0.1};
  const MixtureCounts spans = counts.spans();
  MixturePass(mixture, spans).run(predictions, labels, amounts, chosen);
  CHECK((chosen == std::vector<std::int32_t>{2, 2}));
  counts.decayed = {0.0, 1.0, 1.0, 0.0};  // 1 against 1/2 + 1/2
  MixturePass(mixture, spans).run(predictions, labels, amounts, chosen);
  CHECK(chosen[0] == 5);
  CHECK(chosen[1] == 2);
}

TEST(shared_weights_keep_their_sum_and_never_vanish) {
  Counts counts(2);
  const std::size_t rows = 3000;
  std::vector<std::int32_t> labels(rows, 0), predictions(2 * rows, 0), chosen(rows);
  for (std::size_t t = 0; t < rows; ++t) predictions[t] = t < rows / 2, predictions[rows + t] = t >= rows / 2;
  const std::vector<double> amounts(rows, 1.0);
  const Mixture mixture{Vote::share, 1.0, 0.5, 0.01};
  const MixtureCounts spans = counts.spans();
  MixturePass(mixture, spans).run(predictions, labels, amounts, chosen);
  CHECK(counts.weights[0] > counts.weights[1]);
  CHECK(counts.weights[1] > 0);
  CHECK(counts.whole[2] < 20);  // it follows the change
  CHECK(counts.fewest[0] == rows / 2.0 && counts.fewest[2] == 0.0);
}
