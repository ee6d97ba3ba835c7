// An online learner that several Python threads share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "keyed_row.hpp"
#include "keyed_rows.hpp"
#include "novikoff/many_classes.hpp"
#include "novikoff/names.hpp"
#include "novikoff/shared_joint.hpp"
#include "novikoff/shared_learner.hpp"
#include "novikoff/turns.hpp"

/// A matrix that is changed in place.
using Matrix = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A learner with its columns and its lock.
///
/// Two rules exclude deadlocks and long waits. No thread waits for the learner's lock while it holds the interpreter's. And a
/// thread that holds the learner's lock does not wait for the interpreter's: what it needs from Python objects is read before,
/// and Python objects are made of its results after. The exception is a learner whose rule is a Python function. It must not
/// learn while other threads know it: a copy learns, and replaces it.
class OnlineLearner {
 public:
  using Hypothesis = novikoff::Hypothesis;
  using ReadTurn = novikoff::ReadTurn;
  using WriteTurn = novikoff::WriteTurn;
  using Codes = Vector<const std::int32_t>;
  using Numbers = Vector<const double>;
  using Order = std::optional<Vector<const std::int64_t>>;
  static constexpr std::int64_t max_buckets = std::int64_t{1} << 31;  // 16 GB of weights
  static constexpr std::size_t most_columns_of_a_matrix = 4096;       // 64 MB

  explicit OnlineLearner(nb::tuple configuration);
  ~OnlineLearner();
  OnlineLearner(const OnlineLearner&) = delete;
  OnlineLearner& operator=(const OnlineLearner&) = delete;

  const nb::tuple& configuration() const { return configuration_; }
  const std::string& keep() const { return keep_; }
  bool is_compiled() const { return !std::holds_alternative<novikoff::CallbackRule>(learner_.rule); }
  novikoff::Turns& turns() { return turns_; }
  std::size_t problem_count() const { return problem_count_; }

  /// A learner that is not open takes no more examples.
  bool is_open() const { return open_; }
  void set_open(bool open) {
    in_turn<WriteTurn>([] { return true; }, [&] { open_ = open; });
  }

  /// Calls `reader` with the problems and the columns at one moment. It is called without the interpreter's lock, unless it is
  /// said to be short.
  auto read(auto&& reader) {
    const nb::gil_scoped_release released;
    ReadTurn turn{turns_};
    const std::lock_guard mine(turn);
    return reader(std::as_const(learner_.problems), std::as_const(columns_));
  }
  auto read_shortly(auto&& reader) {
    return in_turn<ReadTurn>([] { return true; },
                             [&] { return reader(std::as_const(learner_.problems), std::as_const(columns_)); });
  }

  /// Calls `reader` with the learner and the columns at one moment.
  auto read_learner(bool is_short, auto&& reader) {
    return in_turn<ReadTurn>([&] { return is_short; },
                             [&] { return reader(std::as_const(learner_), std::as_const(columns_)); });
  }

  /// Adds a problem: an empty one, or a copy of another.
  void add_problem(std::int32_t positive, std::optional<std::size_t> like) {
    in_turn<WriteTurn>([] { return false; },
                       [&] {
                         Hypothesis h = like ? learner_.problems.at(*like) : Hypothesis{};
                         if (!like && keep_ == "average") h.average.emplace();
                         if (!like && keep_ == "votes") h.votes.emplace();
                         if (!like) h.memory = memory_;
                         if (!like) h.second = novikoff::second_order_of(learner_.rule);
                         if (!like) h.asking = novikoff::asking_of(learner_.rule);
                         if (!like && calibrated_) h.calibration.emplace();
                         h.positive = positive;
                         learner_.add(std::move(h));
                         problem_count_ = learner_.count();
                       });
  }

  /// Whether new problems have probabilities.
  bool is_calibrated() const { return calibrated_; }
  void set_calibrated(bool calibrated) { calibrated_ = calibrated; }

