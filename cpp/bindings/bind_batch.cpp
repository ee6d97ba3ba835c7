// The soft-margin problem as Python sees it: rows and the vectors beside them, and the passes over both.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "novikoff/conjugate_gradients.hpp"
#include "novikoff/coordinate_descent.hpp"
#include "novikoff/gram.hpp"
#include "novikoff/nearest_points.hpp"
#include "novikoff/soft_margin.hpp"

using namespace novikoff;

namespace {

using Matrix = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// One binary question over rows in Python's memory. Its three vectors of rows are NumPy's, and handed to each pass.
class SoftMargin {
 private:
  static constexpr std::size_t worth_a_second_thread = 1'000'000;  // elements

  std::vector<nb::object> owners_;
  const RowsInMemory& rows_;
  Examples examples_;
  Blocks blocks_;
  std::size_t threads_;

  auto on_rows(auto&& work) const {
    nb::gil_scoped_release unlocked;
    return std::visit(work, rows_.view);
  }
  void check_rows(std::size_t size) const {
    if (size != rows_.count()) throw std::invalid_argument("A vector with one entry for each row.");
  }
  void check_bits(std::size_t bytes) const {
    if (bytes != (rows_.count() + 7) / 8) throw std::invalid_argument("A vector with one bit for each row.");
  }
  void check_columns(std::size_t size, std::size_t times) const {
    if (size != times * (rows_.columns() + 1))
      throw std::invalid_argument("A vector with one entry for each column, and one more.");
  }
  void check_some(const Vector<const std::int64_t>& some, std::size_t size) const {
    if (some.size() != size) throw std::invalid_argument("One number for each of some rows.");
    for (const std::int64_t i : span_of(some))
      if (i < 0 || static_cast<std::size_t>(i) >= rows_.count()) throw std::invalid_argument("Numbers of rows.");
  }

 public:
  SoftMargin(nb::object rows, Vector<const std::int32_t> codes, std::int32_t positive,
             std::optional<Vector<const double>> costs, double scale, bool intercept, std::size_t elements, std::size_t threads)
      : owners_{rows, nb::cast(codes), nb::cast(costs)},
        rows_(nb::cast<const RowsInMemory&>(rows)),
        examples_{span_of(codes), positive, costs ? span_of(*costs) : std::span<const double>{}, scale, intercept ? 1.0 : 0.0},
        blocks_(Blocks::of(rows_.count(), elements, rows_.columns())),
        threads_(elements < worth_a_second_thread ? 1 : threads) {
    if (codes.size() != rows_.count() || (costs && costs->size() != rows_.count()))
      throw std::invalid_argument("One code and one cost for each row.");
  }

  void measure(Vector<const double> v, Vector<double> margins) const {
    check_columns(v.size(), 1);
    check_rows(margins.size());
    on_rows([&](const auto& rows) { novikoff::measure(rows, examples_, span_of(v), blocks_, threads_, span_of(margins)); });
  }

  nb::dict answer(Vector<const double> centres, Vector<const double> margins, const Response& response,
                  Vector<double> pulls) const {
    check_rows(centres.size());
    check_rows(margins.size());
    check_columns(pulls.size(), 2);
    const Sums sums = on_rows([&](const auto& rows) {
      return novikoff::answer(rows, examples_, span_of(centres), span_of(margins), response, blocks_, threads_, span_of(pulls));
    });
    nb::dict result;
    result["hinge"] = sums.hinge;
    result["squared_hinge"] = sums.squared_hinge;
    const auto pair = [&](double ClassSums::* field) {
      return nb::make_tuple(sums.of_class[0].*field, sums.of_class[1].*field);
    };
    result["mass"] = pair(&ClassSums::mass);
    result["pull"] = pair(&ClassSums::pull);
    result["squares"] = pair(&ClassSums::squares);
    return result;
  }

  nb::tuple slope(Vector<const double> centres, Vector<const double> margins, Vector<const double> rates, double step,
                  const Response& response) const {
    check_rows(centres.size());
    check_rows(margins.size());
    check_rows(rates.size());
    nb::gil_scoped_release unlocked;
    const Slope found =
        novikoff::slope(examples_, span_of(centres), span_of(margins), span_of(rates), step, response, blocks_, threads_);
    nb::gil_scoped_acquire locked;
    return nb::make_tuple(found.first, found.second);
  }

  double loss(Vector<const double> margins, bool squared) const {
    check_rows(margins.size());
    nb::gil_scoped_release unlocked;
    return novikoff::loss(examples_, span_of(margins), squared, blocks_, threads_);
  }

  double balance(Vector<double> margins, bool squared, double enough) const {
    check_rows(margins.size());
    nb::gil_scoped_release unlocked;
    return novikoff::balance(examples_, span_of(margins), squared, enough, blocks_, threads_);
  }

