"""Check that a release can be cut.

Every file must state the version of src/novikoff/_version.py, the changelog must have it, and the package index must be
able to show where the project is.

python tools/check_release.py v0.2.0
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
STATED = {  # where else the version stands, and how
    "CITATION.cff": r"(?m)^version: (\S+)$",
    "packaging/conda/recipe.yaml": r'(?m)^  version: "(\S+)"$',
}
ADDRESSES = ("Homepage", "Repository")  # of [project.urls]
RELATIVE = re.compile(r"\]\((?!https?://|mailto:|#)([^)\s]+)")  # a link or an image of Markdown
RELEASED = re.compile(r"(?m)^## \[(\d+\.\d+\.\d+\w*)\] - (\d{4}-\d{2}-\d{2})$")


def version() -> str:
    """Return the version of the package, from its only place."""
    found = re.search(r'(?m)^__version__ = "(.+)"$', (ROOT / "src/novikoff/_version.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def stated_versions() -> dict[str, str]:
    """Return the version that each other file states; "" where none is found."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in STATED}
    found = {name: re.search(pattern, texts[name]) for name, pattern in STATED.items()}
    return {name: match[1] if match else "" for name, match in found.items()}


def presentation_faults() -> list[str]:
    """Return what the page of the project in the package index would lack, one sentence each."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = {name.lower() for name in project.get("urls", {})}
    lacking = [name for name in ADDRESSES if name.lower() not in stated]
    found = []
    if lacking:
        found.append(f"pyproject.toml has no {' and no '.join(lacking)} under [project.urls]. Add the public address.")
    if isinstance(readme := project.get("readme"), str):  # else a plugin of the build writes the description
        relative = RELATIVE.search((ROOT / readme).read_text(encoding="utf-8"))
        if relative:
            found.append(f"{readme} has links such as {relative[1]}, which do not work on PyPI. See docs/releasing.md.")
    return found


def faults(tag: str) -> list[str]:
    """Return what keeps a tag from being released, one sentence each."""
    expected = version()
    found = [] if tag == f"v{expected}" else [f"The tag is {tag}, but src/novikoff/_version.py states {expected}."]
    for name, stated in stated_versions().items():
        if stated != expected:
            found.append(f"{name} states version {stated!r}, not {expected}.")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = RELEASED.findall(changelog)
    if not released or released[0][0] != expected:
        found.append(f"CHANGELOG.md has no heading '## [{expected}] - YYYY-MM-DD' as its newest version.")
    between = changelog.partition("## [Unreleased]\n")[2].partition("\n## [")[0]
    if between.strip():
        found.append("CHANGELOG.md has entries under Unreleased. Move them under the version.")
    return found + presentation_faults()


def main() -> int:
    """Print what is wrong, and return the exit code."""
    found = faults(sys.argv[1])
    print("\n".join(found) or f"{sys.argv[1]} can be released.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
