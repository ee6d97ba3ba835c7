// The online learner as Python sees it: rules by name, state that can be pickled, locks.
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

Rule rule_named(const std::string& name, double parameter, Tie tie) {
  if (name == "perceptron") return PerceptronRule{tie};
  if (name == "fixed margin") return FixedMarginRule{parameter};
  if (name == "dynamic margin") return DynamicMarginRule{parameter};
  if (name == "passive-aggressive") return PassiveAggressiveRule{};
  if (name == "passive-aggressive I") return PassiveAggressiveIRule{parameter};
  if (name == "passive-aggressive II") return PassiveAggressiveIIRule{parameter};
  throw std::invalid_argument("The name of a rule. Got '" + name + "'.");
}

/// A learner with its columns and locks. Questions may be learned and scored from several threads at once, each by one
/// thread at a time; whatever adds a question or a column has the learner to itself. No lock is held while the
/// interpreter's is waited for.
class OnlineLearner {
 public:
  OnlineLearner(const std::string& rule, double parameter, bool intercept, bool normalize, double delta, const std::string& tie,
                const std::string& keep, std::int64_t buckets)
      : configuration_(nb::make_tuple(rule, parameter, intercept, normalize, delta, tie, keep, buckets)), keep_(keep) {
    if (tie != "mistake" && tie != "positive") throw std::invalid_argument("The name of a tie. Got '" + tie + "'.");
    if (keep != "last" && keep != "average" && keep != "votes")
      throw std::invalid_argument("What is kept: last, average or votes. Got '" + keep + "'.");
    if (buckets < 0) throw std::invalid_argument("Buckets from 0 up. Got " + std::to_string(buckets) + ".");
    learner_.tie = tie == "positive" ? Tie::positive : Tie::mistake;
    learner_.rule = rule_named(rule, parameter, learner_.tie);
    learner_.geometry = {intercept, normalize, delta};
    columns_.buckets = buckets;
  }

  const nb::tuple& configuration() const { return configuration_; }
  const nb::list& names() const { return columns_.names; }
  std::size_t column_count() const { return columns_.count(); }
  std::size_t question_count() const { return learner_.questions.size(); }
  Hypothesis& question(std::size_t q) { return learner_.questions.at(q); }

  /// What `look` finds in a question while nobody changes it.
  auto look_at(std::size_t q, auto&& look) {
    const std::shared_lock shared(structure_);
    const std::lock_guard mine(locks_.at(q));
    return look(question(q));
  }

  /// A new question, empty or with the history of another.
  void add_question(std::int32_t positive, std::optional<std::size_t> like) {
    const std::unique_lock alone(structure_);
    Hypothesis h = like ? learner_.questions.at(*like) : Hypothesis{};
    if (!like && keep_ == "average") h.average.emplace();
    if (!like && keep_ == "votes") h.votes.emplace();
    h.positive = positive;
    learner_.questions.push_back(std::move(h));
    locks_.emplace_back();
  }

  /// A question that is known already.
  void add_question(Hypothesis known) {
    const std::unique_lock alone(structure_);
    learner_.questions.push_back(std::move(known));
    locks_.emplace_back();
  }

