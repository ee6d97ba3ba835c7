// Bindings for the answers of a server, and for what its log stores of numbers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "novikoff/decimals.hpp"
#include "online_learner.hpp"
#include "read_examples.hpp"

using namespace novikoff;

namespace {

void append_number(std::string& out, double value) {
  char digits[32];
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end);
  if (std::all_of(digits, end, [](char c) { return c == '-' || ('0' <= c && c <= '9'); })) out += ".0";  // as Python writes it
}

/// One line per example: {"predicted":...,"score":...,"mistake":...}. `labels` are the labels in JSON by their codes; a score
/// is one number, or one of several columns whose keys are in `keys`.
nb::bytes answer_lines(Vector<const std::int32_t> predicted,
                       nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> scores,
                       Vector<const std::int32_t> codes, const nb::list& labels, const nb::list& keys) {
  const std::size_t count = predicted.size(), width = scores.shape(1);
  if (codes.size() != count || scores.shape(0) != count || (width > 1 && nb::len(keys) != width))
    throw std::invalid_argument("arrays must have one entry per example.");
  std::vector<std::string> texts, names;
  for (nb::handle label : labels) texts.push_back(nb::cast<std::string>(label));
  for (nb::handle key : keys) names.push_back(nb::cast<std::string>(key));
  for (std::size_t i = 0; i < count; ++i)
    if (predicted.data()[i] >= static_cast<std::int32_t>(texts.size())) throw std::invalid_argument("a label is missing.");
  std::string out;
  {
    const nb::gil_scoped_release released;
    out.reserve(count * (64 + 32 * width));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t code = predicted.data()[i];
      out += "{\"predicted\":";
      out += code < 0 ? std::string_view("null") : std::string_view(texts[static_cast<std::size_t>(code)]);
      if (code >= 0 && width == 1) {
        out += ",\"score\":";
        append_number(out, scores.data()[i]);
      } else if (code >= 0 && width > 1) {
        out += ",\"scores\":{";
        for (std::size_t k = 0; k < width; ++k) {
          if (k > 0) out += ',';
          out += names[k];
          out += ':';
          append_number(out, scores.data()[i * width + k]);
        }
        out += '}';
      }
      out += code == codes.data()[i] ? ",\"mistake\":false}\n" : ",\"mistake\":true}\n";
    }
  }
  return nb::bytes(out.data(), out.size());
}

/// The answer to one example of named features without an id, up to its score; nothing if it is anything else, or if it cannot
/// be scored.
std::optional<nb::bytes> answer_one(const Bytes& body, NameTable& names, LabelTable& labels, const ExampleLimits& limits,
                                    OnlineLearner& learner, std::size_t problem, const std::string& negative,
                                    const std::string& positive, const std::string& ending) {
  ReadExamples read;
  read.text.reserve(body.size() + example_padding);
  read.text.assign(view_of(body));
  read_text(read, names, labels, limits, Form::document, false, 0);
  if (!read.is_plain()) return std::nullopt;
  double score = 0;
  if (learner.score({problem}, read.in_memory({}), std::span(&score, 1)) == 0) return std::nullopt;
  std::string out = "{\"label\":";
  out += score >= 0 ? positive : negative;
  out += ",\"score\":";
  append_number(out, score);
  out += ending;
  return nb::bytes(out.data(), out.size());
}

/// Integers m of which m / power are the values, to the bit; nothing if there are none.
std::optional<Vector<std::int32_t>> decimal_mantissas(Vector<const double> values, double power) {
  auto found = std::make_unique<std::int32_t[]>(values.size());
  bool is_exact = false;
  {
    const nb::gil_scoped_release released;
    is_exact = to_mantissas({values.data(), values.size()}, power, found.get());
  }
  if (!is_exact) return std::nullopt;
  std::int32_t* data = found.release();
  nb::capsule owner(data, [](void* own) noexcept { delete[] static_cast<std::int32_t*>(own); });
  return Vector<std::int32_t>(data, {values.size()}, owner);
}

}  // namespace

void bind_answers(nb::module_& m) {
  m.def(
      "answer_lines", &answer_lines, nb::arg("predicted").noconvert(), nb::arg("scores").noconvert(),
      nb::arg("codes").noconvert(), nb::arg("labels"), nb::arg("keys"),
      nb::sig("def answer_lines(predicted: NDArray[numpy.int32], scores: NDArray[numpy.float64], codes: NDArray[numpy.int32], "
              "labels: list[str], keys: list[str]) -> bytes"),
      "Return the answers to examples, one line of JSON each.");
  m.def("answer_one", &answer_one, nb::arg("body"), nb::arg("names"), nb::arg("labels"), nb::arg("limits"), nb::arg("learner"),
        nb::arg("problem"), nb::arg("negative"), nb::arg("positive"), nb::arg("ending"),
        nb::sig("def answer_one(body: bytes | bytearray | memoryview, names: NameTable, labels: LabelTable, limits: "
                "ExampleLimits, learner: OnlineLearner, problem: int, negative: str, positive: str, ending: str) "
                "-> bytes | None"),
        "Return the answer to one example of named features without an id, which ends with `ending`; None if it is not that.");
  m.def("decimal_mantissas", &decimal_mantissas, nb::arg("values").noconvert(), nb::arg("power"),
        nb::sig("def decimal_mantissas(values: NDArray[numpy.float64], power: float) -> NDArray[numpy.int32] | None"),
        "Return integers m of which m / power are the values, to the bit; None if there are none.");
}
