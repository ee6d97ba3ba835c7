// The Python class OnlineLearner: rules by name or as Python functions, state that can be pickled, and forks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "novikoff/names_json.hpp"
#include "online_learner.hpp"
#include "online_state.hpp"

using namespace novikoff;

namespace {

/// A rule in Python, called with the fields of RuleInput.
CallbackRule python_rule(nb::object rule) {
  return {[rule = std::move(rule)](const RuleInput& s) {
    const nb::gil_scoped_acquire interpreter;
    return nb::cast<double>(rule(s.y, s.score, s.squared_norm, s.weight, s.squared_length, s.steps));
  }};
}

/// All learners of the process, for the fork guard. Only threads with the interpreter's lock use it.
std::unordered_set<OnlineLearner*>& all_learners() {
  static std::unordered_set<OnlineLearner*> learners;
  return learners;
}

}  // namespace

OnlineLearner::OnlineLearner(nb::tuple configuration) : configuration_(std::move(configuration)) {
  using online_state::as;
  if (nb::len(configuration_) != 14) online_state::refuse("a configuration of fourteen values");
  const auto rule = as<std::string>(configuration_[0], "rule"), tie = as<std::string>(configuration_[5], "tie");
  const auto buckets = as<std::int64_t>(configuration_[7], "buckets");
  keep_ = as<std::string>(configuration_[6], "keep");
  votes_ = keep_ == "votes";
  if (tie != "mistake" && tie != "positive") throw std::invalid_argument("unknown tie '" + tie + "'.");
  if (keep_ != "last" && keep_ != "average" && keep_ != "votes" && keep_ != "joint")
    throw std::invalid_argument("unknown keep '" + keep_ + "'.");
  if (buckets < 0 || buckets > max_buckets)
    throw std::invalid_argument("the number of buckets must be from 0 to 2**31, but it is " + std::to_string(buckets) + ".");
  learner_.tie = tie == "positive" ? Tie::positive : Tie::mistake;
  const auto parameter = as<double>(configuration_[1], "parameter");
  const nb::object callback = configuration_[8];
  if (callback.is_none())
    learner_.rule = rule_named(rule, parameter, learner_.tie, as<double>(configuration_[12], "extra"),
                               as<double>(configuration_[13], "budget"));
  else
    learner_.rule = python_rule(callback);
  learner_.geometry = {as<bool>(configuration_[2], "intercept"), as<bool>(configuration_[3], "normalize"),
                       as<double>(configuration_[4], "delta")};
  memory_ = online_state::memory_of(configuration_);
  asks_ = asking_of(learner_.rule).has_value();
  if (memory_ && (keep_ != "last" || learner_.geometry.delta > 0))
    throw std::invalid_argument("a learner that forgets has no averages, votes or private features.");
  if (asks_ && (keep_ != "last" || learner_.geometry.delta > 0 || memory_))
    throw std::invalid_argument(
        "a learner that asks for labels has no averages, votes or private features, and forgets nothing.");
  if (keep_ == "joint") learner_.joint.emplace();
  if (learner_.joint && learner_.geometry.delta != 0)
    throw std::invalid_argument("classes that are learned together have no private features.");
  if (learner_.joint && second_order_of(learner_.rule)) {
    if (!std::holds_alternative<DiagonalArowRule>(learner_.rule))
      throw std::invalid_argument("of the second-order rules, only that of AROW learns classes together.");
    learner_.joint->variance.emplace();
  }
  if (learner_.joint && memory_) throw std::invalid_argument("classes that are learned together forget nothing.");
  columns_.buckets = buckets;
  learner_.scale = scale_named(as<std::string>(configuration_[9], "scale"));
  all_learners().insert(this);
}

OnlineLearner::~OnlineLearner() { all_learners().erase(this); }

