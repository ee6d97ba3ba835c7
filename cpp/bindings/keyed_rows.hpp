// Dicts of features as sparse rows, of which all are scored at one moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "keyed_row.hpp"
#include "novikoff/names.hpp"
#include "novikoff/scale.hpp"

/// The features of several examples. The constructor takes and checks all keys and values; it needs the interpreter's lock, but
/// not that of the learner. Then `look_up` finds their columns; it needs the learner's lock, but not the interpreter's.
class KeyedRows {
 public:
  explicit KeyedRows(const nb::list& dicts) {
    std::size_t count = 0, entries = 0;
    for (; count < static_cast<std::size_t>(PyList_Size(dicts.ptr())); ++count) {
      PyObject* dict = PyList_GetItem(dicts.ptr(), static_cast<Py_ssize_t>(count));
      if (PyDict_Check(dict)) entries += static_cast<std::size_t>(PyDict_Size(dict));
    }
    ends_.reserve(count);
    hashes_.reserve(entries);
    values_.reserve(entries);
    for (Py_ssize_t i = 0; i < PyList_Size(dicts.ptr()); ++i) {  // the code of a value may change the list
      const nb::object dict = nb::borrow(PyList_GetItem(dicts.ptr(), i));
      try {
        if (!PyDict_Check(dict.ptr())) throw std::invalid_argument("it is not a dict.");
        if (!read(dict)) read(KeyedRow::plain_copy(dict));
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("example " + std::to_string(i) + ": " + error.what());
      }
    }
  }

  std::size_t count() const { return ends_.size(); }
  std::size_t entries() const { return values_.size(); }

  /// Finds the columns. An unknown feature adds 0, but keeps its place in the sum, as in KeyedRow.
  void look_up(const novikoff::Columns& known) {
    columns_.resize(hashes_.size());
    if (known.buckets > 0) {
      for (std::size_t k = 0; k < columns_.size(); ++k)
        columns_[k] = static_cast<std::int32_t>(hashes_[k] % static_cast<std::uint64_t>(known.buckets));
      return;
    }
    constexpr std::size_t later = 16;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (k + later < columns_.size()) known.table.prefetch(hashes_[k + later]);
      columns_[k] = static_cast<std::int32_t>(known.table.find(hashes_[k]));
      if (columns_[k] == novikoff::KeyTable::absent) columns_[k] = 0, values_[k] = 0;
    }
  }

  /// Replaces the rows by those that are seen with a scale.
  void see(const novikoff::Scale& scale) {
    std::vector<double> values;
    decltype(columns_) columns;
    decltype(ends_) ends;
    for (std::size_t i = 0; i < count(); ++i) {
      scale.apply((*this)[i], values, columns);
      ends.push_back(values.size());
    }
    values_.swap(values);
    columns_.swap(columns);
    ends_.swap(ends);
  }

  Sparse operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {values_.data() + begin, columns_.data() + begin, ends_[i] - begin};
  }

 private:
  /// Adds a row. Returns false, without adding it, if only Python code can convert its features.
  bool read(nb::handle dict) {
    const std::size_t begin = values_.size(), end = begin + static_cast<std::size_t>(PyDict_Size(dict.ptr()));
    hashes_.resize(end);
    values_.resize(end);
    const bool is_plain = KeyedRow::read_features(dict, [&](std::size_t k, const novikoff::Name& name, double value) {
      hashes_[begin + k] = name.hash();
      values_[begin + k] = value;
    });
    if (is_plain) {
      KeyedRow::checked_sum_of_squares({values_.data() + begin, nullptr, end - begin});
      ends_.push_back(end);
    } else {
      hashes_.resize(begin);
      values_.resize(begin);
    }
    return is_plain;
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<double> values_;
  std::vector<std::int32_t> columns_;
  std::vector<std::size_t> ends_;  // where each row ends
};
