"""Pages that show what their Python code prints: the code prints it."""

import importlib.util
import re
from pathlib import Path

import pytest

from shown import alike

ROOT = Path(__file__).parents[2]
PATHS = [ROOT / "docs" / name for name in ("start.md", "choosing.md")]
PATHS += [path for folder in ("guide", "coming-from") for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
BLOCK = re.compile(
    r"^(?:<!-- not run: it needs (?P<need>.*?) -->\n)?```python\n(?P<code>.*?)^```$"
    r"(?:\n\n```text\n(?P<shown>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
PACKAGES = {  # which other tests do not need, and what installs them
    "River": ("river", "make peers"),
    "Vowpal Wabbit": ("vowpalwabbit", ".venv/bin/pip install vowpalwabbit"),
}


def demo():
    spec = importlib.util.spec_from_file_location("demo", ROOT / "examples" / "demo.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(path):
    return list(BLOCK.finditer(path.read_text(encoding="utf-8")))


def with_output():
    return [path for path in PATHS if any(block["shown"] for block in blocks(path))]


@pytest.mark.slow
@pytest.mark.parametrize("path", with_output(), ids=lambda path: path.relative_to(ROOT).as_posix())
@pytest.mark.filterwarnings("default")  # of the packages that are compared with
def test_the_code_of_a_page_prints_what_the_page_shows(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo().write_table(tmp_path / "tumours.csv")
    names = {"__name__": "__main__"}
    for block in blocks(path):
        if block["need"] in PACKAGES:
            package, command = PACKAGES[block["need"]]
            pytest.importorskip(package, reason=f"{block['need']} is not installed ({command})")
        elif block["need"]:
            continue
        exec(compile(block["code"], path.name, "exec"), names)
        printed = capsys.readouterr().out
        if block["shown"] is not None:
            assert alike(printed.splitlines(), block["shown"].splitlines()), printed


def test_pages_that_show_output_are_found():
    assert {"start.md", "certificates.md", "river.md", "vowpal-wabbit.md"} <= {path.name for path in with_output()}


def test_outputs_are_alike_but_for_the_last_digits():
    assert alike(["gap 4.942618394e-05", "C 1"], ["gap 4.94261839e-05", "C 1"])
    assert alike(["gap 7.591925544e-10"], ["gap 7.591928618e-10"])
    assert not alike(["gap 7.591925544e-10"], ["gap 7.69e-10"])
    assert not alike(["gap 4.9427e-05"], ["gap 4.9426e-05"])
    assert not alike(["gap 4.9426e-05"], ["gap 4.9426e-06"])
    assert not alike(["accuracy 99.12% on 114 rows"], ["accuracy 99.12% on 115 rows"])
    assert not alike(["a 1.5"], ["a 1.5", "b 1.5"])
