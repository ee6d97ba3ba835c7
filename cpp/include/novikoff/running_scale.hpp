// The scale of the columns of a stream: rows are divided by the root mean square of what each column has shown so far.
//
// For column j, let n_j be the weight of the examples so far in which it is not 0, and q_j the sum of their weights times
// x_j^2, both with the present example. The learner sees u_j = x_j sqrt(n_j / q_j) instead of x_j. Zeros remain zeros and do
// not count, so a row costs as much as it has values other than 0, sparse and dense rows are seen alike, and a column of zeros
// and ones remains as it is.  docs/theory.md S
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "novikoff/pass.hpp"
#include "novikoff/rows.hpp"

namespace novikoff {

/// Scaled values that are smaller count as 0: their squares would lose digits.
constexpr double least_scaled_value = 1e-120;
static_assert(least_scaled_value * least_scaled_value > least_squared_norm / 2);

/// A row with the columns of another one and these values, of which there is one for each of its values.
template <class T>
DenseRow<double> with_values(const DenseRow<T>& x, const double* values) {
  return {values, x.size, 1};
}
template <class T, class I>
SparseRow<double, I> with_values(const SparseRow<T, I>& x, const double* values) {
  return {values, x.indices, x.size};
}

struct RunningScale {
  struct Column {
    double weight = 0;   // of the examples in which the column is not 0
    double squares = 0;  // sum of their weights times the squared values
  };
  std::vector<Column> columns;

  void resize(std::size_t count) {
    if (count > columns.size()) columns.resize(count);
  }

  /// What values of column j are multiplied by; 0 if it has shown nothing, or only values whose squares underflow.
  double factor(std::size_t j) const { return j < columns.size() ? factor(columns[j]) : 0.0; }

  std::vector<double> factors() const {
    std::vector<double> all(columns.size());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = factor(columns[j]);
    return all;
  }

  /// Writes the values of x as the learner sees them now. Nothing is counted.
  void apply(const Row auto& x, double* seen) const {
    x.for_each([&](std::size_t j, double value) { *seen++ = value == 0 ? 0.0 : scaled(value, factor(j)); });
  }

  /// Counts an example of weight at most 1, and writes its values as the learner sees them. All columns must be known. The
  /// values of a repeated index are summed: the first one becomes the sum, the others 0.
  void see(const Row auto& x, double weight, std::vector<double>& sums, double* seen) {
    add_up(x, sums, seen);
    x.for_each([&](std::size_t j, double) {
      if (*seen != 0) *seen = scaled(*seen, factor(count(columns[j], *seen, weight)));
      ++seen;
    });
  }

  /// Counts an example of any weight: an integer weight k as k examples, a fraction as one last example.
  void observe(const Row auto& x, double weight, std::vector<double>& sums, std::vector<double>& values) {
    values.resize(x.size);
    add_up(x, sums, values.data());
    auto whole = static_cast<std::int64_t>(weight);
    const double part = weight - static_cast<double>(whole);
    const auto count_all = [&](double copy) {
      std::size_t k = 0;
      x.for_each([&](std::size_t j, double) {
        if (const double value = values[k++]; value != 0) count(columns[j], value, copy);
      });
    };
    for (; whole > 0; --whole) count_all(1.0);
    if (part > 0) count_all(part);
  }

  /// Writes the values of x as they are seen now, with those of repeated indices summed as by `see`.
  void apply_to_sums(const Row auto& x, std::vector<double>& sums, double* seen) const {
    add_up(x, sums, seen);
    x.for_each([&](std::size_t j, double) {
      if (*seen != 0) *seen = scaled(*seen, factor(j));
      ++seen;
    });
  }

 private:
  static double factor(const Column& c) { return c.squares >= least_squared_norm ? std::sqrt(c.weight / c.squares) : 0.0; }

  static double scaled(double value, double factor) {
    const double seen = value * factor;
    return std::abs(seen) < least_scaled_value ? 0.0 : seen;
  }

  static const Column& count(Column& c, double value, double weight) {
    c.weight += weight;
    c.squares += weight * (value * value);
    return c;
  }

  /// Copies the values of x, with those of repeated indices summed. `sums` must be all 0, and is so again afterwards.
  void add_up(const Row auto& x, std::vector<double>& sums, double* values) const {
    if constexpr (requires { x.indices; })
      if (const auto* end = x.indices + x.size; std::adjacent_find(x.indices, end, std::greater_equal{}) != end) {
        if (sums.size() < columns.size()) sums.resize(columns.size());
        x.for_each([&](std::size_t j, double value) { sums[j] += value; });
        x.for_each([&](std::size_t j, double) { *values++ = std::exchange(sums[j], 0.0); });
        return;
      }
    x.for_each([&](std::size_t, double value) { *values++ = value; });
  }
};

/// |u|^2 of a row that was seen, which has no value in a column twice.
template <class R>
double norm_of_seen(const R& u) {
  if constexpr (requires { u.sum_of_squares(); })
    return u.sum_of_squares();
  else
    return u.squared_norm();
}

/// Calls `learn(u, squared_norm, weight)` for each copy of an example, as it is seen: an integer weight k is k copies, one
/// after the other, and a fraction is one last copy.
void for_each_seen(const Row auto& x, double weight, RunningScale& scale, std::vector<double>& sums,
                   std::vector<double>& values, const auto& learn) {
  values.resize(x.size);
  auto whole = static_cast<std::int64_t>(weight);
  double part = weight - static_cast<double>(whole);
  while (whole > 0 || part > 0) {
    const double copy = whole > 0 ? 1.0 : part;
    scale.see(x, copy, sums, values.data());
    const auto u = with_values(x, values.data());
    learn(u, norm_of_seen(u), copy);
    if (whole > 0)
      --whole;
    else
      part = 0;
  }
}

/// Rows of a batch as a learner sees them, in parts of bounded size. A row of weight k becomes k rows. If scores are wanted,
/// each row is preceded by itself as it is seen before it is counted, with the weight 0: it is scored, and nothing is learned
/// from it. A calibration takes this score, with the weight of the row, and not those of the copies.
template <class Rows>
class SeenRows {
 public:
  SeenRows(RunningScale& scale, const Rows& rows, const Batch& batch, bool with_scores)
      : scale_(scale), rows_(rows), batch_(batch), with_scores_(with_scores) {}

