// Several classes that are learned together, compared with the perceptron on Kesler's vectors.
#include "novikoff/joint_pass.hpp"
#include "novikoff/learn_jointly.hpp"
#include "novikoff/learner.hpp"
#include "samples.hpp"

namespace {

/// Small integers, so that all sums are exact and many scores are ties.
struct Integers {
  std::size_t count = 400, width = 6, classes = 5;
  std::vector<double> values{}, squared_norms{};
  std::vector<std::int32_t> codes{};

  explicit Integers(std::uint64_t seed) {
    Random random{seed};
    for (std::size_t i = 0; i < count; ++i) {
      double norm = 0;
      for (std::size_t j = 0; j < width; ++j) {
        values.push_back(static_cast<double>(random.below(5)) - 2);
        norm += values.back() * values.back();
      }
      squared_norms.push_back(norm);
      codes.push_back(static_cast<std::int32_t>(i < classes ? classes - 1 - i : random.below(classes)));
    }
  }
  DenseRows<double> rows() const { return {values.data(), count, width, static_cast<std::ptrdiff_t>(width), 1}; }
  Batch batch() const { return {codes, {}, squared_norms, {}, {}, 0, count}; }
};

/// The multiclass perceptron in so many words: w[k] has the weights and the intercept of class k.
struct PlainJoint {
  std::vector<std::vector<double>> w;
  double mistakes = 0;

  PlainJoint(const Integers& data) : w(data.classes, std::vector<double>(data.width + 1)) {
    for (std::size_t i = 0; i < data.count; ++i) {
      const auto x = [&](std::size_t j) { return j < data.width ? data.values[i * data.width + j] : 1.0; };
      const auto own = static_cast<std::size_t>(data.codes[i]);
      std::vector<double> scores(data.classes);
      for (std::size_t k = 0; k < data.classes; ++k)
        for (std::size_t j = 0; j <= data.width; ++j) scores[k] += w[k][j] * x(j);
      std::size_t rival = data.classes;
      for (std::size_t k = data.classes; k-- > 0;)  // the last class occurs first
        if (k != own && k + i + 1 >= data.classes && (rival == data.classes || scores[k] > scores[rival])) rival = k;
      if (rival == data.classes || scores[own] > scores[rival]) continue;
      ++mistakes;
      for (std::size_t j = 0; j <= data.width; ++j) w[own][j] += x(j), w[rival][j] -= x(j);
    }
  }
};

/// AROW on Kesler's vectors in so many words, with dense weights, variances and sums.
struct PlainJointArow {
  std::vector<std::vector<double>> w, variances, sums;
  double mistakes = 0;
  std::int64_t updates = 0;

