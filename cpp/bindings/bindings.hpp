// What the binding files share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "novikoff/rows.hpp"

namespace nb = nanobind;

// Return types of which the generated stub shows the entries.
template <class... T>
using Tuple = nb::typed<nb::tuple, T...>;
using Dict = nb::typed<nb::dict, nb::str, nb::any>;

/// Text, as bytes of UTF-8.
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::string_view view_of(const Bytes& text) { return {reinterpret_cast<const char*>(text.data()), text.size()}; }

/// Weights, norms and duals are changed in place: arguments of this type are bound with .noconvert(), since a silent
/// copy would lose the change.
template <class T>
using Vector = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Matrix = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

/// An array of its own for Python, holding what is in `values`.
template <class T>
Vector<T> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Vector<T>(owned->data(), {owned->size()}, owner);
}

/// Rows in Python's memory, kept alive by the arrays they lie in.
struct RowsInMemory {
  novikoff::AnyRows view;
  std::vector<nb::object> owners;
  std::unique_ptr<std::int64_t[]> offsets{};  // copies of those of a CSR matrix, where it has numbers of another length
  std::unique_ptr<std::int32_t[]> indices{};

  std::size_t count() const {
    return std::visit([](const auto& rows) { return rows.count; }, view);
  }
  std::size_t columns() const {
    return std::visit([](const auto& rows) { return rows.columns; }, view);
  }
  /// Number of values in all rows.
  std::size_t entries() const {
    return std::visit(
        [](const auto& rows) {
          if constexpr (requires { rows.offsets; })
            return static_cast<std::size_t>(rows.offsets[rows.count] - rows.offsets[0]);
          else
            return rows.count * rows.columns;
        },
        view);
  }
};

void bind_rows(nb::module_& m);
void bind_online(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_crammer_singer(nb::module_& m);
void bind_products(nb::module_& m);
void bind_mixture(nb::module_& m);
void bind_svmlight(nb::module_& m);
void bind_hashing(nb::module_& m);
void bind_delimited(nb::module_& m);
void bind_json(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_examples(nb::module_& m);
void bind_answers(nb::module_& m);
void bind_exit(nb::module_& m);
