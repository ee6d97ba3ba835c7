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
// An example is learned as it was predicted, with a_j and f_j of the examples before it. They are computed anew after it, if
// x_j is not 0 and n_j has reached a power of two, and if a frequent column becomes rare; otherwise they remain, because
// quotients and roots take long. They are computed before the example is learned if they do not fit x_j: if f_j is 0, as that
// of a new column and of one that was constant, or if |x_j - a_j| f_j exceeds 8.  docs/theory.md S5
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
    double centred = 0;        // 1 if the column was frequent when a and f were computed, else 0
    double next = 0;           // the weight from which on a and f are computed again

    bool operator==(const Column&) const = default;
  };
  static constexpr double largest_kept = 8;  // of |x_j - a_j| f_j

  std::vector<Column> columns;
  double total = 0;  // t

  bool operator==(const CentredScale& other) const { return total == other.total && columns == other.columns; }

  void resize(std::size_t count) {
    if (count > columns.size()) columns.resize(count);
  }

  /// Computes what follows from the columns, after they were replaced.
  void restore() {
    centred_.clear();
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].centred != 0) centred_.push_back(j);
      set_next(columns[j]);
    }
  }

  std::vector<double> factors() const { return each(&Column::factor); }
  std::vector<double> shifts() const { return each(&Column::shift); }
  std::vector<double> each(double Column::* field) const {
    std::vector<double> all(columns.size());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = columns[j].*field;
    return all;
  }

  /// Prefetches what is known of the columns of a row that comes soon.
  template <class T>
  [[gnu::always_inline]] void expect(const SparseRow<T>& x) const {
    for (std::size_t k = 0; k < x.size; ++k) __builtin_prefetch(columns.data() + x.indices[k], 1);
  }

  /// Appends the values of x as the learner sees them now. Nothing is counted.
  template <class T>
  void apply(const DenseRow<T>& x, std::vector<double>& values, auto&) const {
    double* place = grown(values, x.size);
    x.for_each([&](std::size_t j, double value) { *place++ = j < columns.size() ? seen(columns[j], value) : 0.0; });
  }
  /// The same for a sparse row, with its columns, and the centred columns that it does not have, in ascending order.
  template <class T>
  void apply(const SparseRow<T>& x, std::vector<double>& values, std::vector<std::int32_t>& indices) const {
    with_ascending(x, [&](const auto& distinct) {
      double* const place = append(distinct, values, indices);
      std::size_t missing = centred_.size(), k = 0;
      distinct.for_each([&](std::size_t j, double value) {
        missing -= j < columns.size() && columns[j].centred != 0;
        place[k++] = j < columns.size() ? seen(columns[j], value) : 0.0;
      });
      insert(missing, distinct.size, values, indices, [&](std::size_t j) { return seen(columns[j], 0.0); });
    });
  }

  /// Counts an example of weight at most 1, and appends its values as they are learned. All columns must be known.
  template <Row X>
  void see(const X& x, double weight, std::vector<double>& values, std::vector<std::int32_t>& indices) {
    const std::size_t first = values.size();
    see_as_predicted(x, weight, values, indices);
    enter_corrections(x, values, indices, values.size() - first);
  }

  /// The same, but the values are appended as they are predicted, and once more if they are learned otherwise and the
  /// difference may change a score. Returns whether that is so.
  template <Row X>
  bool see_both(const X& x, double weight, std::vector<double>& values, std::vector<std::int32_t>& indices) {
    const std::size_t first = values.size();
    see_as_predicted(x, weight, values, indices);
    const std::size_t size = values.size() - first;
    if (score_changes_) {
      repeat(values, size);
      if constexpr (requires { x.indices; }) repeat(indices, size);
    }
    enter_corrections(x, values, indices, size);
    return score_changes_;
  }

 private:
  static double seen(const Column& c, double value) {
    const double u = (value - c.shift) * c.factor;
    return std::abs(u) < least_scaled_value ? 0.0 : u;
  }

  /// The values of x are appended as they are predicted. `corrections_` gets those that are learned otherwise.
  template <class T>
  void see_as_predicted(const DenseRow<T>& x, double weight, std::vector<double>& values, auto&) {
    begin(weight);
    double* place = grown(values, x.size);
    x.for_each([&](std::size_t j, double value) {
      *place++ = value != 0 ? count(j, value, weight) : columns[j].centred != 0 ? pass_over(j) : 0.0;
    });
    end();
  }
  template <class T>
  void see_as_predicted(const SparseRow<T>& x, double weight, std::vector<double>& values, std::vector<std::int32_t>& indices) {
    begin(weight);
    with_ascending(x, [&](const auto& distinct) {
      double* place = append(distinct, values, indices);
      std::size_t missing = centred_.size();
      distinct.for_each([&](std::size_t j, double value) {
        missing -= columns[j].centred != 0;
        *place++ = value != 0 ? count(j, value, weight) : columns[j].centred != 0 ? pass_over(j) : 0.0;
      });
      insert(missing, distinct.size, values, indices, [&](std::size_t j) { return pass_over(j); });
    });
    end();
  }

  void begin(double weight) {
    total += weight;
    corrections_.clear();
    joining_.clear();
    score_changes_ = some_leave_ = false;
  }

  void end() {
    if (some_leave_) std::erase_if(centred_, [&](std::size_t j) { return columns[j].centred == 0; });
    for (std::size_t j : joining_) centred_.insert(std::ranges::lower_bound(centred_, j), j);
  }

  /// Enters the corrections in the last row, which has so many values.
  template <Row X>
  void enter_corrections(const X& x, std::vector<double>& values, const std::vector<std::int32_t>& indices,
                         std::size_t size) const {
    double* const row = values.data() + values.size() - size;
    for (const auto& [j, value] : corrections_) {
      std::size_t place = j;
      if constexpr (requires { x.indices; }) {
        const std::int32_t* const first = indices.data() + indices.size() - size;
        place = static_cast<std::size_t>(std::lower_bound(first, first + size, static_cast<std::int32_t>(j)) - first);
      }
      row[place] = value;
    }
  }

  /// Counts a value other than 0. Returns how it is predicted.
  [[gnu::always_inline]] double count(std::size_t j, double value, double weight) {
    Column& c = columns[j];
    const double u = (value - c.shift) * c.factor, difference = value - c.origin, heavier = c.weight + weight;
    if (!(std::abs(u) <= largest_kept) | !(heavier < c.next)) [[unlikely]]  // `|`, because one branch is faster than two
      return count_and_renew(j, value, weight);
    c.weight = heavier;
    c.sum += weight * difference;
    c.squares += weight * (difference * difference);
    return std::abs(u) < least_scaled_value ? 0.0 : u;
  }

  /// The same, and computes a_j and f_j.
  [[gnu::noinline]] double count_and_renew(std::size_t j, double value, double weight) {
    Column& c = columns[j];
    const bool is_new = c.weight == 0, fits = c.factor != 0 && std::abs((value - c.shift) * c.factor) <= largest_kept;
    const double predicted = seen(c, value);
    if (is_new) c.origin = value;
    const double difference = value - c.origin;
    c.weight += weight;
    c.sum += weight * difference;
    c.squares += weight * (difference * difference);
    renew(j);
    if (!fits) correct(j, value, predicted, is_new);
    return predicted;
  }

  /// Takes note of a 0 in a frequent column. Returns how it is predicted.
  double pass_over(std::size_t j) {
    const Column& c = columns[j];
    const double predicted = seen(c, 0.0);
    const bool fits = c.factor != 0 && std::abs(c.shift * c.factor) <= largest_kept;
    if (!fits || 2 * c.weight < total) renew(j);
    if (!fits) correct(j, 0.0, predicted, false);
    return predicted;
  }

  /// Takes note of a value that is learned otherwise than it was predicted. That of a new column does not change a score,
  /// because it has no weight yet.
  void correct(std::size_t j, double value, double predicted, bool is_new) {
    const double learned = seen(columns[j], value);
    if (learned == predicted) return;
    corrections_.emplace_back(j, learned);
    score_changes_ |= !is_new;
  }

  /// Computes a_j and f_j.
  [[gnu::noinline]] void renew(std::size_t j) {
    Column& c = columns[j];
    const bool centred = 2 * c.weight >= total, was_centred = c.centred != 0;
    if (centred && !was_centred) joining_.push_back(j);
    some_leave_ |= !centred && was_centred;
    c.centred = centred;
    const double offset = c.sum / c.weight, mean = c.origin + offset, rest = c.squares - c.sum * offset;
    const double spread = rest > 0 ? rest : 0.0;
    const double shift = centred ? mean * (c.weight / total) : 0.0, from = mean - shift;
    const double squares = spread + c.weight * (from * from) + (centred ? (total - c.weight) * (shift * shift) : 0.0);
    const bool is_known = squares >= least_squared_norm && std::isfinite(squares);
    c.shift = is_known ? shift : 0.0;
    c.factor = is_known ? std::sqrt((centred ? total : c.weight) / squares) : 0.0;
    set_next(c);
  }

  /// The next weight is a power of two; but a column that has no factor yet gets one as soon as possible.
  static void set_next(Column& c) {
    constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
    c.next = c.factor == 0 ? 0.0 : 2 * std::bit_cast<double>(std::bit_cast<std::uint64_t>(c.weight) & exponent);
  }

  /// Returns the place of this many further numbers.
  template <class T>
  static T* grown(std::vector<T>& all, std::size_t more) {
    all.resize(all.size() + more);
    return all.data() + all.size() - more;
  }

  /// Appends the last numbers once more.
  template <class T>
  static void repeat(std::vector<T>& all, std::size_t last) {
    T* copy = grown(all, last);
    std::copy_n(copy - last, last, copy);
  }

  /// Appends the columns of a sparse row. Returns the place of its values.
  static double* append(const auto& x, std::vector<double>& values, std::vector<std::int32_t>& indices) {
    indices.insert(indices.end(), x.indices, x.indices + x.size);
    return grown(values, x.size);
  }

  /// Inserts the centred columns that are missing in the last row, which has so many values. `seen_at(j)` is the value of one.
  void insert(std::size_t missing, std::size_t size, std::vector<double>& values, std::vector<std::int32_t>& indices,
              auto&& seen_at) const {
    double* const place = grown(values, missing) - size;
    std::int32_t* const index = grown(indices, missing) - size;
    for (auto next = centred_.end(); missing > 0;) {  // from the last value to the first, which moves
      const std::size_t j = *--next;
      for (; size > 0 && static_cast<std::size_t>(index[size - 1]) > j; --size) {
        place[size + missing - 1] = place[size - 1];
        index[size + missing - 1] = index[size - 1];
      }
      if (size > 0 && static_cast<std::size_t>(index[size - 1]) == j) continue;
      --missing;
      index[size + missing] = static_cast<std::int32_t>(j);
      place[size + missing] = seen_at(j);
    }
  }

  /// Calls `use` with the row, or if its columns do not ascend, with one in which they do, and values of a column are summed.
  template <class T>
  static void with_ascending(const SparseRow<T>& x, auto&& use) {
    if (const auto* end = x.indices + x.size; std::adjacent_find(x.indices, end, std::greater_equal{}) == end) return use(x);
    std::vector<std::pair<std::int32_t, double>> terms;
    for (std::size_t k = 0; k < x.size; ++k) terms.emplace_back(x.indices[k], static_cast<double>(x.values[k]));
    std::ranges::stable_sort(terms, {}, &std::pair<std::int32_t, double>::first);
    std::vector<std::int32_t> indices;
    std::vector<double> sums;
    for (const auto& [j, value] : terms)
      if (!indices.empty() && indices.back() == j)
        sums.back() += value;
      else
        indices.push_back(j), sums.push_back(value);
    use(SparseRow<double>{sums.data(), indices.data(), sums.size()});
  }

  std::vector<std::size_t> centred_;  // columns, ascending

  // of the row that is seen
  std::vector<std::pair<std::size_t, double>> corrections_;  // columns, and the values that are learned
  std::vector<std::size_t> joining_;                         // columns that are centred from now on
  bool some_leave_ = false;                                  // whether some columns are no longer centred
  bool score_changes_ = false;                               // whether the corrections may change a score
};

}  // namespace novikoff