  /// Replaces scores by the probabilities of the positive classes: one row of numbers per problem.
  void calibrate(const std::vector<std::size_t>& problems, Matrix scores) {
    if (scores.shape(0) != problems.size()) throw std::invalid_argument("scores must have one row per problem.");
    in_turn<ReadTurn>([&] { return scores.size() <= short_work / 16; },
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

  /// Removes all problems after the first `count`.
  void keep_problems(std::size_t count) {
    in_turn<WriteTurn>([] { return false; },
                       [&] {
                         learner_.keep(count);
                         problem_count_ = learner_.count();
                       });
  }

  /// Replaces the problems, or that of all classes together, the columns, the scale, if the learner has one, and the balance.
  void restore(std::vector<Hypothesis> problems, std::optional<novikoff::JointHypothesis> joint, Columns columns,
               std::optional<novikoff::Scale> scale, novikoff::RunningBalance balance) {
    in_turn<WriteTurn>([] { return false; },
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

  /// The scale of a learner that has one, at one moment.
  std::optional<novikoff::Scale> scale() {
    return read([this](auto&, auto&) -> std::optional<novikoff::Scale> { return learner_.scale; });
  }

  /// Counts rows that were examined in the scale, without learning from them.
  void observe(const RowsInMemory& rows, std::optional<Numbers> weights) {
    if (weights && weights->size() != rows.count()) throw std::invalid_argument("there must be one weight per row.");
    const nb::gil_scoped_release released;
    WriteTurn turn{turns_};
    const std::lock_guard mine(turn);
    novikoff::RunningScale& scale = check_scale();
    std::visit(
        [&](const auto& view) {
          scale.resize(view.columns);
          std::vector<double> sums, values;
          for (std::size_t i = 0; i < view.count; ++i) scale.observe(view[i], weights ? weights->data()[i] : 1.0, sums, values);
        },
        rows.view);
  }

  /// Writes the values of rows that were examined as the learner sees them now, row after row.
  void scale_rows(const RowsInMemory& rows, Vector<double> values) {
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

  /// Gives the columns 0, 1, ... other names.
  void name_columns(Columns columns) {
    in_turn<WriteTurn>([] { return true; },
                       [&] {
                         columns.revision = columns_.revision + 1;
                         columns.buckets = columns_.buckets;
                         std::swap(columns_, columns);
                       });
  }

  /// A pass over rows that were examined: those at positions `begin` to `end` of `order`. No other thread may use this problem
  /// meanwhile.
  Tuple<bool, bool, double> learn(std::size_t q, const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights,
                                  Numbers squared_norms, Order order, std::optional<Vector<double>> duals, std::size_t begin,
                                  std::size_t end) {
    const novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, order, duals, begin, end);
    const novikoff::PassReport report = read([&](auto&, auto&) {
      check_problem(q);
      check_codes(batch);
      check_columns(rows.columns());
      return learner_.learn(q, rows.view, batch);
    });
    return nb::make_tuple(report.moved, report.mistaken, report.smallest_margin);
  }

  /// A first pass, which fills `squared_norms`. The last value it returns is the number of rows before the first bad one. No
  /// other thread may use this problem meanwhile.
  Tuple<bool, bool, double, std::size_t> learn_unseen(std::size_t q, const RowsInMemory& rows, Codes codes,
                                                      std::optional<Numbers> weights, Vector<double> squared_norms, Order order,
                                                      std::optional<Vector<double>> duals) {
    const novikoff::Batch batch = batch_of(rows, codes, weights, Numbers(squared_norms), order, duals, 0, rows.count());
    novikoff::PassReport report;
    const std::size_t good = read([&](auto&, auto&) {
      check_problem(q);
      check_separate();
      check_columns(rows.columns());
      return learner_.learn_unseen(q, rows.view, batch, span_of(squared_norms), report);
    });
    return nb::make_tuple(report.moved, report.mistaken, report.smallest_margin, good);
  }

  using Reports = std::vector<std::tuple<bool, bool, double>>;

  /// A block of problems that learn together. No other thread may use these problems until it is released.
  std::unique_ptr<novikoff::ClassBlock> block_of(const std::vector<std::size_t>& problems) {
    return read([&](auto&, auto&) {
      for (std::size_t q : problems) check_problem(q);
      check_separate();
      if (problems.size() < 2 || problems.size() > novikoff::ClassBlock::most || votes_ || memory_)
        throw std::invalid_argument("a block has 2 to 8 problems without votes, which forget nothing.");
      return std::make_unique<novikoff::ClassBlock>(learner_, problems);
    });
  }
  void release(novikoff::ClassBlock& block) {
    read([&](auto&, auto&) { block.release(); });
  }

  /// A pass of a block over rows that were examined, in this order. `duals` has a row of one number per problem for each row.
  Reports learn_block(novikoff::ClassBlock& block, const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights,
                      Numbers squared_norms, Order order, Matrix duals) {
    const novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, order, std::nullopt, 0, rows.count());
    if (duals.shape(0) != rows.count() || duals.shape(1) != block.size())
      throw std::invalid_argument("duals must have one row per row, and one entry per problem in each.");
    std::vector<novikoff::PassReport> reports(block.size());
    read([&](auto&, auto&) { block.learn(rows.view, batch, {{duals.data(), duals.size()}, block.size()}, reports); });
    Reports found;
    for (const novikoff::PassReport& r : reports) found.emplace_back(r.moved, r.mistaken, r.smallest_margin);
    return found;
  }

  /// The weights that examples would have if they were learned next, with balanced classes. None of them is counted.
  Vector<double> balanced_weights(Codes codes, std::optional<Numbers> weights) {
    if (weights && weights->size() != codes.size()) throw std::invalid_argument("there must be one weight per code.");
    novikoff::RunningBalance balance = read_learner(false, [](auto& learner, auto&) { return learner.balance; });
    std::vector<double> found;
    for (std::size_t i = 0; i < codes.size(); ++i)
      found.push_back(*balance.weigh(codes.data()[i], weights ? weights->data()[i] : 1.0));
    return to_numpy(std::move(found));
  }

  /// Learns rows `begin` to `end`, which were examined, in all problems. Readers may come in between rows, but no other writer.
  /// The scores of these rows before they are learned from are written to `scores`, one row for each problem in `scored`. If
  /// there is an array `balanced`, of one number per row, the weights of these rows times those of their classes are written to
  /// it and used.
  void learn_all(const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights, Numbers squared_norms,
                 std::size_t begin, std::size_t end, std::size_t threads, const std::vector<std::size_t>& scored,
                 std::optional<Matrix> scores, std::optional<Vector<double>> balanced) {
    novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, std::nullopt, std::nullopt, begin, end);
    if (balanced && balanced->size() != rows.count()) throw std::invalid_argument("balanced must have one entry per row.");
    check_scores(scored, scores, end - begin);
    const nb::gil_scoped_release released;
    WriteTurn turn{turns_};
    const std::lock_guard mine(turn);
    check_batch(rows, batch);
    const auto places = places_of(scored, scores, end - begin);
    if (balanced) {
      for (std::size_t i = begin; i < end; ++i)
        balanced->data()[i] = *learner_.balance.weigh(batch.codes[i], batch.weights.empty() ? 1.0 : batch.weights[i]);
      batch.weights = span_of(*balanced);
    }
    if (learner_.joint) return novikoff::learn_all_jointly(learner_, rows.view, batch, places, turns_);
    novikoff::learn_all(learner_, rows.view, batch, places, threads, turns_);
  }

  /// What `learn_all` does, for several learners whose scales are equal: the rows are scaled once for all of them. Returns
  /// false, without learning, if the scales differ or classes are learned together. The caller must keep other writers out, and
  /// no learner may occur twice.
  static bool learn_together(const std::vector<OnlineLearner*>& learners, const RowsInMemory& rows, Codes codes,
                             std::optional<Numbers> weights, Numbers squared_norms, std::size_t begin, std::size_t end,
                             std::size_t threads, const std::vector<std::vector<std::size_t>>& scored,
                             const std::vector<Matrix>& scores) {
    const novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, std::nullopt, std::nullopt, begin, end);
    if (learners.empty() || std::ranges::find(learners, nullptr) != learners.end() || scored.size() != learners.size() ||
        scores.size() != learners.size())
      throw std::invalid_argument("there must be learners, and scores for each.");
    for (std::size_t k = 0; k < learners.size(); ++k) check_scores(scored[k], scores[k], end - begin);
    const nb::gil_scoped_release released;
    std::vector<novikoff::Turns*> all;
    for (OnlineLearner* learner : learners) all.push_back(&learner->turns_);
    novikoff::WriteTurns turns(std::move(all));
    const std::lock_guard mine(turns);
    std::vector<novikoff::SharedScale*> scales;
    for (OnlineLearner* learner : learners) {
      if (learner->learner_.joint) return false;
      learner->check_batch(rows, batch);
      scales.push_back(&learner->learner_.scale);
    }
    if (!novikoff::SharedScale::unite(scales)) return false;
    std::vector<std::vector<std::span<double>>> places;
    std::vector<novikoff::Member> members;
    for (std::size_t k = 0; k < learners.size(); ++k)
      places.push_back(learners[k]->places_of(scored[k], scores[k], end - begin));
    for (std::size_t k = 0; k < learners.size(); ++k) members.push_back({&learners[k]->learner_, places[k]});
    novikoff::learn_together(members, rows.view, batch, threads, turns);
    return true;
  }

  /// Learns from the first row of a matrix, in all problems. Returns false, without learning, if the row is bad. If `balanced`,
  /// the weight is multiplied by that of the class.
  bool learn_row(const RowsInMemory& rows, std::int32_t code, double weight, bool balanced) {
    return std::visit(
        [&](const auto& view) {
          if (view.count == 0) throw std::invalid_argument("the matrix has no row.");
          const auto x = view[0];
          novikoff::Repeats repeats;
          const double squared_norm = x.examine(view.columns, repeats);
          if (!std::isfinite(squared_norm)) return false;
          in_turn<WriteTurn>([&] { return is_short_to_learn(x.size, view.columns, code, weight, balanced); },
                             [&] {
                               check_open();
                               check_code(code);
                               check_columns(view.columns);
                               const double own = checked_weight(code, weight, balanced);
                               learner_.learn_one(x, view.columns, squared_norm, code, own);
                             });
          return true;
        },
        rows.view);
  }

  void learn_one(const nb::dict& x, std::int32_t code, double weight, bool balanced) {
    with_row<WriteTurn>(
        x,
        [&](const KeyedRow& row) {
          return is_short_to_learn(row.size(), columns_.count() + row.size(), code, weight, balanced) &&
                 (is_small() || columns_.table.has_room(row.size()));
        },
        [&](KeyedRow& row) {
          check_open();
          check_code(code);
          check_columns(columns_.count() + row.absent(columns_));
          const double own = checked_weight(code, weight, balanced);
          const Sparse features = row.add(columns_);
          learner_.learn_one(features, columns_.count(), row.squared_norm(columns_), code, own);
        });
  }

  /// Whether the learner asks for the label of this example, if it is the next.
  bool wants_label(const nb::dict& x, std::size_t q) {
    return with_row<ReadTurn>(
        x, [&](const KeyedRow& row) { return is_short_to_score(row.size(), 1); },
        [&](KeyedRow& row) {
          check_asking(q);
          const auto [features, columns] = row.foresee(columns_);
          return learner_.wants_label(q, features, columns, row.squared_norm(columns_));
        });
  }

  /// The same for the first row of a matrix; nothing if the row is bad.
  std::optional<bool> wants_label_of_row(const RowsInMemory& rows, std::size_t q) {
    return std::visit(
        [&](const auto& view) -> std::optional<bool> {
          if (view.count == 0) throw std::invalid_argument("the matrix has no row.");
          const auto x = view[0];
          novikoff::Repeats repeats;
          const double squared_norm = x.examine(view.columns, repeats);
          if (!std::isfinite(squared_norm)) return std::nullopt;
          return in_turn<ReadTurn>([&] { return is_short_to_score(x.size, 1); },
                                   [&] {
                                     check_asking(q);
                                     return learner_.wants_label(q, x, view.columns, squared_norm);
                                   });
        },
        rows.view);
  }

  double score_one(const nb::dict& x, std::size_t q) {
    return with_row<ReadTurn>(
        x, [&](const KeyedRow& row) { return is_short_to_score(row.size(), 1); },
        [&](KeyedRow& row) { return score_of(row, features_of(row), q); });
  }

  std::vector<double> scores_of_one(const nb::dict& x, const std::vector<std::size_t>& problems) {
    return with_row<ReadTurn>(
        x, [&](const KeyedRow& row) { return is_short_to_score(row.size(), problems.size()); },
        [&](KeyedRow& row) {
          const Sparse features = features_of(row);
          std::vector<double> scores;
          scores.reserve(problems.size());
          if (learner_.joint) {
            for (std::size_t k : problems) check_problem(k);
            std::vector<double> all(learner_.count());
            learner_.joint->score(features, all);
            for (std::size_t k : problems) scores.push_back(all[k]);
            return scores;
          }
          for (std::size_t q : problems) scores.push_back(score_of(row, features, q));
          return scores;
        });
  }

  /// Scores of dicts in some problems, at one moment: one row of numbers per problem.
  void score_many(const nb::list& dicts, const std::vector<std::size_t>& problems, Matrix scores) {
    KeyedRows rows(dicts);
    if (scores.shape(0) != problems.size() || scores.shape(1) != rows.count())
      throw std::invalid_argument("scores must have one row per problem, and one entry per dict in each.");
    in_turn<ReadTurn>([&] { return is_short_to_score(rows.entries() + rows.count(), problems.size()); },
                      [&] {
                        rows.look_up(columns_);
                        if (learner_.scale) rows.see(*learner_.scale);
                        for (std::size_t q : problems) check_problem(q);
                        if (learner_.joint) return score_jointly(rows, problems, scores);
                        const std::size_t columns = scored_width();
                        double* place = scores.data();
                        for (std::size_t q : problems) {
                          const Hypothesis& h = learner_.problems[q];
                          std::vector<double> scratch(novikoff::scratch_size(h, columns));
                          for (std::size_t i = 0; i < rows.count(); ++i)
                            *place++ = novikoff::score(h, rows[i], columns, learner_.tie, scratch);
                        }
                      });
  }

  /// Scores of all rows in some problems, at one moment. Returns the number of rows before the first bad one; unless that is
  /// all, `scores` is not valid.
  std::size_t score(const std::vector<std::size_t>& problems, const RowsInMemory& rows, Matrix scores) {
    if (scores.shape(0) != problems.size() || scores.shape(1) != rows.count())
      throw std::invalid_argument("scores must have one row per problem, and one entry per row of the matrix in each.");
    const auto score_in = [&](std::unique_lock<ReadTurn>& hold) {
      for (std::size_t q : problems) check_problem(q);
      if (learner_.joint)
        return novikoff::score_all_jointly(learner_, problems, rows.view, {scores.data(), scores.size()}, hold);
      return novikoff::score_all(learner_, problems, rows.view, {scores.data(), scores.size()}, hold);
    };
    ReadTurn turn{turns_};
    std::unique_lock<ReadTurn> hold(turn, std::try_to_lock);
    if (hold && rows.count() <= short_work && is_short_to_score(rows.entries() + rows.count(), problems.size()))
      return score_in(hold);
    const nb::gil_scoped_release released;
    std::unique_lock<ReadTurn> mine(std::move(hold));  // ends before the interpreter's lock is awaited
    if (!mine) mine = std::unique_lock<ReadTurn>(turn);
    return score_in(mine);
  }

 private:
  /// Work that is done without releasing the interpreter's lock, in multiplications: less than 10 microseconds. To release it
  /// and take it again costs more, and other threads of Python are not stopped for longer than by any other call.
  static constexpr std::size_t short_work = 4096;

  void check_open() const {
    if (!open_) throw std::runtime_error("closed");
  }
  /// The weight of an example, which is counted if it is `balanced`. Weights are checked before; this is for class weights,
  /// which are looked up or computed for each example. Of a large one, every copy is seen anew by a scale and fades what was
  /// learned.
  double checked_weight(std::int32_t code, double weight, bool balanced) {
    const double most = memory_ && memory_->fade < 1 ? 1e6 : learner_.scale ? 1e8 : 0x1p53;
    if (!(weight >= 1e-30 && weight <= most)) throw std::runtime_error("not a weight");
    if (!balanced) return weight;
    if (code < 0) throw std::out_of_range("an example has no label.");
    const std::optional<double> own = learner_.balance.weigh(code, weight, most);
    if (!own) throw std::runtime_error("not a weight");
    return *own;
  }
  void check_problem(std::size_t q) const {
    if (q >= learner_.count()) throw std::out_of_range("there is no problem " + std::to_string(q) + ".");
  }
  void check_asking(std::size_t q) const {
    check_problem(q);
    if (!asks_) throw std::invalid_argument("the learner does not ask for labels.");
  }
  /// A full matrix has a number for each pair of columns.
  bool has_matrix() const { return std::holds_alternative<novikoff::FullMatrixRule>(learner_.rule); }
  void check_columns(std::size_t columns) const {
    if (has_matrix() && columns > most_columns_of_a_matrix)
      throw std::invalid_argument("full=True takes at most " + std::to_string(most_columns_of_a_matrix) +
                                  " columns, but there are " + std::to_string(columns) +
                                  ". Use full=False, which keeps the diagonal of the matrix only.");
  }
  void check_separate() const {
    if (learner_.joint) throw std::invalid_argument("classes that are learned together have no problems of their own.");
  }
  /// Each class that is learned together must be known before its first example, and other learners than those that ask for
  /// labels must be given them.
  void check_code(std::int32_t code) const {
    if (code == novikoff::unlabelled && !asks_) throw std::out_of_range("an example has no label.");
    if (learner_.joint && (code < 0 || static_cast<std::size_t>(code) >= learner_.count()))
      throw std::out_of_range("there is no class " + std::to_string(code) + ".");
  }
  void check_codes(const novikoff::Batch& batch) const {
    if (!learner_.joint) return;
    for (std::size_t i = batch.begin; i < batch.end; ++i) {
      const std::size_t row = batch.order.empty() ? i : static_cast<std::size_t>(batch.order[i]);
      if (batch.weights.empty() || batch.weights[row] > 0) check_code(batch.codes[row]);
    }
  }

  /// Calls `use` in a turn. If the turn is free and the work is short, all of it happens with the interpreter's lock, else
  /// without.
  template <class Turn>
  auto in_turn(const auto& is_short, const auto& use) -> decltype(use()) {
    Turn turn{turns_};
    std::unique_lock<Turn> hold(turn, std::try_to_lock);
    if (hold && is_short()) return use();
    const nb::gil_scoped_release released;
    std::unique_lock<Turn> mine(std::move(hold));  // ends before the interpreter's lock is awaited
    if (!mine) mine = std::unique_lock<Turn>(turn);
    return use();
  }

  /// A row that no other thread uses, from the pool. Only threads with the interpreter's lock take rows and put them back.
  class BorrowedRow {
   public:
    explicit BorrowedRow(OnlineLearner& owner) : owner_(owner) {
      if (owner.rows_.empty()) {
        row_ = std::make_unique<KeyedRow>();
      } else {
        row_ = std::move(owner.rows_.back());
        owner.rows_.pop_back();
      }
    }
    ~BorrowedRow() {
      if (owner_.rows_.empty()) owner_.rows_.push_back(std::move(row_));  // more are needed only while threads wait
    }
    BorrowedRow(const BorrowedRow&) = delete;
    BorrowedRow& operator=(const BorrowedRow&) = delete;
    KeyedRow& operator*() const { return *row_; }

   private:
    OnlineLearner& owner_;
    std::unique_ptr<KeyedRow> row_;
  };

  /// Calls `use` in a turn with a dict read into a row. Other keys and numbers than Python's own are converted first, because
  /// that runs Python code.
  template <class Turn>
  auto with_row(const nb::dict& x, const auto& is_short, const auto& use) -> decltype(use(std::declval<KeyedRow&>())) {
    const BorrowedRow borrowed(*this);
    KeyedRow& row = *borrowed;
    if (!row.read(x)) [[unlikely]]
      row.read(KeyedRow::plain_copy(x));
    Turn turn{turns_};
    std::unique_lock<Turn> hold(turn, std::try_to_lock);
    if (hold && is_short(row)) [[likely]]
      return use(row);
    const nb::object keys = row.keys();
    const nb::gil_scoped_release released;
    std::unique_lock<Turn> mine(std::move(hold));  // ends before the interpreter's lock is awaited
    if (!mine) mine = std::unique_lock<Turn>(turn);
    return use(row);
  }

  static void check_scores(const std::vector<std::size_t>& scored, const std::optional<Matrix>& scores, std::size_t rows) {
    if (!scored.empty() && (!scores || scores->shape(0) != scored.size() || scores->shape(1) != rows))
      throw std::invalid_argument(
          "scores must have one row per problem that is scored, and one entry per row of the batch in each.");
  }

  void check_batch(const RowsInMemory& rows, const novikoff::Batch& batch) const {
    check_open();
    check_codes(batch);
    check_columns(rows.columns());
  }

  /// Where the scores of each problem go.
  std::vector<std::span<double>> places_of(const std::vector<std::size_t>& scored, const std::optional<Matrix>& scores,
                                           std::size_t rows) const {
    std::vector<std::span<double>> places(scored.empty() ? 0 : learner_.count());
    for (std::size_t k = 0; k < scored.size(); ++k) {
      check_problem(scored[k]);
      places[scored[k]] = {scores->data() + k * rows, rows};
    }
    return places;
  }

  novikoff::RunningScale& check_scale() {
    auto* running = learner_.scale ? std::get_if<novikoff::RunningScale>(&learner_.scale.own().kind) : nullptr;
    if (!running) throw std::invalid_argument("the learner has no running scale.");
    return *running;
  }

  /// The features of a dict as they are scored.
  Sparse features_of(KeyedRow& row) const {
    const Sparse features = row.look_up(columns_);
    return learner_.scale ? row.seen(features, *learner_.scale) : features;
  }

  void score_jointly(const KeyedRows& rows, const std::vector<std::size_t>& classes, const Matrix& scores) const {
    std::vector<double> all(learner_.count());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      learner_.joint->score(rows[i], all);
      for (std::size_t k = 0; k < classes.size(); ++k) scores.data()[k * rows.count() + i] = all[classes[k]];
    }
  }

