// Binding for the check of JSON text.
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>

#include "bindings.hpp"
#include "novikoff/json_check.hpp"

using namespace novikoff;

namespace {

nb::object feed(JsonCheck& check, const Bytes& text) {
  std::optional<BadJson> bad;
  {
    nb::gil_scoped_release unlocked;
    bad = check.feed(view_of(text));
  }
  return bad ? nb::object(nb::make_tuple(bad->position, bad->reason)) : nb::none();
}

}  // namespace

void bind_json(nb::module_& m) {
  nb::class_<JsonCheck>(m, "JsonCheck", "Check of JSON text, block by block: of objects one after the other.")
      .def(nb::init<>())
      .def("feed", &feed, nb::arg("text"),
           nb::sig("def feed(self, text: bytes | bytearray | memoryview | NDArray[numpy.uint8]) -> tuple[int, str] | None"),
           "Return None, or the position of a byte that is refused and what is wrong with it.")
      .def(
          "ends", [](const JsonCheck& check) { return to_numpy(check.ends()); },
          nb::sig("def ends(self) -> NDArray[numpy.int64]"),
          "Return the positions after the values that end in the latest text.")
      .def(
          "unfinished", [](const JsonCheck& check) { return std::string(check.unfinished()); },
          "Return what is wrong if the text ends here; empty if nothing is.");
  m.def(
      "distinct_json_keys",
      [](const Bytes& text) {
        nb::gil_scoped_release unlocked;
        return distinct_json_keys(view_of(text));
      },
      nb::arg("text"), nb::sig("def distinct_json_keys(text: bytes | bytearray | memoryview | NDArray[numpy.uint8]) -> int"),
      "Return the number of different keys of the objects of a text that was checked.");
}
