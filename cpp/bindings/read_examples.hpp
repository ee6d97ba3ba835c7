// Reads examples with named features from bytes of Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "bindings.hpp"
#include "novikoff/example_json.hpp"
#include "novikoff/example_rows.hpp"
#include "novikoff/example_svmlight.hpp"
#include "novikoff/name_table.hpp"

namespace novikoff {

constexpr std::size_t short_text = 16384;  // bytes that are read without releasing the interpreter's lock

enum class Form { document, lines, svmlight };

/// Examples that were read, their text, and how it was read.
struct ReadExamples {
  ExampleRows rows;
  std::string text;
  std::size_t lines = 0;  // of a text of lines
  Form form = Form::document;
  bool collects = false;
  std::size_t first_place = 0;

  /// Whether this is one example of named features without an id, and not an array.
  bool is_plain() const {
    return !rows.is_array && rows.count() == 1 && rows.bad.empty() && rows.id_ends.empty() &&
           rows.features[0] == FeatureKind::named;
  }

  /// The rows, for a kernel; `owner` keeps them.
  RowsInMemory in_memory(nb::object owner) const {
    auto offsets = std::make_unique_for_overwrite<std::int64_t[]>(rows.offsets.size());
    std::ranges::copy(rows.offsets, offsets.get());
    const CsrRows<double> view{rows.values.data(), rows.columns.data(), offsets.get(), rows.count(), rows.width};
    return {view, {std::move(owner)}, std::move(offsets)};
  }
};

/// Reads examples. A short document locks the tables meanwhile if nobody else uses them. Other texts lock them for each line
/// or example in turn, and are read without the interpreter's lock.
inline void read_text(ReadExamples& out, NameTable& names, LabelTable& labels, const ExampleLimits& limits, Form form,
                      bool collects, std::size_t first_place) {
  out.form = form;
  out.collects = collects;
  out.first_place = first_place;
  const std::size_t size = out.text.size();
  out.text.append(example_padding, '\0');
  const auto read = [&](Locking locking) {
    const std::string_view text(out.text.data(), size);
    RowBuilder builder(out.rows, names, labels, limits, collects, locking);
    if (form == Form::document)
      out.rows.is_array = ExampleJson(text, builder, limits).read_document();
    else if (form == Form::lines)
      out.lines = ExampleJson(text, builder, limits).read_lines(first_place);
    else
      out.lines = ExampleSvmlight(text, builder, limits).read_lines(first_place);
    out.text.resize(size);
  };
  if (form == Form::document && size <= short_text) {
    std::unique_lock one(names.mutex, std::try_to_lock), two(labels.mutex, std::try_to_lock);
    if (one && two) return read(Locking::by_caller);
  }
  const nb::gil_scoped_release released;
  read(form == Form::document ? Locking::lookups : Locking::rows);
}

}  // namespace novikoff
