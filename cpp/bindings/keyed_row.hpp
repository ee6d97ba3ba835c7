// A dict of features as a sparse row.
#pragma once

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "novikoff/names.hpp"
#include "novikoff/pass.hpp"
#include "novikoff/scale.hpp"

using novikoff::Columns;

/// Clears the error of a value that is not a number. Any other error that its code raised, such as an interrupt, is rethrown.
inline void clear_refusal() {
  if (!PyErr_Occurred()) return;
  for (PyObject* refusal : {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError})
    if (PyErr_ExceptionMatches(refusal)) return PyErr_Clear();
  throw nb::python_error();
}

using Sparse = novikoff::SparseRow<double>;

/// The UTF-8 of a string, owned by the string. None, with Python's error set, if it has a lone surrogate.
inline std::optional<std::string_view> utf8_of(PyObject* text) {
#ifndef Py_LIMITED_API
  if (PyUnicode_IS_COMPACT_ASCII(text))
    return std::string_view(static_cast<const char*>(PyUnicode_DATA(text)),
                            static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)));
#endif
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) return std::nullopt;
  return std::string_view(bytes, static_cast<std::size_t>(size));
}

/// The features of one example. `read` takes and checks all keys and values; it needs the interpreter's lock, but not that of
/// the learner. Then `look_up` or `add` finds their columns; these need the learner's lock, but not the interpreter's.
///
/// A dict is often scored first and then learned from, so the last one is kept and not read again if it is unchanged.
class KeyedRow {
 public:
  /// Reads a dict, unless it is the last one and unchanged. Returns false if it has keys or values that only Python code can
  /// convert: `plain_copy` does so. Runs no Python code itself.
  bool read(nb::handle dict) {
    if (is_last(dict)) return true;
    forget();
    const auto size = static_cast<std::size_t>(PyDict_Size(dict.ptr()));
    names_.resize(size);
    hashes_.resize(size);
    values_.resize(size);
    const bool is_plain = read_features(dict, [&](std::size_t k, const novikoff::Name& name, double value) {
      names_[k] = name;
      hashes_[k] = name.hash();
      values_[k] = value;
    });
    if (!is_plain) return false;
    columns_.resize(size);
    squared_sum_ = checked_sum_of_squares(row());
    remember(dict);
    return true;
  }

