// An online learner: passes over rows, batches of a stream, and the scores of rows.
#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "novikoff/batch.hpp"
#include "novikoff/learn_batch.hpp"
#include "novikoff/learn_jointly.hpp"
#include "online_learner.hpp"

using namespace novikoff;

Tuple<bool, bool, double> OnlineLearner::learn(std::size_t q, const RowsInMemory& rows, Codes codes,
                                               std::optional<Numbers> weights, Numbers squared_norms, Order order,
                                               std::optional<Vector<double>> duals, std::size_t begin, std::size_t end) {
  const novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, order, duals, begin, end);
  const novikoff::PassReport report = read([&](auto&, auto&) {
    check_problem(q);
    check_codes(batch);
    return learner_.learn(q, rows.view, batch);
  });
  return nb::make_tuple(report.moved, report.mistaken, report.smallest_margin);
}

Tuple<bool, bool, double, std::size_t> OnlineLearner::learn_unseen(std::size_t q, const RowsInMemory& rows, Codes codes,
                                                                   std::optional<Numbers> weights, Vector<double> squared_norms,
                                                                   Order order, std::optional<Vector<double>> duals) {
  const novikoff::Batch batch = batch_of(rows, codes, weights, Numbers(squared_norms), order, duals, 0, rows.count());
  novikoff::PassReport report;
  const std::size_t good = read([&](auto&, auto&) {
    check_problem(q);
    check_separate();
    return learner_.learn_unseen(q, rows.view, batch, span_of(squared_norms), report);
  });
  return nb::make_tuple(report.moved, report.mistaken, report.smallest_margin, good);
}

void OnlineLearner::learn_all(const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights, Numbers squared_norms,
                              std::size_t begin, std::size_t end, std::size_t threads, const std::vector<std::size_t>& scored,
                              std::optional<Matrix<double>> scores, std::optional<Vector<double>> balanced) {
  novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, std::nullopt, std::nullopt, begin, end);
  if (balanced && balanced->size() != rows.count()) throw std::invalid_argument("balanced must have one entry per row.");
  check_scores(scored, scores, end - begin);
  const Writing mine(*use_);
  const nb::gil_scoped_release released;
  check_codes(batch);
  const auto places = places_of(scored, scores, end - begin);
  if (balanced) {
    for (std::size_t i = begin; i < end; ++i)
      balanced->data()[i] = *learner_.balance.weigh(batch.codes[i], batch.weights.empty() ? 1.0 : batch.weights[i]);
    batch.weights = span_of(*balanced);
  }
  if (learner_.joint) return novikoff::learn_all_jointly(learner_, rows.view, batch, places);
  novikoff::learn_all(learner_, rows.view, batch, places, threads);
}

bool OnlineLearner::learn_together(const std::vector<OnlineLearner*>& learners, const RowsInMemory& rows, Codes codes,
                                   std::optional<Numbers> weights, Numbers squared_norms, std::size_t begin, std::size_t end,
                                   std::size_t threads, const std::vector<std::vector<std::size_t>>& scored,
                                   const std::vector<Matrix<double>>& scores) {
  const novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, std::nullopt, std::nullopt, begin, end);
  if (learners.empty() || std::ranges::find(learners, nullptr) != learners.end() || scored.size() != learners.size() ||
      scores.size() != learners.size())
    throw std::invalid_argument("there must be learners, and scores for each.");
  for (std::size_t k = 0; k < learners.size(); ++k) check_scores(scored[k], scores[k], end - begin);
  std::vector<std::unique_ptr<Writing>> mine;
  for (OnlineLearner* learner : learners) mine.push_back(std::make_unique<Writing>(*learner->use_));
  const nb::gil_scoped_release released;
  std::vector<novikoff::SharedScale*> scales;
  for (OnlineLearner* learner : learners) {
    if (learner->learner_.joint) return false;
    learner->check_codes(batch);
    scales.push_back(&learner->learner_.scale);
  }
  if (!novikoff::SharedScale::unite(scales)) return false;
  std::vector<std::vector<std::span<double>>> places;
  std::vector<novikoff::Member> members;
  for (std::size_t k = 0; k < learners.size(); ++k) places.push_back(learners[k]->places_of(scored[k], scores[k], end - begin));
  for (std::size_t k = 0; k < learners.size(); ++k) members.push_back({&learners[k]->learner_, places[k]});
  novikoff::learn_together(members, rows.view, batch, threads);
  return true;
}

std::size_t OnlineLearner::score(const std::vector<std::size_t>& problems, const RowsInMemory& rows, Matrix<double> scores) {
  if (scores.shape(0) != problems.size() || scores.shape(1) != rows.count())
    throw std::invalid_argument("scores must have one row per problem, and one entry per row of the matrix in each.");
  return score(problems, rows, std::span(scores.data(), scores.size()));
}

std::size_t OnlineLearner::score(const std::vector<std::size_t>& problems, const RowsInMemory& rows, std::span<double> scores) {
  return in_use<Reading>(
      [&] { return rows.count() <= short_work && is_short_to_score(rows.entries() + rows.count(), problems.size()); },
      [&] {
        for (std::size_t q : problems) check_problem(q);
        if (learner_.joint) return novikoff::score_all_jointly(learner_, problems, rows.view, scores);
        return novikoff::score_all(learner_, problems, rows.view, scores);
      });
}

void OnlineLearner::check_scores(const std::vector<std::size_t>& scored, const std::optional<Matrix<double>>& scores,
                                 std::size_t rows) {
  if (!scored.empty() && (!scores || scores->shape(0) != scored.size() || scores->shape(1) != rows))
    throw std::invalid_argument(
        "scores must have one row per problem that is scored, and one entry per row of the batch in each.");
}

std::vector<std::span<double>> OnlineLearner::places_of(const std::vector<std::size_t>& scored,
                                                        const std::optional<Matrix<double>>& scores, std::size_t rows) const {
  std::vector<std::span<double>> places(scored.empty() ? 0 : learner_.count());
  for (std::size_t k = 0; k < scored.size(); ++k) {
    check_problem(scored[k]);
    places[scored[k]] = {scores->data() + k * rows, rows};
  }
  return places;
}

novikoff::Batch OnlineLearner::batch_of(const RowsInMemory& rows, const Codes& codes, const std::optional<Numbers>& weights,
                                        const Numbers& squared_norms, const Order& order,
                                        const std::optional<Vector<double>>& duals, std::size_t begin, std::size_t end) {
  const std::size_t n = rows.count();
  const bool fits = codes.size() == n && squared_norms.size() == n && (!weights || weights->size() == n) &&
                    (!order || order->size() == n) && (!duals || duals->size() == n) && begin <= end && end <= n;
  if (!fits) throw std::invalid_argument("arrays must have one entry per row.");
  novikoff::Batch batch{span_of(codes), {}, span_of(squared_norms), {}, {}, begin, end};
  if (weights) batch.weights = span_of(*weights);
  if (order) batch.order = span_of(*order);
  if (duals) batch.duals = span_of(*duals);
  return batch;
}
