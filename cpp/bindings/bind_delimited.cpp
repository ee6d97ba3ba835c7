// Bindings for reading delimited text.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "novikoff/delimited.hpp"
#include "novikoff/delimited_reader.hpp"

using namespace novikoff;

namespace {

template <class T>
nb::object table_of(Growing<T>& array, std::size_t rows, std::size_t columns) {
  T* memory = array.release().release();
  nb::capsule owner(memory, [](void* p) noexcept { std::free(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(memory, {rows, columns}, owner).cast();
}

char one_character(const std::string& text, const char* name) {
  if (text.size() != 1 || static_cast<unsigned char>(text[0]) > 127 || text[0] == '\n' || text[0] == '\r' || text[0] == '\0')
    throw std::invalid_argument(std::string("DelimitedParser: ") + name + " must be one ASCII character.");
  return text[0];
}

Dialect splitting(const std::string& delimiter, const std::string& quote, bool trim) {
  Dialect dialect;
  dialect.trim = trim;
  dialect.delimiter = one_character(delimiter, "delimiter");
  dialect.quote = quote.empty() ? Dialect::without_quote : one_character(quote, "quote");
  if (dialect.quote == dialect.delimiter) throw std::invalid_argument("DelimitedParser: delimiter and quote must differ.");
  return dialect;
}

Dialect dialect_of(const std::string& delimiter, const std::string& quote, const std::string& decimal,
                   const std::string& thousands, bool trim) {
  Dialect dialect = splitting(delimiter, quote, trim);
  dialect.decimal = one_character(decimal, "decimal");
  constexpr std::string_view of_numbers = "0123456789+-eE";
  if (of_numbers.find(dialect.decimal) != of_numbers.npos || thousands.find_first_of(of_numbers) != thousands.npos)
    throw std::invalid_argument("DelimitedParser: decimal and thousands must not occur in integers or exponents.");
  if (thousands == decimal) throw std::invalid_argument("DelimitedParser: decimal and thousands must differ.");
  dialect.thousands = thousands;
  return dialect;
}

std::vector<Role> roles_of(const std::string& letters) {
  if (letters.find_first_not_of("ns-") != letters.npos)
    throw std::invalid_argument("DelimitedParser: roles must consist of n, s and -.");
  std::vector<Role> roles;
  for (char letter : letters) roles.push_back(static_cast<Role>(letter));
  return roles;
}

class DelimitedParser {
 public:
  DelimitedParser(const std::string& delimiter, const std::string& quote, const std::string& decimal,
                  const std::string& thousands, const std::string& roles, const std::vector<nb::bytes>& missing, bool trim,
                  std::size_t threads)
      : reader_(dialect_of(delimiter, quote, decimal, thousands, trim), roles_of(roles), texts_of(missing), threads) {}
  DelimitedParser(const DelimitedParser&) = delete;
  DelimitedParser& operator=(const DelimitedParser&) = delete;

  /// Returns numbers and codes, or the malformed record: its line, what is wrong, and the number of its fields.
  nb::object feed(const Bytes& text) {
    std::optional<BadRecord> bad;
    {
      nb::gil_scoped_release unlocked;
      bad = reader_.feed(view_of(text));
    }
    if (bad) return nb::make_tuple(bad->line, bad->reason, bad->found);
    return nb::make_tuple(table_of(reader_.numbers, reader_.rows, reader_.layout().numbers),
                          table_of(reader_.codes, reader_.rows, reader_.layout().strings));
  }

  nb::typed<nb::list, nb::bytes> values(std::size_t column, std::size_t start) const {
    const StringTable& table = reader_.tables.at(column);
    nb::typed<nb::list, nb::bytes> values;
    for (std::size_t code = start; code < table.size(); ++code)
      values.append(nb::bytes(table[code].data(), table[code].size()));
    return values;
  }

  Tuple<std::size_t, std::size_t, nb::bytes, int> invalid(std::size_t column) const {
    const InvalidNumbers& found = reader_.invalid.at(column);
    return nb::make_tuple(found.count, found.row, nb::bytes(found.first.data(), found.first.size()), found.same ? 1 : 2);
  }

 private:
  static std::vector<std::string> texts_of(const std::vector<nb::bytes>& values) {
    std::vector<std::string> texts;
    for (const nb::bytes& value : values) texts.emplace_back(value.c_str(), value.size());
    return texts;
  }

  DelimitedReader reader_;
};

}  // namespace

void bind_delimited(nb::module_& m) {
  nb::class_<DelimitedParser>(m, "DelimitedParser", "Parser of delimited text, block by block.")
      .def(nb::init<const std::string&, const std::string&, const std::string&, const std::string&, const std::string&,
                    const std::vector<nb::bytes>&, bool, std::size_t>(),
           nb::arg("delimiter"), nb::arg("quote"), nb::arg("decimal"), nb::arg("thousands"), nb::arg("roles"),
           nb::arg("missing"), nb::arg("trim"), nb::arg("threads"))
      .def("feed", &DelimitedParser::feed, nb::arg("text"),
           nb::sig("def feed(self, text: bytes | bytearray | memoryview | NDArray[numpy.uint8]) -> "
                   "tuple[NDArray[numpy.float64], NDArray[numpy.int32]] | tuple[int, str, int]"))
      .def("values", &DelimitedParser::values, nb::arg("column"), nb::arg("start"))
      .def("invalid", &DelimitedParser::invalid, nb::arg("column"));
  m.def(
      "record_end",
      [](const Bytes& text, const std::string& quote, const std::string& delimiter, bool trim) {
        const Dialect dialect = splitting(delimiter, quote, trim);
        nb::gil_scoped_release unlocked;
        return record_end(view_of(text), dialect);
      },
      nb::arg("text"), nb::arg("quote"), nb::arg("delimiter"), nb::arg("trim") = true,
      nb::sig("def record_end(text: bytes | bytearray | memoryview | NDArray[numpy.uint8], quote: str, delimiter: str, trim: "
              "bool = True) -> int"),
      "Return the position after the last complete record of a text, or 0.");
  m.def(
      "line_ends", [](const Bytes& text) { return count_byte(view_of(text), '\n'); }, nb::arg("text"),
      nb::sig("def line_ends(text: bytes | bytearray | memoryview | NDArray[numpy.uint8]) -> int"),
      "Return the number of line ends in a text.");
  m.def(
      "record_lines",
      [](const Bytes& text, const std::string& quote, const std::string& delimiter, bool trim) {
        return to_numpy(record_lines(view_of(text), splitting(delimiter, quote, trim)));
      },
      nb::arg("text"), nb::arg("quote"), nb::arg("delimiter"), nb::arg("trim") = true,
      nb::sig("def record_lines(text: bytes | bytearray | memoryview | NDArray[numpy.uint8], quote: str, delimiter: str, trim: "
              "bool = True) -> NDArray[numpy.int64]"),
      "Return the line at which each record of a text begins, from 0; blank records are left out.");
}
