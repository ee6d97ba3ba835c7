// Learning several one-vs-rest problems from each row at once.
//
// The weights of up to eight problems lie column by column: those that one column has in all problems are side by side, so that
// an entry of a row is read once and multiplied with all of them by vector instructions. Each problem decides, moves and counts
// for itself. Its sums have the order that they have in pass.hpp, so that it learns the same bits as alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "novikoff/hypothesis.hpp"
#include "novikoff/lanes.hpp"
#include "novikoff/learner.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"

namespace novikoff {

/// A vector of the numbers that all columns have in one place of their lanes.
template <std::size_t L>
struct OneLane {
  double* first;
  double& operator[](std::size_t j) const { return first[j * L]; }
};

/// The weights of up to L problems.
template <std::size_t L>
struct ClassWeights {
  std::vector<Lanes<L>> last;
  std::vector<Lanes<L>> sums;  // those behind the averages; empty unless the rule keeps them

  static OneLane<L> lane(std::vector<Lanes<L>>& of, std::size_t c) { return {reinterpret_cast<double*>(of.data()) + c}; }
};

/// The duals of some rows in the problems of a block: those of one row lie side by side. Empty if they are not stored.
struct ClassDuals {
  std::span<double> values;
  std::size_t problems = 0;

  double* of_row(std::size_t i) const { return values.empty() ? nullptr : values.data() + i * problems; }
};

/// One pass over rows in up to L problems. The counts that each row changes are kept here, field by field, until the end.
template <std::size_t L>
class ClassPass {
 public:
  ClassPass(const Rule& rule, const Geometry& geometry, Tie tie, std::span<Hypothesis* const> problems,
            ClassWeights<L>& weights)
      : rule_(rule), geometry_(geometry), tie_(tie), problems_(problems), weights_(weights) {
    for (std::size_t c = 0; c < problems.size(); ++c) {
      const Hypothesis& h = *problems[c];
      bias_.set(c, h.bias);
      energy_.set(c, h.energy);
      squared_radius_.set(c, h.squared_radius);
      positive_[c] = h.positive;
      remember_length(c);
    }
    for (std::size_t c = problems.size(); c < L; ++c) quiet_margin_.set(c, -1);  // nothing is learned in these places
  }

  /// Learns from a row, while the weights of the next row are prefetched.
  template <Row X>
  void learn(const X& x, const X& next, std::int32_t code, double weight, double squared_norm, double* duals) {
    if (!(weight > 0)) return;
    double norm2 = squared_norm + (geometry_.intercept ? 1.0 : 0.0), scale = 1;
    if (geometry_.normalize && norm2 > 0) {
      scale = 1 / std::sqrt(norm2);
      norm2 = 1;
    }
    norm2 += geometry_.delta * geometry_.delta;
    squared_radius_ = larger(squared_radius_, Lanes<L>::all(norm2));
    energy_ += Lanes<L>::all(weight * norm2);
    Lanes<L> y;
    for (std::size_t c = 0; c < L; ++c) y.set(c, code == positive_[c] ? 1.0 : -1.0);
    auto whole = static_cast<std::int64_t>(weight);
    double part = weight - static_cast<double>(whole);
    Mask open = all();
    while (open != 0 && (whole > 0 || part > 0)) {  // all open problems have learned from as many copies
      const bool is_whole = whole > 0;
      const Decisions d = decide(x, next, y, scale, norm2, is_whole ? 1.0 : part, duals, open);
      const bool stays = norm2 == 0;  // an update along u = 0 does not change v, so all copies are counted at once
      const Mask closed = stays ? open : open & ~d.moving;
      for_each(d.moving, [&](std::size_t c) {
        if (stays)
          problems_[c]->stand_still(whole, part);
        else
          count_update(c, input(c, y, d, norm2), d.tau[c], x.size);
        if (duals) duals[c] += stays ? weight : d.tau[c];
      });
      if (!stays && d.moving != 0) move(x, y, d, scale);
      if (weight == 1) {
        ++examples_;
        for_each(d.mistaken, [&](std::size_t c) { ++problems_[c]->mistakes.whole; });
        for (std::size_t c = 0; c < problems_.size(); ++c) problems_[c]->positives.whole += y[c] > 0;
        break;
      }
      count(closed, y, d.mistaken, whole, part);
      count(open & ~closed, y, d.mistaken, is_whole, is_whole ? 0.0 : part);
      open &= ~closed;
      if (is_whole)
        --whole;
      else
        part = 0;
    }
  }

  /// Stores the counts, and adds what happened to the reports.
  void finish(std::span<PassReport> reports) {
    for (std::size_t c = 0; c < problems_.size(); ++c) {
      Hypothesis& h = *problems_[c];
      h.bias = bias_[c];
      h.energy = energy_[c];
      h.squared_radius = squared_radius_[c];
      h.examples.add(examples_, 0.0);
      if (!reports.empty()) reports[c].add({(moved_ >> c & 1) != 0, (mistaken_ >> c & 1) != 0, smallest_[c]});
    }
    examples_ = 0;
  }