namespace {

void scale_by(std::vector<double>& w, double scale) {
  if (scale != 1)
    for (double& value : w) value *= scale;
}

std::vector<double> weights_of(const Hypothesis& h) {
  std::vector<double> w = h.weights;
  if (h.average) {
    const Hypothesis::AveragedVector v{h};
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = v[j];
  }
  scale_by(w, h.scale());
  return w;
}

std::vector<double> last_weights_of(const Hypothesis& h) {
  std::vector<double> w = h.weights;
  scale_by(w, h.scale());
  return w;
}

/// The counts, with those that depend on v in its own units.
Dict tally_of(const Tally& counts, const Memory& memory, const std::optional<Asking>& asking) {
  Dict tally;
  tally["examples"] = counts.examples.value();
  tally["positives"] = counts.positives.value();
  tally["mistakes"] = counts.mistakes.value();
  tally["steps"] = memory.scale * counts.steps.value();
  tally["updates"] = counts.updates;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  tally["rounding"] = memory.scale * (counts.rounding + (memory.scale == 1 ? 0.0 : epsilon * counts.largest_length()));
  tally["longest"] = memory.longest;
  tally["squared_radius"] = counts.squared_radius;
  tally["energy"] = counts.energy;
  tally["margin_bound"] = counts.margin_bound;
  if (asking) {
    tally["asked"] = asking->asked.value();
    tally["unanswered"] = asking->unanswered.value();
    tally["complete"] = asking->complete.value();
    tally["estimate"] = asking->estimate.value();
    tally["missing_weight"] = asking->missing_weight;
  }
  return tally;
}

/// Names from a list of texts and integers, as columns 0, 1, ...
Columns columns_named(nb::handle names) {
  Columns columns;
  for (nb::handle key : names) {
    const Name name = KeyedRow::name_of(key.ptr());
    columns.find_or_add(name.hash(), name);
  }
  if (columns.table.size() != nb::len(names)) throw std::invalid_argument("two columns have the same name.");
  return columns;
}

/// Names from JSON.
Columns columns_named(std::string_view json) {
  const nb::gil_scoped_release released;
  const Names names = names_from_json(json);
  Columns columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.find_or_add(names[i].hash(), names[i]);
  if (columns.table.size() != names.size()) throw std::invalid_argument("two columns have the same name.");
  return columns;
}

nb::typed<nb::list, nb::any> list_of(const Names& names) {
  auto list = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(names.size())));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Name name = names[i];
    PyObject* key = name.is_text() ? PyUnicode_FromStringAndSize(name.text, static_cast<Py_ssize_t>(name.value))
                                   : PyLong_FromLongLong(name.value);
    if (!key) throw nb::python_error();
    PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i), key);
  }
  return nb::borrow<nb::typed<nb::list, nb::any>>(list);
}

/// The problems, that of all classes together, the columns, the scale and the balance of a learner at one moment.
struct Contents {
  std::vector<Hypothesis> problems;
  std::optional<JointHypothesis> joint;
  Columns columns;
  std::optional<Scale> scale;
  RunningBalance balance;

  explicit Contents(OnlineLearner& learner) {
    learner.read_learner(false, [&](auto& held, auto& names) {
      problems = held.problems;
      joint = held.joint;
      columns = names;
      scale = held.scale;
      balance = held.balance;
    });
  }

  /// The problems as they are stored.
  nb::list stored() {
    nb::list list;
    if (joint) {
      const nb::gil_scoped_release released;
      problems = joint->hypotheses();
      joint.reset();
    }
    for (Hypothesis& h : problems) list.append(online_state::store(std::move(h)));
    return list;
  }
};

Vector<double> totals_of(const RunningBalance& balance) { return to_numpy(std::vector<double>(balance.totals())); }

RunningBalance balance_of(nb::handle stored) {
  const auto totals = online_state::as<Vector<const double>>(stored, "totals of classes");
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (!(totals.data()[k] >= 0)) online_state::refuse("totals of classes that are not negative");
  return RunningBalance(std::vector<double>(totals.data(), totals.data() + totals.size()));
}

OnlineLearner* copy(OnlineLearner& learner) {
  Contents held(learner);
  auto made = std::make_unique<OnlineLearner>(learner.configuration());
  made->restore(std::move(held.problems), std::move(held.joint), std::move(held.columns), std::move(held.scale),
                std::move(held.balance));
  made->set_calibrated(learner.is_calibrated());
  return made.release();
}

