// Python bindings of the kernels that work with products of rows.
#include <stdexcept>

#include "bindings.hpp"
#include "novikoff/product_descent.hpp"
#include "novikoff/product_matrix.hpp"
#include "novikoff/product_newton.hpp"

using namespace novikoff;

namespace {

/// One binary problem over products of rows in NumPy's memory.
class Products {
 private:
  std::vector<nb::object> owners_;
  ProductProblem problem_;

 public:
  Products(Matrix<const double> products, Vector<const double> signs, Vector<const double> tops, Vector<const double> ridges,
           double rate, double offset, bool balanced)
      : owners_{nb::cast(products), nb::cast(signs), nb::cast(tops), nb::cast(ridges)},
        problem_{{products.data(), products.size()}, span_of(signs), span_of(tops), span_of(ridges), rate, offset, balanced} {
    const std::size_t rows = signs.size();
    if (rows == 0 || products.shape(0) != rows || products.shape(1) != rows || tops.size() != rows || ridges.size() != rows)
      throw std::invalid_argument("There must be a square matrix of products, and one sign, top and ridge per row.");
  }

  /// Returns the number of steps, the primal and the dual objective, and the intercept.
  Tuple<std::size_t, double, double, double> descend(Vector<double> t, Vector<double> gradient, double tol,
                                                     std::size_t max_steps) const {
    if (t.size() != problem_.count() || gradient.size() != problem_.count())
      throw std::invalid_argument("A vector must have one entry per row.");
    ProductProblem::Progress progress;
    {
      nb::gil_scoped_release unlocked;
      progress = problem_.descend(span_of(t), span_of(gradient), tol, max_steps);
    }
    const auto& bounds = progress.bounds;
    return nb::make_tuple(progress.steps, bounds.primal, bounds.dual, bounds.intercept);
  }

  /// Returns the number of free variables. Systems of more than `max_small` are solved by `solve`, which overwrites its second
  /// argument, two right-hand sides, and returns whether it could.
  std::size_t newton(Vector<double> t, Vector<double> gradient, double negligible, std::size_t max_free, nb::callable solve,
                     std::size_t max_small) const {
    if (t.size() != problem_.count() || gradient.size() != problem_.count())
      throw std::invalid_argument("A vector must have one entry per row.");
    nb::gil_scoped_release unlocked;
    const auto solve_any = [&](std::span<double> matrix, std::span<double> right) {
      const std::size_t n = right.size() / 2;
      if (n <= max_small) return solve_small(matrix, right);
      nb::gil_scoped_acquire locked;
      const auto view = [](double* data, std::size_t rows, std::size_t columns) {  // not a copy, which is the default
        return nb::cast(Matrix<double>(data, {rows, columns}), nb::rv_policy::reference);
      };
      return nb::cast<bool>(solve(view(matrix.data(), n, n), view(right.data(), 2, n)));
    };
    return ProductNewton{problem_, span_of(t), span_of(gradient)}.run(negligible, max_free, solve_any);
  }
};

void fill_sparse_products(const RowsInMemory& rows, double scale, std::size_t threads, Matrix<double> products) {
  if (products.shape(0) != rows.count() || products.shape(1) != rows.count())
    throw std::invalid_argument("The matrix must be square, with one row for each row of the data.");
  nb::gil_scoped_release unlocked;
  std::visit([&](const auto& view) { sparse_products(view, scale, threads, {products.data(), products.size()}); }, rows.view);
}

}  // namespace

void bind_products(nb::module_& m) {
  m.def("sparse_products", &fill_sparse_products, nb::arg("rows"), nb::arg("scale"), nb::arg("threads"),
        nb::arg("products").noconvert());
  nb::class_<Products>(m, "Products", "The dual of one binary problem over the products of its rows.")
      .def(nb::init<Matrix<const double>, Vector<const double>, Vector<const double>, Vector<const double>, double, double,
                    bool>(),
           nb::arg("products").noconvert(), nb::arg("signs").noconvert(), nb::arg("tops").noconvert(),
           nb::arg("ridges").noconvert(), nb::arg("rate"), nb::arg("offset"), nb::arg("balanced"))
      .def("descend", &Products::descend, nb::arg("t").noconvert(), nb::arg("gradient").noconvert(), nb::arg("tol"),
           nb::arg("max_steps"))
      .def("newton", &Products::newton, nb::arg("t").noconvert(), nb::arg("gradient").noconvert(), nb::arg("negligible"),
           nb::arg("max_free"), nb::arg("solve"), nb::arg("max_small"));
}
