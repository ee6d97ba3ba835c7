// The Python classes OnlineLearner, with its methods that learn and predict, and Use.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "online_learner.hpp"

using namespace novikoff;

namespace {

/// A block of Python.
struct UseBlock {
  std::shared_ptr<Use> use;
  bool changes;

  void enter() { changes ? use->begin_writing() : use->begin_reading(); }
  void exit() { changes ? use->end_writing() : use->end_reading(); }
};

}  // namespace

void bind_online(nb::module_& m) {
  using nb::arg;
  nb::class_<UseBlock>(m, "UseBlock", "A block in which an estimator is read or changed. No interrupt comes between both ends.")
      .def("__enter__", &UseBlock::enter)
      .def(
          "__exit__", [](UseBlock& block, const nb::args&) { block.exit(); },
          nb::sig("def __exit__(self, *args: object) -> None"));
  nb::class_<Use>(m, "Use",
                  "The readers of an estimator, or the thread that changes it. Who cannot come in gets a RuntimeError.")
      .def(nb::init<>())
      .def("reading", [](std::shared_ptr<Use> use) { return UseBlock{std::move(use), false}; })
      .def("writing", [](std::shared_ptr<Use> use) { return UseBlock{std::move(use), true}; });
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
      .def_prop_rw("use", &OnlineLearner::use, &OnlineLearner::set_use)
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
      .def("score",
           nb::overload_cast<const std::vector<std::size_t>&, const RowsInMemory&, Matrix<double>>(&OnlineLearner::score),
           arg("problems"), arg("rows"), arg("scores").noconvert());
  bind_online_blocks(m, learner);
  bind_online_state(learner);
  m.def("learn_together", &OnlineLearner::learn_together, arg("learners"), arg("rows"), arg("codes").noconvert(),
        arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("begin"), arg("end"), arg("threads"),
        arg("scored"), arg("scores"));
}
