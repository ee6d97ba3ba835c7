// Runs a fuzz target on mutants of stored inputs, with any compiler: mutate COUNT SEED PLACE FOLDER...
//
// Mutant k of a seed is always the same. Before it runs, it is stored in the file PLACE, which therefore has the input
// that failed after a crash. An input that needs more than five seconds of processor time ends the process (SIGVTALRM).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "target.hpp"

namespace {

using Input = std::vector<char>;

constexpr std::size_t max_size = 4096, max_seconds = 5;
constexpr std::array<std::string_view, 50> tokens{"\n",
                                                  "\r",
                                                  "\r\n",
                                                  "\n\n",
                                                  " ",
                                                  "\t",
                                                  ",",
                                                  ";",
                                                  ":",
                                                  "|",
                                                  "\"",
                                                  "\"\"",
                                                  "\",\"",
                                                  "'",
                                                  "\\",
                                                  "#",
                                                  "-",
                                                  "+",
                                                  ".",
                                                  "0",
                                                  "-0",
                                                  "1e400",
                                                  "4.9e-324",
                                                  "1e-400",
                                                  "9007199254740993",
                                                  "18446744073709551616",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483649",
                                                  "nan",
                                                  "inf",
                                                  "NA",
                                                  "qid:1",
                                                  " 1:",
                                                  "1:2",
                                                  "e-5",
                                                  "0.000000000000000000001",
                                                  "1,234",
                                                  "1.234,5",
                                                  "\xef\xbb\xbf",
                                                  "\xff",
                                                  "\xc3\xa9",
                                                  "\xed\xa0\x80",
                                                  "null",
                                                  "{\"a\":",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "\xe6\x97\xa5",
                                                  "\xf0\x9f\x98\x80"};

/// splitmix64: one state per mutant, so that any mutant can be made alone.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % std::max<std::size_t>(bound, 1)); }
};

void change(Input& input, const std::vector<Input>& inputs, Random& random) {
  const std::size_t at = random.below(input.size() + 1), length = 1 + random.below(random.below(4) == 0 ? 64 : 6);
  const std::size_t end = std::min(at + length, input.size());
  const auto place = [&](std::size_t k) { return input.begin() + static_cast<std::ptrdiff_t>(k); };
  const std::string_view token = tokens[random.below(tokens.size())];
  switch (random.below(9)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      input.erase(place(at), place(end));
      break;
    case 3: {
      const Input part(place(at), place(end));
      const std::size_t times = random.below(20) == 0 ? 200 : 1 + random.below(3);
      for (std::size_t k = 0; k < times; ++k) input.insert(place(at), part.begin(), part.end());
      break;
    }
    case 4: {
      const Input& other = inputs[random.below(inputs.size())];
      const std::size_t begin = random.below(other.size() + 1), count = std::min(random.below(80), other.size() - begin);
      const auto from = other.begin() + static_cast<std::ptrdiff_t>(begin);
      input.insert(place(at), from, from + static_cast<std::ptrdiff_t>(count));
      break;
    }
    case 5:
      if (random.below(4) == 0) input.erase(place(at), input.end());
      break;
    case 6:
      input.erase(place(at), place(end));
      [[fallthrough]];
    default:
      input.insert(place(at), token.begin(), token.end());
  }
  if (input.size() > max_size) input.resize(max_size);
}

Input mutant(const std::vector<Input>& inputs, std::uint64_t seed, std::uint64_t index) {
  Random random{seed * 0x2545f4914f6cdd1du + index};
  Input input = inputs[random.below(inputs.size())];
  for (std::size_t changes = 1 + random.below(random.below(3) == 0 ? 8 : 2); changes > 0; --changes)
    change(input, inputs, random);
  return input;
}

std::vector<Input> read_folders(int count, char** folders) {
  std::vector<std::filesystem::path> paths;
  for (int k = 0; k < count; ++k)
    for (const auto& entry : std::filesystem::directory_iterator(folders[k])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Input> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

/// A file that is mapped into memory: its length (8 bytes) and the bytes of the input that runs.
class Place {
 public:
  explicit Place(const char* path) {
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, static_cast<off_t>(8 + max_size)) != 0) std::exit(2);
    void* memory = mmap(nullptr, 8 + max_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) std::exit(2);
    memory_ = static_cast<char*>(memory);
  }
  void put(const Input& input) {
    const std::uint64_t size = input.size();
    std::memcpy(memory_, &size, 8);
    std::copy(input.begin(), input.end(), memory_ + 8);
  }

 private:
  char* memory_;
};

}  // namespace

/// No input of 4 KiB needs an allocation of this size. The sanitizer reads this function if it is linked.
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=200"; }

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const std::uint64_t mutants = std::strtoull(arguments[1], nullptr, 10), seed = std::strtoull(arguments[2], nullptr, 10);
  Place place(arguments[3]);
  const std::vector<Input> inputs = read_folders(count - 4, arguments + 4);
  if (inputs.empty()) return 2;
  for (std::uint64_t index = 0; index < mutants; ++index) {
    const Input input = mutant(inputs, seed, index);
    place.put(input);
    const itimerval limit{{0, 0}, {static_cast<time_t>(max_seconds), 0}};
    setitimer(ITIMER_VIRTUAL, &limit, nullptr);
    fuzz::check({input.data(), input.size()}, static_cast<std::size_t>(index) % fuzz::ways);
  }
  std::printf("%llu mutants of %zu inputs\n", static_cast<unsigned long long>(mutants), inputs.size());
  return 0;
}
