// The Python class OnlineLearner: rules by name or as Python functions, state that can be pickled, and locks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "keyed_row.hpp"
#include "novikoff/learner.hpp"
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

/// Locks a mutex, waiting without the interpreter's lock.
template <class Lock>
Lock locked(auto& mutex) {
  Lock lock(mutex, std::try_to_lock);
  if (!lock) {
    const nb::gil_scoped_release released;
    lock.lock();
  }
  return lock;
}

/// A learner with its columns and locks.
///
/// Several threads may learn and score at once, each problem in one thread at a time. What adds a problem or a column locks the
/// whole learner. A thread that holds one of these locks may wait for the interpreter's lock, because a rule in Python needs
/// it. So no thread may wait for one of these locks while it holds the interpreter's: that would be a deadlock.
class OnlineLearner {
 public:
  OnlineLearner(const std::string& rule, double parameter, bool intercept, bool normalize, double delta, const std::string& tie,
                const std::string& keep, std::int64_t buckets, nb::object callback)
      : configuration_(nb::make_tuple(rule, parameter, intercept, normalize, delta, tie, keep, buckets, callback)),
        keep_(keep) {
    if (tie != "mistake" && tie != "positive") throw std::invalid_argument("unknown tie '" + tie + "'.");
    if (keep != "last" && keep != "average" && keep != "votes") throw std::invalid_argument("unknown keep '" + keep + "'.");
    if (buckets < 0) throw std::invalid_argument("the number of buckets is negative: " + std::to_string(buckets) + ".");
    learner_.tie = tie == "positive" ? Tie::positive : Tie::mistake;
    if (callback.is_none())
      learner_.rule = rule_named(rule, parameter, learner_.tie);
    else
      learner_.rule = python_rule(std::move(callback));
    learner_.geometry = {intercept, normalize, delta};
    columns_.buckets = buckets;
  }

  const nb::tuple& configuration() const { return configuration_; }
  const nb::list& names() const { return columns_.names; }
  std::size_t column_count() const { return columns_.count(); }
  bool is_compiled() const { return !std::holds_alternative<CallbackRule>(learner_.rule); }
  std::size_t problem_count() const { return learner_.problems.size(); }
  Hypothesis& problem(std::size_t q) { return learner_.problems.at(q); }

  /// Reads a problem while no thread changes it.
  auto read(std::size_t q, auto&& reader) {
    const auto shared = locked<std::shared_lock<std::shared_mutex>>(structure_);
    const auto mine = locked<std::unique_lock<std::mutex>>(locks_.at(q));
    return reader(problem(q));
  }

  /// Adds a problem: an empty one, or a copy of another.
  void add_problem(std::int32_t positive, std::optional<std::size_t> like) {
    const auto alone = exclusive();
    Hypothesis h = like ? learner_.problems.at(*like) : Hypothesis{};
    if (!like && keep_ == "average") h.average.emplace();
    if (!like && keep_ == "votes") h.votes.emplace();
    h.positive = positive;
    learner_.problems.push_back(std::move(h));
    locks_.emplace_back();
  }

  /// Adds a problem that was restored.
  void add_problem(Hypothesis known) {
    const auto alone = exclusive();
    learner_.problems.push_back(std::move(known));
    locks_.emplace_back();
  }

  /// A pass over rows that were examined: those at positions `begin` to `end` of `order`. If `scores` is given, the score of
  /// each row before it is learned from is written to it.
  Tuple<bool, bool, double> learn(std::size_t q, const RowsInMemory& rows, Vector<const std::int32_t> codes,
                                  std::optional<Vector<const double>> weights, Vector<const double> squared_norms,
                                  std::optional<Vector<const std::int64_t>> order, std::optional<Vector<double>> duals,
                                  std::size_t begin, std::size_t end, std::optional<Vector<double>> scores) {
    Batch batch = batch_of(q, rows, codes, weights, squared_norms, order, duals, begin, end);
    if (scores && scores->size() != rows.count()) throw std::invalid_argument("scores must have one entry per row.");
    if (scores) batch.scores = span_of(*scores);
    PassReport report;
    {
      nb::gil_scoped_release unlocked;
      const std::shared_lock shared(structure_);
      const std::lock_guard mine(locks_[q]);
      report = learner_.learn(q, rows.view, batch);
    }
    return nb::make_tuple(report.moved, report.mistaken, report.smallest_margin);
  }

