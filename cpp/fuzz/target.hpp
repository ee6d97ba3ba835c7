// What a fuzz target offers: an input is checked in one of several ways, such as one dialect each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace fuzz {

extern const std::size_t ways;
void check(std::string_view input, std::size_t way);  // aborts if a statement does not hold

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace fuzz

/// libFuzzer's entry point: an input is checked in all ways.
extern "C" inline int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (std::size_t way = 0; way < fuzz::ways; ++way) fuzz::check({reinterpret_cast<const char*>(data), size}, way);
  return 0;
}
