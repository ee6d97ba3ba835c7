// Bindings for examples with named features, as requests to a server contain them.
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "novikoff/name_table.hpp"
#include "read_examples.hpp"

using namespace novikoff;

namespace {

/// Calls `use` with a lock. No thread waits for it while it holds the interpreter's lock.
auto locked(TableMutex& mutex, const auto& use) {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) {
    const nb::gil_scoped_release released;
    lock.lock();
  }
  return use();
}

nb::object text_object(std::string_view text) {
  nb::object made = nb::steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

// ---- names and labels ------------------------------------------------------------------------------------------------

nb::list names_since(NameTable& table, std::size_t start) {
  std::vector<std::string> names;
  locked(table.mutex, [&] {
    for (std::size_t k = start; k < table.size(); ++k) names.emplace_back(table[k]);
  });
  nb::list list;
  for (const std::string& name : names) list.append(text_object(name));
  return list;
}

void add_names(NameTable& table, const nb::list& names) {
  std::vector<std::string> own;
  for (nb::handle name : names) own.push_back(nb::cast<std::string>(name));
  locked(table.mutex, [&] {
    for (const std::string& name : own) {
      const std::size_t before = table.size();
      if (table.find_or_add(name) != static_cast<std::int32_t>(before)) throw std::invalid_argument("a name is known already.");
    }
  });
}

/// Columns of names; negative for those that have none.
Vector<std::int32_t> columns_of(NameTable& table, const nb::list& names) {
  std::vector<std::string> own;
  for (nb::handle name : names) own.push_back(nb::cast<std::string>(name));
  std::vector<std::int32_t> columns;
  locked(table.mutex, [&] {
    for (const std::string& name : own) columns.push_back(table.find(name));
  });
  return to_numpy(std::move(columns));
}

std::size_t size_of(auto& table) {
  return locked(table.mutex, [&] { return table.size(); });
}

nb::object label_object(LabelKind kind, std::string_view label) {
  if (kind == LabelKind::text) return text_object(label);
  if (kind == LabelKind::boolean) return nb::bool_(label == "true");
  return nb::steal(PyLong_FromString(std::string(label).c_str(), nullptr, 10));
}

nb::list labels_since(LabelTable& table, std::size_t start) {
  std::vector<std::string> labels;
  LabelKind kind{};
  locked(table.mutex, [&] {
    kind = table.kind();
    for (std::size_t k = start; k < table.size(); ++k) labels.emplace_back(table[k]);
  });
  nb::list list;
  for (const std::string& label : labels) list.append(label_object(kind, label));
  return list;
}

std::pair<LabelKind, std::string> plain_label(nb::handle label) {
  if (PyBool_Check(label.ptr())) return {LabelKind::boolean, label.ptr() == Py_True ? "true" : "false"};
  if (PyLong_Check(label.ptr())) return {LabelKind::integer, std::to_string(nb::cast<std::int64_t>(label))};
  return {LabelKind::text, nb::cast<std::string>(label)};
}

void add_labels(LabelTable& table, const nb::list& labels) {
  std::size_t code = size_of(table);
  for (nb::handle label : labels) {
    const auto [kind, text] = plain_label(label);
    locked(table.mutex, [&] {
      if (table.kind() != LabelKind::none && table.kind() != kind) throw std::invalid_argument("labels must be of one kind.");
      if (table.find_or_add(kind, text) != static_cast<std::int32_t>(code++))
        throw std::invalid_argument("a label is known already.");
    });
  }
}

// ---- reading ---------------------------------------------------------------------------------------------------------

ReadExamples* read_examples(const Bytes& body, NameTable& names, LabelTable& labels, const ExampleLimits& limits,
                            bool collects) {
  auto out = std::make_unique<ReadExamples>();
  out->text.reserve(body.size() + example_padding);
  out->text.assign(view_of(body));
  read_text(*out, names, labels, limits, Form::document, collects, 0);
  return out.release();
}

/// Reads the same text with other tables.
ReadExamples* read_again(const ReadExamples& before, NameTable& names, LabelTable& labels, const ExampleLimits& limits) {
  auto out = std::make_unique<ReadExamples>();
  out->text.reserve(before.text.size() + example_padding);
  out->text.assign(before.text);
  read_text(*out, names, labels, limits, before.form, before.collects, before.first_place);
  return out.release();
}

/// Lines of a text that comes in pieces.
class ExampleLines {
 public:
  ExampleLines(bool is_svmlight, const ExampleLimits& limits)
      : form_(is_svmlight ? Form::svmlight : Form::lines), limits_(limits) {}

  /// Reads the lines that are complete with this piece; all of them if it is the last. A line that is too long is dropped but
  /// for its beginning, so memory is bounded.
  ReadExamples* feed(const Bytes& piece, NameTable& names, LabelTable& labels, bool is_last) {
    auto out = std::make_unique<ReadExamples>();
    std::string_view more = view_of(piece);
    out->text.reserve(rest_.size() + more.size() + example_padding);
    out->text.swap(rest_);
    const std::size_t stop = is_last ? more.size() : more.rfind('\n') + 1;  // npos + 1 is 0
    if (stop == 0 && !is_last) {
      out->text.swap(rest_);
      keep(more);
      out->form = form_;  // it may be read again, too
      out->collects = true;
      out->first_place = place_;
      return out.release();
    }
    out->text.append(more.substr(0, stop));
    keep(more.substr(stop));
    read_text(*out, names, labels, limits_, form_, true, place_);
    place_ += out->lines;
    return out.release();
  }

 private:
  void keep(std::string_view more) {
    const std::size_t room = limits_.line + 1 - std::min(limits_.line + 1, rest_.size());
    rest_.append(more.substr(0, room));  // the line is refused in any case if it does not fit
  }

  Form form_;
  ExampleLimits limits_;
  std::string rest_;
  std::size_t place_ = 0;
};

nb::object strings_of(const std::string& text, const std::vector<std::size_t>& ends) {
  if (ends.empty()) return nb::none();
  nb::list list;
  std::size_t begin = 0;
  for (std::size_t end : ends) {
    if (end == begin)
      list.append(nb::none());
    else
      list.append(text_object(std::string_view(text).substr(begin, end - begin)));
    begin = end;
  }
  return list;
}

/// An array that lies in an object.
template <class T>
Vector<T> array_in(nb::handle owner, std::vector<T>& values) {
  return Vector<T>(values.data(), {values.size()}, owner);
}

ReadExamples& examples_in(nb::handle self) { return *nb::inst_ptr<ReadExamples>(self); }

nb::list bad_of(const ReadExamples& examples) {
  nb::list list;
  for (const BadExample& bad : examples.rows.bad) {
    nb::object value = nb::none();
    if (!bad.value.empty())
      value = nb::steal(PyUnicode_DecodeUTF8(bad.value.data(), static_cast<Py_ssize_t>(bad.value.size()), "replace"));
    list.append(nb::make_tuple(bad.place, bad.message, value));
  }
  return list;
}

nb::list new_names_of(const ReadExamples& examples) {
  nb::list list;
  for (std::size_t k = 0; k < examples.rows.new_names.size(); ++k) list.append(text_object(examples.rows.new_names[k]));
  return list;
}

nb::list new_labels_of(const ReadExamples& examples) {
  nb::list list;
  for (std::size_t k = 0; k < examples.rows.new_labels.size(); ++k)
    list.append(label_object(examples.rows.new_kind, examples.rows.new_labels[k]));
  return list;
}

RowsInMemory rows_of(nb::object self) { return examples_in(self).in_memory(self); }

nb::bytes text_at(const ReadExamples& examples, std::size_t row) {
  const auto [begin, end] = examples.rows.spans.at(row);
  return nb::bytes(examples.text.data() + begin, end - begin);
}

}  // namespace

