// An online learner: its configuration, problems, columns and scale.
#include "online_learner.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/scale.hpp"
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

}  // namespace

OnlineLearner::OnlineLearner(nb::tuple configuration) : configuration_(std::move(configuration)) {
  using online_state::as;
  if (nb::len(configuration_) != 13) online_state::refuse("a configuration of thirteen values");
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
    learner_.rule = rule_named(rule, parameter, learner_.tie, as<double>(configuration_[12], "extra"));
  else
    learner_.rule = python_rule(callback);
  learner_.geometry = {as<bool>(configuration_[2], "intercept"), as<bool>(configuration_[3], "normalize"),
                       as<double>(configuration_[4], "delta")};
  memory_ = online_state::memory_of(configuration_);
  if (memory_ && (keep_ != "last" || learner_.geometry.delta > 0))
    throw std::invalid_argument("a learner that forgets has no averages, votes or private features.");
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
}

void OnlineLearner::add_problem(std::int32_t positive, std::optional<std::size_t> like) {
  in_use<Writing>([] { return false; },
                  [&] {
                    Hypothesis h = like ? learner_.problems.at(*like) : Hypothesis{};
                    if (!like && keep_ == "average") h.average.emplace();
                    if (!like && keep_ == "votes") h.votes.emplace();
                    if (!like) h.memory = memory_;
                    if (!like) h.second = novikoff::second_order_of(learner_.rule);
                    if (!like && calibrated_) h.calibration.emplace();
                    h.positive = positive;
                    learner_.add(std::move(h));
                    problem_count_ = learner_.count();
                  });
}

void OnlineLearner::calibrate(const std::vector<std::size_t>& problems, Matrix<double> scores) {
  if (scores.shape(0) != problems.size()) throw std::invalid_argument("scores must have one row per problem.");
  in_use<Reading>([&] { return scores.size() <= short_work / 16; },
                  [&] {
                    double* place = scores.data();
                    for (std::size_t q : problems) {
                      check_problem(q);
                      check_separate();
                      const auto& calibration = learner_.problems[q].calibration;
                      if (!calibration) throw std::invalid_argument("a problem has no probabilities.");
                      for (std::size_t i = 0; i < scores.shape(1); ++i, ++place) *place = calibration->probability(*place);
                    }
                  });
}

void OnlineLearner::keep_problems(std::size_t count) {
  in_use<Writing>([] { return false; },
                  [&] {
                    learner_.keep(count);
                    problem_count_ = learner_.count();
                  });
}

void OnlineLearner::restore(std::vector<Hypothesis> problems, std::optional<novikoff::JointHypothesis> joint, Columns columns,
                            std::optional<novikoff::Scale> scale, novikoff::RunningBalance balance) {
  in_use<Writing>([] { return false; },
                  [&] {
                    columns.revision = columns_.revision + 1;
                    columns.buckets = columns_.buckets;
                    learner_.replace(std::move(problems));
                    learner_.joint.swap(joint);
                    calibrated_ = learner_.is_calibrated();
                    problem_count_ = learner_.count();
                    learner_.scale = std::move(scale);
                    std::swap(learner_.balance, balance);
                    std::swap(columns_, columns);
                  });
}

std::optional<novikoff::Scale> OnlineLearner::scale() {
  return read([this](auto&, auto&) -> std::optional<novikoff::Scale> { return learner_.scale; });
}

void OnlineLearner::observe(const RowsInMemory& rows, std::optional<Numbers> weights) {
  if (weights && weights->size() != rows.count()) throw std::invalid_argument("there must be one weight per row.");
  const Writing mine(*use_);
  const nb::gil_scoped_release released;
  novikoff::RunningScale& scale = check_scale();
  std::visit(
      [&](const auto& view) {
        scale.resize(view.columns);
        std::vector<double> sums, values;
        for (std::size_t i = 0; i < view.count; ++i) scale.observe(view[i], weights ? weights->data()[i] : 1.0, sums, values);
      },
      rows.view);
}

void OnlineLearner::scale_rows(const RowsInMemory& rows, Vector<double> values) {
  if (values.size() != rows.entries()) throw std::invalid_argument("there must be one place per value of the rows.");
  read([&](auto&, auto&) {
    const novikoff::RunningScale& scale = check_scale();
    std::visit(
        [&](const auto& view) {
          std::vector<double> sums;
          double* next = values.data();
          for (std::size_t i = 0; i < view.count; ++i) {
            const auto x = view[i];
            scale.apply_to_sums(x, sums, next);
            next += x.size;
          }
        },
        rows.view);
  });
}

void OnlineLearner::name_columns(Columns columns) {
  in_use<Writing>([] { return true; },
                  [&] {
                    columns.revision = columns_.revision + 1;
                    columns.buckets = columns_.buckets;
                    std::swap(columns_, columns);
                  });
}

Vector<double> OnlineLearner::balanced_weights(Codes codes, std::optional<Numbers> weights) {
  if (weights && weights->size() != codes.size()) throw std::invalid_argument("there must be one weight per code.");
  novikoff::RunningBalance balance = read_learner(false, [](auto& learner, auto&) { return learner.balance; });
  std::vector<double> found;
  for (std::size_t i = 0; i < codes.size(); ++i)
    found.push_back(*balance.weigh(codes.data()[i], weights ? weights->data()[i] : 1.0));
  return to_numpy(std::move(found));
}

novikoff::RunningScale& OnlineLearner::check_scale() {
  auto* running = learner_.scale ? std::get_if<novikoff::RunningScale>(&learner_.scale.own().kind) : nullptr;
  if (!running) throw std::invalid_argument("the learner has no running scale.");
  return *running;
}

void OnlineLearner::check_code(std::int32_t code) const {
  if (learner_.joint && (code < 0 || static_cast<std::size_t>(code) >= learner_.count()))
    throw std::out_of_range("there is no class " + std::to_string(code) + ".");
}

void OnlineLearner::check_codes(const novikoff::Batch& batch) const {
  if (!learner_.joint) return;
  for (std::size_t i = batch.begin; i < batch.end; ++i) {
    const std::size_t row = batch.order.empty() ? i : static_cast<std::size_t>(batch.order[i]);
    if (batch.weights.empty() || batch.weights[row] > 0) check_code(batch.codes[row]);
  }
}