nb::bytes names_json(OnlineLearner& learner, std::size_t begin, std::optional<std::size_t> end) {
  const Names names = learner.read([](auto&, auto& columns) { return columns.names; });
  const std::size_t last = std::min(end.value_or(names.size()), names.size());
  std::string json;
  {
    const nb::gil_scoped_release released;
    json = names_to_json(names, std::min(begin, last), last);
  }
  return nb::bytes(json.data(), json.size());
}

/// The configuration, the problems, the names of the columns, the scale and the totals of the classes in the balance.
/// `set_state` restores them. All is copied before any object of Python is made: that may start a garbage collection, which
/// runs any code, also such that uses this learner.
nb::tuple get_state(OnlineLearner& learner) {
  Contents held(learner);
  return nb::make_tuple(learner.configuration(), held.stored(), list_of(held.columns.names), online_state::store(held.scale),
                        totals_of(held.balance));
}

/// What a model file stores: as `get_state`, but the names are JSON in an array of bytes, so that no list of them is made.
nb::tuple file_state(OnlineLearner& learner) {
  Contents held(learner);
  std::vector<std::uint8_t> json;
  {
    const nb::gil_scoped_release released;
    const Names& names = held.columns.names;
    const std::string text = names_to_json(names, 0, names.size());
    json.assign(text.begin(), text.end());
  }
  return nb::make_tuple(learner.configuration(), held.stored(), to_numpy(std::move(json)), online_state::store(held.scale),
                        totals_of(held.balance));
}

