// Python bindings of coordinate descent for several one-vs-rest problems at once.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "bindings.hpp"
#include "novikoff/class_descent.hpp"

using namespace novikoff;

namespace {

/// One-vs-rest problems over rows in Python's memory, and the passes over them. It has no mutable state: the arrays that a pass
/// reads and writes are NumPy arrays of the caller, with 4, 8 or 12 numbers per row or column, those of the problems first.
class ClassDescent {
 private:
  std::vector<nb::object> owners_;
  const RowsInMemory& rows_;
  std::span<const std::int32_t> codes_;
  std::span<const double> costs_;
  double scale_;
  bool has_intercept_;
  Loss loss_;

  ClassProblems problems(const Vector<const std::int32_t>& positive) const {
    return {codes_, span_of(positive), costs_, scale_, has_intercept_ ? 1.0 : 0.0};
  }
  /// Calls work(rows, width) with the number of places as a constant.
  void on_rows(std::size_t width, auto&& work) const {
    nb::gil_scoped_release unlocked;
    std::visit(
        [&](const auto& rows) {
          if (width == 4) work(rows, std::integral_constant<std::size_t, 4>{});
          if (width == 8) work(rows, std::integral_constant<std::size_t, 8>{});
          if (width == 12) work(rows, std::integral_constant<std::size_t, 12>{});
        },
        rows_.view);
  }
  std::size_t check(std::size_t problems, const auto& alpha, const auto& weights, std::size_t intercepts) const {
    const std::size_t width = alpha.shape(1);
    if (width % 4 != 0 || width == 0 || width > max_classes_at_once || problems > width || problems == 0)
      throw std::invalid_argument("There must be 4, 8 or 12 places, at least one per problem.");
    if (alpha.shape(0) != rows_.count() || weights.shape(0) != rows_.columns() || weights.shape(1) != width ||
        intercepts != problems)
      throw std::invalid_argument("An array has a wrong shape.");
    if (reinterpret_cast<std::uintptr_t>(weights.data()) % 16 != 0) throw std::invalid_argument("The weights are not aligned.");
    return width;
  }
  void check_rows(std::size_t size) const {
    if (size != rows_.count()) throw std::invalid_argument("A vector must have one entry per row.");
  }
  static ClassPassSummary limits_of(Matrix<const double> derivatives, std::size_t problems, std::size_t active) {
    if (derivatives.shape(0) != problems || derivatives.shape(1) != 2)
      throw std::invalid_argument("There must be two derivatives per problem.");
    ClassPassSummary before;
    before.active = active;
    for (std::size_t c = 0; c < problems; ++c) {
      before.of[c].largest = derivatives(c, 0);
      before.of[c].least = derivatives(c, 1);
    }
    return before;
  }

 public:
  ClassDescent(nb::object rows, Vector<const std::int32_t> codes, std::optional<Vector<const double>> costs, double scale,
               bool has_intercept, const std::string& loss)
      : owners_{rows, nb::cast(codes), nb::cast(costs)},
        rows_(nb::cast<const RowsInMemory&>(rows)),
        codes_(span_of(codes)),
        costs_(costs ? span_of(*costs) : std::span<const double>{}),
        scale_(scale),
        has_intercept_(has_intercept),
        loss_(loss_named(loss)) {
    check_rows(codes.size());
    if (costs) check_rows(costs->size());
  }

  Tuple<Vector<double>, Vector<double>, Vector<double>, std::size_t, std::size_t> descend(
      Vector<const std::int32_t> positive, Matrix<double> alpha, Vector<const double> squared_norms, Matrix<float> weights,
      Vector<double> intercepts, Vector<ClassMask> excluded, Vector<std::int32_t> order, Matrix<const double> derivatives,
      std::size_t active, double lambda, double rho, Random& random) const {
    const std::size_t width = check(positive.size(), alpha, weights, intercepts.size());
    for (const std::size_t size : {squared_norms.size(), excluded.size(), order.size()}) check_rows(size);
    if (active > order.size()) throw std::invalid_argument("There are fewer rows than active ones.");
    const ClassPassSummary before = limits_of(derivatives, positive.size(), active);
    ClassPassSummary now;
    on_rows(width, [&]<std::size_t N>(const auto& rows, std::integral_constant<std::size_t, N>) {
      const ClassState<N> state{alpha.data(), reinterpret_cast<ClassNumbers<float, N>*>(weights.data()), span_of(intercepts),
                                span_of(excluded), span_of(order)};
      now = descend_classes(rows, problems(positive), loss_, DualPenalty{lambda, rho}, span_of(squared_norms), state, before,
                            random);
    });
    std::vector<double> largest, least, gap;
    for (std::size_t c = 0; c < positive.size(); ++c) {
      largest.push_back(now.of[c].largest);
      least.push_back(now.of[c].least);
      gap.push_back(now.of[c].gap);
    }
    return nb::make_tuple(to_numpy(std::move(largest)), to_numpy(std::move(least)), to_numpy(std::move(gap)), now.active,
                          now.visits);
  }

  void sums(Vector<const std::int32_t> positive, Matrix<const double> alpha, Matrix<double> sums, Vector<double> totals) const {
    const std::size_t width = check(positive.size(), alpha, sums, totals.size());
    on_rows(width, [&]<std::size_t N>(const auto& rows, std::integral_constant<std::size_t, N>) {
      class_sums(rows, problems(positive), alpha.data(), reinterpret_cast<ClassNumbers<double, N>*>(sums.data()),
                 span_of(totals));
    });
  }

