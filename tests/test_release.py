"""A release: its version, the extras on the installation page, and a wheel and sources that are complete."""

import importlib.util
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import novikoff as nk

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]


def tool(name):
    """A script of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_stated_in_one_place_and_repeated_by_files_that_cannot_read_it():
    release = tool("check_release")
    assert "version" in PROJECT["project"]["dynamic"]
    assert "version" not in PROJECT["project"]
    assert set(release.stated_versions().values()) == {nk.__version__}


def test_the_installation_page_names_every_extra():
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    table = page.split("## Extras")[1].split("##")[0]
    assert set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"(?m)^\| (`.*?) \|", table)))) == set(EXTRAS)


WITHOUT = """
import runpy, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"duckdb", "flint", "pyarrow", "sklearn", "typer"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
script, option = sys.argv[1:]
sys.argv = [script, option]
runpy.run_path(script, run_name="__main__")
"""


@pytest.mark.slow
def test_a_wheel_works_without_scikit_learn_and_flint(tmp_path):
    command = [sys.executable, "-c", WITHOUT, ROOT / "tools/smoke.py", "--few-dependencies"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "proved: all " in done.stdout
    assert f"novikoff {nk.__version__} works on Python" in done.stdout


def test_a_source_distribution_has_the_source_of_the_playgrounds_kernels():
    included, allowed = PROJECT["tool"]["scikit-build"]["sdist"]["include"], tool("check_distributions").SDIST
    build = runpy.run_path(str(ROOT / "playground/kernels/build.py"))
    for path in (*build["sources"](), build["DIGEST"], ROOT / "playground/kernels/build.py"):
        name = path.relative_to(ROOT).as_posix()
        assert name.startswith(tuple(f"{folder}/" for folder in included)), name
        assert allowed.fullmatch(name), name


def test_licences_of_compiled_parts_are_shipped():
    texts = PROJECT["project"]["license-files"]
    assert set(texts) <= set(PROJECT["tool"]["scikit-build"]["sdist"]["include"])
    check = tool("check_distributions")
    assert all(part in (ROOT / texts[1]).read_text(encoding="utf-8") for part in (*check.PARTS, "Copyright"))