  /// A first pass, which fills `squared_norms`. The last value it returns is the number of rows before the first bad one.
  Tuple<bool, bool, double, std::size_t> learn_unseen(std::size_t q, const RowsInMemory& rows, Vector<const std::int32_t> codes,
                                                      std::optional<Vector<const double>> weights, Vector<double> squared_norms,
                                                      std::optional<Vector<const std::int64_t>> order,
                                                      std::optional<Vector<double>> duals) {
    const Batch batch = batch_of(q, rows, codes, weights, Vector<const double>(squared_norms), order, duals, 0, rows.count());
    PassReport report;
    std::size_t good = 0;
    {
      nb::gil_scoped_release unlocked;
      const std::shared_lock shared(structure_);
      const std::lock_guard mine(locks_[q]);
      good = learner_.learn_unseen(q, rows.view, batch, span_of(squared_norms), report);
    }
    return nb::make_tuple(report.moved, report.mistaken, report.smallest_margin, good);
  }

  /// Learns from the first row of a matrix, in all problems. Returns false, without learning, if the row is bad.
  bool learn_row(const RowsInMemory& rows, std::int32_t code, double weight) {
    const auto alone = exclusive();
    return std::visit(
        [&](const auto& view) {
          const auto x = view[0];
          const double squared_norm = x.examine(view.columns);
          if (!std::isfinite(squared_norm)) return false;
          learner_.learn_one(x, view.columns, squared_norm, code, weight);
          return true;
        },
        rows.view);
  }

  void learn_one(nb::dict x, std::int32_t code, double weight) {
    with_row(x, [&] {
      const Sparse row = row_.add(columns_);
      learner_.learn_one(row, columns_.count(), row_.squared_norm(columns_), code, weight);
    });
  }

  double score_one(nb::dict x, std::size_t q) {
    return with_row(x, [&] {
      const Sparse row = row_.look_up(columns_);
      Hypothesis& h = problem(q);
      h.resize(columns_.count());
      return novikoff::score(h, h.weights.empty() ? Sparse{} : row, learner_.tie, scratch_for(h));  // empty: no feature yet
    });
  }

  /// Scores of all rows. Returns the number of rows before the first bad one; unless that is all, `scores` is not valid.
  std::size_t score(std::size_t q, const RowsInMemory& rows, Vector<double> scores) {
    if (scores.size() != rows.count()) throw std::invalid_argument("scores must have one entry per row.");
    nb::gil_scoped_release unlocked;
    const std::shared_lock shared(structure_);
    const std::lock_guard mine(locks_.at(q));
    Hypothesis& h = learner_.problems[q];
    h.resize(rows.columns());
    std::vector<double> dense(h.votes ? h.weights.size() : 0);
    return std::visit(
        [&](const auto& view) {
          for (std::size_t i = 0; i < view.count; ++i) {
            const auto x = view[i];
            if (!std::isfinite(x.examine(view.columns))) return i;
            scores.data()[i] = novikoff::score(h, x, learner_.tie, dense);
          }
          return view.count;
        },
        rows.view);
  }

  /// Gives the columns 0, 1, ... these names, which are text or integers.
  void name_columns(nb::list names) {
    const auto alone = exclusive();
    row_.forget();
    columns_.table = KeyTable{};
    columns_.names = nb::list();
    for (nb::handle name : names) {
      columns_.table.find_or_add(KeyedRow::hash_of(name.ptr()));
      columns_.names.append(name);
    }
    if (columns_.table.size() != nb::len(names)) throw std::invalid_argument("two columns have the same name.");
  }

