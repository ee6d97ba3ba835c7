// Runs a fuzz target on the files of some folders, with any compiler.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.hpp"

int main(int count, char** arguments) {
  std::vector<std::filesystem::path> paths;
  for (int k = 1; k < count; ++k)
    for (const auto& entry : std::filesystem::directory_iterator(arguments[k])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);  // after a crash, the last name printed is the file that caused it
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t way = 0; way < fuzz::ways; ++way) fuzz::check({bytes.data(), bytes.size()}, way);
  }
  std::printf("%zu inputs\n", paths.size());
  return paths.empty() ? 1 : 0;
}
