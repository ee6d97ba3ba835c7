"""Check the wheel and the source distribution in a folder: tags, metadata, contents, licences.

python tools/check_distributions.py dist
"""

import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).parents[1]
SDIST = re.compile(  # all that a source distribution may contain
    r"PKG-INFO|pyproject\.toml|CMakeLists\.txt|CITATION\.cff|LICENSE|THIRD-PARTY\.txt|(CHANGELOG|CONTRIBUTING|README|SECURITY)\.md"
    r"|cpp/(bindings|include/novikoff)/\w+\.[ch]pp"
    r"|playground/(kernels/(\w+\.[ch]pp|build\.py|kernels\.sha256)|page/\w+\.(js|css|html|wasm))"
    r"|src/novikoff_check\.py|src/novikoff/.+|tools/smoke\.py"
)
PACKAGE = re.compile(  # and a wheel, besides its .dist-info folder and the compiled module
    r"novikoff_check\.py|novikoff/(\w+/)*(\w+\.pyi?|\w+\.(js|mjs|css|html|svg|wasm|json|csv)|py\.typed)"
)
CORE = re.compile(r"novikoff/_core\.(cpython-3\d+-[\w-]+\.so|abi3\.so|cp3\d+-win\w+\.pyd|pyd)")
JUNK = re.compile(r"__pycache__|\.py[co]$|\.so$|\.pyd$|~$|\.orig$|(^|/)\.(?!github)")
METADATA = {
    *("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", "licenses/THIRD-PARTY.txt"),
}
PARTS = [  # of others, in every wheel
    *("nanobind", "robin-map", "Unicode Character Database"),
    *("zig", "wasi-libc", "libc++ and libc++abi"),
]


def check_sdist(path: Path, version: str) -> list[str]:
    """Return the names of all files of a source distribution, after checking them."""
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        first = f"novikoff-{version}/"
        names = sorted(member.name.removeprefix(first) for member in members if member.isfile())
        metadata = archive.extractfile(f"{first}PKG-INFO")
        assert metadata is not None
        check_metadata(metadata.read(), version)
    require(all(member.name.startswith(first) for member in members), f"{path.name} has more than one folder")
    strangers = [name for name in names if not SDIST.fullmatch(name) or JUNK.search(name)]
    require(not strangers, f"{path.name} contains {strangers[:5]}")
    needed = {"CMakeLists.txt", "src/novikoff/_version.py", "cpp/bindings/module.cpp", "LICENSE", "THIRD-PARTY.txt"}
    needed |= {"playground/page/kernels.wasm", "playground/kernels/kernels.cpp"}  # and its source
    require(needed <= set(names), f"{path.name} lacks {sorted(needed - set(names))}")
    require("src/novikoff/_core.pyi" not in names, f"{path.name} contains what is built: _core.pyi")
    return names


def check_wheel(path: Path, version: str, sources: list[str]) -> list[str]:
    """Return the names of all files of a wheel, after comparing them with those of the source distribution."""
    name, stated, _, tags = parse_wheel_filename(path.name)
    require((name, str(stated)) == ("novikoff", version), f"{path.name} is not novikoff {version}")
    python = {(tag.interpreter, tag.abi) for tag in tags}
    expected = {("cp311", "cp311")}, {("cp312", "abi3")}
    require(python in expected, f"{path.name} has the tags {sorted(python)}, not cp311-cp311 or cp312-abi3")
    folder = f"novikoff-{version}.dist-info/"
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        check_metadata(archive.read(f"{folder}METADATA"), version)
        notices = archive.read(f"{folder}licenses/THIRD-PARTY.txt").decode()
    require(all(part in notices for part in (*PARTS, "Copyright")), "THIRD-PARTY.txt lacks a licence")
    compiled = [name for name in names if CORE.fullmatch(name)]
    require(len(compiled) == 1, f"{path.name} has the compiled modules {compiled}")
    require(("abi3" in compiled[0] or compiled[0].endswith("_core.pyd")) == (python == expected[1]), compiled[0])
    others = {name for name in names if name not in compiled and not name.startswith(folder)}
    strangers = [name for name in others if not PACKAGE.fullmatch(name) or JUNK.search(name)]
    require(not strangers, f"{path.name} contains {strangers[:5]}")
    placed = [name.replace("playground/page/", "src/novikoff/_play/page/") for name in sources]  # by CMakeLists.txt
    package = {name.removeprefix("src/") for name in placed if name.startswith("src/")} | {"novikoff/_core.pyi"}
    require(others == package, f"{path.name} and the sources differ in {sorted(others ^ package)[:5]}")
    found = {name.removeprefix(folder) for name in names if name.startswith(folder)}
    require(found >= METADATA, f"{path.name} lacks {sorted(METADATA - found)}")
    return names


def check_metadata(text: bytes, version: str) -> None:
    """Check that metadata are valid, and state what pyproject.toml does."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = Metadata.from_email(text, validate=True)
    require(str(metadata.version) == version, f"the metadata state version {metadata.version}, not {version}")
    require(metadata.license_expression == project["license"], f"the licence is {metadata.license_expression}")
    require(str(metadata.requires_python) == project["requires-python"], f"Python {metadata.requires_python}")
    extras = set(metadata.provides_extra or ())
    require(extras == set(project["optional-dependencies"]), f"the metadata have the extras {sorted(extras)}")
    require(bool(metadata.description), "the metadata have no description")
    require(metadata.description_content_type == "text/markdown", f"{metadata.description_content_type}")


def require(holds: bool, message: str) -> None:
    """End the program with a message unless a condition holds."""
    if not holds:
        raise SystemExit(f"{message}.")


def main() -> None:
    """Check the only wheel and the only source distribution of a folder, and list what they contain."""
    folder = Path(sys.argv[1])
    version = re.search(r'"(.+)"', (ROOT / "src/novikoff/_version.py").read_text().split("=")[1])
    assert version is not None
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    require(
        (len(wheels), len(sdists)) == (1, 1),
        f"{folder} has {len(wheels)} wheels and {len(sdists)} sdists, not one each",
    )
    sources = check_sdist(sdists[0], version[1])
    names = check_wheel(wheels[0], version[1], sources)
    for path, files in ((sdists[0], sources), (wheels[0], names)):
        print(f"{path.name}: {path.stat().st_size:,} bytes, {len(files)} files")
    for name in names:
        if not name.endswith(".py"):
            print(f"  {name}")


if __name__ == "__main__":
    main()
