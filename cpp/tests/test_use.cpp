// Readers of an object, and the thread that changes it: nobody waits.
#include <stdexcept>
#include <thread>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "check.hpp"
#include "novikoff/use.hpp"

using namespace novikoff;

namespace {

template <class Guard>
bool is_refused(Use& use) {
  try {
    const Guard mine(use);
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

template <class Guard>
bool is_refused_elsewhere(Use& use) {
  bool refused = false;
  std::thread([&] { refused = is_refused<Guard>(use); }).join();
  return refused;
}

}  // namespace

TEST(readers_share_and_a_writer_is_alone) {
  Use use;
  {
    const Reading one(use), two(use);
    CHECK(!is_refused_elsewhere<Reading>(use));
    CHECK(is_refused_elsewhere<Writing>(use));
    CHECK(is_refused<Writing>(use));
  }
  {
    const Writing mine(use);
    CHECK(is_refused_elsewhere<Reading>(use) && is_refused_elsewhere<Writing>(use));
  }
  CHECK(!is_refused_elsewhere<Writing>(use));
}

TEST(the_writer_may_use_a_part_but_not_while_one_of_its_functions_runs) {
  Use use;
  use.begin_writing();
  {
    const Reading nested(use);
    CHECK(is_refused_elsewhere<Reading>(use));
  }
  {
    const Writing nested(use);
    CHECK(is_refused<Writing>(use) && is_refused<Reading>(use));
  }
  CHECK(!is_refused<Reading>(use));
  use.end_writing();
  CHECK(!is_refused_elsewhere<Reading>(use));
}

#ifndef _WIN32
namespace {

/// Whether `holds` in a forked process.
bool in_child(auto holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

TEST(a_fork_begins_without_readers_and_refuses_what_another_thread_was_changing) {
  Use read, written, own;
  read.begin_reading();
  std::thread([&] { written.begin_writing(); }).join();
  own.begin_writing();
  CHECK(in_child([&] { return !is_refused<Writing>(read); }));
  CHECK(in_child([&] { return is_refused<Writing>(written) && is_refused<Reading>(written); }));
  CHECK(in_child([&] { return !is_refused<Writing>(own); }));
  CHECK(is_refused<Writing>(read));  // in the parent it is still read
}
#endif
