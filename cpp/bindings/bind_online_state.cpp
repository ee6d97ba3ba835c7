// The Python class OnlineLearner: what is read of it, its state, which can be pickled, and its copies.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "keyed_row.hpp"
#include "novikoff/hypothesis.hpp"
#include "novikoff/joint_hypothesis.hpp"
#include "novikoff/names_json.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/running_balance.hpp"
#include "novikoff/scale.hpp"
#include "online_learner.hpp"
#include "online_state.hpp"

using namespace novikoff;

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
Dict tally_of(const Tally& counts, const Memory& memory) {
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
  if (nb::len(configuration) != 13) online_state::refuse("a configuration of thirteen values");
  const auto keep = as<std::string>(configuration[6], "keep");
  std::optional<SecondOrder> second;
  if (configuration[8].is_none())
    second = second_order_of(rule_named(as<std::string>(configuration[0], "rule"), as<double>(configuration[1], "parameter"),
                                        Tie::mistake, as<double>(configuration[12], "extra")));
  std::vector<Hypothesis> problems;
  const std::optional<Memory> memory = online_state::memory_of(configuration);
  for (nb::handle problem : stored) problems.push_back(online_state::restore(problem, keep, memory, second));
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

}  // namespace

void bind_online_state(OnlineClass& learner) {
  using nb::arg;
  learner
      .def_prop_ro("names",
                   [](OnlineLearner& self) { return list_of(self.read([](auto&, auto& columns) { return columns.names; })); })
      .def_prop_ro("names_revision",
                   [](OnlineLearner& self) { return self.read_shortly([](auto&, auto& columns) { return columns.revision; }); })
      .def_prop_ro(
          "name_count",
          [](OnlineLearner& self) { return self.read_shortly([](auto&, auto& columns) { return columns.names.size(); }); })
      .def("names_json", &names_json, arg("begin") = 0, arg("end") = nb::none())
      .def(
          "name_columns", [](OnlineLearner& self, nb::list names) { self.name_columns(columns_named(names)); }, arg("names"))
      .def_prop_ro("columns",
                   [](OnlineLearner& self) { return self.read_shortly([](auto&, auto& columns) { return columns.count(); }); })
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
            const auto [counts, memory] = self.read_learner(true, [q](auto& learner, auto&) {
              if (learner.joint) return std::pair(learner.joint->tally_of(q), Memory{});
              const Hypothesis& h = learner.problems.at(q);
              return std::pair(Tally(h), h.memory.value_or(Memory{}));
            });
            return tally_of(counts, memory);
          },
          arg("problem"))
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
      .def("copy", &copy, nb::rv_policy::take_ownership)
      .def("file_state", &file_state)
      .def("__getstate__", &get_state)
      .def("__setstate__", &set_state);
}
