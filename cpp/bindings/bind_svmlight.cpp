// Bindings for reading and writing svmlight text.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <variant>

#include "bindings.hpp"
#include "novikoff/growing.hpp"
#include "novikoff/parallel.hpp"
#include "novikoff/svmlight_reader.hpp"
#include "novikoff/svmlight_writer.hpp"
#include "positioned_read.hpp"

using namespace novikoff;

namespace {

using Buffer = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Returns an array that owns the memory, without a copy.
template <class T>
Vector<T> to_numpy(Growing<T>& array) {
  const std::size_t size = array.size();
  T* memory = array.release().release();
  nb::capsule owner(memory, [](void* p) noexcept { std::free(p); });
  return Vector<T>(memory, {size}, owner);
}

class Reader {
 public:
  Reader(bool single, std::int64_t base, std::int64_t last, std::int64_t features, std::size_t threads)
      : reader_(single ? Any(SvmlightReader<float>({base, last, features}, threads))
                       : Any(SvmlightReader<double>({base, last, features}, threads))) {}

  /// Returns None, or the malformed line: its number, what it should have, and the word that it has instead.
  nb::object feed(Bytes text) {
    std::optional<BadLine> bad;
    {
      nb::gil_scoped_release unlocked;
      bad = std::visit([&](auto& reader) { return reader.feed({reinterpret_cast<const char*>(text.data()), text.size()}); },
                       reader_);
    }
    if (!bad) return nb::none();
    return nb::make_tuple(bad->line, bad->message, nb::bytes(bad->word.data(), bad->word.size()));
  }

  void expect(double factor) {
    std::visit([&](auto& reader) { reader.expect(factor); }, reader_);
  }

  /// Returns the values, columns, row ends and labels of all lines since the last call.
  Tuple<nb::any, Vector<std::int32_t>, Vector<std::int64_t>, Vector<double>> take() {
    return std::visit(
        [](auto& reader) {
          return nb::make_tuple(to_numpy(reader.values), to_numpy(reader.columns), to_numpy(reader.row_ends),
                                to_numpy(reader.labels));
        },
        reader_);
  }

  std::size_t lines() const {
    return std::visit([](const auto& reader) { return reader.lines; }, reader_);
  }
  std::int64_t smallest() const {
    return std::visit([](const auto& reader) { return reader.smallest; }, reader_);
  }
  std::int64_t largest() const {
    return std::visit([](const auto& reader) { return reader.largest; }, reader_);
  }

 private:
  using Any = std::variant<SvmlightReader<float>, SvmlightReader<double>>;
  Any reader_;
};

/// Fills a buffer from a file at `offset`, on several threads; returns the number of bytes, fewer at the end of the file.
std::size_t read_at(int file, std::int64_t offset, Buffer buffer, std::size_t threads) {
  constexpr std::size_t slice = 1 << 20;
  const std::size_t slices = (buffer.size() + slice - 1) / slice;
  std::vector<std::size_t> got(slices);
  std::atomic<int> failure = 0;
  {
    nb::gil_scoped_release unlocked;
    in_parallel(slices, threads, [&](std::size_t k) {
      const std::size_t begin = k * slice, want = std::min(slice, buffer.size() - begin);
      while (got[k] < want) {
        const std::size_t at = begin + got[k];
        const std::int64_t n = positioned_read(file, buffer.data() + at, want - got[k], offset + static_cast<std::int64_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) failure = errno;
        if (n <= 0) break;
        got[k] += static_cast<std::size_t>(n);
      }
    });
  }
  if (failure != 0) {
    errno = failure;
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
  }
  std::size_t total = 0;
  for (std::size_t k = 0; k < slices; ++k) {
    total += got[k];
    if (got[k] < std::min(slice, buffer.size() - k * slice)) break;  // the file ends here
  }
  return total;
}

/// Returns the text of rows [begin, end).
nb::bytes text_of(const RowsInMemory& rows, Vector<const double> labels, std::int64_t index_base, std::size_t begin,
                  std::size_t end, std::size_t threads) {
  if (labels.size() != rows.count() || begin > end || end > rows.count())
    throw std::invalid_argument("svmlight_text: labels must have one entry per row.");
  threads = std::clamp<std::size_t>(end - begin, 1, std::max<std::size_t>(1, threads));
  std::vector<std::string> texts(threads);
  {
    nb::gil_scoped_release unlocked;
    in_parallel(threads, threads, [&](std::size_t k) {
      const std::size_t from = begin + (end - begin) * k / threads, to = begin + (end - begin) * (k + 1) / threads;
      std::visit([&](const auto& view) { append_svmlight(texts[k], view, span_of(labels), index_base, from, to); }, rows.view);
    });
    for (std::size_t k = 1; k < threads; ++k) texts[0] += texts[k];
  }
  return nb::bytes(texts[0].data(), texts[0].size());
}

}  // namespace

void bind_svmlight(nb::module_& m) {
  nb::class_<Reader>(m, "SvmlightReader", "Parser of svmlight text, block by block.")
      .def(nb::init<bool, std::int64_t, std::int64_t, std::int64_t, std::size_t>(), nb::arg("single"), nb::arg("base"),
           nb::arg("last"), nb::arg("features"), nb::arg("threads"))
      .def("feed", &Reader::feed, nb::arg("text"),
           nb::sig("def feed(self, text: bytes | memoryview) -> tuple[int, str, bytes] | None"))
      .def("expect", &Reader::expect, nb::arg("factor"))
      .def("take", &Reader::take)
      .def_prop_ro("lines", &Reader::lines)
      .def_prop_ro("smallest", &Reader::smallest)
      .def_prop_ro("largest", &Reader::largest);
  m.attr("MAX_INDEX") = max_index;
  m.def("read_at", &read_at, nb::arg("file"), nb::arg("offset"), nb::arg("buffer").noconvert(), nb::arg("threads"),
        nb::sig("def read_at(file: int, offset: int, buffer: memoryview, threads: int) -> int"));
  m.def("svmlight_text", &text_of, nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("index_base"), nb::arg("begin"),
        nb::arg("end"), nb::arg("threads"));
}
