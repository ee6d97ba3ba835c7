// The line search on functions with a known minimum.
#include "check.hpp"
#include "novikoff/line_search.hpp"

using namespace novikoff;

namespace {

bool is_close(double found, double wanted, double share) { return std::abs(found - wanted) <= share * wanted; }

}  // namespace

TEST(the_minimum_of_a_parabola_is_found) {
  for (double minimum : {1e-6, 0.3, 1.0, 50.0, 1e9})
    CHECK(is_close(minimize_along_line([&](double t) { return Slope{t - minimum, 1}; }, 1e-3), minimum, 1e-2));
}

TEST(the_minimum_of_a_piecewise_quadratic_is_found) {
  for (double minimum : {0.01, 2.0, 300.0}) {  // the curvature is a thousand times larger beyond the minimum
    const auto slope = [&](double t) { return Slope{(t - minimum) * (t > minimum ? 1e3 : 1.0), 1e3}; };
    CHECK(is_close(minimize_along_line(slope, 1e-3), minimum, 2e-2));
  }
}

TEST(a_direction_that_does_not_descend_has_the_step_0) {
  CHECK(minimize_along_line([](double t) { return Slope{t, 1}; }, 1e-3) == 0);
  CHECK(minimize_along_line([](double) { return Slope{1, 0}; }, 1e-3) == 0);
}

TEST(a_small_slope_far_from_the_minimum_does_not_end_the_search) {
  // Up to t = 10 the slope is steep, then it is small until the minimum at t = 1000.
  const auto slope = [](double t) { return t < 9.99 ? Slope{-1e6 + 1e5 * t, 1e5} : Slope{1e-3 * (t - 1000), 1e-3}; };
  CHECK(is_close(minimize_along_line(slope, 1e-3), 1000, 0.2));
}
