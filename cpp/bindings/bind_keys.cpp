#include <string_view>

#include "keyed_row.hpp"

void bind_keys(nb::module_& m) {
  m.def(
      "hash_key", [](nb::handle key) { return KeyedRow::hash_of(key.ptr()); }, nb::arg("key"),
      "The stable 64-bit hash of a feature key.");
  m.def(
      "hash_bytes",
      [](nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> bytes) {
        nb::gil_scoped_release unlocked;
        return novikoff::hash_key(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      },
      nb::arg("bytes"), "The same hash of bytes that may be many: a checksum.");
}