  /// Continues with rows [begin, end) of the batch.
  void begin(std::size_t begin, std::size_t end) {
    row_ = begin;
    end_ = end;
    is_open_ = false;
  }

  /// Makes the next part. Returns false if there is none.
  bool next() {
    values_.clear();
    codes_.clear();
    weights_.clear();
    score_weights_.clear();
    norms_.clear();
    scored_.clear();
    if constexpr (is_sparse) {
      indices_.clear();
      offsets_.assign(1, 0);
    }
    while (row_ < end_ && values_.size() < most_values && codes_.size() < most_rows) {
      const auto x = rows_[row_];
      if (!is_open_) open(x);
      while ((whole_ > 0 || part_ > 0) && values_.size() < most_values && codes_.size() < most_rows) add_copy(x);
      if (whole_ > 0 || part_ > 0) break;
      is_open_ = false;
      ++row_;
    }
    return !codes_.empty();
  }

  /// The rows of this part.
  auto rows() const {
    if constexpr (is_sparse)
      return CsrRows<double, Index>{values_.data(), indices_.data(), offsets_.data(), codes_.size(), rows_.columns};
    else
      return DenseRows<double>{values_.data(), codes_.size(), rows_.columns, static_cast<std::ptrdiff_t>(rows_.columns), 1};
  }

  /// Their labels and weights. Scores are not asked for.
  Batch batch() const {
    const bool is_plain = batch_.weights.empty() && !with_scores_;
    Batch part{codes_, is_plain ? std::span<const double>{} : weights_, norms_, {}, {}, 0, codes_.size()};
    part.score_weights = score_weights_;
    return part;
  }

  std::size_t size() const { return codes_.size(); }

  /// Moves scores of this part to the places of the rows of the batch.
  void place_scores(std::span<const double> of_part, std::span<double> of_batch) const {
    for (const auto& [place, row] : scored_) of_batch[row - batch_.begin] = of_part[place];
  }

 private:
  static constexpr bool is_sparse = requires(Rows rows) { rows.offsets; };
  static constexpr std::size_t most_values = 1 << 14, most_rows = 1 << 12;  // they stay in the cache

  template <class R>
  struct IndexOf {
    using Type = std::int64_t;
  };
  template <class T, class I>
  struct IndexOf<CsrRows<T, I>> {
    using Type = I;
  };
  using Index = typename IndexOf<Rows>::Type;

  void open(const Row auto& x) {
    const double weight = batch_.weights.empty() ? 1.0 : batch_.weights[row_];
    whole_ = static_cast<std::int64_t>(weight);
    part_ = weight - static_cast<double>(whole_);
    is_open_ = true;
    if (!with_scores_) return;
    scored_.emplace_back(codes_.size(), row_);
    scale_.apply(x, add_row(x, 0.0, weight));
    norms_.push_back(0.0);  // nothing is learned from this row
  }

  void add_copy(const Row auto& x) {
    const double weight = whole_ > 0 ? 1.0 : part_;
    double* const seen = add_row(x, weight, 0.0);
    scale_.see(x, weight, sums_, seen);
    norms_.push_back(norm_of_seen(with_values(x, seen)));
    if (whole_ > 0)
      --whole_;
    else
      part_ = 0;
  }

  /// Returns the place of the values of another row.
  double* add_row(const Row auto& x, double weight, double score_weight) {
    codes_.push_back(batch_.codes[row_]);
    weights_.push_back(weight);
    score_weights_.push_back(score_weight);
    const std::size_t first = values_.size();
    values_.resize(first + x.size);
    if constexpr (is_sparse) {
      indices_.insert(indices_.end(), x.indices, x.indices + x.size);
      offsets_.push_back(static_cast<Index>(values_.size()));
    }
    return values_.data() + first;
  }

  RunningScale& scale_;
  const Rows& rows_;
  Batch batch_;
  bool with_scores_;
  std::size_t row_ = 0, end_ = 0;
  bool is_open_ = false;  // whether some copies of row_ may be left
  std::int64_t whole_ = 0;
  double part_ = 0;
  std::vector<double> values_, weights_, score_weights_, norms_, sums_;
  std::vector<Index> indices_, offsets_;
  std::vector<std::int32_t> codes_;
  std::vector<std::pair<std::size_t, std::size_t>> scored_;  // a place in this part, and the row of the batch
};

}  // namespace novikoff