  /// Calls `take` with the place, the name and the value of each feature of a dict. Returns false if it has keys or values that
  /// only Python code can convert.
  static bool read_features(nb::handle dict, const auto& take) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    for (std::size_t k = 0; PyDict_Next(dict.ptr(), &position, &key, &value); ++k) {
      if (!is_plain_key(key) || !is_plain_number(value)) return false;
      const double number = number_of(value);
      if (!std::isfinite(number)) refuse("finite", key, value);
      take(k, name_of(key), number);
    }
    return true;
  }

  /// The sum of the squared values of a row, whose columns need not be known. Refuses a row whose sum is not a normal number.
  static double checked_sum_of_squares(const Sparse& row) {
    double sum = row.sum_of_squares();
    if (sum < novikoff::least_squared_norm) {
      const bool is_zero = std::all_of(row.values, row.values + row.size, [](double value) { return value == 0; });
      sum = novikoff::large_enough(sum, is_zero);
    }
    if (!std::isfinite(sum)) throw std::invalid_argument("the squared norm of the features overflows to inf or underflows.");
    return sum;
  }

  std::size_t size() const { return values_.size(); }

  /// The keys of the dict that was read. Whoever holds them may release the interpreter's lock: another thread may then remove
  /// keys from the dict, but their text remains.
  nb::object keys() const { return nb::steal(PyDict_Keys(dict_.ptr())); }

  /// Finds the columns for scoring. An unknown feature adds 0, but keeps its place in the sum, so that a score has the same
  /// bits before and after the feature gets a column.
  Sparse look_up(const Columns& known) {
    find(known);
    if (absent_ == 0) return row();
    present_columns_ = columns_;
    present_values_ = values_;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (columns_[k] == novikoff::KeyTable::absent) present_columns_[k] = 0, present_values_[k] = 0;
    return {present_values_.data(), present_columns_.data(), values_.size()};
  }

  /// The row as `add` would return it, and the number of columns that there would be. Nothing is added.
  std::pair<Sparse, std::size_t> foresee(const Columns& known) {
    find(known);
    std::size_t columns = std::max<std::size_t>(1, known.count());
    if (absent_ == 0) return {row(), columns};
    present_columns_ = columns_;
    for (std::int32_t& column : present_columns_)
      if (column == novikoff::KeyTable::absent) column = static_cast<std::int32_t>(columns++);
    return {{values_.data(), present_columns_.data(), values_.size()}, columns};
  }

  /// The number of features that have no column.
  std::size_t absent(const Columns& known) {
    find(known);
    return absent_;
  }

  /// Finds the columns for learning. An unknown feature gets a new one.
  Sparse add(Columns& known) {
    find(known);
    for (std::size_t k = 0; absent_ > 0; ++k) {
      if (columns_[k] != novikoff::KeyTable::absent) continue;
      columns_[k] = static_cast<std::int32_t>(known.find_or_add(hashes_[k], names_[k]));
      --absent_;
    }
    return row();
  }

  /// A row of this dict as it is seen with a scale.
  Sparse seen(const Sparse& features, const novikoff::Scale& scale) {
    seen_values_.clear();
    seen_columns_.clear();
    scale.apply(features, seen_values_, seen_columns_);
    return {seen_values_.data(), seen_columns_.data(), seen_values_.size()};
  }

  /// |x|^2. Keys of one dict have different columns unless they share a bucket.
  double squared_norm(const Columns& known) const { return known.buckets > 0 ? row().squared_norm() : squared_sum_; }

  /// Releases the last dict.
  void forget() {
    dict_ = nb::object();
    found_ = false;
  }

  /// As many zeros as scoring with this problem needs.
  std::vector<double>& scratch_for(const novikoff::Hypothesis& h, std::size_t columns) {
    if (h.votes) scratch_.resize(novikoff::scratch_size(h, columns));
    return scratch_;
  }

  /// A key as the name of a column. Its text belongs to the key.
  static novikoff::Name name_of(PyObject* key) {
    if (PyUnicode_Check(key)) return novikoff::Name::of(text_of(key));
    const nb::object number = PyLong_CheckExact(key) ? nb::borrow(key) : as_integer(key);
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) throw std::invalid_argument("integer feature keys must have at most 64 bits, not " + repr(key) + ".");
    return novikoff::Name::of(static_cast<std::int64_t>(small));
  }

  static std::string_view text_of(PyObject* key) {
    const std::optional<std::string_view> text = utf8_of(key);
    if (text) return *text;
    PyErr_Clear();
    throw std::invalid_argument("feature keys must be text that can be written as UTF-8, not " +
                                nb::cast<std::string>(nb::steal<nb::str>(PyObject_ASCII(key))) + ".");
  }

  static nb::object as_integer(PyObject* key) {
    if (!PyIndex_Check(key)) throw std::invalid_argument("feature keys must be strings or integers, not " + repr(key) + ".");
    nb::object number = nb::steal(PyNumber_Index(key));
    if (!number.is_valid()) throw nb::python_error();
    return nb::steal(PyNumber_Long(number.ptr()));
  }

  /// The same features with Python's own keys and numbers. Runs Python code.
  static nb::dict plain_copy(nb::handle dict) {
    nb::dict copy;
    for (auto [key, value] : nb::steal<nb::dict>(PyDict_Copy(dict.ptr()))) {
      const nb::object number = nb::steal(PyUnicode_Check(value.ptr()) ? nullptr : PyNumber_Float(value.ptr()));
      if (!number.is_valid()) {
        clear_refusal();
        refuse("a number", key, value);
      }
      copy[PyUnicode_Check(key.ptr()) ? nb::borrow(key) : as_integer(key.ptr())] = number;
    }
    return copy;
  }

 private:
  Sparse row() const { return {values_.data(), columns_.data(), values_.size()}; }

  /// Finds the columns of the keys, or `absent`. They remain valid until another dict is read or all names are replaced; those
  /// that are absent may be added by other threads.
  void find(const Columns& known) {
    if (found_ && revision_ == known.revision && (absent_ == 0 || size_ == known.table.size())) return;
    revision_ = known.revision;
    size_ = known.table.size();
    columns_.resize(values_.size());
    absent_ = 0;
    found_ = true;
    if (known.buckets > 0) {
      for (std::size_t k = 0; k < columns_.size(); ++k)
        columns_[k] = static_cast<std::int32_t>(hashes_[k] % static_cast<std::uint64_t>(known.buckets));
      return;
    }
    for (std::uint64_t hash : hashes_) known.table.prefetch(hash);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      columns_[k] = static_cast<std::int32_t>(known.table.find(hashes_[k]));
      absent_ += columns_[k] == novikoff::KeyTable::absent;
    }
  }

// In Python 3.11 every dict has a version tag that changes with its content (PEP 509). Later versions have none in their
// stable interface; there a dict is read each time.
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX < 0x030C0000
  static std::uint64_t version_of(nb::handle dict) { return reinterpret_cast<PyDictObject*>(dict.ptr())->ma_version_tag; }
  bool is_last(nb::handle dict) const { return dict.is(dict_) && version_of(dict) == version_; }
  void remember(nb::handle dict) {
    dict_ = nb::borrow(dict);
    version_ = version_of(dict);
  }
#else
  bool is_last(nb::handle) const { return false; }
  void remember(nb::handle dict) { dict_ = nb::borrow(dict); }  // keeps its keys alive until the next
#endif

  /// Keys and numbers that can be read without running Python code.
  static bool is_plain_key(PyObject* key) { return PyUnicode_Check(key) || PyLong_CheckExact(key); }
  static bool is_plain_number(PyObject* value) {
    return PyFloat_Check(value) || PyLong_CheckExact(value) || PyBool_Check(value);
  }

  static double number_of(PyObject* value) {
#ifndef Py_LIMITED_API
    if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
#endif
    const double number = PyFloat_AsDouble(value);
    if (number != -1.0 || !PyErr_Occurred()) return number;
    PyErr_Clear();  // the integer is too large
    return HUGE_VAL;
  }

  static std::string repr(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

  [[noreturn]] static void refuse(const char* need, nb::handle key, nb::handle value) {
    throw std::invalid_argument("feature " + repr(key) + " must be " + need + ", but its value is " + repr(value) + ".");
  }

  nb::object dict_;  // the last one read: it keeps the texts of names_ alive
  std::uint64_t version_ = 0;
  std::vector<novikoff::Name> names_;
  std::vector<std::uint64_t> hashes_;
  std::vector<double> values_, present_values_, seen_values_;
  std::vector<std::int32_t> columns_, present_columns_, seen_columns_;
  std::vector<double> scratch_;
  bool found_ = false;          // whether columns_ belong to the last dict
  std::uint64_t revision_ = 0;  // of the columns when they were found
  std::size_t size_ = 0;        // number of columns when they were found
  std::size_t absent_ = 0;      // number of absent columns
  double squared_sum_ = 0;
};
