// Reads any bytes as delimited text: as one block, in pieces and in several blocks, with the result of a simple reader.
#include <array>
#include <cstddef>
#include <string_view>

#include "novikoff/delimited.hpp"
#include "plain_delimited.hpp"
#include "target.hpp"

using namespace novikoff;
using fuzz::require;

namespace {

void check_text(std::string_view text, const plain::DelimitedOptions& options) {
  const plain::Table whole = plain::feed({text}, options, 1, 0);
  require(whole == plain::DelimitedReader(text, options).read(), "the table is that of the simple reader");
  require(plain::feed({text}, options, 1, 1) == whole, "one piece per record changes nothing");
  const std::size_t threads = text.size() % 64 == 0 ? 2 : 1;  // starting threads is slow
  require(plain::feed({text}, options, threads, text.size() / 3 + 1) == whole, "threads change nothing");
  const auto records = plain::cut_records(text, options.dialect, 0);
  require(plain::feed(records, options, 1, 0) == whole, "one block per record changes nothing");
  const std::size_t end = record_end(text, options.dialect);
  require(end <= text.size() && (end == 0 || text[end - 1] == '\n'), "records end at line ends");
  if (whole.reason.empty())
    require(record_lines(text, options.dialect).size() == whole.rows, "each record that is not blank has a line");
}

const std::array<plain::DelimitedOptions, 5> dialects{{
    {{}, "nsn"},
    {{.trim = false}, "sn"},
    {{.delimiter = ';', .decimal = ',', .thousands = "."}, "nn"},
    {{.delimiter = '\t', .quote = Dialect::without_quote, .thousands = ","}, "ns-"},
    {{.delimiter = ' ', .quote = '\''}, "sn"},
}};

}  // namespace

const std::size_t fuzz::ways = dialects.size();

void fuzz::check(std::string_view text, std::size_t way) { check_text(text, dialects[way]); }
