// The nearest points of hulls: where they are known, and by the conditions that tell them, on random rows.
#include <random>

#include "check.hpp"
#include "novikoff/nearest_points.hpp"

using novikoff::NearestPoints;

namespace {

/// Rows, signs and the products of the rows.
struct Points {
  std::size_t count, columns;
  std::vector<double> x, signs, products;

  Points(std::size_t columns, std::vector<double> values, std::vector<double> y)
      : count(y.size()), columns(columns), x(std::move(values)), signs(std::move(y)), products(count * count) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t k = 0; k < columns; ++k) products[i * count + j] += x[i * columns + k] * x[j * columns + k];
  }
};

/// Two clouds, one on either side of a plane through 0, none nearer to it than 1/2.
Points clouds(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < count; ++i) {
    y.push_back(i % 2 == 0 ? 1 : -1);
    x.push_back(y.back() * (0.5 + std::abs(normal(random))));
    for (int k = 0; k < 3; ++k) x.push_back(normal(random));
  }
  return {4, x, y};
}

struct Solved {
  std::vector<double> a, scores;
  NearestPoints::Progress progress;
};

Solved solve(const Points& rows, bool balanced, double accuracy = 1e-9, std::size_t most = 1'000'000, double heaviest = 1e12) {
  Solved solved{std::vector<double>(rows.count), std::vector<double>(rows.count), {}};
  solved.progress =
      NearestPoints{rows.products, rows.signs, balanced}.descend(solved.a, solved.scores, accuracy, most, heaviest);
  return solved;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

}  // namespace

TEST(two_points_weigh_the_same) {
  const Solved solved = solve({2, {0, 0, 3, 4}, {-1, 1}}, true);
  CHECK(std::abs(solved.a[0] - 2.0 / 25) < 1e-15 && std::abs(solved.a[1] - 2.0 / 25) < 1e-15);
  CHECK(solved.progress.steps == 1);
}

TEST(one_point_and_the_origin) {
  const Solved solved = solve({2, {3, 4, 30, 40}, {1, 1}}, false);
  CHECK(std::abs(solved.a[0] - 1.0 / 25) < 1e-12 && solved.a[1] == 0);
}

TEST(the_scores_follow_and_the_conditions_hold) {
  for (const bool balanced : {false, true})
    for (const std::size_t count : {2, 7, 8, 9, 40, 101})
      for (unsigned seed = 0; seed < 5; ++seed) {
        const Points rows = clouds(count, seed);
        const Solved solved = solve(rows, balanced);
        CHECK(solved.progress.violation <= 1e-9);
        double balance = 0, b = 0, support = 0;
        for (std::size_t i = 0; i < count; ++i) {
          CHECK(solved.a[i] >= 0);
          balance += solved.a[i] * rows.signs[i];
          double score = 0;
          for (std::size_t j = 0; j < count; ++j) score += solved.a[j] * rows.signs[j] * rows.products[i * count + j];
          CHECK(std::abs(score - solved.scores[i]) < 1e-9);
          b += solved.a[i] * (rows.signs[i] - score);
          support += solved.a[i];
        }
        CHECK(!balanced || std::abs(balance) < 1e-9 * sum(solved.a));
        b = balanced ? b / support : 0;
        for (std::size_t i = 0; i < count; ++i) {
          const double margin = rows.signs[i] * (solved.scores[i] + b);
          CHECK(margin > 1 - 1e-8);
          CHECK(solved.a[i] == 0 || margin < 1 + 1e-8);
        }
      }
}

TEST(it_goes_on_where_it_was_left) {
  const Points rows = clouds(60, 1);
  const Solved once = solve(rows, true);
  Solved twice = solve(rows, true, 1e-9, 10);
  CHECK(twice.progress.steps == 10 && twice.progress.violation > 1e-9);
  const auto rest = NearestPoints{rows.products, rows.signs, true}.descend(twice.a, twice.scores, 1e-9, 1'000'000, 1e12);
  CHECK(rest.steps > 0 && rest.violation <= 1e-9);
  CHECK(std::abs(sum(twice.a) - sum(once.a)) < 1e-8 * sum(once.a));  // y - f is rounded where it was left
}

TEST(hulls_that_meet_are_given_up) {
  const Points rows{1, {0, 1, 2, 3}, {1, -1, 1, -1}};
  for (const bool balanced : {false, true}) {
    const Solved solved = solve(rows, balanced, 1e-6, 100'000'000, 1e3);
    CHECK(solved.progress.violation > 1e-6 && sum(solved.a) > 1e3);
  }
}

TEST(the_same_row_in_both_classes_is_given_up) {
  const Solved solved = solve({1, {2, 2}, {1, -1}}, true, 1e-6, 1000, 1e6);
  CHECK(sum(solved.a) > 1e6);
}