 private:
  using Mask = std::uint32_t;  // a bit for each problem

  struct Decisions {
    double weight;  // of this copy
    Lanes<L> score;
    double tau[L] = {};  // of the problems that move
    Mask moving = 0, mistaken = 0;
  };

  Mask all() const { return static_cast<Mask>((std::uint64_t{1} << problems_.size()) - 1); }

  static void for_each(Mask set, const auto& use) {
    for (; set != 0; set &= set - 1) use(static_cast<std::size_t>(__builtin_ctz(set)));
  }

  template <Row X>
  Decisions decide(const X& x, const X& next, const Lanes<L>& y, double scale, double norm2, double weight, const double* duals,
                   Mask open) {
    Lanes<L> score = scale * (x.dot_before(next, weights_.last.data()) + bias_);
    if (geometry_.delta > 0 && duals)
      for (std::size_t c = 0; c < problems_.size(); ++c)
        score.set(c, score[c] + y[c] * geometry_.delta * geometry_.delta * duals[c]);
    const Lanes<L> margin = y * score;
    Decisions d{weight, score};
    if (open == all())
      smallest_ = smaller(smallest_, margin);
    else
      for_each(open, [&](std::size_t c) { smallest_.set(c, std::min(smallest_[c], margin[c])); });
    if (all_above(margin, quiet_margin_)) return d;
    for_each(open, [&](std::size_t c) {
      if (margin[c] > quiet_margin_[c]) return;
      d.tau[c] = step_of(rule_, input(c, y, d, norm2));
      d.moving |= static_cast<Mask>(d.tau[c] != 0) << c;
      d.mistaken |= static_cast<Mask>(is_mistake(y[c], score[c], tie_)) << c;
    });
    moved_ |= d.moving;
    mistaken_ |= d.mistaken;
    return d;
  }

  RuleInput input(std::size_t c, const Lanes<L>& y, const Decisions& d, double norm2) const {
    return {y[c], d.score[c], norm2, d.weight, problems_[c]->length2.value(), problems_[c]->steps.value()};
  }

  /// v += tau y u in the problems that move, where u = scale (x, 1).
  void move(const Row auto& x, const Lanes<L>& y, const Decisions& d, double scale) {
    Lanes<L> along, clocked;
    for_each(d.moving, [&](std::size_t c) {
      const double step = d.tau[c] * y[c] * scale, bias_step = geometry_.intercept ? step : 0.0;
      along.set(c, step);
      bias_.set(c, bias_[c] + bias_step);
      if (!weights_.sums.empty()) {
        Hypothesis& h = *problems_[c];
        const double clock = static_cast<double>(h.examples.whole + examples_) + h.examples.part;
        clocked.set(c, clock * step);
        h.average->bias += clock * bias_step;
      }
    });
    add(x, weights_.last, along, d.moving);
    if (!weights_.sums.empty()) add(x, weights_.sums, clocked, d.moving);
  }

  /// To add 0 to the weights of the other problems does not change them.
  static void add(const Row auto& x, std::vector<Lanes<L>>& to, const Lanes<L>& along, Mask moving) {
    if (const auto c = static_cast<std::size_t>(__builtin_ctz(moving)); (moving & (moving - 1)) == 0)
      x.add_to(ClassWeights<L>::lane(to, c), along[c]);
    else
      x.add_to(to.data(), along);
  }

  void count_update(std::size_t c, const RuleInput& s, double tau, std::size_t terms) {
    problems_[c]->count_update(s, tau, terms);
    remember_length(c);
  }

  void remember_length(std::size_t c) {
    quiet_margin_.set(c, quiet_margin_of(rule_, problems_[c]->length2.value(), problems_[c]->steps.value()));
  }

  void count(Mask set, const Lanes<L>& y, Mask mistaken, std::int64_t copies, double part) {
    for_each(set, [&](std::size_t c) { problems_[c]->count(y[c], copies, part, (mistaken >> c & 1) != 0); });
  }

  const Rule& rule_;
  const Geometry& geometry_;
  Tie tie_;
  std::span<Hypothesis* const> problems_;
  ClassWeights<L>& weights_;
  std::int64_t examples_ = 0;  // of weight 1, which are not yet counted in the problems
  Mask moved_ = 0, mistaken_ = 0;
  Lanes<L> bias_, energy_, squared_radius_, quiet_margin_;
  Lanes<L> smallest_ = Lanes<L>::all(std::numeric_limits<double>::infinity());
  std::int32_t positive_[L] = {};
};

/// Whether several problems learn from each row at once by this rule. A rule of Python is called for one problem after the
/// other, and second-order rules have a step of their own for each column.
inline bool can_learn_together(const Rule& rule) {
  return std::visit([]<class R>(const R&) { return !std::is_same_v<R, CallbackRule> && !SecondOrderRule<R>; }, rule);
}

/// Some problems of a learner that learn together. It holds their weights meanwhile.
class ClassBlock {
 public:
  static constexpr std::size_t most = 8;

