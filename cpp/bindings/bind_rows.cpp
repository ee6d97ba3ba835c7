// Python matrices as rows for the kernels. Of their arrays, only indices of 64 bits are copied, and row
// offsets of 32 bits.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bindings.hpp"
#include "novikoff/measure.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/random.hpp"

using namespace novikoff;

namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

bool holds(const Array& array, nb::dlpack::dtype type) { return array.dtype() == type; }

template <class T>
RowsInMemory dense_rows(const Array& x, nb::object owner) {
  return {DenseRows<T>{static_cast<const T*>(x.data()), x.shape(0), x.shape(1), x.stride(0), x.stride(1)}, {std::move(owner)}};
}

RowsInMemory dense(nb::object matrix) {
  const auto x = nb::cast<Array>(matrix);
  if (x.ndim() == 2 && holds(x, nb::dtype<double>())) return dense_rows<double>(x, matrix);
  if (x.ndim() == 2 && holds(x, nb::dtype<float>())) return dense_rows<float>(x, matrix);
  throw nb::type_error("a two-dimensional array of float32 or float64 is needed.");
}

/// The kernels trust the offsets of the rows, so they are checked here; the indices are checked row by row in a pass.
void check_offsets(const std::int64_t* offsets, std::size_t count, std::size_t size) {
  if (count == 0 || offsets[0] < 0) throw std::invalid_argument("the row offsets of a CSR matrix must start at 0 or more.");
  bool falls = false;
  for (std::size_t i = 1; i < count; ++i) falls |= offsets[i] < offsets[i - 1];
  if (falls || static_cast<std::size_t>(offsets[count - 1]) > size)
    throw std::invalid_argument("the row offsets of a CSR matrix must not fall and must stay within its data.");
}

/// The numbers of an array, or a copy of them if they have another length. An index that is too large for 32 bits becomes -1,
/// which is not a column either.
template <class To, class From>
const To* numbers_in(const Array& array, std::unique_ptr<To[]>& copy) {
  if (holds(array, nb::dtype<To>())) return static_cast<const To*>(array.data());
  const auto* from = static_cast<const From*>(array.data());
  copy = std::make_unique_for_overwrite<To[]>(array.size());
  for (std::size_t k = 0; k < array.size(); ++k) copy[k] = std::in_range<To>(from[k]) ? static_cast<To>(from[k]) : To{-1};
  return copy.get();
}

RowsInMemory csr(nb::object data, nb::object indices, nb::object indptr, std::size_t columns) {
  const auto d = nb::cast<Array>(data), j = nb::cast<Array>(indices), p = nb::cast<Array>(indptr);
  const auto is_whole = [](const Array& x) { return x.ndim() == 1 && (x.size() < 2 || x.stride(0) == 1); };
  const auto is_index = [](const Array& x) {
    return holds(x, nb::dtype<std::int32_t>()) || holds(x, nb::dtype<std::int64_t>());
  };
  const bool f64 = holds(d, nb::dtype<double>()), f32 = holds(d, nb::dtype<float>());
  if (!is_whole(d) || !is_whole(j) || !is_whole(p) || !(f64 || f32) || !is_index(j) || !is_index(p))
    throw nb::type_error("contiguous CSR arrays of float32 or float64 values and int32 or int64 indices are needed.");
  if (columns > std::size_t{1} << 31) throw std::invalid_argument("a CSR matrix must have at most 2**31 columns.");
  RowsInMemory rows{{}, {data, indices, indptr}};
  const auto* offsets = numbers_in<std::int64_t, std::int32_t>(p, rows.offsets);
  check_offsets(offsets, p.size(), std::min(d.size(), j.size()));
  const auto* places = numbers_in<std::int32_t, std::int64_t>(j, rows.indices);
  if (f64)
    rows.view = CsrRows<double>{static_cast<const double*>(d.data()), places, offsets, p.size() - 1, columns};
  else
    rows.view = CsrRows<float>{static_cast<const float*>(d.data()), places, offsets, p.size() - 1, columns};
  return rows;
}

/// The squared norm of every row, and the number of rows before the first that is not finite or has an invalid index.
Tuple<Vector<double>, std::size_t> squared_norms(const RowsInMemory& rows) {
  std::vector<double> norms(rows.count());
  std::size_t good = 0;
  {
    nb::gil_scoped_release unlocked;
    good = std::visit([&](const auto& view) { return examine(view, 0, view.count, norms); }, rows.view);
  }
  return nb::make_tuple(to_numpy(std::move(norms)), good);
}

/// The indices of the rows must have been checked.
void measure_rows(const RowsInMemory& rows, Vector<const double> weights, Vector<const double> coefficients,
                  Vector<double> scores, Vector<double> total) {
  if (weights.size() != rows.columns() || total.size() != rows.columns() || coefficients.size() != rows.count() ||
      scores.size() != rows.count())
    throw std::invalid_argument("There must be one weight per column, and one coefficient and score per row.");
  nb::gil_scoped_release unlocked;
  std::visit([&](const auto& view) { measure(view, span_of(weights), span_of(coefficients), span_of(scores), span_of(total)); },
             rows.view);
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<RowsInMemory>(m, "Rows", "Rows of a matrix in Python's memory.")
      .def_prop_ro("count", &RowsInMemory::count)
      .def_prop_ro("columns", &RowsInMemory::columns)
      .def("squared_norms", &squared_norms)
      .def("measure", &measure_rows, nb::arg("weights").noconvert(), nb::arg("coefficients").noconvert(),
           nb::arg("scores").noconvert(), nb::arg("total").noconvert());
  m.def("dense", &dense, nb::arg("matrix").noconvert());
  m.def("csr", &csr, nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("columns"));
  nb::class_<Random>(m, "Random", "A seeded generator.")
      .def("__init__", [](Random* self, std::uint64_t seed) { new (self) Random{seed}; })
      .def(
          "shuffle", [](Random& random, Vector<std::int64_t> order) { shuffle(span_of(order), random); },
          nb::arg("order").noconvert());
}
