// Hot kernels on fixed inputs, for counts of instructions: benchmarks/instructions/count.py runs each under callgrind,
// which counts while the function `measured` is active. Inputs come from our own generator, and no function of libm is called,
// so that a count depends on the compiler only.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data.hpp"
#include "novikoff/arow.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/delimited_reader.hpp"
#include "novikoff/examine.hpp"
#include "novikoff/example_json.hpp"
#include "novikoff/example_rows.hpp"
#include "novikoff/hashing.hpp"
#include "novikoff/name_table.hpp"
#include "novikoff/names.hpp"
#include "novikoff/nearest_points.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/random.hpp"
#include "novikoff/rows.hpp"
#include "novikoff/rules.hpp"
#include "novikoff/svmlight_reader.hpp"

using namespace novikoff;

/// Calls the work; callgrind counts while this function is active.
extern "C" [[gnu::noinline]] double measured(const std::function<double()>& work) { return work(); }

namespace {

constexpr std::size_t row_count = 1000, dense_columns = 50, sparse_columns = 5000, nonzeros = 50;

std::vector<std::int32_t> labels() {
  Random random{1};
  std::vector<std::int32_t> codes(row_count);
  for (auto& code : codes) code = static_cast<std::int32_t>(random.below(2));
  return codes;
}

struct Dense {
  std::vector<double> values = reals(row_count * dense_columns, 2);
  DenseRows<double> rows() const {
    return {values.data(), row_count, dense_columns, static_cast<std::ptrdiff_t>(dense_columns), 1};
  }
};

/// Rows with as many ascending columns each, at random distances.
struct Sparse {
  std::vector<double> values = reals(row_count * nonzeros, 3);
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> offsets{0};

