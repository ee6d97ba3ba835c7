"""The kernels, seen by a compiler for other systems: their standard libraries have all that the headers use."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEADERS = sorted((ROOT / "cpp/include/novikoff").glob("*.hpp"))
# What the configuration of libc++ would state. Only the declarations are read, and nothing is linked.
CONFIGURATION = {
    "_LIBCPP_ABI_VERSION": 1,
    "_LIBCPP_ABI_NAMESPACE": "__1",
    "_LIBCPP_HARDENING_MODE_DEFAULT": 2,
    "_LIBCPP_ASSERTION_SEMANTIC_DEFAULT": 2,
    **{
        f"_LIBCPP_HAS_{part}": 1
        for part in ("THREADS", "MONOTONIC_CLOCK", "LOCALIZATION", "WIDE_CHARACTERS", "FILESYSTEM")
    },
}
SYSTEMS = {  # target: what the configuration states besides, folders of its C library
    "x86_64-windows-gnu": (["THREAD_API_WIN32"], ["any-windows-any"]),
    "aarch64-apple-macos14.0": (["THREAD_API_PTHREAD"], ["any-darwin-any"]),
    "x86_64-linux-musl": (
        ["THREAD_API_PTHREAD", "MUSL_LIBC"],
        ["x86_64-linux-musl", "generic-musl", "x86-linux-any", "any-linux-any"],
    ),
}
CALLS = """
double parse(const char* begin, const char* end) {
  double value = 0;
  novikoff::parse_decimal(begin, end, value);
  float rounded = 0;
  novikoff::parse_decimal(begin, end, rounded);
  return value + rounded;
}
void start_threads() {
  novikoff::in_parallel(3, 2, [](std::size_t) {});
  novikoff::Pair(true).both([](int) {});
}
std::int64_t read(void* to) { return positioned_read(0, to, 9, std::int64_t{1} << 40); }
"""


@pytest.mark.slow
@pytest.mark.parametrize("target", SYSTEMS)
def test_the_headers_compile_for_other_systems(target, tmp_path):
    ziglang = pytest.importorskip("ziglang", reason="ziglang is not installed (make play)")
    library = Path(ziglang.__file__).parent / "lib"
    parts, folders = SYSTEMS[target]
    source = tmp_path / "all.cpp"
    includes = [f'#include "novikoff/{path.name}"' for path in HEADERS] + ['#include "positioned_read.hpp"']
    source.write_text("\n".join(includes) + CALLS)
    places = [library / "libcxx/include", library / "libcxxabi/include", library / "include"]
    places += [library / "libc/include" / folder for folder in folders]
    command = [sys.executable, "-m", "ziglang", "clang", f"--target={target}", "--no-default-config", "-nostdinc"]
    command += ["-nostdinc++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fsyntax-only"]
    command += [f"-D{name}={value}" for name, value in CONFIGURATION.items()]
    command += [f"-D_LIBCPP_HAS_{part}=1" for part in parts]
    command += [part for place in places for part in ("-isystem", place)]
    command += ["-I", ROOT / "cpp/include", "-I", ROOT / "cpp/bindings", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
