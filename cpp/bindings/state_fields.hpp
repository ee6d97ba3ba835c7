// The fields of a state that comes from Python. It may be that of a damaged file or pickle, so types and lengths are checked
// here: no kernel must read beyond an array. Values such as NaN are harmless to the kernels.
#pragma once

#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"

namespace online_state {

[[noreturn]] inline void refuse(const std::string& need) {
  throw std::invalid_argument("the state of an online learner must have " + need + ".");
}

/// Largest count accepted: counts grow, and must not overflow.
constexpr std::int64_t largest_count = std::numeric_limits<std::int64_t>::max() / 2;

/// Converts a value that must have exactly this type.
template <class T>
T as(nb::handle value, const char* name) {
  T converted;
  if (value.is_none() || !nb::try_cast<T>(value, converted, false)) refuse(std::string(name) + " of the right type");
  return converted;
}

/// A dict with exactly `count` fields.
class Fields {
 public:
  Fields(nb::handle value, std::size_t count, const char* name) {
    if (!PyDict_Check(value.ptr()) || static_cast<std::size_t>(PyDict_Size(value.ptr())) != count)
      refuse(std::string(name) + " of " + std::to_string(count) + " fields");
    fields_ = nb::borrow<nb::dict>(value);
  }

  nb::object at(const char* name) const {
    if (!fields_.contains(name)) refuse(std::string("a field ") + name);
    return nb::borrow(fields_[name]);
  }
  double number(const char* name) const { return as<double>(at(name), name); }
  std::int64_t count(const char* name) const {
    const auto value = as<std::int64_t>(at(name), name);
    if (value < 0 || value > largest_count) refuse(std::string(name) + " that is not negative");
    return value;
  }
  template <class T>
  std::vector<T> vector(const char* name) const {
    Vector<const T> values;
    if (!nb::try_cast(at(name), values, false)) refuse(std::string(name) + " that is an array of the right type");
    return {values.data(), values.data() + values.size()};
  }

 private:
  nb::dict fields_;
};

}  // namespace online_state