  double score_of(KeyedRow& row, const Sparse& features, std::size_t q) {
    check_problem(q);
    if (learner_.joint) {
      std::vector<double> all(learner_.count());
      learner_.joint->score(features, all);
      return all[q];
    }
    const Hypothesis& h = learner_.problems[q];
    const std::size_t columns = scored_width();
    return novikoff::score(h, features, columns, learner_.tie, row.scratch_for(h, columns));
  }

  /// The number of columns of a dict that is scored: an unknown feature is a 0 in column 0.
  std::size_t scored_width() const { return learner_.width(std::max<std::size_t>(1, columns_.count())); }

  /// Whether growing cannot take long.
  bool is_small() const { return columns_.count() < std::size_t{1} << 16; }

  /// With a scale, every copy of an example is seen anew, a learner that forgets fades by every copy, and one that asks for
  /// labels throws a coin for it. An update of a matrix takes as long as it has entries.
  bool is_short_to_learn(std::size_t size, std::size_t columns, std::int32_t code, double weight, bool balanced) const {
    const std::vector<Hypothesis>& problems = learner_.problems;
    const std::size_t work = has_matrix() ? (columns + 1) * (columns + 1) : size + 1;
    if (learner_.count() * work > short_work) return false;
    if (learner_.scale || memory_ || asks_) {
      const double copies = balanced ? learner_.balance.estimate(code, weight) : weight;
      if (!(copies <= 16)) return false;
    }
    if (columns < std::size_t{1} << 16 || learner_.count() == 0) return true;
    return (learner_.joint ? learner_.joint->columns.capacity() : problems[0].weights.capacity()) >= columns;
  }

  /// Votes take as long as there were updates.
  bool is_short_to_score(std::size_t size, std::size_t problems) const {
    return size <= short_work && problems <= short_work && size * problems <= short_work && !votes_;
  }

  static novikoff::Batch batch_of(const RowsInMemory& rows, const Codes& codes, const std::optional<Numbers>& weights,
                                  const Numbers& squared_norms, const Order& order, const std::optional<Vector<double>>& duals,
                                  std::size_t begin, std::size_t end) {
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

  nb::tuple configuration_;
  std::string keep_;
  bool votes_, asks_ = false;
  std::optional<novikoff::Memory> memory_;  // of a new problem
  std::atomic<bool> calibrated_{false};
  novikoff::Learner learner_;
  Columns columns_;
  std::atomic<std::size_t> problem_count_{0};
  std::atomic<bool> open_{true};
  novikoff::Turns turns_;                        // of learner_ and columns_
  std::vector<std::unique_ptr<KeyedRow>> rows_;  // the pool; threads with the interpreter's lock use it
};