  PlainJointArow(const Integers& data, double r, double floor)
      : w(data.classes, std::vector<double>(data.width + 1)),
        variances(data.classes, std::vector<double>(data.width + 1, 1.0)),
        sums(w) {
    for (std::size_t i = 0; i < data.count; ++i) {
      const auto x = [&](std::size_t j) { return j < data.width ? data.values[i * data.width + j] : 1.0; };
      const auto own = static_cast<std::size_t>(data.codes[i]);
      std::vector<double> scores(data.classes);
      for (std::size_t k = 0; k < data.classes; ++k) {
        scores[k] = w[k][data.width];
        for (std::size_t j = 0; j < data.width; ++j) scores[k] += w[k][j] * x(j);
      }
      std::size_t rival = data.classes;
      for (std::size_t k = data.classes; k-- > 0;)  // the last class occurs first
        if (k != own && k + i + 1 >= data.classes && (rival == data.classes || scores[k] > scores[rival])) rival = k;
      if (rival == data.classes) continue;
      const double loss = 1 - (scores[own] - scores[rival]);
      if (!(loss > 0)) continue;
      mistakes += loss >= 1;
      ++updates;
      double spread = 0;
      for (std::size_t j = 0; j <= data.width; ++j) spread += x(j) * x(j) * (variances[own][j] + variances[rival][j]);
      for (std::size_t k : {own, rival})
        for (std::size_t j = 0; j <= data.width; ++j) {
          const double z = k == own ? x(j) : -x(j), s = variances[k][j];
          w[k][j] += loss / (spread + r) * (s * z);
          variances[k][j] = std::max(floor, s / (1 + 1 / r * (s * z) * z));
          sums[k][j] += z;
        }
    }
  }
};

JointHypothesis problem_of(std::size_t classes, bool has_variance = false) {
  JointHypothesis joint;
  if (has_variance) joint.variance.emplace();
  for (std::size_t k = 0; k < classes; ++k) joint.add_class();
  return joint;
}

bool same_weights(const JointHypothesis& a, const JointHypothesis& b) {
  if (a.biases != b.biases) return false;
  for (std::size_t k = 0; k < a.classes(); ++k) {
    if (a.weights_of(k) != b.weights_of(k)) return false;
    if (!a.variance) continue;
    const DiagonalVariance one = a.variance_of(k), other = b.variance_of(k);
    for (std::size_t j = 0; j < one.columns.size(); ++j)
      if (one.columns[j].variance != other.columns[j].variance || one.columns[j].sum != other.columns[j].sum) return false;
    if (one.bias.variance != other.bias.variance || one.bias.sum != other.bias.sum) return false;
  }
  return same_bits(a.length2.value(), b.length2.value()) && a.updates == b.updates && same_bits(a.energy, b.energy) &&
         a.mistakes.value() == b.mistakes.value() && a.examples.value() == b.examples.value();
}

TEST(agrees_with_the_plain_loop) {
  const Integers data(7);
  JointHypothesis joint = problem_of(data.classes);
  pass_jointly(data.rows(), data.batch(), PerceptronRule{}, Geometry{}, joint);
  const PlainJoint plain(data);
  CHECK(joint.mistakes.value() == plain.mistakes);
  CHECK(joint.examples.value() == static_cast<double>(data.count));
  double length2 = 0;
  for (std::size_t k = 0; k < data.classes; ++k) {
    const std::vector<double> weights = joint.weights_of(k);
    for (std::size_t j = 0; j < data.width; ++j) CHECK(weights[j] == plain.w[k][j]);
    CHECK(joint.bias_of(k) == plain.w[k][data.width]);
    for (double w : plain.w[k]) length2 += w * w;
  }
  CHECK(joint.length2.value() == length2);
}

TEST(arow_agrees_with_the_plain_loop) {
  for (const double floor : {0.0, 0.25}) {
    const Integers data(17);
    JointHypothesis joint = problem_of(data.classes, true);
    pass_jointly(data.rows(), data.batch(), DiagonalArowRule{0.5, floor}, Geometry{}, joint);
    const PlainJointArow plain(data, 0.5, floor);
    CHECK(joint.mistakes.value() == plain.mistakes && joint.updates == plain.updates);
    CHECK(joint.steps.value() == static_cast<double>(plain.updates));
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
    for (std::size_t k = 0; k < data.classes; ++k) {
      const std::vector<double> weights = joint.weights_of(k);
      const DiagonalVariance found = joint.variance_of(k);
      for (std::size_t j = 0; j < data.width; ++j) {
        CHECK(near(weights[j], plain.w[k][j]));
        CHECK(near(found.columns[j].variance, plain.variances[k][j]));
        CHECK(found.columns[j].sum == plain.sums[k][j]);
      }
      CHECK(near(joint.bias_of(k), plain.w[k][data.width]) && near(found.bias.variance, plain.variances[k][data.width]));
      CHECK(found.bias.sum == plain.sums[k][data.width]);
    }
  }
}

/// Values are stored for the classes of a column that were touched only.
TEST(variances_lie_beside_the_weights) {
  const Integers data(19);
  JointHypothesis joint = problem_of(100, true);
  pass_jointly(data.rows(), data.batch(), DiagonalArowRule{}, Geometry{}, joint);
  joint.keep_classes(3);
  CHECK(joint.variance->biases.size() == 3);
  for (std::size_t j = 0; j < joint.columns.size(); ++j) {
    CHECK(joint.columns[j].size() <= 3 && joint.variance->columns[j].size() == joint.columns[j].size());
    for (const ClassWeight& entry : joint.columns[j]) CHECK(entry.code < 3);
  }
}

TEST(weights_of_all_classes_sum_to_zero) {
  const Integers data(11);
  JointHypothesis joint = problem_of(data.classes);
  pass_jointly(data.rows(), data.batch(), PerceptronRule{}, Geometry{}, joint);
  for (std::size_t j = 0; j < data.width; ++j) {
    double total = 0;
    for (std::size_t k = 0; k < data.classes; ++k) total += joint.weights_of(k)[j];
    CHECK(total == 0);
  }
}

void check_batches(const auto& rule, bool has_variance) {
  const Integers data(3);
  JointHypothesis whole = problem_of(data.classes, has_variance), cut = whole;
  pass_jointly(data.rows(), data.batch(), rule, Geometry{}, whole);
  Batch batch = data.batch();
  for (batch.end = 0; batch.end < data.count;) {
    batch.begin = batch.end;
    batch.end = std::min(data.count, batch.end + 7);
    pass_jointly(data.rows(), batch, rule, Geometry{}, cut);
    cut = JointHypothesis::of(cut.hypotheses(), has_variance);  // saved and restored
  }
  CHECK(same_weights(whole, cut));
}

void check_copies(const auto& rule, bool has_variance) {
  const Integers data(5);
  JointHypothesis weighted = problem_of(data.classes, has_variance), copied = weighted;
  std::vector<double> weights(data.count);
  std::vector<double> values, norms;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < data.count; ++i) {
    const std::size_t copies = i % 4;
    weights[i] = static_cast<double>(copies);
    for (std::size_t c = 0; c < copies; ++c) {
      values.insert(values.end(), &data.values[i * data.width], &data.values[i * data.width] + data.width);
      norms.push_back(data.squared_norms[i]);
      codes.push_back(data.codes[i]);
    }
  }
  Batch batch = data.batch();
  batch.weights = weights;
  pass_jointly(data.rows(), batch, rule, Geometry{}, weighted);
  const DenseRows<double> rows{values.data(), codes.size(), data.width, static_cast<std::ptrdiff_t>(data.width), 1};
  pass_jointly(rows, Batch{codes, {}, norms, {}, {}, 0, codes.size()}, rule, Geometry{}, copied);
  CHECK(weighted.updates == copied.updates);
  CHECK(weighted.mistakes.value() == copied.mistakes.value());
  for (std::size_t k = 0; k < data.classes; ++k) CHECK(weighted.weights_of(k) == copied.weights_of(k));
}

