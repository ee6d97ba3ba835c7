// Bindings for hashing texts and named features.
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "keyed_row.hpp"
#include "novikoff/hashing.hpp"
#include "novikoff/vocabulary.hpp"

using namespace novikoff;

namespace {

/// Returns a value as error messages show it, escaped and shortened.
std::string quote(nb::handle object) {
  std::string text = nb::cast<std::string>(nb::steal<nb::str>(PyObject_ASCII(object.ptr())));
  constexpr std::size_t max_length = 80;
  return text.size() <= max_length ? text : text.substr(0, max_length) + "...";
}

[[noreturn]] void refuse(const std::string& message, std::int64_t sample) {
  throw std::invalid_argument("in sample " + std::to_string(sample) + ", " + message + ".");
}

std::string hexadecimal(unsigned byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'0', 'x', digits[byte >> 4], digits[byte & 15]};
}

/// Returns a view of the bytes of a str or bytes object, valid as long as the object lives.
std::string_view checked_view(nb::handle text, std::int64_t sample) {
  if (PyBytes_Check(text.ptr())) return {PyBytes_AsString(text.ptr()), static_cast<std::size_t>(PyBytes_Size(text.ptr()))};
  if (const auto bytes = utf8_of(text.ptr())) return *bytes;
  const nb::python_error error;
  if (!error.matches(PyExc_UnicodeEncodeError)) throw error;
  const auto position = nb::cast<std::int64_t>(error.value().attr("start"));
  refuse("the text has a lone surrogate at position " + std::to_string(position), sample);
}

/// Values (float or double), columns and row offsets.
using Arrays = Tuple<nb::any, Vector<std::int32_t>, Vector<std::int64_t>>;

template <class T>
Arrays arrays_of(HashedRows<T> rows) {
  return nb::make_tuple(to_numpy(std::move(rows.values)), to_numpy(std::move(rows.columns)), to_numpy(std::move(rows.offsets)));
}

[[noreturn]] void refuse_bytes(std::string_view text, std::size_t position, std::int64_t sample) {
  const auto byte = static_cast<unsigned char>(text[position]);
  refuse("the text is not UTF-8: byte " + hexadecimal(byte) + " at position " + std::to_string(position), sample);
}

/// Makes the rows of `texts`, a list of str and bytes that the caller holds; `numbers` are their sample numbers.
template <class T>
Arrays rows_of_texts(const nb::list& texts, const Vector<const std::int64_t>& numbers, const TextOptions& options,
                     std::size_t threads) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (nb::handle text : texts) views.push_back(checked_view(text, numbers(views.size())));
  HashedRows<T> rows;
  std::optional<BadText> bad;
  {
    nb::gil_scoped_release unlocked;
    bad = hash_texts(std::span<const std::string_view>(views), options, threads, rows);
  }
  if (!bad) return arrays_of(std::move(rows));
  refuse_bytes(views[bad->text], bad->position, numbers(bad->text));
}

/// Makes the rows of `texts`, a list of str and bytes that the caller holds, with one column per word.
Arrays rows_of_words(const nb::list& texts, const TextOptions& options, Vocabulary& vocabulary, bool grow,
                     std::size_t threads) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (nb::handle text : texts) views.push_back(checked_view(text, static_cast<std::int64_t>(views.size())));
  HashedRows<double> rows;
  std::optional<BadText> bad;
  {
    nb::gil_scoped_release unlocked;
    bad = count_words(std::span<const std::string_view>(views), options, vocabulary, grow, threads, rows);
  }
  if (bad) refuse_bytes(views[bad->text], bad->position, static_cast<std::int64_t>(bad->text));
  return arrays_of(std::move(rows));
}

void make_vocabulary(Vocabulary* self, const nb::list& words) {
  Vocabulary vocabulary;
  for (nb::handle word : words) {
    const std::size_t before = vocabulary.words.size();
    vocabulary.words.find_or_add(StringKey::of(checked_view(word, static_cast<std::int64_t>(before))));
    if (vocabulary.words.size() == before) throw std::invalid_argument("Vocabulary: " + quote(word) + " is there twice.");
  }
  new (self) Vocabulary(std::move(vocabulary));
}

nb::typed<nb::list, nb::str> words_from(const Vocabulary& vocabulary, std::size_t start) {
  nb::typed<nb::list, nb::str> words;
  for (std::size_t k = start; k < vocabulary.words.size(); ++k)
    words.append(nb::str(vocabulary.words[k].data(), vocabulary.words[k].size()));
  return words;
}

/// Reads features into arrays: keys, which have the value 1, and pairs of a key and a value.
class FeatureReader {
 public:
  void read(nb::handle sample, std::int64_t number) {
    const nb::object features = nb::steal(PyObject_GetIter(sample.ptr()));
    if (!features.is_valid()) {
      PyErr_Clear();
      throw std::invalid_argument("sample " + std::to_string(number) +
                                  " must be a text, a dict, or an iterable of keys or (key, value) pairs, but it is " +
                                  quote(sample) + ".");
    }
    while (const nb::object feature = nb::steal(PyIter_Next(features.ptr()))) {
      try {
        add(feature);
      } catch (const std::invalid_argument& error) {
        std::string message = error.what();
        if (message.ends_with('.')) message.pop_back();
        refuse(message, number);
      }
    }
    if (PyErr_Occurred()) throw nb::python_error();
    features_.offsets.push_back(features_.hashes.size());
  }

  const Features& features() const { return features_; }

