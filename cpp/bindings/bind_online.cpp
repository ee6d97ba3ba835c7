// The Python class OnlineLearner: its methods that learn and predict, and forks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "novikoff/turns.hpp"
#include "online_learner.hpp"

using namespace novikoff;

namespace {

// ---- fork ----------------------------------------------------------------------------------------------------------
// A forked process has only the thread that forked. If another thread was learning, the child would have half a row and a lock
// that nobody releases. So the thread that forks has a turn as reader of every learner meanwhile: then all are between two
// rows. A learner with a rule in Python is left out: it never learns while other threads know it, and its rule may itself fork.

/// The learners of which this thread has a turn.
std::vector<nb::object>& held_for_fork() {
  static thread_local std::vector<nb::object> held;
  return held;
}

OnlineLearner& learner_of(const nb::object& object) { return *nb::inst_ptr<OnlineLearner>(object); }

void before_fork() {
  std::unordered_set<OnlineLearner*> done;
  for (bool all = false; !all;) {  // the interpreter's lock is released while waiting, so that learners may come and go
    all = true;
    for (OnlineLearner* learner : OnlineLearner::all()) {
      const nb::object object = nb::borrow(nb::find(learner));
      if (!object.is_valid() || !learner->is_compiled() || !done.insert(learner).second) continue;
      held_for_fork().push_back(object);
      if (learner->turns().try_read()) continue;
      const nb::gil_scoped_release released;
      learner->turns().read();
      all = false;
      break;
    }
  }
}

void after_fork_in_parent() {
  for (const nb::object& object : std::exchange(held_for_fork(), {})) learner_of(object).turns().end_read();
}

void after_fork_in_child() {
  held_for_fork().clear();
  for (OnlineLearner* learner : OnlineLearner::all()) Turns::renew(learner->turns());
}

void guard_forks() {
  const nb::module_ os = nb::module_::import_("os");
  if (!nb::hasattr(os, "register_at_fork")) return;
  os.attr("register_at_fork")(nb::arg("before") = nb::cpp_function(&before_fork),
                              nb::arg("after_in_parent") = nb::cpp_function(&after_fork_in_parent),
                              nb::arg("after_in_child") = nb::cpp_function(&after_fork_in_child));
}

}  // namespace

void bind_online(nb::module_& m) {
  using nb::arg;
  OnlineClass learner(m, "OnlineLearner", "An online rule and the binary problems that it solves.", nb::dynamic_attr());
  learner
      .def(
          "__init__",
          [](OnlineLearner* self, std::string rule, double parameter, bool intercept, bool normalize, double delta,
             std::string tie, std::string keep, std::int64_t buckets, nb::object callback, std::string scale, double forget,
             double fade, double extra) {
            new (self) OnlineLearner(nb::make_tuple(rule, parameter, intercept, normalize, delta, tie, keep, buckets, callback,
                                                    scale, forget, fade, extra));
          },
          arg("rule"), arg("parameter"), arg("intercept"), arg("normalize"), arg("delta"), arg("tie"), arg("keep"),
          arg("buckets"), arg("callback") = nb::none(), arg("scale") = "", arg("forget") = 0.0, arg("fade") = 1.0,
          arg("extra") = 0.0)
      .def_prop_ro("problems", &OnlineLearner::problem_count)
      .def_prop_rw("is_open", &OnlineLearner::is_open, &OnlineLearner::set_open)
      .def_prop_ro("is_compiled", &OnlineLearner::is_compiled)
      .def("add_problem", &OnlineLearner::add_problem, arg("positive"), arg("like") = nb::none())
      .def("keep_problems", &OnlineLearner::keep_problems, arg("count"))
      .def("learn", &OnlineLearner::learn, arg("problem"), arg("rows"), arg("codes").noconvert(),
           arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("order").noconvert().none(),
           arg("duals").noconvert().none(), arg("begin"), arg("end"))
      .def("learn_unseen", &OnlineLearner::learn_unseen, arg("problem"), arg("rows"), arg("codes").noconvert(),
           arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("order").noconvert().none(),
           arg("duals").noconvert().none())
      .def("learn_all", &OnlineLearner::learn_all, arg("rows"), arg("codes").noconvert(), arg("weights").noconvert().none(),
           arg("squared_norms").noconvert(), arg("begin"), arg("end"), arg("threads") = 1,
           arg("scored") = std::vector<std::size_t>{}, arg("scores").noconvert() = nb::none(),
           arg("balanced").noconvert() = nb::none())
      .def("balanced_weights", &OnlineLearner::balanced_weights, arg("codes").noconvert(), arg("weights").noconvert().none())
      .def("observe", &OnlineLearner::observe, arg("rows"), arg("weights").noconvert().none())
      .def("scale_rows", &OnlineLearner::scale_rows, arg("rows"), arg("values").noconvert())
      .def_prop_rw("is_calibrated", &OnlineLearner::is_calibrated, &OnlineLearner::set_calibrated)
      .def("calibrate", &OnlineLearner::calibrate, arg("problems"), arg("scores").noconvert())
      .def("learn_row", &OnlineLearner::learn_row, arg("rows"), arg("code"), arg("weight"), arg("balanced") = false)
      .def("learn_one", &OnlineLearner::learn_one, arg("x"), arg("code"), arg("weight"), arg("balanced") = false)
      .def("score_one", &OnlineLearner::score_one, arg("x"), arg("problem"))
      .def("score_one", &OnlineLearner::scores_of_one, arg("x"), arg("problems"))
      .def("score_many", &OnlineLearner::score_many, arg("dicts"), arg("problems"), arg("scores").noconvert())
      .def("score", nb::overload_cast<const std::vector<std::size_t>&, const RowsInMemory&, Matrix>(&OnlineLearner::score),
           arg("problems"), arg("rows"), arg("scores").noconvert());
  bind_online_blocks(m, learner);
  bind_online_state(learner);
  m.def("learn_together", &OnlineLearner::learn_together, arg("learners"), arg("rows"), arg("codes").noconvert(),
        arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("begin"), arg("end"), arg("threads"),
        arg("scored"), arg("scores"));
  guard_forks();
}
