// The centred scale of the columns of a stream: the mean of frequent columns is subtracted, and all are divided by the root
// mean square of what remains.
//
// Let t be the weight of the examples so far. For column j, let n_j be the weight of those in which it is not 0, c_j its first
// such value, and s_j and q_j the sums of their weights times x_j - c_j and (x_j - c_j)^2. The mean of these values is
// m = c_j + s_j/n_j, and the sum of squared differences from it is d = q_j - s_j^2/n_j. The learner sees (x_j - a_j) f_j, where
//
//   a_j = m n_j/t,  f_j^2 = t / (d + n_j (m - a_j)^2 + (t - n_j) a_j^2)   if 2 n_j >= t: mean and deviation, zeros included;
//   a_j = 0,        f_j^2 = n_j / (d + n_j m^2)                           otherwise: as with a running scale.
//
// There are at most twice as many centred columns as an average row has values, so a row costs as much as it has values other
// than 0, up to a factor. A column that is constant is seen as 0: it says what the intercept says.
//
// a_j and f_j are computed anew if x_j is not 0 and n_j has grown by a quarter, if column j begins or ends to be centred, and
// if |x_j - a_j| f_j would exceed 4; otherwise they remain, because quotients and roots take long.  docs/theory.md S5
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "novikoff/rows.hpp"
#include "novikoff/running_scale.hpp"

namespace novikoff {

struct CentredScale {
  struct alignas(64) Column {  // one line of the cache
    double weight = 0;         // n, of the examples in which the column is not 0
    double sum = 0;            // s, of their weights times the differences from the first value
    double squares = 0;        // q, of their weights times the squares of these
    double origin = 0;         // c, the first value
    double shift = 0;          // a
    double factor = 0;         // f
  };
  static constexpr double largest_kept = 4;  // seen values that are larger have a_j and f_j computed anew

  std::vector<Column> columns;
  double total = 0;  // t

  void resize(std::size_t count) {
    if (count > columns.size()) columns.resize(count);
  }

  /// Finds the centred columns again, after the columns were replaced.
  void restore() {
    centred_.clear();
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (is_centred(columns[j], total)) centred_.push_back(j);
  }

  std::vector<double> factors() const { return each(&Column::factor); }
  std::vector<double> shifts() const { return each(&Column::shift); }
  std::vector<double> each(double Column::* field) const {
    std::vector<double> all(columns.size());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = columns[j].*field;
    return all;
  }

  /// Appends the values of x as the learner sees them now. Nothing is counted.
  template <class T>
  void apply(const DenseRow<T>& x, std::vector<double>& values, auto&) const {
    double* place = grown(values, x.size);
    x.for_each([&](std::size_t j, double value) { *place++ = j < columns.size() ? seen(columns[j], value) : 0.0; });
  }
  /// The same for a sparse row, with its columns, and the centred columns that it does not have, in ascending order.
  template <class T, class I>
  void apply(const SparseRow<T, I>& x, std::vector<double>& values, std::vector<I>& indices) const {
    for (std::size_t k = 0; k < x.size; ++k) __builtin_prefetch(columns.data() + x.indices[k], 1);
    with_ascending(x, [&](const auto& distinct) { append(distinct, values, indices); });
  }

  /// Counts an example of weight at most 1, and appends its values as `apply` does. All columns must be known.
  template <class T>
  void see(const DenseRow<T>& x, double weight, std::vector<double>& values, auto&) {
    const double before = std::exchange(total, total + weight);
    double* place = grown(values, x.size);
    bool has_left = false;
    x.for_each([&](std::size_t j, double value) {
      Column& c = columns[j];
      if (value != 0) {
        count(j, value, weight, before);
      } else if (is_centred(c, before) && !is_centred(c, total)) {
        has_left = true;
        renew(c);
      }
      *place++ = seen(c, value);
    });
    if (has_left) std::erase_if(centred_, [&](std::size_t j) { return !is_centred(columns[j], total); });
  }
  template <class T, class I>
  void see(const SparseRow<T, I>& x, double weight, std::vector<double>& values, std::vector<I>& indices) {
    with_ascending(x, [&](const auto& distinct) {
      const double before = std::exchange(total, total + weight);
      distinct.for_each([&](std::size_t j, double value) {
        if (value != 0) count(j, value, weight, before);
      });
      std::erase_if(centred_, [&](std::size_t j) {
        const bool left = !is_centred(columns[j], total);
        if (left) renew(columns[j]);
        return left;
      });
      append(distinct, values, indices);
    });
  }

