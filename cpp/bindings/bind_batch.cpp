// Python bindings of the batch kernels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "novikoff/conjugate_gradients.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/face_step.hpp"
#include "novikoff/gram.hpp"
#include "novikoff/intercept.hpp"
#include "novikoff/nearest_points.hpp"
#include "novikoff/soft_margin.hpp"
#include "novikoff/survey.hpp"

using namespace novikoff;

namespace {

/// One binary problem over rows in Python's memory, and the passes over them. It has no mutable state: the vectors that a pass
/// reads and writes are NumPy arrays of the caller.
class SoftMargin {
 private:
  static constexpr std::size_t min_elements_for_threads = 1'000'000;

  std::vector<nb::object> owners_;
  const RowsInMemory& rows_;
  BinaryProblem problem_;
  Loss loss_;
  Blocks blocks_;
  std::size_t threads_;

  auto on_rows(auto&& work) const {
    nb::gil_scoped_release unlocked;
    return std::visit(work, rows_.view);
  }
  void check_rows(std::size_t size) const {
    if (size != rows_.count()) throw std::invalid_argument("A vector must have one entry per row.");
  }
  void check_bits(std::size_t bytes) const {
    if (bytes != (rows_.count() + 7) / 8) throw std::invalid_argument("A bit vector must have one bit per row.");
  }
  void check_columns(std::size_t size, std::size_t times) const {
    if (size != times * (rows_.columns() + 1))
      throw std::invalid_argument("A vector must have one entry per column and one for the intercept.");
  }
  void check_some(const Vector<const std::int64_t>& some, std::size_t size) const {
    if (some.size() != size) throw std::invalid_argument("A vector must have one entry for each of the given rows.");
    for (const std::int64_t i : span_of(some))
      if (i < 0 || static_cast<std::size_t>(i) >= rows_.count()) throw std::invalid_argument("A row index is out of range.");
  }

 public:
  SoftMargin(nb::object rows, Vector<const std::int32_t> codes, std::int32_t positive,
             std::optional<Vector<const double>> costs, double scale, bool has_intercept, const std::string& loss,
             std::size_t elements, std::size_t threads)
      : owners_{rows, nb::cast(codes), nb::cast(costs)},
        rows_(nb::cast<const RowsInMemory&>(rows)),
        problem_{span_of(codes), positive, costs ? span_of(*costs) : std::span<const double>{}, scale,
                 has_intercept ? 1.0 : 0.0},
        loss_(loss_named(loss)),
        blocks_(Blocks::of(rows_.count(), elements, rows_.columns())),
        threads_(elements < min_elements_for_threads ? 1 : threads) {
    if (codes.size() != rows_.count() || (costs && costs->size() != rows_.count()))
      throw std::invalid_argument("There must be one code and one cost per row.");
  }

  void margins(Vector<const double> v, Vector<double> margins) const {
    check_columns(v.size(), 1);
    check_rows(margins.size());
    on_rows([&](const auto& rows) { compute_margins(rows, problem_, span_of(v), blocks_, threads_, span_of(margins)); });
  }

  Dict dual_sums(Vector<const double> centres, Vector<const double> margins, const Response& response,
                 Vector<double> class_vectors) const {
    check_rows(centres.size());
    check_rows(margins.size());
    check_columns(class_vectors.size(), 2);
    const DualSums sums = on_rows([&](const auto& rows) {
      return novikoff::dual_sums(rows, problem_, loss_, span_of(centres), span_of(margins), response, blocks_, threads_,
                                 span_of(class_vectors));
    });
    Dict result;
    result["loss"] = sums.loss;
    const auto both_classes = [&](double ClassSums::* field) {
      return nb::make_tuple(sums.of_class[0].*field, sums.of_class[1].*field);
    };
    result["a"] = both_classes(&ClassSums::a);
    result["a_slack"] = both_classes(&ClassSums::a_slack);
    result["a_alpha"] = both_classes(&ClassSums::a_alpha);
    return result;
  }

