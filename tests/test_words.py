"""The words of the project: expressions of its own that plain technical English has replaced do not come back."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "cpp", "playground", "docs", "tests", "benchmarks", "examples", "tools", ".ci")
ENDINGS = (".py", ".pyi", ".md", ".ipynb", ".hpp", ".cpp", ".html", ".js", ".css", "")
NOT_COMPARED = (" longer", " more", " less", " larger", " smaller", " greater", " better", " worse", " wider", " later")
REPLACED = {
    r"\bverbs?\b": "subcommand",
    r"\bone a (?:class|problem|file|row|C)\b": "one per class",
    r"\b(?:a|one) (\w+) a (?:file|class|row|fit|feature|problem|line|set|cell)\b": "one per ...",
    r"each from the rest": "one-vs-rest",
    r"already lies? right": "zero-copy when the memory layout allows",
    r"\bNot: [a-z]": "Do not ...",
    r"\bquestion\b": "binary problem",
    r"a fault of": "internal error",
    r"share of the way|the way that is behind": "fraction completed",
    r"no less true": "and it remains valid",
    r"\b(?:SLIGHT|SELDOM|SURE|FARTHEST|STRICTER)\b": "a name that says the quantity and its use",
    rf"(?<!there)(?<!There)\b (?:is|are|was|were) no\b(?!{'|'.join(NOT_COMPARED)})": "is not a ...",
    r"the short way of": "fast path",
    r"become the learner": "restore from saved state",
    r"\] [A-Z][^\n]* Got \w": "an error message of one or two plain sentences",
}

WRITTEN_BY_SPHINX = ("docs/gallery", "docs/api/generated")


def text_files():
    """All files that people read and write, except this one."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    paths += [
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", "pyproject.toml", "CMakeLists.txt")
    ]
    for path in paths:
        hidden = "__pycache__" in path.parts or "golden" in path.parts or "corpus" in path.parts
        written = any(path.is_relative_to(ROOT / folder) for folder in WRITTEN_BY_SPHINX)
        if path.suffix in ENDINGS and not hidden and not written and path != Path(__file__):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


FILES = dict(text_files())


@pytest.mark.parametrize("pattern", REPLACED)
def test_a_word_that_was_replaced_does_not_come_back(pattern):
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0].strip()!r}"
        for name, text in FILES.items()
        for match in re.finditer(pattern, text)
    ]
    assert not found, f"write {REPLACED[pattern]!r} instead:\n" + "\n".join(found)
