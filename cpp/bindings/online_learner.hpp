// An online learner.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
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
#include "novikoff/learner.hpp"
#include "novikoff/names.hpp"
#include "novikoff/use.hpp"

namespace novikoff {
class ClassBlock;
}

/// A learner with its columns. Any number of threads may read it, or one may change it; others get an error at once.
class OnlineLearner {
 public:
  using Hypothesis = novikoff::Hypothesis;
  using Reading = novikoff::Reading;
  using Writing = novikoff::Writing;
  using Codes = Vector<const std::int32_t>;
  using Numbers = Vector<const double>;
  using Order = std::optional<Vector<const std::int64_t>>;
  static constexpr std::int64_t max_buckets = std::int64_t{1} << 31;  // 16 GB of weights

  explicit OnlineLearner(nb::tuple configuration);
  OnlineLearner(const OnlineLearner&) = delete;
  OnlineLearner& operator=(const OnlineLearner&) = delete;

  const nb::tuple& configuration() const { return configuration_; }
  const std::string& keep() const { return keep_; }
  bool is_compiled() const { return !std::holds_alternative<novikoff::CallbackRule>(learner_.rule); }
  std::size_t problem_count() const { return problem_count_; }

  /// Who uses the learner: the estimator that it belongs to, and all of its parts.
  const std::shared_ptr<novikoff::Use>& use() const { return use_; }
  void set_use(std::shared_ptr<novikoff::Use> use) { use_ = std::move(use); }

  /// Calls `reader` with the problems and the columns at one moment. It is called without the interpreter's lock, unless it is
  /// said to be short.
  auto read(auto&& reader) {
    const Reading mine(*use_);
    const nb::gil_scoped_release released;
    return reader(std::as_const(learner_.problems), std::as_const(columns_));
  }
  auto read_shortly(auto&& reader) {
    return in_use<Reading>([] { return true; },
                           [&] { return reader(std::as_const(learner_.problems), std::as_const(columns_)); });
  }

  /// Calls `reader` with the learner and the columns at one moment.
  auto read_learner(bool is_short, auto&& reader) {
    return in_use<Reading>([&] { return is_short; }, [&] { return reader(std::as_const(learner_), std::as_const(columns_)); });
  }

  /// Adds a problem: an empty one, or a copy of another.
  void add_problem(std::int32_t positive, std::optional<std::size_t> like);

  /// Whether new problems have probabilities.
  bool is_calibrated() const { return calibrated_; }
  void set_calibrated(bool calibrated) { calibrated_ = calibrated; }

  /// Replaces scores by the probabilities of the positive classes: one row of numbers per problem.
  void calibrate(const std::vector<std::size_t>& problems, Matrix<double> scores);

  /// Removes all problems after the first `count`.
  void keep_problems(std::size_t count);

  /// Replaces the problems, or that of all classes together, the columns, the scale, if the learner has one, and the balance.
  void restore(std::vector<Hypothesis> problems, std::optional<novikoff::JointHypothesis> joint, Columns columns,
               std::optional<novikoff::Scale> scale, novikoff::RunningBalance balance);

  /// The scale of a learner that has one, at one moment.
  std::optional<novikoff::Scale> scale();

  /// Counts rows that were examined in the scale, without learning from them.
  void observe(const RowsInMemory& rows, std::optional<Numbers> weights);

  /// Writes the values of rows that were examined as the learner sees them now, row after row.
  void scale_rows(const RowsInMemory& rows, Vector<double> values);

  /// Gives the columns 0, 1, ... other names.
  void name_columns(Columns columns);

  /// A pass over rows that were examined: those at positions `begin` to `end` of `order`. No other thread may use this problem
  /// meanwhile.
  Tuple<bool, bool, double> learn(std::size_t q, const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights,
                                  Numbers squared_norms, Order order, std::optional<Vector<double>> duals, std::size_t begin,
                                  std::size_t end);

  /// A first pass, which fills `squared_norms`. The last value it returns is the number of rows before the first bad one. No
  /// other thread may use this problem meanwhile.
  Tuple<bool, bool, double, std::size_t> learn_unseen(std::size_t q, const RowsInMemory& rows, Codes codes,
                                                      std::optional<Numbers> weights, Vector<double> squared_norms, Order order,
                                                      std::optional<Vector<double>> duals);

  using Reports = std::vector<std::tuple<bool, bool, double>>;

  /// A block of problems that learn together. No other thread may use these problems until it is released.
  std::unique_ptr<novikoff::ClassBlock> block_of(const std::vector<std::size_t>& problems);
  void release(novikoff::ClassBlock& block);

  /// A pass of a block over rows that were examined, in this order. `duals` has a row of one number per problem for each row.
  Reports learn_block(novikoff::ClassBlock& block, const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights,
                      Numbers squared_norms, Order order, Matrix<double> duals);

  /// The weights that examples would have if they were learned next, with balanced classes. None of them is counted.
  Vector<double> balanced_weights(Codes codes, std::optional<Numbers> weights);

  /// Learns rows `begin` to `end`, which were examined, in all problems. Readers may come in between rows, but no other writer.
  /// The scores of these rows before they are learned from are written to `scores`, one row for each problem in `scored`. If
  /// there is an array `balanced`, of one number per row, the weights of these rows times those of their classes are written to
  /// it and used.
  void learn_all(const RowsInMemory& rows, Codes codes, std::optional<Numbers> weights, Numbers squared_norms,
                 std::size_t begin, std::size_t end, std::size_t threads, const std::vector<std::size_t>& scored,
                 std::optional<Matrix<double>> scores, std::optional<Vector<double>> balanced);

