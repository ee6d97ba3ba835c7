// Exit codes of a process that a library ends.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "bindings.hpp"

namespace {

std::atomic<int> code_of_foreign_exit{0};  // 0: no change

/// Runs when anybody calls exit(), which ends Python without its own functions for that.
void replace_code() {
  if (const int code = code_of_foreign_exit) {
    std::fputs("novikoff: Out of memory: a library ended the process.\n", stderr);
    std::_Exit(code);
  }
}

}  // namespace

void bind_exit(nb::module_& m) {
  m.def(
      "replace_exit_code",
      [](int code) {
        static const int registered = std::atexit(replace_code);
        if (registered == 0) code_of_foreign_exit = code;
      },
      nb::arg("code"),
      "End the process with this exit code if a library ends it with exit(), as OpenBLAS does without memory; 0: no change.");
}