 private:
  std::unique_lock<std::shared_mutex> exclusive() { return locked<std::unique_lock<std::shared_mutex>>(structure_); }

  /// Calls `use` with a dict read into row_. Other keys and numbers than Python's own are converted first, without a lock,
  /// because that runs Python code.
  auto with_row(const nb::dict& x, const auto& use) -> decltype(use()) {
    {
      const auto alone = exclusive();
      if (row_.read(x)) [[likely]]
        return use();
    }
    return with_row(KeyedRow::plain_copy(x), use);
  }

  Batch batch_of(std::size_t q, const RowsInMemory& rows, const Vector<const std::int32_t>& codes,
                 const std::optional<Vector<const double>>& weights, const Vector<const double>& squared_norms,
                 const std::optional<Vector<const std::int64_t>>& order, const std::optional<Vector<double>>& duals,
                 std::size_t begin, std::size_t end) const {
    const std::size_t n = rows.count();
    const bool fits = codes.size() == n && squared_norms.size() == n && (!weights || weights->size() == n) &&
                      (!order || order->size() == n) && (!duals || duals->size() == n) && begin <= end && end <= n;
    if (!fits || q >= problem_count())
      throw std::invalid_argument("arrays must have one entry per row, and the problem must exist.");
    Batch batch{span_of(codes), {}, span_of(squared_norms), {}, {}, begin, end};
    if (weights) batch.weights = span_of(*weights);
    if (order) batch.order = span_of(*order);
    if (duals) batch.duals = span_of(*duals);
    return batch;
  }

  std::vector<double>& scratch_for(const Hypothesis& h) {
    if (h.votes) scratch_.resize(h.weights.size());
    return scratch_;
  }

  nb::tuple configuration_;
  std::string keep_;
  Learner learner_;
  Columns columns_;
  KeyedRow row_;
  std::vector<double> scratch_;
  std::shared_mutex structure_;
  std::deque<std::mutex> locks_;
};

Vector<double> weights_of(const Hypothesis& h) {
  std::vector<double> w = h.weights;
  if (h.average) {
    const Hypothesis::AveragedVector v{h};
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = v[j];
  }
  return to_numpy(std::move(w));
}

Dict tally_of(const Hypothesis& h) {
  Dict tally;
  tally["examples"] = h.examples.value();
  tally["positives"] = h.positives.value();
  tally["mistakes"] = h.mistakes.value();
  tally["steps"] = h.steps.value();
  tally["updates"] = h.updates;
  tally["rounding"] = h.rounding;
  tally["squared_radius"] = h.squared_radius;
  tally["energy"] = h.energy;
  tally["margin_bound"] = h.margin_bound;
  return tally;
}

/// The configuration, the problems and the names of the columns. `set_state` restores them.
nb::tuple get_state(OnlineLearner& learner) {
  nb::list problems;
  for (std::size_t q = 0; q < learner.problem_count(); ++q)
    problems.append(learner.read(q, [](const Hypothesis& h) { return online_state::store(h); }));
  return nb::make_tuple(learner.configuration(), problems, nb::list(learner.names()));
}

/// Everything is read before the learner is constructed, and it is destroyed again if its names are refused.
void set_state(OnlineLearner* learner, nb::tuple state) {
  using online_state::as;
  if (nb::len(state) != 3) online_state::refuse("a configuration, problems and names");
  const auto c = as<nb::tuple>(state[0], "a configuration");
  const auto stored = as<nb::list>(state[1], "problems");
  const auto names = as<nb::list>(state[2], "names");
  if (nb::len(c) != 9) online_state::refuse("a configuration of nine values");
  const auto keep = as<std::string>(c[6], "keep");
  std::vector<Hypothesis> problems;
  for (nb::handle problem : stored) problems.push_back(online_state::restore(problem, keep));
  new (learner) OnlineLearner(as<std::string>(c[0], "rule"), as<double>(c[1], "parameter"), as<bool>(c[2], "intercept"),
                              as<bool>(c[3], "normalize"), as<double>(c[4], "delta"), as<std::string>(c[5], "tie"), keep,
                              as<std::int64_t>(c[7], "buckets"), nb::object(c[8]));
  try {
    for (Hypothesis& problem : problems) learner->add_problem(std::move(problem));
    learner->name_columns(names);
  } catch (...) {
    learner->~OnlineLearner();
    throw;
  }
}

}  // namespace

