// Formats rows as svmlight text, with the shortest numbers that are read back to the same bits.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace novikoff {

template <class Number>
void append_number(std::string& text, Number number) {
  std::array<char, 32> digits;  // a double takes at most 24
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

/// Appends rows [begin, end) with their labels. Zeros of dense rows are left out; stored zeros of sparse rows are written.
void append_svmlight(std::string& text, const auto& rows, std::span<const double> labels, std::int64_t index_base,
                     std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    append_number(text, labels[i]);
    const auto row = rows[i];
    using Value = std::remove_cvref_t<decltype(*row.values)>;
    row.for_each([&](std::size_t j, double value) {
      if constexpr (!requires { row.indices; })
        if (value == 0) return;
      text += ' ';
      append_number(text, static_cast<std::int64_t>(j) + index_base);
      text += ':';
      append_number(text, static_cast<Value>(value));
    });
    text += '\n';
  }
}

}  // namespace novikoff
