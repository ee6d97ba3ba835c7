// Validation of a matrix: its largest value, its first bad row, and whether indices are increasing.
#include "binary_problems.hpp"
#include "novikoff/survey.hpp"

TEST(a_survey_finds_the_largest_value_and_the_first_bad_row) {
  for (double bad : {not_a_number, infinity, -infinity}) {
    Sample sample = noise(20, 3, 60);
    sample.values[4] = -7;
    for_each_layout(sample, [](const auto& rows) {
      const Survey found = survey(rows);
      CHECK(found.good == 20 && found.largest == 7 && found.rising);
    });
    for (std::size_t row : {0, 5, 19}) {
      Sample wrong = sample;
      wrong.values[row * 3 + 2] = bad;
      if (row < 19) wrong.values[19 * 3] = bad;
      for_each_layout(wrong, [&](const auto& rows) { CHECK(survey(rows).good == row); });
    }
  }
}

TEST(a_survey_takes_the_largest_doubles_for_what_they_are) {
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  const Sample sample{2, {most, -most, least, 0}, {1, 0}};
  for_each_layout(sample, [&](const auto& rows) { CHECK(survey(rows).good == 2 && survey(rows).largest == most); });
}

TEST(a_survey_finds_indices_that_lie_outside_or_do_not_rise) {
  const std::vector<double> values{1, 2, 3, 4};
  const auto surveyed = [&](std::vector<std::int32_t> indices) {
    const std::vector<std::int64_t> offsets{0, 2, 4};
    return survey(CsrRows<double>{values.data(), indices.data(), offsets.data(), 2, 3});
  };
  const auto both = [&](std::vector<std::int32_t> indices, std::size_t good, std::optional<bool> rising) {
    const Survey found = surveyed(indices);
    CHECK(found.good == good);
    if (rising) CHECK(found.rising == *rising);
  };
  both({0, 1, 1, 2}, 2, true);
  both({0, 1, 2, 1}, 2, false);
  both({1, 0, 1, 2}, 2, false);
  both({0, 1, 2, 2}, 2, false);  // one stands twice
  both({0, 1, 1, 3}, 1, {});
  both({0, -1, 1, 2}, 0, {});
}

TEST(an_empty_row_and_stored_zeros_are_good) {
  const double values[] = {0, 5};
  const std::int32_t indices[] = {0, 1};
  const std::int64_t offsets[] = {0, 0, 2, 2};
  const Survey found = survey(CsrRows<double>{values, indices, offsets, 3, 2});
  CHECK(found.good == 3 && found.rising && found.largest == 5 && found.zeros);
  const double others[] = {-1, 5};
  CHECK(!survey(CsrRows<double>{others, indices, offsets, 3, 2}).zeros);
}

TEST(a_survey_marks_the_columns_that_occur) {
  const double values[] = {1, 2, 3};
  const std::int32_t indices[] = {1, 4, 1};
  const std::int64_t offsets[] = {0, 2, 2, 3};
  std::vector<std::uint8_t> occurs(6);
  CHECK(survey(CsrRows<double>{values, indices, offsets, 3, 6}, occurs).good == 3);
  CHECK((occurs == std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0}));
}
