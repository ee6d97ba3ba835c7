"""Write the bill of materials of a wheel (CycloneDX 1.6) and the licences of what is compiled into it.

CMake runs this when it builds a wheel, and puts the files into its .dist-info folder: sboms/novikoff.cdx.json
(PEP 770) and licenses/THIRD-PARTY.txt. Packages that pip installs beside novikoff are not part of the wheel and have
their own licences.
"""

import argparse
import json
import re
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RULE = "-" * 80
ZIG, LLVM = "0.17.0", "22.1.8"  # of playground/kernels/build.py, and of the libc++ that it ships
MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
BSD_2_CLAUSE = """\
Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:
1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following
   disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE AUTHOR AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT
NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO
EVENT SHALL THE AUTHOR OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR
CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR
PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.
"""
UNICODE = """\
UNICODE LICENSE V3

COPYRIGHT AND PERMISSION NOTICE

Copyright © 1991-2026 Unicode, Inc.

NOTICE TO USER: Carefully read the following legal agreement. BY
DOWNLOADING, INSTALLING, COPYING OR OTHERWISE USING DATA FILES, AND/OR
SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND BY, ALL OF THE
TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT
DOWNLOAD, INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.

Permission is hereby granted, free of charge, to any person obtaining a
copy of data files and any associated documentation (the "Data Files") or
software and any associated documentation (the "Software") to deal in the
Data Files or Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, and/or sell
copies of the Data Files or Software, and to permit persons to whom the
Data Files or Software are furnished to do so, provided that either (a)
this copyright and permission notice appear with all copies of the Data
Files or Software, or (b) this copyright and permission notice appear in
associated Documentation.

THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
THIRD PARTY RIGHTS.

IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE
BE LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES,
OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA
FILES OR SOFTWARE.

Except as contained in this notice, the name of a copyright holder shall
not be used in advertising or otherwise to promote the sale, use or other
dealings in these Data Files or Software without prior written
authorization of the copyright holder.
"""


class Component(NamedTuple):
    """Something of others that a wheel contains."""

    name: str
    version: str
    licence: str  # an SPDX identifier or expression
    role: str
    text: str  # of the licence, "" if a copy need not accompany the wheel


def nanobind(folder: Path) -> Component:
    """Return nanobind, whose library is linked into the extension."""
    version = re.search(r'set\(PACKAGE_VERSION "([^"]+)"', (folder / "cmake/nanobind-config-version.cmake").read_text())
    assert version is not None
    role = "Python bindings, linked into novikoff/_core"
    return Component("nanobind", version[1], "BSD-3-Clause", role, _nanobind_licence(folder))