  Tuple<Vector<double>, Vector<double>, Vector<double>, Vector<double>, std::size_t> measure(
      Vector<const std::int32_t> positive, Matrix<const double> alpha, Matrix<const double> weights,
      Vector<const double> intercepts, Matrix<const double> derivatives, Vector<ClassMask> excluded,
      Vector<std::int32_t> order) const {
    const std::size_t width = check(positive.size(), alpha, weights, intercepts.size());
    check_rows(excluded.size());
    check_rows(order.size());
    const ClassPassSummary before = limits_of(derivatives, positive.size(), 0);
    ClassMeasure found;
    std::size_t active = 0;
    on_rows(width, [&]<std::size_t N>(const auto& rows, std::integral_constant<std::size_t, N>) {
      const auto* by_column = reinterpret_cast<const ClassNumbers<double, N>*>(weights.data());
      found = measure_classes(rows, problems(positive), loss_, alpha.data(), by_column, span_of(intercepts), before,
                              span_of(excluded));
      active = order_active_first(std::span<const ClassMask>(span_of(excluded)), problems(positive).all(), span_of(order));
    });
    std::vector<double> loss, a, a_alpha, counted;
    for (std::size_t c = 0; c < positive.size(); ++c) {
      loss.push_back(found.of[c].loss);
      a.push_back(found.of[c].a);
      a_alpha.push_back(found.of[c].a_alpha);
      counted.push_back(static_cast<double>(found.of[c].counted));
    }
    return nb::make_tuple(to_numpy(std::move(loss)), to_numpy(std::move(a)), to_numpy(std::move(a_alpha)),
                          to_numpy(std::move(counted)), active);
  }
};

/// The values, column indices and row offsets of dense rows without their zeros; None if more than `max_share` of the values,
/// or more than 32 bits can count, are not 0.
template <class T>
nb::object without_zeros(const DenseRows<T>& rows, double max_share) {
  std::vector<std::int32_t> offsets(rows.count + 1), indices;
  std::vector<T> values;
  const double most = std::min(max_share * static_cast<double>(rows.count) * static_cast<double>(rows.columns), 0x7fffffffp0);
  bool is_sparse = true;
  {
    nb::gil_scoped_release unlocked;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rows.count && is_sparse; ++i) {
      std::int32_t own = 0;
      rows[i].for_each([&](std::size_t, double value) { own += value != 0; });
      total += own;
      is_sparse = static_cast<double>(total) <= most;
      if (is_sparse) offsets[i + 1] = static_cast<std::int32_t>(total);
    }
    if (is_sparse) {
      indices.reserve(static_cast<std::size_t>(total));
      values.reserve(static_cast<std::size_t>(total));
      for (std::size_t i = 0; i < rows.count; ++i)
        rows[i].for_each([&](std::size_t j, double value) {
          if (value == 0) return;
          indices.push_back(static_cast<std::int32_t>(j));
          values.push_back(static_cast<T>(value));
        });
    }
  }
  if (!is_sparse) return nb::none();
  return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(indices)), to_numpy(std::move(offsets)));
}

}  // namespace

void bind_class_descent(nb::module_& m) {
  m.attr("MAX_CLASSES_AT_ONCE") = max_classes_at_once;
  m.def(
      "without_zeros",
      [](const RowsInMemory& rows, double max_share) {
        return std::visit(
            [&](const auto& view) -> nb::object {
              if constexpr (requires { view.row_stride; })
                return without_zeros(view, max_share);
              else
                return nb::none();
            },
            rows.view);
      },
      nb::arg("rows"), nb::arg("max_share"),
      "Values, columns and offsets of dense rows without their zeros; None if the rows are sparse, or hardly have zeros.");
  nb::class_<ClassDescent>(m, "ClassDescent", "One-vs-rest problems over the same rows, and passes over all of them at once.")
      .def(nb::init<nb::object, Vector<const std::int32_t>, std::optional<Vector<const double>>, double, bool,
                    const std::string&>(),
           nb::arg("rows"), nb::arg("codes").noconvert(), nb::arg("costs").noconvert().none(), nb::arg("scale"),
           nb::arg("has_intercept"), nb::arg("loss"))
      .def("descend", &ClassDescent::descend, nb::arg("positive").noconvert(), nb::arg("alpha").noconvert(),
           nb::arg("squared_norms").noconvert(), nb::arg("weights").noconvert(), nb::arg("intercepts").noconvert(),
           nb::arg("excluded").noconvert(), nb::arg("order").noconvert(), nb::arg("derivatives").noconvert(), nb::arg("active"),
           nb::arg("lam"), nb::arg("rho"), nb::arg("random"))
      .def("sums", &ClassDescent::sums, nb::arg("positive").noconvert(), nb::arg("alpha").noconvert(),
           nb::arg("sums").noconvert(), nb::arg("totals").noconvert())
      .def("measure", &ClassDescent::measure, nb::arg("positive").noconvert(), nb::arg("alpha").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("intercepts").noconvert(), nb::arg("derivatives").noconvert(),
           nb::arg("excluded").noconvert(), nb::arg("order").noconvert());
}
