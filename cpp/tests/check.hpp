// A test is a named function; a check that fails prints its place and its expression, and the test goes on.
//
// This header takes the place of doctest or Catch2: `make test` installs what it needs with pip alone, and neither of
// them is distributed on PyPI. A copy in this repository would be 7,000 lines or more for the two macros used here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test> tests;
inline int failures = 0;

struct Registered {
  Registered(const char* name, void (*run)()) { tests.push_back({name, run}); }
};

inline void that(bool holds, const char* expression, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, expression);
}

inline int run_all() {
  for (const Test& test : tests) {
    const int before = failures;
    test.run();
    if (failures > before) std::fprintf(stderr, "FAILED %s\n", test.name);
  }
  std::printf("%zu tests, %d failed checks\n", tests.size(), failures);
  return failures == 0 && !tests.empty() ? 0 : 1;
}

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  bool same = a.size() == b.size();
  for (std::size_t j = 0; same && j < a.size(); ++j) same = same_bits(a[j], b[j]);
  return same;
}

/// Whether two numbers are equal up to a few roundings of numbers of the size of `scale`.
inline bool near(double a, double b, double scale = 1) { return std::abs(a - b) <= 1e-12 * scale; }

}  // namespace check

#define CHECK(...) check::that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define TEST(name)                                            \
  static void name();                                         \
  static const check::Registered name##_is_run{#name, &name}; \
  static void name()