  /// Takes the weights of 2 to 8 problems, which have no votes.
  ClassBlock(Learner& learner, std::vector<std::size_t> problems) : learner_(learner), problems_(std::move(problems)) {
    if (problems_.size() > 4) weights_.emplace<ClassWeights<8>>();
    std::visit([&](auto& weights) { take(weights); }, weights_);
  }

  std::size_t size() const { return problems_.size(); }

  /// Gives the weights back to the learner.
  void release() {
    std::visit([&](auto& weights) { give(weights); }, weights_);
  }

  /// One pass over rows that were examined. The duals of the batch are not used.
  void learn(const AnyRows& any_rows, const Batch& batch, const ClassDuals& duals, std::span<PassReport> reports) {
    if (!can_learn_together(learner_.rule)) throw std::invalid_argument("this rule is learned in one problem after the other.");
    std::vector<Hypothesis*> members;
    for (std::size_t q : problems_) members.push_back(&learner_.problems[q]);
    std::visit(
        [&](const auto& rows, auto& weights) {
          if constexpr (requires { rows.offsets; }) {  // a product of a dense row is as fast with the weights of one problem
            resize(weights, rows.columns);
            ClassPass pass(learner_.rule, learner_.geometry, learner_.tie, members, weights);
            for (std::size_t p = batch.begin; p < batch.end; ++p) {
              const std::size_t i = batch.order.empty() ? p : static_cast<std::size_t>(batch.order[p]);
              const auto x = batch.order.empty() ? row_in_sequence(rows, p) : row_in_order(rows, batch.order, p);
              if (!batch.order.empty()) expect_in_order(batch, p);
              const double weight = batch.weights.empty() ? 1.0 : batch.weights[i];
              const std::size_t after = std::min(p + 1, batch.end - 1);
              const auto next = rows[batch.order.empty() ? after : static_cast<std::size_t>(batch.order[after])];
              pass.learn(x, next, batch.codes[i], weight, batch.squared_norms[i], duals.of_row(i));
            }
            pass.finish(reports);
          } else {
            throw std::invalid_argument("dense rows are learned in one problem after the other.");
          }
        },
        any_rows, weights_);
  }

 private:
  bool averages() const { return learner_.problems[problems_[0]].average.has_value(); }

  template <std::size_t L>
  void resize(ClassWeights<L>& weights, std::size_t columns) const {
    if (columns <= weights.last.size()) return;
    if (averages()) weights.sums.resize(columns);  // first: memory may run out
    weights.last.resize(columns);
  }

  template <std::size_t L>
  void take(ClassWeights<L>& weights) {
    std::size_t columns = 0;
    for (std::size_t q : problems_) columns = std::max(columns, learner_.problems[q].weights.size());
    resize(weights, columns);
    take_lanes(weights.last, [](Hypothesis& h) -> std::vector<double>& { return h.weights; });
    if (averages()) take_lanes(weights.sums, [](Hypothesis& h) -> std::vector<double>& { return h.average->weights; });
  }
  template <std::size_t L>
  void take_lanes(std::vector<Lanes<L>>& lanes, const auto& vector_of) {
    std::vector<std::vector<double>> taken;
    for (std::size_t q : problems_) taken.push_back(std::exchange(vector_of(learner_.problems[q]), {}));
    for_each_tile(lanes.size(), [&](std::size_t c, std::size_t begin, std::size_t end) {
      const OneLane<L> lane = ClassWeights<L>::lane(lanes, c);
      end = std::min(end, taken[c].size());
      for (std::size_t j = begin; j < end; ++j) lane[j] = taken[c][j];
    });
  }

  template <std::size_t L>
  void give(ClassWeights<L>& weights) {
    give_lanes(weights.last, [](Hypothesis& h) -> std::vector<double>& { return h.weights; });
    if (averages()) give_lanes(weights.sums, [](Hypothesis& h) -> std::vector<double>& { return h.average->weights; });
    weights = {};
  }
  template <std::size_t L>
  void give_lanes(std::vector<Lanes<L>>& lanes, const auto& vector_of) {
    for (std::size_t q : problems_) vector_of(learner_.problems[q]).resize(lanes.size());
    for_each_tile(lanes.size(), [&](std::size_t c, std::size_t begin, std::size_t end) {
      const OneLane<L> lane = ClassWeights<L>::lane(lanes, c);
      double* const to = vector_of(learner_.problems[problems_[c]]).data();
      for (std::size_t j = begin; j < end; ++j) to[j] = lane[j];
    });
  }

  /// Calls `use(c, begin, end)` for each problem and so few columns that their lanes stay in the cache for the next problem.
  void for_each_tile(std::size_t columns, const auto& use) const {
    constexpr std::size_t tile = 256;
    for (std::size_t begin = 0; begin < columns; begin += tile)
      for (std::size_t c = 0; c < problems_.size(); ++c) use(c, begin, std::min(begin + tile, columns));
  }

  Learner& learner_;
  std::vector<std::size_t> problems_;
  std::variant<ClassWeights<4>, ClassWeights<8>> weights_;
};

}  // namespace novikoff
