// Rows of a batch as a learner that scales the columns sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "novikoff/batch.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/scale.hpp"

namespace novikoff {

/// Rows of a batch as a learner sees them, in parts of bounded size. A row of weight k becomes k rows. If scores are wanted and
/// a row is predicted otherwise than it is learned, it is preceded by itself as it is predicted, with the weight 0: it is
/// scored, and nothing is learned from it. A calibration takes this score, with the weight of the row, and not those of copies.
template <class Rows>
class SeenRows {
 public:
  SeenRows(Scale& scale, const Rows& rows, const Batch& batch, bool with_scores)
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
      if (row_ + 1 < end_) scale_.expect(rows_[row_ + 1]);
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
      return CsrRows<double>{values_.data(), indices_.data(), offsets_.data(), codes_.size(), scale_.width(rows_.columns)};
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

  void open(const Row auto& x) {
    const double weight = batch_.weights.empty() ? 1.0 : batch_.weights[row_];
    whole_ = static_cast<std::int64_t>(weight);
    part_ = weight - static_cast<double>(whole_);
    is_open_ = true;
    score_weight_ = with_scores_ ? weight : 0.0;
    if (!with_scores_) return;
    scored_.emplace_back(codes_.size(), row_);
    if (weight > 0) return;
    scale_.apply(x, values_, indices_);
    add_row(values_.size(), 0.0);
  }

  void add_copy(const Row auto& x) {
    const double weight = whole_ > 0 ? 1.0 : part_;
    const std::size_t first = values_.size();
    std::size_t learned = first;
    if (score_weight_ == 0)
      scale_.see(x, weight, sums_, values_, indices_);
    else if (scale_.see_both(x, weight, sums_, values_, indices_))
      add_row(learned = first + (values_.size() - first) / 2, 0.0);
    add_row(values_.size(), weight, norm_of_seen(row_like(x, values_, indices_, learned)));
    if (whole_ > 0)
      --whole_;
    else
      part_ = 0;
  }

  /// Adds a row of which the values were appended, up to `end`. The first one of an example is scored.
  void add_row(std::size_t end, double weight, double squared_norm = 0) {
    codes_.push_back(batch_.codes[row_]);
    weights_.push_back(weight);
    score_weights_.push_back(std::exchange(score_weight_, 0.0));
    norms_.push_back(squared_norm);
    if constexpr (is_sparse) offsets_.push_back(static_cast<std::int64_t>(end));
  }

  Scale& scale_;
  const Rows& rows_;
  Batch batch_;
  bool with_scores_;
  std::size_t row_ = 0, end_ = 0;
  bool is_open_ = false;  // whether some copies of row_ may be left
  std::int64_t whole_ = 0;
  double part_ = 0, score_weight_ = 0;  // that of the score, until it is given
  std::vector<double> values_, weights_, score_weights_, norms_, sums_;
  std::vector<std::int32_t> indices_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> codes_;
  std::vector<std::pair<std::size_t, std::size_t>> scored_;  // a place in this part, and the row of the batch
};

}  // namespace novikoff