TEST(one_class_makes_no_mistake) {
  const Integers data(9);
  const std::vector<std::int32_t> codes(data.count, 0);
  JointHypothesis joint = problem_of(1);
  Batch batch = data.batch();
  batch.codes = codes;
  pass_jointly(data.rows(), batch, PerceptronRule{}, Geometry{}, joint);
  CHECK(joint.mistakes.value() == 0 && joint.updates == 0 && joint.examples.value() == static_cast<double>(data.count));
}

TEST(removed_classes_leave_no_weights) {
  const Integers data(13);
  JointHypothesis joint = problem_of(data.classes);
  pass_jointly(data.rows(), data.batch(), PerceptronRule{}, Geometry{}, joint);
  joint.keep_classes(2);
  CHECK(joint.classes() == 2);
  for (const auto& column : joint.columns)
    for (const auto& entry : column) CHECK(entry.code < 2);
}

TEST(batches_change_nothing) {
  check_batches(PassiveAggressiveIRule{0.1}, false);
  check_batches(DiagonalArowRule{0.5}, true);
}

TEST(weights_are_copies) {
  check_copies(PassiveAggressiveIIRule{0.3}, false);
  check_copies(DiagonalArowRule{0.5, 0.1}, true);
}

}  // namespace

TEST(scaled_rows_are_learned_alike_one_by_one_and_in_a_batch) {
  for (const char* scale : {"running", "centred"}) {
    const Integers data(23);
    Learner one{DiagonalArowRule{0.5, 0.0}, {true, false, 0}};
    one.joint = problem_of(data.classes, true);
    one.scale = scale_named(scale);
    Learner many = one;
    std::vector<std::vector<double>> scores(data.classes, std::vector<double>(data.count));
    const std::vector<std::span<double>> places(scores.begin(), scores.end());
    learn_all_jointly(many, AnyRows(data.rows()), data.batch(), places);
    one.scale.own().resize(data.width);
    SeenScratch seen;
    std::vector<double> own(data.classes);
    for (std::size_t i = 0; i < data.count; ++i) {
      const auto x = data.rows()[i];
      seen.apply(*one.scale, x, [&](const auto& u) { one.joint->score(u, own); });
      for (std::size_t k = 0; k < data.classes; ++k) CHECK(same_bits(own[k], scores[k][i]));
      one.learn_one(x, data.width, data.squared_norms[i], data.codes[i], 1.0);
    }
    CHECK(same_weights(*one.joint, *many.joint));
    CHECK(*one.scale == *many.scale);
  }
}