void bind_online(nb::module_& m) {
  nb::class_<OnlineLearner>(m, "OnlineLearner", "An online rule and the binary problems that it solves.")
      .def(nb::init<std::string, double, bool, bool, double, std::string, std::string, std::int64_t, nb::object>(),
           nb::arg("rule"), nb::arg("parameter"), nb::arg("intercept"), nb::arg("normalize"), nb::arg("delta"), nb::arg("tie"),
           nb::arg("keep"), nb::arg("buckets"), nb::arg("callback") = nb::none())
      .def_prop_ro("names", &OnlineLearner::names)
      .def_prop_ro("columns", &OnlineLearner::column_count)
      .def_prop_ro("problems", &OnlineLearner::problem_count)
      .def_prop_ro("is_compiled", &OnlineLearner::is_compiled)
      .def("add_problem", nb::overload_cast<std::int32_t, std::optional<std::size_t>>(&OnlineLearner::add_problem),
           nb::arg("positive"), nb::arg("like") = nb::none())
      .def("name_columns", &OnlineLearner::name_columns, nb::arg("names"))
      .def("learn", &OnlineLearner::learn, nb::arg("problem"), nb::arg("rows"), nb::arg("codes").noconvert(),
           nb::arg("weights").noconvert().none(), nb::arg("squared_norms").noconvert(), nb::arg("order").noconvert().none(),
           nb::arg("duals").noconvert().none(), nb::arg("begin"), nb::arg("end"), nb::arg("scores").noconvert() = nb::none())
      .def("learn_unseen", &OnlineLearner::learn_unseen, nb::arg("problem"), nb::arg("rows"), nb::arg("codes").noconvert(),
           nb::arg("weights").noconvert().none(), nb::arg("squared_norms").noconvert(), nb::arg("order").noconvert().none(),
           nb::arg("duals").noconvert().none())
      .def("learn_row", &OnlineLearner::learn_row, nb::arg("rows"), nb::arg("code"), nb::arg("weight"))
      .def("learn_one", &OnlineLearner::learn_one, nb::arg("x"), nb::arg("code"), nb::arg("weight"))
      .def("score_one", &OnlineLearner::score_one, nb::arg("x"), nb::arg("problem"))
      .def("score", &OnlineLearner::score, nb::arg("problem"), nb::arg("rows"), nb::arg("scores").noconvert())
      .def(
          "weights", [](OnlineLearner& self, std::size_t q) { return self.read(q, weights_of); }, nb::arg("problem"))
      .def(
          "bias", [](OnlineLearner& self, std::size_t q) { return self.read(q, [](auto& h) { return h.averaged_bias(); }); },
          nb::arg("problem"))
      .def(
          "last_weights",
          [](OnlineLearner& self, std::size_t q) { return self.read(q, [](auto& h) { return to_numpy(h.weights); }); },
          nb::arg("problem"))
      .def(
          "last_bias", [](OnlineLearner& self, std::size_t q) { return self.read(q, [](auto& h) { return h.bias; }); },
          nb::arg("problem"))
      .def(
          "tally", [](OnlineLearner& self, std::size_t q) { return self.read(q, tally_of); }, nb::arg("problem"))
      .def("__getstate__", &get_state)
      .def("__setstate__", &set_state);
}
