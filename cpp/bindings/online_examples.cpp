// An online learner: learning from single examples, and scoring them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "keyed_row.hpp"
#include "keyed_rows.hpp"
#include "novikoff/one_example.hpp"
#include "novikoff/scale.hpp"
#include "online_learner.hpp"

using namespace novikoff;

/// A row that no other thread uses, from the pool. Only threads with the interpreter's lock take rows and put them back.
class OnlineLearner::BorrowedRow {
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

/// Other keys and numbers than Python's own are converted first, because
/// that runs Python code.
template <class Use>
auto OnlineLearner::with_row(const nb::dict& x, const auto& is_short, const auto& use)
    -> decltype(use(std::declval<KeyedRow&>())) {
  const BorrowedRow borrowed(*this);
  KeyedRow& row = *borrowed;
  if (!row.read(x)) [[unlikely]]
    row.read(KeyedRow::plain_copy(x));
  const Use mine(*use_);
  if (is_short(row)) [[likely]]
    return use(row);
  const nb::object keys = row.keys();
  const nb::gil_scoped_release released;
  return use(row);
}

bool OnlineLearner::learn_row(const RowsInMemory& rows, std::int32_t code, double weight, bool balanced) {
  return std::visit(
      [&](const auto& view) {
        if (view.count == 0) throw std::invalid_argument("the matrix has no row.");
        const auto x = view[0];
        novikoff::Repeats repeats;
        const double squared_norm = x.examine(view.columns, repeats);
        if (!std::isfinite(squared_norm)) return false;
        in_use<Writing>([&] { return is_short_to_learn(x.size, view.columns, code, weight, balanced); },
                        [&] {
                          check_code(code);
                          const double own = checked_weight(code, weight, balanced);
                          learner_.learn_one(x, view.columns, squared_norm, code, own);
                        });
        return true;
      },
      rows.view);
}

void OnlineLearner::learn_one(const nb::dict& x, std::int32_t code, double weight, bool balanced) {
  with_row<Writing>(
      x,
      [&](const KeyedRow& row) {
        return is_short_to_learn(row.size(), columns_.count() + row.size(), code, weight, balanced) &&
               (is_small() || columns_.table.has_room(row.size()));
      },
      [&](KeyedRow& row) {
        check_code(code);
        const double own = checked_weight(code, weight, balanced);
        const Sparse features = row.add(columns_);
        learner_.learn_one(features, columns_.count(), row.squared_norm(columns_), code, own);
      });
}

double OnlineLearner::score_one(const nb::dict& x, std::size_t q) {
  return with_row<Reading>(
      x, [&](const KeyedRow& row) { return is_short_to_score(row.size(), 1); },
      [&](KeyedRow& row) { return score_of(row, features_of(row), q); });
}

std::vector<double> OnlineLearner::scores_of_one(const nb::dict& x, const std::vector<std::size_t>& problems) {
  return with_row<Reading>(
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

void OnlineLearner::score_many(const nb::list& dicts, const std::vector<std::size_t>& problems, Matrix<double> scores) {
  KeyedRows rows(dicts);
  if (scores.shape(0) != problems.size() || scores.shape(1) != rows.count())
    throw std::invalid_argument("scores must have one row per problem, and one entry per dict in each.");
  in_use<Reading>([&] { return is_short_to_score(rows.entries() + rows.count(), problems.size()); },
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

Sparse OnlineLearner::features_of(KeyedRow& row) const {
  const Sparse features = row.look_up(columns_);
  return learner_.scale ? row.seen(features, *learner_.scale) : features;
}

void OnlineLearner::score_jointly(const KeyedRows& rows, const std::vector<std::size_t>& classes,
                                  const Matrix<double>& scores) const {
  std::vector<double> all(learner_.count());
  for (std::size_t i = 0; i < rows.count(); ++i) {
    learner_.joint->score(rows[i], all);
    for (std::size_t k = 0; k < classes.size(); ++k) scores.data()[k * rows.count() + i] = all[classes[k]];
  }
}

double OnlineLearner::score_of(KeyedRow& row, const Sparse& features, std::size_t q) {
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

bool OnlineLearner::is_short_to_learn(std::size_t size, std::size_t columns, std::int32_t code, double weight,
                                      bool balanced) const {
  const std::vector<Hypothesis>& problems = learner_.problems;
  if (learner_.count() * (size + 1) > short_work) return false;
  if (learner_.scale || memory_) {
    const double copies = balanced ? learner_.balance.estimate(code, weight) : weight;
    if (!(copies <= 16)) return false;
  }
  if (columns < std::size_t{1} << 16 || learner_.count() == 0) return true;
  return (learner_.joint ? learner_.joint->columns.capacity() : problems[0].weights.capacity()) >= columns;
}

double OnlineLearner::checked_weight(std::int32_t code, double weight, bool balanced) {
  const double most = memory_ && memory_->fade < 1 ? 1e6 : learner_.scale ? 1e8 : 0x1p53;
  if (!(weight >= 1e-30 && weight <= most)) throw std::runtime_error("not a weight");
  if (!balanced) return weight;
  if (code < 0) throw std::out_of_range("an example has no label.");
  const std::optional<double> own = learner_.balance.weigh(code, weight, most);
  if (!own) throw std::runtime_error("not a weight");
  return *own;
}