  /// A pass over rows that were examined; over all of them in order, or over those from `begin` to `end`. If `scores` is
  /// given, it takes the score that each row had before it was learned from.
  nb::tuple learn(std::size_t q, const RowsInMemory& rows, Vector<const std::int32_t> codes,
                  std::optional<Vector<const double>> weights, Vector<const double> squared_norms,
                  std::optional<Vector<const std::int64_t>> order, std::optional<Vector<double>> duals, std::size_t begin,
                  std::size_t end, std::optional<Vector<double>> scores) {
    Batch batch = batch_of(q, rows, codes, weights, squared_norms, order, duals, begin, end);
    if (scores && scores->size() != rows.count()) throw std::invalid_argument("An array of one score a row.");
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

  /// A first pass, which fills in `squared_norms`; its last answer is how many rows are good.
  nb::tuple learn_unseen(std::size_t q, const RowsInMemory& rows, Vector<const std::int32_t> codes,
                         std::optional<Vector<const double>> weights, Vector<double> squared_norms,
                         std::optional<Vector<const std::int64_t>> order, std::optional<Vector<double>> duals) {
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

  /// One row of a matrix, for all questions. False: the row is not good, and nothing was learned.
  bool learn_row(const RowsInMemory& rows, std::int32_t code, double weight) {
    const std::unique_lock alone(structure_);
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
    row_.read(x);
    const std::unique_lock alone(structure_);
    const Sparse row = row_.add(columns_);
    learner_.learn_one(row, columns_.count(), row_.squared_norm(columns_), code, weight);
  }

  double score_one(nb::dict x, std::size_t q) {
    row_.read(x);
    const std::unique_lock alone(structure_);
    const Sparse row = row_.look_up(columns_);
    Hypothesis& h = question(q);
    h.resize(columns_.count());
    return novikoff::score(h, h.weights.empty() ? Sparse{} : row, learner_.tie, scratch_for(h));  // no feature was ever met
  }

  /// Scores of all rows; returns how many are good, and where that is not all, `scores` holds nothing of use.
  std::size_t score(std::size_t q, const RowsInMemory& rows, Vector<double> scores) {
    if (scores.size() != rows.count()) throw std::invalid_argument("An array of one entry a row.");
    nb::gil_scoped_release unlocked;
    const std::shared_lock shared(structure_);
    const std::lock_guard mine(locks_.at(q));
    Hypothesis& h = learner_.questions[q];
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

  /// The features 0, 1, ... or their names, as columns 0, 1, ...
  void name_columns(nb::list names) {
    const std::unique_lock alone(structure_);
    row_.forget();
    columns_.table = KeyTable{};
    columns_.names = nb::list();
    for (nb::handle name : names) {
      columns_.table.find_or_add(KeyedRow::hash_of(name.ptr()));
      columns_.names.append(name);
    }
    if (columns_.table.size() != nb::len(names)) throw std::invalid_argument("Column names that all differ.");
  }

 private:
  Batch batch_of(std::size_t q, const RowsInMemory& rows, const Vector<const std::int32_t>& codes,
                 const std::optional<Vector<const double>>& weights, const Vector<const double>& squared_norms,
                 const std::optional<Vector<const std::int64_t>>& order, const std::optional<Vector<double>>& duals,
                 std::size_t begin, std::size_t end) const {
    const std::size_t n = rows.count();
    const bool fits = codes.size() == n && squared_norms.size() == n && (!weights || weights->size() == n) &&
                      (!order || order->size() == n) && (!duals || duals->size() == n) && begin <= end && end <= n;
    if (!fits || q >= question_count()) throw std::invalid_argument("Arrays of one entry a row, and a question that is asked.");
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

nb::dict tally_of(const Hypothesis& h) {
  nb::dict tally;
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

/// The configuration, the questions and the names of the columns; `set_state` is its inverse.
nb::tuple get_state(OnlineLearner& learner) {
  nb::list questions;
  for (std::size_t q = 0; q < learner.question_count(); ++q)
    questions.append(learner.look_at(q, [](const Hypothesis& h) { return online_state::store(h); }));
  return nb::make_tuple(learner.configuration(), questions, nb::list(learner.names()));
}

/// All is read before there is a learner, and nothing is left of it if its names are refused.
void set_state(OnlineLearner* learner, nb::tuple state) {
  using online_state::as;
  if (nb::len(state) != 3) online_state::refuse("a configuration, questions and names");
  const auto c = as<nb::tuple>(state[0], "a configuration");
  const auto stored = as<nb::list>(state[1], "questions");
  const auto names = as<nb::list>(state[2], "names");
  if (nb::len(c) != 8) online_state::refuse("a configuration of eight values");
  const auto keep = as<std::string>(c[6], "keep");
  std::vector<Hypothesis> questions;
  for (nb::handle question : stored) questions.push_back(online_state::restore(question, keep));
  new (learner) OnlineLearner(as<std::string>(c[0], "rule"), as<double>(c[1], "parameter"), as<bool>(c[2], "intercept"),
                              as<bool>(c[3], "normalize"), as<double>(c[4], "delta"), as<std::string>(c[5], "tie"), keep,
                              as<std::int64_t>(c[7], "buckets"));
  try {
    for (Hypothesis& question : questions) learner->add_question(std::move(question));
    learner->name_columns(names);
  } catch (...) {
    learner->~OnlineLearner();
    throw;
  }
}

}  // namespace

void bind_online(nb::module_& m) {
  nb::class_<OnlineLearner>(m, "OnlineLearner", "A rule and the binary questions it learns.")
      .def(nb::init<std::string, double, bool, bool, double, std::string, std::string, std::int64_t>(), nb::arg("rule"),
           nb::arg("parameter"), nb::arg("intercept"), nb::arg("normalize"), nb::arg("delta"), nb::arg("tie"), nb::arg("keep"),
           nb::arg("buckets"))
      .def_prop_ro("names", &OnlineLearner::names)
      .def_prop_ro("columns", &OnlineLearner::column_count)
      .def_prop_ro("questions", &OnlineLearner::question_count)
      .def("add_question", nb::overload_cast<std::int32_t, std::optional<std::size_t>>(&OnlineLearner::add_question),
           nb::arg("positive"), nb::arg("like") = nb::none())
      .def("name_columns", &OnlineLearner::name_columns, nb::arg("names"))
      .def("learn", &OnlineLearner::learn, nb::arg("question"), nb::arg("rows"), nb::arg("codes").noconvert(),
           nb::arg("weights").noconvert().none(), nb::arg("squared_norms").noconvert(), nb::arg("order").noconvert().none(),
           nb::arg("duals").noconvert().none(), nb::arg("begin"), nb::arg("end"), nb::arg("scores").noconvert() = nb::none())
      .def("learn_unseen", &OnlineLearner::learn_unseen, nb::arg("question"), nb::arg("rows"), nb::arg("codes").noconvert(),
           nb::arg("weights").noconvert().none(), nb::arg("squared_norms").noconvert(), nb::arg("order").noconvert().none(),
           nb::arg("duals").noconvert().none())
      .def("learn_row", &OnlineLearner::learn_row, nb::arg("rows"), nb::arg("code"), nb::arg("weight"))
      .def("learn_one", &OnlineLearner::learn_one, nb::arg("x"), nb::arg("code"), nb::arg("weight"))
      .def("score_one", &OnlineLearner::score_one, nb::arg("x"), nb::arg("question"))
      .def("score", &OnlineLearner::score, nb::arg("question"), nb::arg("rows"), nb::arg("scores").noconvert())
      .def(
          "weights", [](OnlineLearner& self, std::size_t q) { return self.look_at(q, weights_of); }, nb::arg("question"))
      .def(
          "bias", [](OnlineLearner& self, std::size_t q) { return self.look_at(q, [](auto& h) { return h.averaged_bias(); }); },
          nb::arg("question"))
      .def(
          "last_weights",
          [](OnlineLearner& self, std::size_t q) { return self.look_at(q, [](auto& h) { return to_numpy(h.weights); }); },
          nb::arg("question"))
      .def(
          "last_bias", [](OnlineLearner& self, std::size_t q) { return self.look_at(q, [](auto& h) { return h.bias; }); },
          nb::arg("question"))
      .def(
          "tally", [](OnlineLearner& self, std::size_t q) { return self.look_at(q, tally_of); }, nb::arg("question"))
      .def("__getstate__", &get_state)
      .def("__setstate__", &set_state);
}
