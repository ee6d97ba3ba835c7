// Bindings for making sparse rows from tables.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "bindings.hpp"
#include "novikoff/column_moments.hpp"
#include "novikoff/encode_rows.hpp"
#include "novikoff/running_moments.hpp"

using namespace novikoff;

namespace {

EncodingStep step_of(const std::int32_t* kind_and_source, const Vector<const std::int32_t>& columns, const TableRows& rows) {
  using Kind = EncodingStep::Kind;
  const std::int32_t kind = kind_and_source[0], source = kind_and_source[1];
  if (kind < 0 || kind > 3) throw std::invalid_argument("encode_rows: the kinds of the plan are 0 to 3.");
  const EncodingStep step{static_cast<Kind>(kind), static_cast<std::size_t>(source), span_of(columns)};
  const std::size_t sources = step.kind == Kind::string ? rows.string_columns : rows.number_columns;
  if (source < 0 || step.source >= sources || columns.size() == 0)
    throw std::invalid_argument("encode_rows: each step of the plan needs a column of the table, and columns of the output.");
  return step;
}

template <class Float>
std::size_t encode(const Matrix<const double>& numbers, const Matrix<const std::int32_t>& codes,
                   const Matrix<const std::int32_t>& plan, const Vector<const double>& shift, const Vector<const double>& scale,
                   const Vector<const double>& fill, const std::vector<Vector<const std::int32_t>>& columns,
                   const Vector<Float>& values, const Vector<std::int32_t>& indices, const Vector<std::int64_t>& ends,
                   std::size_t start, std::size_t threads) {
  const TableRows rows{
      numbers.shape(0), {numbers.data(), numbers.size()}, {codes.data(), codes.size()}, numbers.shape(1), codes.shape(1)};
  const std::size_t width = rows.number_columns;
  if (codes.shape(0) != rows.count || plan.shape(1) != 2 || plan.shape(0) != columns.size() || shift.size() != width ||
      scale.size() != width || fill.size() != width)
    throw std::invalid_argument("encode_rows: the arrays do not fit each other.");
  Encoding encoding{{}, span_of(shift), span_of(scale), span_of(fill)};
  for (std::size_t i = 0; i < columns.size(); ++i) encoding.steps.push_back(step_of(plan.data() + 2 * i, columns[i], rows));
  nb::gil_scoped_release unlocked;
  return encode_rows(rows, encoding, span_of(values), span_of(indices), span_of(ends), start, threads);
}

template <class Float>
void bind_encode_rows(nb::module_& m) {
  m.def("encode_rows", &encode<Float>, nb::arg("numbers"), nb::arg("codes"), nb::arg("plan"), nb::arg("shift"),
        nb::arg("scale"), nb::arg("fill"), nb::arg("columns"), nb::arg("values_out").noconvert(),
        nb::arg("indices_out").noconvert(), nb::arg("ends_out").noconvert(), nb::arg("start"), nb::arg("threads"),
        "Write the rows of a table as those of a CSR matrix, and return where they end.");
}

void add_to_moments(const Matrix<const double>& numbers, const Vector<std::int64_t>& counts, const Vector<double>& shifts,
                    const Vector<double>& sums, const Vector<double>& squares, const Vector<double>& out, bool standardise) {
  const std::size_t width = numbers.shape(1);
  if (counts.size() != width || shifts.size() != width || sums.size() != width || squares.size() != width ||
      (out.size() != 0 && out.size() != numbers.size()))
    throw std::invalid_argument("add_to_moments: the arrays do not fit each other.");
  nb::gil_scoped_release unlocked;
  add_rows({numbers.data(), numbers.size()}, {span_of(counts), span_of(shifts), span_of(sums), span_of(squares)}, span_of(out),
           standardise);
}

/// Returns counts, means, squared deviations, least and largest values of the columns of numbers.
nb::tuple moments_of_columns(const Matrix<const double>& numbers, std::size_t threads) {
  ColumnMoments found(0);
  {
    nb::gil_scoped_release unlocked;
    found = column_moments({numbers.data(), numbers.size()}, numbers.shape(1), threads);
  }
  const auto array = [](const std::vector<double>& values) {
    double* copy = new double[values.size()];
    std::copy(values.begin(), values.end(), copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return Vector<double>(copy, {values.size()}, owner);
  };
  return nb::make_tuple(array(found.counts), array(found.means), array(found.squares), array(found.least),
                        array(found.largest));
}

/// Returns memory that was freed to the operating system. The C library of GNU keeps it otherwise, unless it is at the end of
/// the heap; other libraries need no such call.
void release_freed_memory() {
#ifdef __GLIBC__
  nb::gil_scoped_release unlocked;
  malloc_trim(0);
#endif
}

}  // namespace

void bind_encoding(nb::module_& m) {
  bind_encode_rows<double>(m);
  bind_encode_rows<float>(m);
  m.def(
      "add_to_moments", &add_to_moments, nb::arg("numbers"), nb::arg("counts").noconvert(), nb::arg("shifts").noconvert(),
      nb::arg("sums").noconvert(), nb::arg("squares").noconvert(), nb::arg("out").noconvert(), nb::arg("standardise"),
      "Add rows to running moments, and write them, standardised by the moments up to each of them, to `out` if it has room.");
  m.def("column_moments", &moments_of_columns, nb::arg("numbers"), nb::arg("threads"),
        nb::sig("def column_moments(numbers: NDArray[numpy.float64], threads: int) -> tuple[NDArray[numpy.float64], "
                "NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]"),
        "Return counts, means, squared deviations, least and largest values of columns; NaN is a missing value.");
  m.def("release_freed_memory", &release_freed_memory, "Return memory that was freed to the operating system.");
}
