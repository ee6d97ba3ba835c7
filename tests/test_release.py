"""A release: its version, and what tools/smoke.py does with a wheel."""

import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nk

ROOT = Path(__file__).parents[1]


def test_every_file_states_the_version():
    command = [sys.executable, ROOT / "tools/check_release.py", f"v{nk.__version__}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert " states version " not in done.stdout


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
