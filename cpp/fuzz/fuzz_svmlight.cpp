// Reads any bytes as svmlight text: as one block, in pieces and in several blocks, with the result of a simple reader.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "novikoff/svmlight_reader.hpp"
#include "plain_svmlight.hpp"
#include "target.hpp"

using namespace novikoff;
using fuzz::require;

namespace {

/// The rows, or the error of a malformed line.
template <class Float>
struct Outcome {
  plain::Result<Float> result;
  std::string message, word;
  bool operator==(const Outcome&) const = default;
};

template <class Float>
Outcome<Float> read(const std::vector<std::string_view>& blocks, IndexRange range, std::size_t threads, std::size_t piece) {
  SvmlightReader<Float> reader(range, threads, piece);
  for (std::string_view block : blocks) {
    const plain::Exact text(block);
    const auto before = plain::result_of(reader);
    if (const std::optional<BadLine> bad = reader.feed(text.view())) {
      require(plain::result_of(reader) == before, "a bad block leaves the reader as it was");
      return {plain::Result<Float>::bad(bad->line), bad->message, bad->word};
    }
  }
  return {plain::result_of(reader), "", ""};
}

template <class Float>
void check_rows(const plain::Result<Float>& result, IndexRange range) {
  require(result.labels.size() == result.row_ends.size(), "one label per row");
  require(result.values.size() == result.columns.size(), "one column per value");
  std::size_t begin = 0;
  for (std::int64_t row_end : result.row_ends) {
    const auto end = static_cast<std::size_t>(row_end);
    require(begin <= end && end <= result.columns.size(), "row ends ascend");
    for (std::size_t k = begin; k < end; ++k) {
      require(result.columns[k] >= 0 && result.columns[k] <= range.last - range.base, "columns are in range");
      require(k == begin || result.columns[k - 1] < result.columns[k], "columns ascend");
      require(std::isfinite(std::bit_cast<Float>(result.values[k])), "values are finite");
    }
    begin = end;
  }
  require(begin == result.values.size(), "all values are in rows");
  for (std::uint64_t label : result.labels) require(std::isfinite(std::bit_cast<double>(label)), "labels are finite");
}

template <class Float>
void check_text(std::string_view text, IndexRange range) {
  const auto whole = read<Float>({text}, range, 1, 1 << 19);
  require(whole.result == plain::read<Float>(text, range), "the rows are those of the simple reader");
  require(read<Float>({text}, range, 1, 0) == whole, "one piece per line changes nothing");
  const std::size_t threads = text.size() % 64 == 0 ? 2 : 1;  // starting threads is slow
  require(read<Float>({text}, range, threads, text.size() / 3) == whole, "threads change nothing");
  require(read<Float>(plain::cut_every(text, 0), range, 1, 0) == whole, "one block per line changes nothing");
  require(read<Float>(plain::cut_every(text, text.size() / 4), range, 1, 30) == whole, "cuts change nothing");
  if (whole.result.bad_line > 0) {
    require(!whole.message.empty() && whole.word.size() <= 256, "an error has a message and a word");
    return;
  }
  check_rows(whole.result, range);
  const std::string written = plain::text_of(whole.result, range.base);
  const auto again = read<Float>({written}, range, 1, 100).result;
  require(again.values == whole.result.values && again.columns == whole.result.columns &&
              again.row_ends == whole.result.row_ends && again.labels == whole.result.labels,
          "what is written reads back to the same bits");
}

}  // namespace

const std::size_t fuzz::ways = 4;

void fuzz::check(std::string_view text, std::size_t way) {
  switch (way) {
    case 0:
      return check_text<double>(text, {1, max_index});
    case 1:
      return check_text<float>(text, {0, max_index});
    case 2:
      return check_text<double>(text, {0, 7, 8});
    default:
      return check_text<float>(text, {1, 7, 7});
  }
}
