// Pieces of work on a few threads: each once, and an exception is not lost.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "novikoff/parallel.hpp"

using namespace novikoff;

TEST(every_piece_is_worked_on_once) {
  for (std::size_t threads : {0, 1, 2, 4, 200}) {
    std::vector<int> done(100);
    in_parallel(done.size(), threads, [&](std::size_t k) { ++done[k]; });
    CHECK(std::count(done.begin(), done.end(), 1) == 100);
  }
  in_parallel(0, 4, [](std::size_t) { CHECK(false); });
}

TEST(what_a_piece_throws_ends_the_work_and_is_thrown_by_the_caller) {
  for (std::size_t threads : {1, 2, 4}) {
    std::atomic<int> done{0};
    bool caught = false;
    try {
      in_parallel(50, threads, [&](std::size_t k) {
        if (k == 7) throw std::runtime_error("seven");
        ++done;
      });
    } catch (const std::runtime_error&) {
      caught = true;
    }
    CHECK(caught && done < 50);
  }
}