  Vector<std::int64_t> free_rows(Vector<const double> centres, Vector<const double> margins, const Response& response) const {
    check_rows(centres.size());
    check_rows(margins.size());
    return to_numpy(
        on_rows([&](const auto&) { return novikoff::free_rows(examples_, span_of(centres), span_of(margins), response); }));
  }

  /// The centres become the answers to the margins.
  void settle(Vector<double> centres, Vector<const double> margins, const Response& response) const {
    check_rows(centres.size());
    check_rows(margins.size());
    const auto alpha = span_of(centres);
    const auto m = span_of(margins);
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < alpha.size(); ++i) alpha[i] = response.at(alpha[i], m[i]);
  }

  std::size_t solve_by_rows(Vector<const std::int64_t> free, double width, double lambda, double kappa,
                            Vector<const double> gradient, double accuracy, std::size_t most_steps, Vector<double> direction,
                            Vector<double> q) const {
    check_some(free, q.size());
    check_columns(gradient.size(), 1);
    check_columns(direction.size(), 1);
    return on_rows([&](const auto& rows) {
      RowSystem system(rows, examples_, span_of(free), width, Ridge{lambda, kappa}, threads_);
      return system.solve(span_of(gradient), Accuracy{accuracy, most_steps}, span_of(direction), span_of(q));
    });
  }

  void combine(Vector<const std::int64_t> some, Vector<const double> q, Vector<double> sum) const {
    check_some(some, q.size());
    check_columns(sum.size(), 1);
    on_rows([&](const auto& rows) { novikoff::combine(rows, examples_, span_of(some), span_of(q), span_of(sum)); });
  }

  void project(Vector<const std::int64_t> some, Vector<const double> v, Vector<double> values) const {
    check_some(some, values.size());
    check_columns(v.size(), 1);
    on_rows([&](const auto& rows) { novikoff::project(rows, examples_, span_of(some), span_of(v), span_of(values)); });
  }

  void gram(Vector<const std::int64_t> some, double width, Matrix matrix) const {
    check_some(some, some.size());
    const std::size_t side = rows_.columns() + 1;
    if (matrix.shape(0) != side || matrix.shape(1) != side) throw std::invalid_argument("A matrix of the columns squared.");
    constexpr std::size_t worth_copying = 8;  // rows for each row of the matrix
    const std::size_t parts = std::min<std::size_t>(side < 1024 ? 8 : 2, 1 + some.size() / (worth_copying * side));
    on_rows([&](const auto& rows) {
      novikoff::gram(rows, examples_, span_of(some), width, parts, threads_, {matrix.data(), side * side});
    });
  }

  void row_products(Vector<const std::int64_t> some, Vector<const std::int64_t> others, Matrix products) const {
    check_some(some, products.shape(0));
    check_some(others, products.shape(1));
    on_rows([&](const auto& rows) {
      novikoff::row_products(rows, examples_.scale, span_of(some), span_of(others), threads_,
                             {products.data(), products.size()});
    });
  }

  void norms(Vector<double> squared) const {
    check_rows(squared.size());
    on_rows([&](const auto& rows) {
      blocks_.for_each(threads_, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) squared.data()[i] = scaled_norm(rows[i], examples_.scale);
      });
    });
  }

  nb::tuple descend(Vector<double> alpha, Vector<const double> norms, Vector<std::int32_t> order, Vector<double> v,
                    std::tuple<double, double, std::size_t> before, double lambda, double rho, double ridge, double top,
                    Random& random) const {
    check_rows(alpha.size());
    check_rows(norms.size());
    check_rows(order.size());
    check_columns(v.size(), 1);
    const auto [largest, least, active] = before;
    if (active > order.size()) throw std::invalid_argument("No more active rows than there are.");
    const Violations now = on_rows([&](const auto& rows) {
      return novikoff::descend(rows, examples_, DualShape{lambda, rho, ridge, top}, span_of(alpha), span_of(norms),
                               span_of(order), span_of(v), Violations{largest, least, active}, random);
    });
    return nb::make_tuple(now.largest, now.least, now.active, now.gap);
  }

  void set_aside(Vector<const double> alpha, Vector<const double> margins, std::pair<double, double> before, double ridge,
                 double top, Vector<std::uint8_t> aside) const {
    check_rows(alpha.size());
    check_rows(margins.size());
    check_bits(aside.size());
    nb::gil_scoped_release unlocked;
    novikoff::set_aside(DualShape{1, 0, ridge, top}, span_of(alpha), span_of(margins),
                        Violations{before.first, before.second, 0}, span_of(aside));
  }

  std::size_t line_up(Vector<const std::uint8_t> aside, Vector<std::int32_t> order) const {
    check_rows(order.size());
    check_bits(aside.size());
    nb::gil_scoped_release unlocked;
    return novikoff::line_up(span_of(aside), span_of(order));
  }
};

nb::tuple survey_of(const RowsInMemory& rows) {
  Survey found;
  {
    nb::gil_scoped_release unlocked;
    found = std::visit([](const auto& view) { return survey(view); }, rows.view);
  }
  return nb::make_tuple(found.good, found.largest, found.rising);
}