def robin_map(folder: Path) -> Component:
    """Return the hash table that nanobind contains."""
    headers = folder / "ext/robin_map/include/tsl"
    numbers = re.findall(r"TSL_RH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (headers / "robin_growth_policy.h").read_text())
    comment = (headers / "robin_map.h").read_text().split("*/")[0]
    text = "\n".join(line.strip(" /*") for line in comment.splitlines()).strip()
    return Component("robin-map", ".".join(numbers), "MIT", "hash table of nanobind, linked into novikoff/_core", text)


def unicode_data() -> Component:
    """Return the tables of characters by which the kernels find words and their lower case."""
    header = (ROOT / "cpp/include/novikoff/unicode.hpp").read_text(encoding="utf-8")
    version = re.search(r'version\[\] = "([^"]+)"', header)
    assert version is not None
    role = "word characters and lower case, compiled into novikoff/_core"
    return Component("Unicode Character Database", version[1], "Unicode-3.0", role, UNICODE)


def gcc_runtime(version: str) -> Component:
    """Return libstdc++ and libgcc, which are linked statically into wheels for musllinux.

    Their licence has an exception by which a program that GCC compiled may contain them under any terms.
    """
    licence = "GPL-3.0-or-later WITH GCC-exception-3.1"
    return Component("libstdc++ and libgcc", version, licence, "runtime of C++, linked into novikoff/_core", "")


def microsoft_runtime(version: str) -> Component:
    """Return Microsoft's runtime of C and C++, which is linked statically into wheels for Windows.

    Its standard library is under the licence of LLVM, whose exception permits copies in compiled programs without the
    text; the rest is part of Visual Studio, whose licence permits copies in programs.
    """
    licence = "Apache-2.0 WITH LLVM-exception AND LicenseRef-Microsoft-Visual-Studio"
    return Component("Microsoft Visual C++ runtime", version, licence, "linked into novikoff/_core", "")


def playground_runtime() -> list[Component]:
    """Return what zig links into the kernels of the playground: the module is the same in all wheels.

    An exception in the licence of LLVM permits copies of its libraries in compiled programs without the text.
    """
    place = "linked into novikoff/_play/page/kernels.wasm"
    llvm = "Apache-2.0 WITH LLVM-exception"
    musl = f"Copyright (c) 2005-2020 Rich Felker, et al. (musl)\n\n{MIT}"
    cloudlibc = f"Copyright (c) 2015-2017 Nuxi (https://nuxi.nl/) and contributors (cloudlibc)\n\n{BSD_2_CLAUSE}"
    zig = f"Copyright (c) Zig contributors\n\n{MIT}"
    return [
        Component("zig", ZIG, "MIT", f"compiler-rt and allocation of memory, {place}", zig),
        Component(
            "wasi-libc",
            f"zig-{ZIG}",
            f"{llvm} AND MIT AND BSD-2-Clause",
            f"library of C, with parts of musl and cloudlibc, {place}",
            f"{musl}\n{cloudlibc}",
        ),
        Component("libc++ and libc++abi", LLVM, llvm, f"library of C++, {place}", ""),
    ]


def components(nanobind_folder: Path, gcc: str = "", microsoft: str = "") -> list[Component]:
    """Return all that a wheel contains besides novikoff itself.

    Parameters
    ----------
    nanobind_folder : Path
        The installed package nanobind.
    gcc : str, default=""
        The version of GCC whose libraries are linked statically; "" if none are.
    microsoft : str, default=""
        The version of Microsoft's compiler whose libraries are linked statically; "" if none are.
    """
    found = [nanobind(nanobind_folder), robin_map(nanobind_folder), unicode_data(), *playground_runtime()]
    found += [gcc_runtime(gcc)] if gcc else []
    return [*found, microsoft_runtime(microsoft)] if microsoft else found


def bill(version: str, parts: list[Component]) -> dict[str, object]:
    """Return the bill of materials, without a time or a random number, so that the same wheel has the same bill."""
    product = {
        "type": "library",
        "bom-ref": "novikoff",
        "name": "novikoff",
        "version": version,
        **_licence("BSD-3-Clause"),
    }
    entries = [
        {
            "type": "library",
            "bom-ref": part.name,
            "name": part.name,
            "version": part.version,
            "description": part.role,
            **_licence(part.licence),
        }
        for part in parts
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": product},
        "components": entries,
        "dependencies": [{"ref": "novikoff", "dependsOn": [part.name for part in parts]}],
    }


def notices(parts: list[Component]) -> str:
    """Return the list of licences, each with its text where it must accompany a copy."""
    heading = "Programs and data of others that the compiled modules of this wheel contain, and their licences.\n"
    lines = [f"{part.name} {part.version}: {part.licence} ({part.role})" for part in parts]
    texts = [f"{RULE}\n{part.name}\n{RULE}\n\n{part.text.strip()}\n" for part in parts if part.text]
    return "\n".join([heading, *lines, "", *texts])


def _licence(identifier: str) -> dict[str, object]:
    if " " in identifier:
        return {"licenses": [{"expression": identifier}]}
    return {"licenses": [{"license": {"id": identifier}}]}


def _nanobind_licence(folder: Path) -> str:
    if (folder / "LICENSE").exists():  # a checkout
        return (folder / "LICENSE").read_text()
    for file in distribution("nanobind").files or ():
        if file.name == "LICENSE":
            return file.read_text()
    raise SystemExit(f"The licence of nanobind was not found beside {folder}.")


def main() -> None:
    """Write both files into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True, help="of novikoff")
    parser.add_argument("--nanobind", required=True, type=Path, help="folder of the package nanobind")
    parser.add_argument("--gcc-runtime", default="", help="version of GCC, if its libraries are linked statically")
    parser.add_argument("--microsoft-runtime", default="", help="the same of Microsoft's compiler")
    parser.add_argument("folder", type=Path, help="where sboms/ and licenses/ are written")
    options = parser.parse_args()
    parts = components(options.nanobind, options.gcc_runtime, options.microsoft_runtime)
    for name in ("sboms", "licenses"):
        (options.folder / name).mkdir(parents=True, exist_ok=True)
    text = json.dumps(bill(options.version, parts), indent=2)
    (options.folder / "sboms/novikoff.cdx.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    (options.folder / "licenses/THIRD-PARTY.txt").write_text(notices(parts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
