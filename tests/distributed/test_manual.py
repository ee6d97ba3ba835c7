"""The code of docs/distributed.md runs: each block after the first one, in a process of its own."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from clusters import SOURCE

PAGE = (SOURCE.parent / "docs" / "distributed.md").read_text(encoding="utf-8")
DATA, *BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ENGINES = {"distributed": "Dask", "pyspark": "Spark"}
PACKAGES = {"distributed": "distributed.deploy"}  # "distributed" would be the folder of these tests


def engine_of(code):
    """The package of the cluster that a block starts; None if it needs none."""
    return next((name for name in ENGINES if re.search(rf"^(?:import|from) {name}\b", code, re.MULTILINE)), None)


def cases():
    for number, code in enumerate(BLOCKS):
        name = engine_of(code)
        yield pytest.param(code, id=f"{number}-{name or 'local'}", marks=[pytest.mark.slow] if name else [])


@pytest.mark.slow
@pytest.mark.parametrize("code", list(cases()))
def test_a_block_of_the_manual_runs(code, tmp_path):
    name = engine_of(code)
    if name is not None:
        pytest.importorskip(PACKAGES.get(name, name), reason=f"{ENGINES[name]} is not installed (make clusters)")
    if name == "pyspark" and shutil.which("java") is None:
        pytest.skip("Java is not installed (apt-get install default-jre-headless)")
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "PYSPARK_PYTHON": sys.executable}
    run = subprocess.run(
        [sys.executable, "-c", DATA + code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_all_engines_have_a_block():
    assert {engine_of(code) for code in BLOCKS} == {None, *ENGINES}
