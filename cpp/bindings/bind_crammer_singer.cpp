// Python bindings of the joint machine of several classes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "novikoff/crammer_singer.hpp"

using namespace novikoff;

namespace {

/// A joint machine over rows in Python's memory, and the passes over them. It has no mutable state: the arrays that a pass
/// reads and writes are NumPy arrays of the caller.
class JointMachine {
 private:
  static constexpr std::size_t min_elements_for_threads = 1'000'000;

  std::vector<nb::object> owners_;
  const RowsInMemory& rows_;
  JointProblem problem_;
  Blocks blocks_;
  std::size_t threads_;

  void on_rows(auto&& work) const {
    nb::gil_scoped_release unlocked;
    std::visit(work, rows_.view);
  }
  void check_rows(std::size_t size) const {
    if (size != rows_.count()) throw std::invalid_argument("A vector must have one entry per row.");
  }
  void check_alpha(const auto& alpha) const {
    if (alpha.shape(0) != rows_.count() || alpha.shape(1) != problem_.classes)
      throw std::invalid_argument("alpha must have one entry per row and class.");
  }
  void check_weights(const auto& v, std::size_t intercepts) const {
    if (v.shape(0) != rows_.columns() || v.shape(1) < problem_.classes || intercepts != problem_.classes)
      throw std::invalid_argument("There must be one weight per column and class, and one intercept per class.");
  }
  static auto flat(const auto& matrix) { return std::span(matrix.data(), matrix.size()); }

 public:
  JointMachine(nb::object rows, Vector<const std::int32_t> codes, std::size_t classes,
               std::optional<Vector<const double>> costs, double scale, bool has_intercept, std::size_t elements,
               std::size_t threads)
      : owners_{rows, nb::cast(codes), nb::cast(costs)},
        rows_(nb::cast<const RowsInMemory&>(rows)),
        problem_{span_of(codes), classes, costs ? span_of(*costs) : std::span<const double>{}, scale,
                 has_intercept ? 1.0 : 0.0},
        blocks_(Blocks::of(rows_.count(), elements, rows_.columns())),
        threads_(elements < min_elements_for_threads ? 1 : threads) {
    if (codes.size() != rows_.count() || (costs && costs->size() != rows_.count()))
      throw std::invalid_argument("There must be one code and one cost per row.");
    for (const std::int32_t code : span_of(codes))
      if (code < 0 || static_cast<std::size_t>(code) >= classes) throw std::invalid_argument("A code is out of range.");
  }

  void squared_norms(Vector<double> squared) const {
    check_rows(squared.size());
    on_rows([&](const auto& rows) {
      blocks_.for_each(threads_, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) squared.data()[i] = scaled_squared_norm(rows[i], problem_.scale);
      });
    });
  }

  template <class Real>
  Tuple<double, std::size_t, std::size_t, double> descend(Matrix<double> alpha, Vector<const double> squared_norms,
                                                          Vector<std::uint8_t> rests, Vector<std::int32_t> order,
                                                          Matrix<Real> v, Vector<double> b,
                                                          std::pair<double, std::size_t> before, double lambda, double rho,
                                                          double relaxation, Random& random) const {
    check_alpha(alpha);
    check_rows(squared_norms.size());
    check_rows(rests.size());
    check_rows(order.size());
    check_weights(v, b.size());
    const JointPassSummary previous{before.first, before.second};
    if (previous.active > order.size()) throw std::invalid_argument("There are fewer rows than active ones.");
    static_assert(sizeof(Rest) == 1);
    const JointState<Real> state{flat(alpha),
                                 {v.data(), v.shape(1)},
                                 span_of(b),
                                 span_of(squared_norms),
                                 {reinterpret_cast<Rest*>(rests.data()), rests.size()}};
    JointPassSummary now;
    on_rows([&](const auto& rows) {
      now = novikoff::descend(rows, problem_, DualPenalty{lambda, rho}, relaxation, state, span_of(order), previous, random);
    });
    return nb::make_tuple(now.violation, now.active, now.visits, now.gap);
  }

  void margins(Matrix<const double> alpha, Matrix<const double> v, Vector<const double> b, double violation,
               Vector<double> margins, Vector<std::uint8_t> shrunk) const {
    check_alpha(alpha);
    check_weights(v, b.size());
    check_rows(margins.size());
    if (shrunk.size() != (rows_.count() + 7) / 8) throw std::invalid_argument("A bit vector must have one bit per row.");
    on_rows([&](const auto& rows) {
      joint_margins(rows, problem_, flat(alpha), JointWeights<const double>{v.data(), v.shape(1)}, span_of(b), violation,
                    blocks_, threads_, span_of(margins), span_of(shrunk));
    });
  }

  void sums(Matrix<const double> alpha, Matrix<double> sums, Vector<double> totals) const {
    check_alpha(alpha);
    check_weights(sums, totals.size());
    if (sums.shape(1) != problem_.classes) throw std::invalid_argument("The sums must have one column per class.");
    on_rows([&](const auto& rows) { joint_sums(rows, problem_, flat(alpha), flat(sums), span_of(totals)); });
  }

  std::size_t order_active_first(Vector<const std::uint8_t> shrunk, Vector<std::int32_t> order) const {
    check_rows(order.size());
    if (shrunk.size() != (rows_.count() + 7) / 8) throw std::invalid_argument("A bit vector must have one bit per row.");
    nb::gil_scoped_release unlocked;
    return novikoff::order_active_first(span_of(shrunk), span_of(order));
  }
};

}  // namespace

void bind_crammer_singer(nb::module_& m) {
  nb::class_<JointMachine>(m, "JointMachine", "The joint machine of several classes, and the passes over its rows.")
      .def(nb::init<nb::object, Vector<const std::int32_t>, std::size_t, std::optional<Vector<const double>>, double, bool,
                    std::size_t, std::size_t>(),
           nb::arg("rows"), nb::arg("codes").noconvert(), nb::arg("classes"), nb::arg("costs").noconvert().none(),
           nb::arg("scale"), nb::arg("has_intercept"), nb::arg("elements"), nb::arg("threads"))
      .def("squared_norms", &JointMachine::squared_norms, nb::arg("squared").noconvert())
      .def("descend", &JointMachine::descend<float>, nb::arg("alpha").noconvert(), nb::arg("squared_norms").noconvert(),
           nb::arg("rests").noconvert(), nb::arg("order").noconvert(), nb::arg("v").noconvert(), nb::arg("b").noconvert(),
           nb::arg("before"), nb::arg("lam"), nb::arg("rho"), nb::arg("relaxation"), nb::arg("random"))
      .def("descend", &JointMachine::descend<double>, nb::arg("alpha").noconvert(), nb::arg("squared_norms").noconvert(),
           nb::arg("rests").noconvert(), nb::arg("order").noconvert(), nb::arg("v").noconvert(), nb::arg("b").noconvert(),
           nb::arg("before"), nb::arg("lam"), nb::arg("rho"), nb::arg("relaxation"), nb::arg("random"))
      .def("margins", &JointMachine::margins, nb::arg("alpha").noconvert(), nb::arg("v").noconvert(), nb::arg("b").noconvert(),
           nb::arg("violation"), nb::arg("margins").noconvert(), nb::arg("shrunk").noconvert())
      .def("sums", &JointMachine::sums, nb::arg("alpha").noconvert(), nb::arg("sums").noconvert(),
           nb::arg("totals").noconvert())
      .def("order_active_first", &JointMachine::order_active_first, nb::arg("shrunk").noconvert(),
           nb::arg("order").noconvert());
}