  double best_step(Vector<const double> centres, Vector<const double> margins, Vector<const double> rates, double linear,
                   double quadratic, const Response& response, double slope_ratio) const {
    check_rows(centres.size());
    check_rows(margins.size());
    check_rows(rates.size());
    nb::gil_scoped_release unlocked;
    return novikoff::best_step(problem_, span_of(centres), span_of(margins), span_of(rates), linear, quadratic, response,
                               slope_ratio, blocks_, threads_);
  }

  double loss(Vector<const double> margins) const {
    check_rows(margins.size());
    nb::gil_scoped_release unlocked;
    return total_loss(problem_, loss_, span_of(margins), blocks_, threads_);
  }

  double shift_intercept(Vector<double> margins, double tolerance) const {
    check_rows(margins.size());
    nb::gil_scoped_release unlocked;
    return novikoff::shift_intercept(problem_, loss_, span_of(margins), tolerance, blocks_, threads_);
  }

  Vector<std::int64_t> free_rows(Vector<const double> centres, Vector<const double> margins, const Response& response) const {
    check_rows(centres.size());
    check_rows(margins.size());
    return to_numpy(novikoff::free_rows(problem_, span_of(centres), span_of(margins), response));
  }

  /// alpha[i] <- response(alpha[i], margins[i])
  void update_duals(Vector<double> alpha, Vector<const double> margins, const Response& response) const {
    check_rows(alpha.size());
    check_rows(margins.size());
    const auto centres = span_of(alpha);
    const auto m = span_of(margins);
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < centres.size(); ++i) centres[i] = response.at(centres[i], m[i]);
  }

  std::size_t solve_by_rows(Vector<const std::int64_t> free, double width, double lambda, double kappa,
                            Vector<const double> gradient, double accuracy, std::size_t max_steps, Vector<double> direction,
                            Vector<double> q) const {
    check_some(free, q.size());
    check_columns(gradient.size(), 1);
    check_columns(direction.size(), 1);
    return on_rows([&](const auto& rows) {
      RowSystem system(rows, problem_, span_of(free), width, Penalty{lambda, kappa}, threads_);
      return system.solve(span_of(gradient), StoppingRule{accuracy, max_steps}, span_of(direction), span_of(q));
    });
  }

  void combine(Vector<const std::int64_t> some, Vector<const double> q, Vector<double> sum) const {
    check_some(some, q.size());
    check_columns(sum.size(), 1);
    on_rows([&](const auto& rows) { novikoff::combine(rows, problem_, span_of(some), span_of(q), span_of(sum)); });
  }

  void project(Vector<const std::int64_t> some, Vector<const double> v, Vector<double> values) const {
    check_some(some, values.size());
    check_columns(v.size(), 1);
    on_rows([&](const auto& rows) { novikoff::project(rows, problem_, span_of(some), span_of(v), span_of(values)); });
  }

  void gram(Vector<const std::int64_t> some, double width, Matrix<double> matrix) const {
    check_some(some, some.size());
    const std::size_t side = rows_.columns() + 1;
    if (matrix.shape(0) != side || matrix.shape(1) != side)
      throw std::invalid_argument("The matrix must be square, with one row per column and one for the intercept.");
    constexpr std::size_t min_rows_per_side = 8, small_side = 1024;  // a part costs a matrix of its own
    const std::size_t parts = std::min<std::size_t>(side < small_side ? 8 : 2, 1 + some.size() / (min_rows_per_side * side));
    on_rows([&](const auto& rows) {
      novikoff::gram(rows, problem_, span_of(some), width, parts, threads_, {matrix.data(), side * side});
    });
  }

  void row_products(Vector<const std::int64_t> some, Vector<const std::int64_t> others, Matrix<double> products) const {
    check_some(some, products.shape(0));
    check_some(others, products.shape(1));
    on_rows([&](const auto& rows) {
      novikoff::row_products(rows, problem_.scale, span_of(some), span_of(others), threads_,
                             {products.data(), products.size()});
    });
  }