  Sparse() {
    Random random{4};
    for (std::size_t i = 0; i < row_count; ++i) {
      for (std::size_t k = 0; k < nonzeros; ++k)
        indices.push_back(static_cast<std::int32_t>(k * (sparse_columns / nonzeros) + random.below(sparse_columns / nonzeros)));
      offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
  }
  CsrRows<double> rows() const { return {values.data(), indices.data(), offsets.data(), row_count, sparse_columns}; }
};

/// One pass of a rule over rows.
double one_pass(const auto& data, const auto& rule, Hypothesis h) {
  const auto rows = data.rows();
  const std::vector<std::int32_t> codes = labels();
  std::vector<double> norms(row_count);
  if (examine(rows, 0, row_count, norms) != row_count) return 0;
  const Batch batch{codes, {}, norms, {}, {}, 0, row_count};
  h.resize(rows.columns);
  return measured([&] {
    pass(rows, batch, rule, {}, Tie::mistake, h);
    return h.weights[0] + h.bias;
  });
}

double coordinate_descent() {
  const Sparse data;
  const auto rows = data.rows();
  const std::vector<std::int32_t> codes = labels();
  const BinaryProblem problem{codes, 1, {}, 1.0, 1.0};
  std::vector<double> alpha(row_count), norms(row_count), v(sparse_columns + 1);
  std::vector<std::int32_t> order(row_count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < row_count; ++i) norms[i] = scaled_squared_norm(rows[i], 1.0);
  Random random{5};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return measured([&] {
    descend(rows, problem, hinge, DualPenalty{1.0, 1.0}, alpha, norms, order, v, PassSummary{infinity, -infinity, row_count},
            random);
    return v[0];
  });
}

/// A number of at most five digits, as text.
std::string number(Random& random) {
  const auto digits = random.below(100'000);
  return (random.below(4) == 0 ? "-0." : "0.") + std::to_string(digits);
}

double svmlight_text() {
  std::string text;
  Random random{6};
  for (std::size_t i = 0; i < row_count; ++i) {
    text += random.below(2) ? "1" : "-1";
    for (std::size_t k = 1; k <= nonzeros; ++k) text += ' ' + std::to_string(k * 97) + ':' + number(random);
    text += '\n';
  }
  return measured([&] {
    SvmlightReader<double> reader(IndexRange{1, max_index}, 1);
    return reader.feed(text) ? 0.0 : 1.0;
  });
}

double delimited_text() {
  std::string text;
  Random random{7};
  for (std::size_t i = 0; i < row_count; ++i) {
    for (int k = 0; k < 10; ++k) text += number(random) + ',';
    for (int k = 0; k < 5; ++k) text += "value" + std::to_string(random.below(20)) + (k < 4 ? "," : "\n");
  }
  std::vector<Role> roles;
  for (const char role : std::string_view("nnnnnnnnnnsssss")) roles.push_back(static_cast<Role>(role));
  DelimitedReader reader({}, roles, {"", "NA"}, 1);
  return measured([&] {
    const auto bad = reader.feed(text);
    return bad ? 0.0 : static_cast<double>(reader.rows);
  });
}

double hashed_texts() {
  Random random{8};
  std::vector<std::string> texts(100);
  for (std::string& text : texts)
    for (int k = 0; k < 100; ++k) text += "Word" + std::to_string(random.below(3000)) + (k % 9 == 0 ? ". " : " ");
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const TextOptions options{};
  HashedRows<double> rows;
  return measured([&] {
    hash_texts(std::span<const std::string_view>(views), options, 1, rows);
    return static_cast<double>(rows.values.size());
  });
}

double json_examples() {
  Random random{9};
  std::string text;
  for (std::size_t i = 0; i < 500; ++i) {
    text += R"({"x": {)";
    for (int k = 0; k < 20; ++k)
      text += (k ? ", \"f" : "\"f") + std::to_string(20 * random.below(50) + static_cast<std::uint64_t>(k)) +
              "\": " + number(random);
    text += random.below(2) ? "}, \"y\": \"yes\"}\n" : "}, \"y\": \"no\"}\n";
  }
  const std::string padded = text + std::string(example_padding, '\0');
  NameTable names{2000, 0};
  LabelTable label_names{10};
  for (int k = 0; k < 1000; ++k) names.find_or_add("f" + std::to_string(k));
  for (const char* label : {"yes", "no"}) label_names.find_or_add(LabelKind::text, label);
  const ExampleLimits limits{100, 100, 100, 2000};
  ExampleRows rows;
  return measured([&] {
    RowBuilder builder(rows, names, label_names, limits, true);
    ExampleJson(std::string_view(padded).substr(0, text.size()), builder, limits).read_lines(0);
    return static_cast<double>(rows.count() - rows.bad.size());
  });
}

/// Two clouds in ten dimensions, apart in the first one.
double nearest_points() {
  constexpr std::size_t count = 200, columns = 10;
  std::vector<double> x = reals(count * columns, 10), signs(count), products(count * count), a(count), scores(count);
  for (std::size_t i = 0; i < count; ++i) {
    signs[i] = i % 2 == 0 ? 1 : -1;
    x[i * columns] += 1.5 * signs[i];
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t k = 0; k < columns; ++k) products[i * count + j] += x[i * columns + k] * x[j * columns + k];
  const NearestPoints points{products, signs, true};
  return measured([&] { return static_cast<double>(points.descend(a, scores, 1e-9, 100, 1e12).steps); });
}

/// Rows of named features, as dicts have them: each name is looked up, and the row is scored.
double named_predictions() {
  Random random{11};
  Columns columns;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < sparse_columns; ++j) {
    names.push_back("feature" + std::to_string(j));
    const Name name = Name::of(std::string_view(names.back()));
    columns.find_or_add(name.hash(), name);
  }
  std::vector<std::array<std::size_t, nonzeros>> rows(row_count);
  for (auto& row : rows)
    for (auto& j : row) j = random.below(sparse_columns);
  const std::vector<double> values = reals(nonzeros, 12);
  Hypothesis h;
  h.resize(sparse_columns);
  h.weights = reals(sparse_columns, 13);
  return measured([&] {
    std::array<std::int32_t, nonzeros> indices{};
    std::vector<double> scratch;
    double sum = 0;
    for (const auto& row : rows) {
      for (std::size_t k = 0; k < nonzeros; ++k)
        indices[k] = static_cast<std::int32_t>(columns.table.find(Name::of(std::string_view(names[row[k]])).hash()));
      const SparseRow<double> x{values.data(), indices.data(), nonzeros};
      sum += score(h, x, sparse_columns, Tie::mistake, scratch);
    }
    return sum;
  });
}

Hypothesis with_variances() {
  Hypothesis h;
  h.second.emplace(SecondOrder{DiagonalVariance{}});
  return h;
}

double run(std::string_view name) {
  if (name == "perceptron_dense") return one_pass(Dense{}, PerceptronRule{}, {});
  if (name == "perceptron_sparse") return one_pass(Sparse{}, PerceptronRule{}, {});
  if (name == "passive_aggressive_dense") return one_pass(Dense{}, PassiveAggressiveIRule{1.0}, {});
  if (name == "passive_aggressive_sparse") return one_pass(Sparse{}, PassiveAggressiveIRule{1.0}, {});
  if (name == "arow_dense") return one_pass(Dense{}, DiagonalArowRule{1.0, 0}, with_variances());
  if (name == "arow_sparse") return one_pass(Sparse{}, DiagonalArowRule{1.0, 0}, with_variances());
  if (name == "coordinate_descent") return coordinate_descent();
  if (name == "svmlight_text") return svmlight_text();
  if (name == "delimited_text") return delimited_text();
  if (name == "hashed_texts") return hashed_texts();
  if (name == "json_examples") return json_examples();
  if (name == "nearest_points") return nearest_points();
  if (name == "named_predictions") return named_predictions();
  std::fprintf(stderr, "There is no kernel of this name.\n");
  return 0;
}

}  // namespace

/// The result is printed, so that no work is left out, and must not be 0.
int main(int count, char** arguments) {
  const double result = run(count == 2 ? arguments[1] : "");
  std::printf("%.17g\n", result);
  return result != 0 ? 0 : 1;
}