void bind_examples(nb::module_& m) {
  nb::class_<NameTable>(m, "NameTable", "Columns of feature names, in order of first appearance, for many threads.")
      .def(nb::init<std::size_t, std::size_t>(), nb::arg("most"), nb::arg("buckets") = 0)
      .def("__len__", &size_of<NameTable>)
      .def("since", &names_since, nb::arg("start"), nb::sig("def since(self, start: int) -> list[str]"),
           "Return the names from a column on.")
      .def("add", &add_names, nb::arg("names"), nb::sig("def add(self, names: list[str]) -> None"), "Add names that are new.")
      .def("columns_of", &columns_of, nb::arg("names"),
           nb::sig("def columns_of(self, names: list[str]) -> NDArray[numpy.int32]"),
           "Return the columns of names; negative for those that have none.")
      .def(
          "find",
          [](NameTable& table, const std::string& name) { return locked(table.mutex, [&] { return table.find(name); }); },
          nb::arg("name"), "Return the column of a name; negative if it has none.")
      .def(
          "name",
          [](NameTable& table, std::size_t column) {
            return locked(table.mutex, [&] { return column < table.size() ? std::string(table[column]) : std::string(); });
          },
          nb::arg("column"), "Return the name of a column; empty if it has none.");
  nb::class_<LabelTable>(m, "LabelTable", "Codes of labels, in order of first appearance, for many threads.")
      .def(nb::init<std::size_t>(), nb::arg("most"))
      .def("__len__", &size_of<LabelTable>)
      .def("since", &labels_since, nb::arg("start"), nb::sig("def since(self, start: int) -> list[str | int | bool]"),
           "Return the labels from a code on.")
      .def("add", &add_labels, nb::arg("labels"), nb::sig("def add(self, labels: list[str | int | bool]) -> None"),
           "Add labels that are new.");
  nb::class_<ExampleLimits>(m, "ExampleLimits", "Limits of what an example may have.")
      .def(
          "__init__",
          [](ExampleLimits* limits, std::size_t features, std::size_t name, std::size_t id, std::size_t line) {
            new (limits) ExampleLimits{features, name, id, line};
          },
          nb::arg("features"), nb::arg("name"), nb::arg("id"), nb::arg("line"));
  nb::class_<ReadExamples>(m, "ReadExamples", "Examples that were read from a text.")
      .def("__len__", [](const ReadExamples& e) { return e.rows.count(); })
      .def_prop_ro("is_plain", &ReadExamples::is_plain,
                   "Whether this is one example of named features without an id, and not an array.")
      .def_prop_ro("is_array", [](const ReadExamples& e) { return e.rows.is_array; })
      .def_prop_ro("lines", [](const ReadExamples& e) { return e.lines; })
      .def_prop_ro("width", [](const ReadExamples& e) { return e.rows.width; })
      .def_prop_ro(
          "offsets", [](nb::handle self) { return array_in(self, examples_in(self).rows.offsets); },
          nb::sig("def offsets(self) -> NDArray[numpy.int32]"))
      .def_prop_ro(
          "columns", [](nb::handle self) { return array_in(self, examples_in(self).rows.columns); },
          nb::sig("def columns(self) -> NDArray[numpy.int32]"), "Columns of known names, and -1 - k of the new name k.")
      .def_prop_ro(
          "values", [](nb::handle self) { return array_in(self, examples_in(self).rows.values); },
          nb::sig("def values(self) -> NDArray[numpy.float64]"))
      .def_prop_ro(
          "codes", [](nb::handle self) { return array_in(self, examples_in(self).rows.codes); },
          nb::sig("def codes(self) -> NDArray[numpy.int32]"),
          "Codes of known labels, -1 without a label, and -2 - k of the new label k.")
      .def_prop_ro("new_names", &new_names_of, nb::sig("def new_names(self) -> list[str]"),
                   "Names that the table lacked, if they are collected.")
      .def_prop_ro("new_labels", &new_labels_of, nb::sig("def new_labels(self) -> list[str | int | bool]"),
                   "Labels that the table lacked, if they are collected.")
      .def_prop_ro(
          "places", [](nb::handle self) { return array_in(self, examples_in(self).rows.places); },
          nb::sig("def places(self) -> NDArray[numpy.int64]"), "The place of each example among all, refused ones included.")
      .def_prop_ro(
          "weights",
          [](nb::handle self) {
            std::vector<double>& weights = examples_in(self).rows.weights;
            return weights.empty() ? nb::none() : nb::object(nb::cast(array_in(self, weights)));
          },
          nb::sig("def weights(self) -> NDArray[numpy.float64] | None"))
      .def_prop_ro(
          "features",
          [](nb::handle self) {
            auto& kinds = examples_in(self).rows.features;
            return Vector<std::uint8_t>(reinterpret_cast<std::uint8_t*>(kinds.data()), {kinds.size()}, self);
          },
          nb::sig("def features(self) -> NDArray[numpy.uint8]"), "0: named features, 1: a text, 2: none.")
      .def_prop_ro(
          "ids", [](const ReadExamples& e) { return strings_of(e.rows.ids, e.rows.id_ends); },
          nb::sig("def ids(self) -> list[str | None] | None"))
      .def_prop_ro(
          "texts", [](const ReadExamples& e) { return strings_of(e.rows.texts, e.rows.text_ends); },
          nb::sig("def texts(self) -> list[str | None] | None"))
      .def_prop_ro("bad", &bad_of, nb::sig("def bad(self) -> list[tuple[int, str, str | None]]"),
                   "Examples that were refused: place, message, and the value that {} in the message stands for.")
      .def("read_again", &read_again, nb::arg("names"), nb::arg("labels"), nb::arg("limits"), nb::rv_policy::take_ownership,
           "Read the same text with other tables.")
      .def("rows", &rows_of, nb::sig("def rows(self) -> Rows"), "Return the rows, for a kernel.")
      .def("text_at", &text_at, nb::arg("row"), "Return the text of an example.");
  m.def("read_examples", &read_examples, nb::arg("body"), nb::arg("names"), nb::arg("labels"), nb::arg("limits"),
        nb::arg("collects"), nb::rv_policy::take_ownership,
        nb::sig("def read_examples(body: bytes | bytearray | memoryview, names: NameTable, labels: LabelTable, limits: "
                "ExampleLimits, collects: bool) -> ReadExamples"),
        "Read one example from JSON, or an array of them. If it collects them, names and labels that the tables lack are in\n"
        "`new_names` and `new_labels`.");
  nb::class_<ExampleLines>(m, "ExampleLines", "Examples of a text of lines that comes in pieces.")
      .def(nb::init<bool, const ExampleLimits&>(), nb::arg("is_svmlight"), nb::arg("limits"))
      .def("feed", &ExampleLines::feed, nb::arg("piece"), nb::arg("names"), nb::arg("labels"), nb::arg("is_last"),
           nb::rv_policy::take_ownership,
           nb::sig("def feed(self, piece: bytes | bytearray | memoryview, names: NameTable, labels: LabelTable, is_last: bool) "
                   "-> ReadExamples"),
           "Read the lines that are complete with this piece.");
}