 private:
  void add(nb::handle feature) {
    if (PyUnicode_Check(feature.ptr())) return add(KeyedRow::name_of(feature.ptr()).hash(), 1);
    const bool tuple = PyTuple_Check(feature.ptr()), list = PyList_Check(feature.ptr());
    if (!(tuple || list) || PySequence_Size(feature.ptr()) != 2)
      throw std::invalid_argument("features must be strings or (key, value) pairs, but there is " + quote(feature));
    const auto part = [&](Py_ssize_t i) {
      return nb::borrow(tuple ? PyTuple_GetItem(feature.ptr(), i) : PyList_GetItem(feature.ptr(), i));
    };
    const nb::object key = part(0), value = part(1);
    if (!PyUnicode_Check(value.ptr())) return add(KeyedRow::name_of(key.ptr()).hash(), number_of(key, value));
    const nb::object name = PyUnicode_Check(key.ptr()) ? key : nb::object(nb::str(KeyedRow::as_integer(key.ptr())));
    joined_ = KeyedRow::text_of(name.ptr());
    joined_ += '=';
    joined_ += KeyedRow::text_of(value.ptr());
    add(hash_key(joined_), 1);
  }

  void add(std::uint64_t hash, double value) {
    features_.hashes.push_back(hash);
    features_.values.push_back(value);
  }

  static double number_of(nb::handle key, nb::handle value) {
    const bool has_number = PyNumber_Check(value.ptr());
    const double number = has_number ? PyFloat_AsDouble(value.ptr()) : HUGE_VAL;
    const bool failed = number == -1 && PyErr_Occurred();
    if (std::isfinite(number) && !failed) return number;
    const bool is_number = has_number && (!failed || PyErr_ExceptionMatches(PyExc_OverflowError));
    clear_refusal();
    throw std::invalid_argument("feature " + quote(key) + " must be a " + (is_number ? "finite " : "") + "number, but it is " +
                                quote(value));
  }

  Features features_;
  std::string joined_;  // "key=value"
};

/// Makes the rows of `samples`, a list of iterables of features; `numbers` are their sample numbers.
template <class T>
Arrays rows_of_features(const nb::list& samples, const Vector<const std::int64_t>& numbers, int bits, bool unit_length) {
  FeatureReader reader;
  std::size_t k = 0;
  for (nb::handle sample : samples) reader.read(sample, numbers(k++));
  HashedRows<T> rows;
  std::optional<std::size_t> bad;
  {
    nb::gil_scoped_release unlocked;
    bad = hash_features(reader.features(), bits, unit_length, rows);
  }
  if (bad) refuse("the sum of values in a column is too large for the dtype", numbers(*bad));
  return arrays_of(std::move(rows));
}

Vector<std::uint64_t> hash_keys(const nb::list& keys) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(keys.size());
  for (nb::handle key : keys) hashes.push_back(KeyedRow::name_of(key.ptr()).hash());
  return to_numpy(std::move(hashes));
}

}  // namespace

void bind_hashing(nb::module_& m) {
  m.attr("unicode_version") = unicode::version;
  m.def(
      "hash_key", [](nb::handle key) { return KeyedRow::name_of(key.ptr()).hash(); }, nb::arg("key"),
      "Return the stable 64-bit hash of a feature key.");
  m.def(
      "hash_bytes",
      [](nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> bytes) {
        nb::gil_scoped_release unlocked;
        return hash_key(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      },
      nb::arg("bytes"), nb::sig("def hash_bytes(bytes: bytes | bytearray | memoryview) -> int"),
      "Return the same hash of bytes, as a checksum.");
  m.def("hash_keys", &hash_keys, nb::arg("keys"), "Return the hashes of a list of keys.");
  nb::class_<TextOptions>(m, "TextOptions", "How texts become rows.")
      .def(
          "__init__",
          [](TextOptions* self, int bits, bool lowercase, std::size_t shortest, std::size_t longest, bool binary,
             bool sublinear,
             bool unit_length) { new (self) TextOptions{bits, lowercase, shortest, longest, binary, sublinear, unit_length}; },
          nb::kw_only(), nb::arg("bits"), nb::arg("lowercase"), nb::arg("shortest"), nb::arg("longest"), nb::arg("binary"),
          nb::arg("sublinear"), nb::arg("unit_length"))
      .def_ro("bits", &TextOptions::bits)
      .def_ro("unit_length", &TextOptions::unit_length);
  nb::class_<Vocabulary>(m, "Vocabulary", "Words, each with a column, in order of first appearance.")
      .def("__init__", &make_vocabulary, nb::arg("words"))
      .def("__len__", [](const Vocabulary& vocabulary) { return vocabulary.words.size(); })
      .def("words", &words_from, nb::arg("start"))
      .def_ro("unknown", &Vocabulary::unknown);
  m.def("count_words", &rows_of_words, nb::arg("texts"), nb::arg("options"), nb::arg("vocabulary"), nb::arg("grow"),
        nb::arg("threads"), "Return the values, columns and offsets of rows with one column per word.");
  m.def(
      "hash_texts",
      [](const nb::list& texts, const Vector<const std::int64_t>& numbers, const TextOptions& options, bool single,
         std::size_t threads) {
        return single ? rows_of_texts<float>(texts, numbers, options, threads)
                      : rows_of_texts<double>(texts, numbers, options, threads);
      },
      nb::arg("texts"), nb::arg("numbers").noconvert(), nb::arg("options"), nb::arg("single"), nb::arg("threads"),
      "Return the values, columns and offsets of the rows of some texts.");
  m.def(
      "hash_features",
      [](const nb::list& samples, const Vector<const std::int64_t>& numbers, int bits, bool unit_length, bool single) {
        return single ? rows_of_features<float>(samples, numbers, bits, unit_length)
                      : rows_of_features<double>(samples, numbers, bits, unit_length);
      },
      nb::arg("samples"), nb::arg("numbers").noconvert(), nb::arg("bits"), nb::arg("unit_length"), nb::arg("single"),
      "Return the values, columns and offsets of the rows of some iterables of features.");
}
