"""The site, built once for all tests of a run, also if they run in several processes."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN_BY_SPHINX = shutil.ignore_patterns("generated", "gallery", "__pycache__")
NEEDED = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples", "src")
OPTIONS = ("-b", "html", "-n", "-W", "--keep-going", "-q")  # as `make docs` has them
SECONDS = 600  # make docs must take less, on two cores that other tests use, too


def built(factory):
    """The folder of the site. The sources are copied, because Sphinx writes pages beside them.

    Parameters
    ----------
    factory : TempPathFactory
        The fixture of pytest.
    """
    base = factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    shared.mkdir(exist_ok=True)
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "log.txt").exists():
            _build(shared)
    assert (shared / "log.txt").read_text() == "", "make docs must not warn"
    return shared / "html"


def _build(shared):
    copy = shared / "repository"
    shutil.copytree(ROOT / "docs", copy / "docs", ignore=WRITTEN_BY_SPHINX)
    for name in NEEDED:
        (copy / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", *OPTIONS, "-d", shared / "doctrees", copy / "docs", shared / "html"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    failed = f"exit code {run.returncode}\n" if run.returncode else ""
    (shared / "log.txt").write_text(failed + run.stderr)
