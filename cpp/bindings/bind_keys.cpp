#include "keyed_row.hpp"

void bind_keys(nb::module_& m) {
  m.def(
      "hash_key", [](nb::handle key) { return KeyedRow::hash_of(key.ptr()); }, nb::arg("key"),
      "The stable 64-bit hash of a feature key.");
}
