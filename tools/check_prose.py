"""Check the style of the pages with proselint, without their code: python tools/check_prose.py. `make lint` runs it.

The words of the project are checked by ``tests/test_words.py``, the spelling by codespell with the list of
``pyproject.toml``.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
WRITTEN_BY_SPHINX = ("docs/gallery/", "docs/api/generated/")
NOT_CHECKED = {
    "typography": "quotes, dots and signs are those of the keyboard, as in code, on GitHub and in terminals",
    "archaism": "it finds the old-fashioned 'for ever' in 'for every'",
    "weasel_words": "how much more one number is than another is said by the number",
}
FENCE = re.compile(r"^(```|:::).*?^\1$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`]+`")
ACCEPTED = re.compile(  # numbers and letters of formulas, as in "0 0" and "C c"; "for free intercepts"
    r"illusion in '(\S|[\d.]+) (\S|[\d.]+)'|'for free'"
)
REMARK = re.compile(r"\S+:\d+:\d+: (?P<check>\w+).*")
TARGET = re.compile(r"\]\([^)]*\)")


def pages() -> list[Path]:
    """Return the pages that people write, and the generated ones whose words come from the code."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    texts = [path for path in found if not path.relative_to(ROOT).as_posix().startswith(WRITTEN_BY_SPHINX)]
    return [*(ROOT / name for name in NAMED), *texts]


def prose(text: str) -> str:
    """Return a page with as many lines, without code: each piece is a word of its own, and ends a sentence."""
    number = itertools.count()
    text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = CODE.sub(lambda match: f"Q{next(number)}q" + "\n" * match[0].count("\n"), text)
    lines = TARGET.sub("]", text).splitlines()
    return "\n".join(_line(line) for line in lines) + "\n"


def _line(line: str) -> str:
    if line.startswith(("#", "    ")) or not line.strip():  # a heading is repeated by the sentence below it
        return "."
    return line.replace("|", " . ") + (" ." if line.startswith("|") else "")


def remarks(texts: dict[str, str]) -> list[str]:
    """Return what proselint says about texts by name, each as "name:line:column: remark"."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder, "texts", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(prose(text), encoding="utf-8")
        options = ["--output-format", "compact", "check", str(Path(folder, "texts"))]
        run = subprocess.run([sys.executable, "-m", "proselint", *options], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1):
            raise RuntimeError(run.stderr)
        start = re.compile(rf"^.*?{re.escape(folder)}/texts/", re.MULTILINE)
        found = map(REMARK.match, start.sub("", run.stdout).splitlines())
        return [
            match[0] for match in found if match and match["check"] not in NOT_CHECKED and not ACCEPTED.search(match[0])
        ]


def main() -> int:
    """Print the remarks, and return the exit code."""
    found = remarks({path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in pages()})
    print("\n".join([*found, f"{len(found)} remarks about style"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
