// A dict of features as a sparse row.
#pragma once

#include <nanobind/stl/string.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bindings.hpp"
#include "novikoff/keys.hpp"

/// Columns of the features that a learner has met by name: a table, or a fixed number of buckets.
struct Columns {
  novikoff::KeyTable table;
  nb::list names;            // by column; empty with buckets
  std::int64_t buckets = 0;  // 0: a table

  std::size_t count() const { return buckets > 0 ? static_cast<std::size_t>(buckets) : table.size(); }
};

/// The features of one example. Reading it in two steps leaves the table alone if any feature is wrong: `read` takes and
/// checks all keys and values, and then `look_up` or `add` gives them columns. Kept between examples for its memory.
class KeyedRow {
 public:
  void read(nb::handle dict) {
    hashes_.clear();
    keys_.clear();
    values.clear();
    squared_sum_ = 0;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict.ptr(), &position, &key, &value)) {
      if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return read_copy(as_floats(dict));
      const double number = PyFloat_AsDouble(value);
      if (!std::isfinite(number) || (number == -1.0 && PyErr_Occurred())) {
        PyErr_Clear();
        refuse("A finite number", key, value);
      }
      hashes_.push_back(hash_of(key));
      keys_.push_back(key);
      values.push_back(number);
      squared_sum_ += number * number;
    }
    if (!std::isfinite(squared_sum_)) throw std::invalid_argument("Features whose squared length is finite. Got one that overflows.");
  }

  /// Features never met count as absent, but keep their place in the sum, so that a score has the same bits before and
  /// after the feature is met.
  void look_up(const Columns& known) {
    columns.resize(values.size());
    if (known.buckets > 0) return into_buckets(known);
    for (std::uint64_t hash : hashes_) known.table.prefetch(hash);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k] = known.table.find(hashes_[k]);
      if (columns[k] == novikoff::KeyTable::absent) columns[k] = 0, values[k] = 0;
    }
  }

  void add(Columns& known) {
    columns.resize(values.size());
    if (known.buckets > 0) return into_buckets(known);
    for (std::uint64_t hash : hashes_) known.table.prefetch(hash);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t before = known.table.size();
      columns[k] = known.table.find_or_add(hashes_[k]);
      if (known.table.size() > before) known.names.append(nb::handle(keys_[k]));
    }
  }

  novikoff::SparseRow<double, std::int64_t> row() const { return {values.data(), columns.data(), values.size()}; }

  /// Keys of one dict have columns of their own unless they meet in a bucket.
  double squared_norm(const Columns& known) const { return known.buckets > 0 ? row().squared_norm() : squared_sum_; }

  static std::uint64_t hash_of(PyObject* key) {
    if (PyUnicode_Check(key)) {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(key, &size);
      if (!text) throw nb::python_error();
      return novikoff::hash_key(std::string_view(text, static_cast<std::size_t>(size)));
    }
    if (!PyIndex_Check(key)) throw std::invalid_argument("Feature keys that are strings or integers. Got " + repr(key) + ".");
    const nb::object number = nb::steal(PyNumber_Index(key));
    if (!number.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) throw std::invalid_argument("Integer feature keys of at most 64 bits. Got " + repr(key) + ".");
    return novikoff::hash_key(static_cast<std::int64_t>(small));
  }

  std::vector<double> values;
  std::vector<std::int64_t> columns;

 private:
  static std::string repr(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

  [[noreturn]] static void refuse(const std::string& need, nb::handle key, nb::handle value) {
    throw std::invalid_argument(need + " for feature " + repr(key) + ". Got " + repr(value) + ".");
  }

  /// Other kinds of number are asked for their float first: that may run Python code, and nothing borrowed is held then.
  static nb::dict as_floats(nb::handle dict) {
    nb::dict floats;
    for (auto [key, value] : nb::steal<nb::dict>(PyDict_Copy(dict.ptr()))) {
      const double number = PyUnicode_Check(value.ptr()) ? (PyErr_SetNone(PyExc_TypeError), -1.0) : PyFloat_AsDouble(value.ptr());
      if (number == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        refuse("A number", key, value);
      }
      floats[key] = number;
    }
    return floats;
  }

  void read_copy(nb::dict floats) {
    read(floats);
    copy_ = std::move(floats);  // the keys live in it
  }

  void into_buckets(const Columns& known) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k] = static_cast<std::int64_t>(hashes_[k] % static_cast<std::uint64_t>(known.buckets));
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<PyObject*> keys_;  // borrowed from the dict last read
  nb::object copy_;
  double squared_sum_ = 0;
};