/// The nearest points of two hulls by the products of rows; how many steps there were, and what is left to do.
nb::tuple nearest_points(Matrix products, Vector<const double> signs, bool balanced, Vector<double> a, Vector<double> scores,
                         double accuracy, std::size_t most, double heaviest) {
  const std::size_t rows = signs.size();
  if (products.shape(0) != rows || products.shape(1) != rows || a.size() != rows || scores.size() != rows)
    throw std::invalid_argument("A square of products, and one sign, dual and score for each row.");
  NearestPoints::Progress progress;
  {
    nb::gil_scoped_release unlocked;
    const NearestPoints problem{{products.data(), rows * rows}, span_of(signs), balanced};
    progress = problem.descend(span_of(a), span_of(scores), accuracy, most, heaviest);
  }
  return nb::make_tuple(progress.steps, progress.violation);
}

}  // namespace

void bind_batch(nb::module_& m) {
  m.def("survey", &survey_of);
  m.def("nearest_points", &nearest_points, nb::arg("products").noconvert(), nb::arg("signs").noconvert(), nb::arg("balanced"),
        nb::arg("a").noconvert(), nb::arg("scores").noconvert(), nb::arg("accuracy"), nb::arg("most"), nb::arg("heaviest"));
  nb::class_<Response>(m, "Response", "How the dual answers a margin: clip(keep centre + (1 - m) / width, 0, top).")
      .def(
          "__init__", [](Response* self, double width, double top, double keep) { new (self) Response{width, top, keep}; },
          nb::arg("width"), nb::arg("top"), nb::arg("keep"))
      .def_ro("width", &Response::width);
  nb::class_<SoftMargin>(m, "SoftMargin", "One binary question of the soft margin, and the passes over its rows.")
      .def(nb::init<nb::object, Vector<const std::int32_t>, std::int32_t, std::optional<Vector<const double>>, double, bool,
                    std::size_t, std::size_t>(),
           nb::arg("rows"), nb::arg("codes").noconvert(), nb::arg("positive"), nb::arg("costs").noconvert().none(),
           nb::arg("scale"), nb::arg("intercept"), nb::arg("elements"), nb::arg("threads"))
      .def("measure", &SoftMargin::measure, nb::arg("v").noconvert(), nb::arg("margins").noconvert())
      .def("answer", &SoftMargin::answer, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(), nb::arg("response"),
           nb::arg("pulls").noconvert())
      .def("slope", &SoftMargin::slope, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("rates").noconvert(), nb::arg("step"), nb::arg("response"))
      .def("loss", &SoftMargin::loss, nb::arg("margins").noconvert(), nb::arg("squared"))
      .def("balance", &SoftMargin::balance, nb::arg("margins").noconvert(), nb::arg("squared"), nb::arg("enough"))
      .def("free_rows", &SoftMargin::free_rows, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(),
           nb::arg("response"))
      .def("settle", &SoftMargin::settle, nb::arg("centres").noconvert(), nb::arg("margins").noconvert(), nb::arg("response"))
      .def("solve_by_rows", &SoftMargin::solve_by_rows, nb::arg("free").noconvert(), nb::arg("width"), nb::arg("lam"),
           nb::arg("kappa"), nb::arg("gradient").noconvert(), nb::arg("accuracy"), nb::arg("most_steps"),
           nb::arg("direction").noconvert(), nb::arg("q").noconvert())
      .def("combine", &SoftMargin::combine, nb::arg("some").noconvert(), nb::arg("q").noconvert(), nb::arg("sum").noconvert())
      .def("project", &SoftMargin::project, nb::arg("some").noconvert(), nb::arg("v").noconvert(),
           nb::arg("values").noconvert())
      .def("gram", &SoftMargin::gram, nb::arg("some").noconvert(), nb::arg("width"), nb::arg("matrix").noconvert())
      .def("row_products", &SoftMargin::row_products, nb::arg("some").noconvert(), nb::arg("others").noconvert(),
           nb::arg("products").noconvert())
      .def("norms", &SoftMargin::norms, nb::arg("squared").noconvert())
      .def("descend", &SoftMargin::descend, nb::arg("alpha").noconvert(), nb::arg("norms").noconvert(),
           nb::arg("order").noconvert(), nb::arg("v").noconvert(), nb::arg("before"), nb::arg("lam"), nb::arg("rho"),
           nb::arg("ridge"), nb::arg("top"), nb::arg("random"))
      .def("set_aside", &SoftMargin::set_aside, nb::arg("alpha").noconvert(), nb::arg("margins").noconvert(), nb::arg("before"),
           nb::arg("ridge"), nb::arg("top"), nb::arg("aside").noconvert())
      .def("line_up", &SoftMargin::line_up, nb::arg("aside").noconvert(), nb::arg("order").noconvert());
}