  void squared_norms(Vector<double> squared) const {
    check_rows(squared.size());
    on_rows([&](const auto& rows) {
      blocks_.for_each(threads_, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) squared.data()[i] = scaled_squared_norm(rows[i], problem_.scale);
      });
    });
  }

  Tuple<double, double, std::size_t, double, double> descend(Vector<double> alpha, Vector<const double> squared_norms,
                                                             Vector<std::int32_t> order, Vector<double> v,
                                                             std::tuple<double, double, std::size_t> before, double lambda,
                                                             double rho, Random& random) const {
    check_rows(alpha.size());
    check_rows(squared_norms.size());
    check_rows(order.size());
    check_columns(v.size(), 1);
    const auto [largest, least, active] = before;
    const PassSummary previous{largest, least, active};
    if (active > order.size()) throw std::invalid_argument("There are fewer rows than active ones.");
    const PassSummary now = on_rows([&](const auto& rows) {
      return novikoff::descend(rows, problem_, loss_, DualPenalty{lambda, rho}, span_of(alpha), span_of(squared_norms),
                               span_of(order), span_of(v), previous, random);
    });
    return nb::make_tuple(now.largest, now.least, now.active, now.gap, now.step);
  }

  /// Returns the steps of conjugate gradients and the gain of the dual objective.
  Tuple<std::size_t, double> move_free_rows(Vector<double> alpha, Vector<double> v, double lambda, double rho, double accuracy,
                                            double max_visits) const {
    check_rows(alpha.size());
    check_columns(v.size(), 1);
    const FaceStep found = on_rows([&](const auto& rows) {
      Face face(rows, problem_, loss_, DualPenalty{lambda, rho}, span_of(alpha), span_of(v));
      return face.move(accuracy, max_visits, threads_);
    });
    return nb::make_tuple(found.steps, found.gain);
  }

  void mark_shrunk(Vector<const double> alpha, Vector<const double> margins, std::pair<double, double> before,
                   Vector<std::uint8_t> shrunk) const {
    check_rows(alpha.size());
    check_rows(margins.size());
    check_bits(shrunk.size());
    nb::gil_scoped_release unlocked;
    novikoff::mark_shrunk(loss_, span_of(alpha), span_of(margins), PassSummary{before.first, before.second, 0},
                          span_of(shrunk));
  }

  std::size_t order_active_first(Vector<const std::uint8_t> shrunk, Vector<std::int32_t> order) const {
    check_rows(order.size());
    check_bits(shrunk.size());
    nb::gil_scoped_release unlocked;
    return novikoff::order_active_first(span_of(shrunk), span_of(order));
  }
};

/// Returns the good rows, their largest value, and whether indices rise and zeros are stored. Marks the columns that occur.
Tuple<std::size_t, double, bool, bool> survey_of(const RowsInMemory& rows, std::optional<Vector<std::uint8_t>> occurs) {
  if (occurs && occurs->size() != rows.columns()) throw std::invalid_argument("There must be one mark per column.");
  Survey found;
  {
    nb::gil_scoped_release unlocked;
    const std::span<std::uint8_t> marks = occurs ? span_of(*occurs) : std::span<std::uint8_t>{};
    found = std::visit([&](const auto& view) { return survey(view, marks); }, rows.view);
  }
  return nb::make_tuple(found.good, found.largest, found.rising, found.zeros);
}

/// Returns the number of steps and the remaining violation.
Tuple<std::size_t, double> nearest_points(Matrix<double> products, Vector<const double> signs, bool balanced, Vector<double> a,
                                          Vector<double> scores, double accuracy, std::size_t max_steps, double max_sum) {
  const std::size_t rows = signs.size();
  if (products.shape(0) != rows || products.shape(1) != rows || a.size() != rows || scores.size() != rows)
    throw std::invalid_argument("There must be a square matrix of products, and one sign, dual variable and score per row.");
  NearestPoints::Progress progress;
  {
    nb::gil_scoped_release unlocked;
    const NearestPoints problem{{products.data(), rows * rows}, span_of(signs), balanced};
    progress = problem.descend(span_of(a), span_of(scores), accuracy, max_steps, max_sum);
  }
  return nb::make_tuple(progress.steps, progress.violation);
}

/// The losses of the kernels by name: (top, ridge) of each.
nb::typed<nb::dict, nb::str, Tuple<double, double>> losses() {
  nb::dict found;
  for (const Loss& loss : all_losses) found[loss.name] = nb::make_tuple(loss.top, loss.ridge);
  return found;
}

}  // namespace