 private:
  static bool is_centred(const Column& c, double total) { return c.weight > 0 && 2 * c.weight >= total; }

  static double seen(const Column& c, double value) {
    const double u = (value - c.shift) * c.factor;
    return std::abs(u) < least_scaled_value ? 0.0 : u;
  }

  /// The exponent of a weight and its first two binary digits: they change each time the weight has grown by a quarter or so.
  static std::uint64_t quarters(double weight) { return std::bit_cast<std::uint64_t>(weight) >> 50; }

  /// Counts a value other than 0. The total has the present example, and was `before` without it.
  [[gnu::always_inline]] void count(std::size_t j, double value, double weight, double before) {
    Column& c = columns[j];
    const double weight_before = c.weight;
    const bool was_centred = is_centred(c, before);
    if (weight_before == 0) c.origin = value;
    const double difference = value - c.origin;
    c.weight += weight;
    c.sum += weight * difference;
    c.squares += weight * (difference * difference);
    const bool begins = !was_centred && is_centred(c, total);  // a column that occurs does not end to be centred
    if (begins) centred_.insert(std::ranges::lower_bound(centred_, j), j);
    const bool is_large = !(std::abs((value - c.shift) * c.factor) <= largest_kept);
    if (begins || is_large || quarters(weight_before) != quarters(c.weight)) renew(c);
  }

  [[gnu::noinline]] void renew(Column& c) const {
    const double offset = c.sum / c.weight, mean = c.origin + offset, rest = c.squares - c.sum * offset;
    const double spread = rest > 0 ? rest : 0.0;
    const bool centred = is_centred(c, total);
    const double shift = centred ? mean * (c.weight / total) : 0.0, from = mean - shift;
    const double squares = spread + c.weight * (from * from) + (centred ? (total - c.weight) * (shift * shift) : 0.0);
    const bool is_known = squares >= least_squared_norm && std::isfinite(squares);
    c.shift = is_known ? shift : 0.0;
    c.factor = is_known ? std::sqrt((centred ? total : c.weight) / squares) : 0.0;
  }

  /// Returns the place of this many further numbers.
  template <class T>
  static T* grown(std::vector<T>& all, std::size_t more) {
    all.resize(all.size() + more);
    return all.data() + all.size() - more;
  }

  /// Appends the values of a sparse row with ascending columns, and of the centred columns that it does not have.
  template <class I>
  void append(const auto& x, std::vector<double>& values, std::vector<I>& indices) const {
    double* place = grown(values, x.size + centred_.size());
    I* index = grown(indices, x.size + centred_.size());
    const auto add = [&](std::size_t j, double value) {
      *index++ = static_cast<I>(j);
      *place++ = j < columns.size() ? seen(columns[j], value) : 0.0;
    };
    auto next = centred_.begin();
    x.for_each([&](std::size_t j, double value) {
      for (; next != centred_.end() && *next < j; ++next) add(*next, 0.0);
      if (next != centred_.end() && *next == j) ++next;
      add(j, value);
    });
    for (; next != centred_.end(); ++next) add(*next, 0.0);
    values.resize(static_cast<std::size_t>(place - values.data()));
    indices.resize(values.size());
  }

  /// Calls `use` with the row, or if its columns do not ascend, with one in which they do, and values of a column are summed.
  template <class T, class I>
  static void with_ascending(const SparseRow<T, I>& x, auto&& use) {
    if (const auto* end = x.indices + x.size; std::adjacent_find(x.indices, end, std::greater_equal{}) == end) return use(x);
    std::vector<std::pair<I, double>> terms;
    for (std::size_t k = 0; k < x.size; ++k) terms.emplace_back(x.indices[k], static_cast<double>(x.values[k]));
    std::ranges::stable_sort(terms, {}, &std::pair<I, double>::first);
    std::vector<I> indices;
    std::vector<double> sums;
    for (const auto& [j, value] : terms)
      if (!indices.empty() && indices.back() == j)
        sums.back() += value;
      else
        indices.push_back(j), sums.push_back(value);
    use(SparseRow<double, I>{sums.data(), indices.data(), sums.size()});
  }

  std::vector<std::size_t> centred_;  // columns, ascending
};

}  // namespace novikoff
