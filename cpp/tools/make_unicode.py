"""Write cpp/include/novikoff/unicode.hpp: which characters are letters of words, and their lower case.

python cpp/tools/make_unicode.py > cpp/include/novikoff/unicode.hpp

The tables are those of the Python that runs this. They are kept in the repository, since a text must have the same
columns under every Python: a newer table is a change of the models' input, and a line in the changelog.
"""

import textwrap
import unicodedata
from collections.abc import Iterator

EVERY = range(0x110000)

HEADER = """\
// Word characters and lower case of Unicode {version}: written by cpp/tools/make_unicode.py, not by hand.
#pragma once

#include <cstdint>

namespace novikoff::unicode {{

constexpr char version[] = "{version}";

struct Range {{
  char32_t first, last;
}};

/// Every `step`-th character from `first` to `last` has its lower case `shift` further on.
struct Lower {{
  char32_t first, last, step;
  std::int32_t shift;
}};

// clang-format off

/// What Python's \\w matches: letters, digits and other numerals, and the underscore. In order.
constexpr Range words[] = {{
{words}
}};

/// In order.
constexpr Lower lowers[] = {{
{lowers}
}};

// clang-format on

}}  // namespace novikoff::unicode
"""


def is_word(code: int) -> bool:
    """Whether ``re`` takes a character for a part of a word."""
    return chr(code).isalnum() or chr(code) == "_"


def lower(code: int) -> int:
    """The lower case, as one character: all of it but for U+0130, which has a dot as a second one."""
    return ord(chr(code).lower()[0])


def words() -> Iterator[list[int]]:
    """Runs of word characters, as [first, last]."""
    run: list[int] = []
    for code in filter(is_word, EVERY):
        if run and run[1] == code - 1:
            run[1] = code
            continue
        if run:
            yield run
        run = [code, code]
    yield run


def lowers() -> Iterator[list[int]]:
    """Runs of characters with a lower case, as [first, last, step, shift]."""
    run: list[int] = []
    for code, shift in ((code, lower(code) - code) for code in EVERY if lower(code) != code):
        if run and shift == run[3] and code - run[1] <= 2 and run[2] in (0, code - run[1]):
            run[1], run[2] = code, code - run[1]
            continue
        if run:
            yield run
        run = [code, code, 0, shift]
    yield run


def block(entries: list[str]) -> str:
    """Entries as lines of an array."""
    lines = textwrap.wrap(", ".join(entry.replace(" ", "\0") for entry in entries) + ",", 124)
    return "\n".join("  " + line.replace("\0", " ") for line in lines)


def header() -> str:
    """The text of the file."""
    return HEADER.format(
        version=unicodedata.unidata_version,
        words=block([f"{{0x{first:X}, 0x{last:X}}}" for first, last in words()]),
        lowers=block([f"{{0x{first:X}, 0x{last:X}, {step or 1}, {shift}}}" for first, last, step, shift in lowers()]),
    )


if __name__ == "__main__":
    print(header(), end="")