void bind_batch(nb::module_& m) {
  m.def("survey", &survey_of, nb::arg("rows"), nb::arg("occurs").noconvert().none() = nb::none());
  m.def("losses", &losses);
  m.def("nearest_points", &nearest_points, nb::arg("products").noconvert(), nb::arg("signs").noconvert(), nb::arg("balanced"),
        nb::arg("a").noconvert(), nb::arg("scores").noconvert(), nb::arg("accuracy"), nb::arg("max_steps"), nb::arg("max_sum"));
  nb::class_<Response>(m, "Response", "Dual variable as a function of the margin: clip(keep centre + (1 - m) / width, 0, top).")
      .def(
          "__init__", [](Response* self, double width, double top, double keep) { new (self) Response{width, top, keep}; },
          nb::arg("width"), nb::arg("top"), nb::arg("keep"))
      .def_ro("width", &Response::width);
  nb::class_<SoftMargin>(m, "SoftMargin", "One binary problem of the soft margin, and the passes over its rows.")
      .def(nb::init<nb::object, Vector<const std::int32_t>, std::int32_t, std::optional<Vector<const double>>, double, bool,
                    const std::string&, std::size_t, std::size_t>(),
           nb::arg("rows"), nb::arg("codes").noconvert(), nb::arg("positive"), nb::arg("costs").noconvert().none(),
           nb::arg("scale"), nb::arg("has_intercept"), nb::arg("loss"), nb::arg("elements"), nb::arg("threads"))
      .def("margins", &SoftMargin::margins, nb::arg("v").noconvert(), nb::arg("margins").noconvert())
      .def("dual_sums", &SoftMargin::dual_sums, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("response"), nb::arg("class_vectors").noconvert())
      .def("best_step", &SoftMargin::best_step, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("rates").noconvert(), nb::arg("linear"), nb::arg("quadratic"), nb::arg("response"), nb::arg("slope_ratio"))
      .def("loss", &SoftMargin::loss, nb::arg("margins").noconvert())
      .def("shift_intercept", &SoftMargin::shift_intercept, nb::arg("margins").noconvert(), nb::arg("tolerance"))
      .def("free_rows", &SoftMargin::free_rows, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("response"))
      .def("update_duals", &SoftMargin::update_duals, nb::arg("alpha").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("response"))
      .def("solve_by_rows", &SoftMargin::solve_by_rows, nb::arg("free").noconvert(), nb::arg("width"), nb::arg("lam"),
           nb::arg("kappa"), nb::arg("gradient").noconvert(), nb::arg("accuracy"), nb::arg("max_steps"),
           nb::arg("direction").noconvert(), nb::arg("q").noconvert())
      .def("combine", &SoftMargin::combine, nb::arg("some").noconvert(), nb::arg("q").noconvert(), nb::arg("sum").noconvert())
      .def("project", &SoftMargin::project, nb::arg("some").noconvert(), nb::arg("v").noconvert(),
           nb::arg("values").noconvert())
      .def("gram", &SoftMargin::gram, nb::arg("some").noconvert(), nb::arg("width"), nb::arg("matrix").noconvert())
      .def("row_products", &SoftMargin::row_products, nb::arg("some").noconvert(), nb::arg("others").noconvert(),
           nb::arg("products").noconvert())
      .def("squared_norms", &SoftMargin::squared_norms, nb::arg("squared").noconvert())
      .def("descend", &SoftMargin::descend, nb::arg("alpha").noconvert(), nb::arg("squared_norms").noconvert(),
           nb::arg("order").noconvert(), nb::arg("v").noconvert(), nb::arg("before"), nb::arg("lam"), nb::arg("rho"),
           nb::arg("random"))
      .def("move_free_rows", &SoftMargin::move_free_rows, nb::arg("alpha").noconvert(), nb::arg("v").noconvert(),
           nb::arg("lam"), nb::arg("rho"), nb::arg("accuracy"), nb::arg("max_visits"))
      .def("mark_shrunk", &SoftMargin::mark_shrunk, nb::arg("alpha").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("before"), nb::arg("shrunk").noconvert())
      .def("order_active_first", &SoftMargin::order_active_first, nb::arg("shrunk").noconvert(), nb::arg("order").noconvert());
}