  /// What `learn_all` does, for several learners whose scales are equal: the rows are scaled once for all of them. Returns
  /// false, without learning, if the scales differ or classes are learned together. The caller must keep other writers out, and
  /// no learner may occur twice.
  static bool learn_together(const std::vector<OnlineLearner*>& learners, const RowsInMemory& rows, Codes codes,
                             std::optional<Numbers> weights, Numbers squared_norms, std::size_t begin, std::size_t end,
                             std::size_t threads, const std::vector<std::vector<std::size_t>>& scored,
                             const std::vector<Matrix<double>>& scores);

  /// Learns from the first row of a matrix, in all problems. Returns false, without learning, if the row is bad. If `balanced`,
  /// the weight is multiplied by that of the class.
  bool learn_row(const RowsInMemory& rows, std::int32_t code, double weight, bool balanced);

  void learn_one(const nb::dict& x, std::int32_t code, double weight, bool balanced);

  double score_one(const nb::dict& x, std::size_t q);

  std::vector<double> scores_of_one(const nb::dict& x, const std::vector<std::size_t>& problems);

  /// Scores of dicts in some problems, at one moment: one row of numbers per problem.
  void score_many(const nb::list& dicts, const std::vector<std::size_t>& problems, Matrix<double> scores);

  /// Scores of all rows in some problems, at one moment. Returns the number of rows before the first bad one; unless that is
  /// all, `scores` is not valid.
  std::size_t score(const std::vector<std::size_t>& problems, const RowsInMemory& rows, Matrix<double> scores);
  std::size_t score(const std::vector<std::size_t>& problems, const RowsInMemory& rows, std::span<double> scores);

 private:
  /// Work that is done without releasing the interpreter's lock, in multiplications: less than 10 microseconds. To release it
  /// and take it again costs more, and other threads of Python are not stopped for longer than by any other call.
  static constexpr std::size_t short_work = 4096;

  /// The weight of an example, which is counted if it is `balanced`. Weights are checked before; this is for class weights,
  /// which are looked up or computed for each example. Of a large one, every copy is seen anew by a scale and fades what was
  /// learned.
  double checked_weight(std::int32_t code, double weight, bool balanced);
  void check_problem(std::size_t q) const {
    if (q >= learner_.count()) throw std::out_of_range("there is no problem " + std::to_string(q) + ".");
  }
  void check_separate() const {
    if (learner_.joint) throw std::invalid_argument("classes that are learned together have no problems of their own.");
  }
  /// Each class that is learned together must be known before its first example.
  void check_code(std::int32_t code) const;
  void check_codes(const novikoff::Batch& batch) const;

  /// Calls `use` as a reader or as the writer: with the interpreter's lock if the work is short, else without.
  template <class Use>
  auto in_use(const auto& is_short, const auto& use) -> decltype(use()) {
    const Use mine(*use_);
    if (is_short()) return use();
    const nb::gil_scoped_release released;
    return use();
  }

  class BorrowedRow;

  /// The same with a dict read into a row.
  template <class Use>
  auto with_row(const nb::dict& x, const auto& is_short, const auto& use) -> decltype(use(std::declval<KeyedRow&>()));

  static void check_scores(const std::vector<std::size_t>& scored, const std::optional<Matrix<double>>& scores,
                           std::size_t rows);

  /// Where the scores of each problem go.
  std::vector<std::span<double>> places_of(const std::vector<std::size_t>& scored, const std::optional<Matrix<double>>& scores,
                                           std::size_t rows) const;

  novikoff::RunningScale& check_scale();

  /// The features of a dict as they are scored.
  Sparse features_of(KeyedRow& row) const;

  void score_jointly(const KeyedRows& rows, const std::vector<std::size_t>& classes, const Matrix<double>& scores) const;

  double score_of(KeyedRow& row, const Sparse& features, std::size_t q);

  /// The number of columns of a dict that is scored: an unknown feature is a 0 in column 0.
  std::size_t scored_width() const { return learner_.width(std::max<std::size_t>(1, columns_.count())); }

  /// Whether growing cannot take long.
  bool is_small() const { return columns_.count() < std::size_t{1} << 16; }

  /// With a scale, every copy of an example is seen anew, and a learner that forgets fades by every copy.
  bool is_short_to_learn(std::size_t size, std::size_t columns, std::int32_t code, double weight, bool balanced) const;

  /// Votes take as long as there were updates.
  bool is_short_to_score(std::size_t size, std::size_t problems) const {
    return size <= short_work && problems <= short_work && size * problems <= short_work && !votes_;
  }

  static novikoff::Batch batch_of(const RowsInMemory& rows, const Codes& codes, const std::optional<Numbers>& weights,
                                  const Numbers& squared_norms, const Order& order, const std::optional<Vector<double>>& duals,
                                  std::size_t begin, std::size_t end);

  nb::tuple configuration_;
  std::string keep_;
  bool votes_;
  std::optional<novikoff::Memory> memory_;  // of a new problem
  std::atomic<bool> calibrated_{false};
  novikoff::Learner learner_;
  Columns columns_;
  std::atomic<std::size_t> problem_count_{0};
  std::shared_ptr<novikoff::Use> use_ = std::make_shared<novikoff::Use>();
  std::vector<std::unique_ptr<KeyedRow>> rows_;  // the pool; threads with the interpreter's lock use it
};

using OnlineClass = nb::class_<OnlineLearner>;

/// Binds blocks of problems.
void bind_online_blocks(nb::module_& m, OnlineClass& learner);

/// Binds what is read of a learner without changing it, its state, and its copies.
void bind_online_state(OnlineClass& learner);