/// Everything is read before the learner is constructed. Names are a list, or JSON in bytes.
void set_state(OnlineLearner* learner, nb::tuple state) {
  using online_state::as;
  if (nb::len(state) != 5) online_state::refuse("a configuration, problems, names, a scale and totals of classes");
  const auto configuration = as<nb::tuple>(state[0], "a configuration");
  const auto stored = as<nb::list>(state[1], "problems");
  const nb::object names = state[2];
  if (nb::len(configuration) != 14) online_state::refuse("a configuration of fourteen values");
  const auto keep = as<std::string>(configuration[6], "keep");
  std::optional<SecondOrder> second;
  bool asks = false;
  if (configuration[8].is_none()) {
    const Rule rule = rule_named(as<std::string>(configuration[0], "rule"), as<double>(configuration[1], "parameter"),
                                 Tie::mistake, as<double>(configuration[12], "extra"));
    second = second_order_of(rule);
    asks = asking_of(rule).has_value();
  }
  std::vector<Hypothesis> problems;
  const std::optional<Memory> memory = online_state::memory_of(configuration);
  for (nb::handle problem : stored) problems.push_back(online_state::restore(problem, keep, memory, second, asks));
  auto scale = online_state::restore_scale(state[3], scale_named(as<std::string>(configuration[9], "scale")));
  RunningBalance balance = balance_of(state[4]);
  Columns columns;
  Vector<const std::uint8_t> bytes;
  if (nb::try_cast(names, bytes, false)) {  // an array of bytes
    columns = columns_named(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  } else if (nb::isinstance<nb::bytes>(names)) {
    const auto json = nb::borrow<nb::bytes>(names);
    columns = columns_named(std::string_view(json.c_str(), json.size()));
  } else {
    columns = columns_named(as<nb::list>(names, "names"));
  }
  std::optional<JointHypothesis> joint;
  if (keep == "joint") joint = JointHypothesis::of(std::exchange(problems, {}), second.has_value());
  new (learner) OnlineLearner(configuration);
  learner->restore(std::move(problems), std::move(joint), std::move(columns), std::move(scale), std::move(balance));
}

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
    for (OnlineLearner* learner : all_learners()) {
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
  for (OnlineLearner* learner : all_learners()) Turns::renew(learner->turns());
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
  nb::class_<ClassBlock>(m, "ClassBlock", "Some problems of a learner that learn together.");
  nb::class_<OnlineLearner>(m, "OnlineLearner", "An online rule and the binary problems that it solves.", nb::dynamic_attr())
      .def(
          "__init__",
          [](OnlineLearner* self, std::string rule, double parameter, bool intercept, bool normalize, double delta,
             std::string tie, std::string keep, std::int64_t buckets, nb::object callback, std::string scale, double forget,
             double fade, double extra, double budget) {
            new (self) OnlineLearner(nb::make_tuple(rule, parameter, intercept, normalize, delta, tie, keep, buckets, callback,
                                                    scale, forget, fade, extra, budget));
          },
          arg("rule"), arg("parameter"), arg("intercept"), arg("normalize"), arg("delta"), arg("tie"), arg("keep"),
          arg("buckets"), arg("callback") = nb::none(), arg("scale") = "", arg("forget") = 0.0, arg("fade") = 1.0,
          arg("extra") = 0.0, arg("budget") = std::numeric_limits<double>::infinity())
      .def_prop_ro("names",
                   [](OnlineLearner& self) { return list_of(self.read([](auto&, auto& columns) { return columns.names; })); })
      .def_prop_ro("names_revision",
                   [](OnlineLearner& self) { return self.read_shortly([](auto&, auto& columns) { return columns.revision; }); })
      .def_prop_ro(
          "name_count",
          [](OnlineLearner& self) { return self.read_shortly([](auto&, auto& columns) { return columns.names.size(); }); })
      .def("names_json", &names_json, arg("begin") = 0, arg("end") = nb::none())
      .def("file_state", &file_state)
      .def_prop_ro("columns",
                   [](OnlineLearner& self) { return self.read_shortly([](auto&, auto& columns) { return columns.count(); }); })
      .def_prop_ro("problems", &OnlineLearner::problem_count)
      .def_prop_rw("is_open", &OnlineLearner::is_open, &OnlineLearner::set_open)
      .def_prop_ro("is_compiled", &OnlineLearner::is_compiled)
      .def("add_problem", &OnlineLearner::add_problem, arg("positive"), arg("like") = nb::none())
      .def("keep_problems", &OnlineLearner::keep_problems, arg("count"))
      .def(
          "name_columns", [](OnlineLearner& self, nb::list names) { self.name_columns(columns_named(names)); }, arg("names"))
      .def("learn", &OnlineLearner::learn, arg("problem"), arg("rows"), arg("codes").noconvert(),
           arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("order").noconvert().none(),
           arg("duals").noconvert().none(), arg("begin"), arg("end"))
      .def("learn_unseen", &OnlineLearner::learn_unseen, arg("problem"), arg("rows"), arg("codes").noconvert(),
           arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("order").noconvert().none(),
           arg("duals").noconvert().none())
      .def("block_of", &OnlineLearner::block_of, arg("problems"), nb::keep_alive<0, 1>())
      .def("release", &OnlineLearner::release, arg("block"))
      .def("learn_block", &OnlineLearner::learn_block, arg("block"), arg("rows"), arg("codes").noconvert(),
           arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("order").noconvert().none(),
           arg("duals").noconvert())
      .def("learn_all", &OnlineLearner::learn_all, arg("rows"), arg("codes").noconvert(), arg("weights").noconvert().none(),
           arg("squared_norms").noconvert(), arg("begin"), arg("end"), arg("threads") = 1,
           arg("scored") = std::vector<std::size_t>{}, arg("scores").noconvert() = nb::none(),
           arg("balanced").noconvert() = nb::none())
      .def("balanced_weights", &OnlineLearner::balanced_weights, arg("codes").noconvert(), arg("weights").noconvert().none())
      .def("observe", &OnlineLearner::observe, arg("rows"), arg("weights").noconvert().none())
      .def("scale_rows", &OnlineLearner::scale_rows, arg("rows"), arg("values").noconvert())
      .def("scale_factors",
           [](OnlineLearner& self) -> std::optional<Vector<double>> {
             const std::optional<Scale> scale = self.scale();
             if (!scale) return std::nullopt;
             return to_numpy(scale->factors());
           })
      .def("scale_shifts",
           [](OnlineLearner& self) -> std::optional<Vector<double>> {
             const std::optional<Scale> scale = self.scale();
             std::optional<std::vector<double>> shifts = scale ? scale->shifts() : std::nullopt;
             if (!shifts) return std::nullopt;
             return to_numpy(std::move(*shifts));
           })
      .def_prop_rw("is_calibrated", &OnlineLearner::is_calibrated, &OnlineLearner::set_calibrated)
      .def("calibrate", &OnlineLearner::calibrate, arg("problems"), arg("scores").noconvert())
      .def("learn_row", &OnlineLearner::learn_row, arg("rows"), arg("code"), arg("weight"), arg("balanced") = false)
      .def("learn_one", &OnlineLearner::learn_one, arg("x"), arg("code"), arg("weight"), arg("balanced") = false)
      .def("wants_label", &OnlineLearner::wants_label, arg("x"), arg("problem"))
      .def("wants_label", &OnlineLearner::wants_label_of_row, arg("rows"), arg("problem"))
      .def("score_one", &OnlineLearner::score_one, arg("x"), arg("problem"))
      .def("score_one", &OnlineLearner::scores_of_one, arg("x"), arg("problems"))
      .def("score_many", &OnlineLearner::score_many, arg("dicts"), arg("problems"), arg("scores").noconvert())
      .def("score", &OnlineLearner::score, arg("problems"), arg("rows"), arg("scores").noconvert())
      .def(
          "weights",
          [](OnlineLearner& self, std::size_t q) {
            return to_numpy(self.read_learner(false, [q](auto& learner, auto&) {
              return learner.joint ? learner.joint->weights_of(q) : weights_of(learner.problems.at(q));
            }));
          },
          arg("problem"))
      .def(
          "bias",
          [](OnlineLearner& self, std::size_t q) {
            return self.read_learner(true, [q](auto& learner, auto&) {
              return learner.joint ? learner.joint->bias_of(q)
                                   : learner.problems.at(q).scale() * learner.problems.at(q).averaged_bias();
            });
          },
          arg("problem"))
      .def(
          "last_weights",
          [](OnlineLearner& self, std::size_t q) {
            return to_numpy(self.read_learner(false, [q](auto& learner, auto&) {
              return learner.joint ? learner.joint->weights_of(q) : last_weights_of(learner.problems.at(q));
            }));
          },
          arg("problem"))
      .def(
          "last_bias",
          [](OnlineLearner& self, std::size_t q) {
            return self.read_learner(true, [q](auto& learner, auto&) {
              return learner.joint ? learner.joint->bias_of(q) : learner.problems.at(q).scale() * learner.problems.at(q).bias;
            });
          },
          arg("problem"))
      .def(
          "second",
          [](OnlineLearner& self, std::size_t q) {
            return online_state::store(self.read_learner(false, [q](auto& learner, auto&) -> std::optional<SecondOrder> {
              if (!learner.joint) return learner.problems.at(q).second;
              if (!learner.joint->variance) return std::nullopt;
              return SecondOrder{learner.joint->variance_of(q)};
            }));
          },
          arg("problem"))
      .def(
          "tally",
          [](OnlineLearner& self, std::size_t q) {
            const auto [counts, memory, asking] = self.read_learner(true, [q](auto& learner, auto&) {
              if (learner.joint) return std::tuple(learner.joint->tally_of(q), Memory{}, std::optional<Asking>{});
              const Hypothesis& h = learner.problems.at(q);
              return std::tuple(Tally(h), h.memory.value_or(Memory{}), std::optional<Asking>(h.asking));
            });
            return tally_of(counts, memory, asking);
          },
          arg("problem"))
      .def("copy", &copy, nb::rv_policy::take_ownership)
      .def("__getstate__", &get_state)
      .def("__setstate__", &set_state);
  m.def("learn_together", &OnlineLearner::learn_together, arg("learners"), arg("rows"), arg("codes").noconvert(),
        arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("begin"), arg("end"), arg("threads"),
        arg("scored"), arg("scores"));
  guard_forks();
}
