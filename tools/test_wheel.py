"""Install a wheel into a clean environment without a compiler, and run tests against it.

python tools/test_wheel.py dist/*.whl [TESTS ...]

The tests run in a copy of the checkout without src/, so that only the installed package can be imported. Arguments
after the wheel are given to pytest; without any, all quick tests run.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENT, COPY = ROOT / "build" / "wheel-env", ROOT / "build" / "wheel-tests"
COMPILER = re.compile(
    r"(.*-)?(cc|c\+\+|gcc|g\+\+|c89|c99|cpp|clang|clang\+\+|clang-cl|tcc|zig|cl|ld|as|gold)([-.][0-9.]+)?(\.exe)?"
)
NEEDS_SOURCES = {  # files and tests that read src/ or compile, and the reason; nothing else is left out
    "tests/test_structure.py": "compares the files of src/ with those of tests/",
    "tests/test_words.py": "reads the text of all sources",
    "tests/test_extending.py::test_the_changes_make_the_modules_part_of_the_package": "changes the sources",
    "tests/test_extending.py::test_the_loss_and_the_rule_compile": "needs a compiler",
}
EXTRAS = "all"


def path_without_compilers(folder: Path, path: str) -> None:
    """Fill a folder with links to all programs of a search path except compilers and linkers."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for place in path.split(os.pathsep):
        for program in sorted(Path(place).iterdir()) if Path(place).is_dir() else ():
            link = folder / program.name
            if not COMPILER.fullmatch(program.name) and os.access(program, os.X_OK) and not os.path.lexists(link):
                link.symlink_to(program)


def surroundings(programs: Path) -> dict[str, str]:
    """Return the environment variables of a process that finds no compiler, and no novikoff but the installed one."""
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "CMAKE_CXX_COMPILER_LAUNCHER"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return kept | {"PATH": str(programs), "CC": "/nonexistent/cc", "CXX": "/nonexistent/c++"}


def copy_checkout(to: Path) -> None:
    """Copy the files of the checkout that git knows or does not ignore, except those of src/."""
    shutil.rmtree(to, ignore_errors=True)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if not name.startswith("src/") and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def install(wheel: Path, variables: dict[str, str]) -> Path:
    """Return the Python of the environment, in which the wheel, its extras and the tools of the tests are installed."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-compile"]
    subprocess.run([*pip, "pip>=25.1"], env=variables, check=True)
    subprocess.run([*pip, "--group", "test", f"{wheel}[{EXTRAS}]"], cwd=ROOT, env=variables, check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], env=variables, check=True)
    return python


def check_surroundings(python: Path, variables: dict[str, str]) -> None:
    """Check that no compiler is found, and that novikoff is the installed one."""
    for name in ("cc", "c++", "gcc", "g++", "clang", "clang++"):
        if shutil.which(name, path=variables["PATH"]):
            raise SystemExit(f"{name} is found in {variables['PATH']}.")
    code = "import novikoff, novikoff._core; print(novikoff._core.__file__)"
    done = subprocess.run([python, "-c", code], cwd=COPY, env=variables, check=True, capture_output=True, text=True)
    if not Path(done.stdout.strip()).is_relative_to(ENVIRONMENT):
        raise SystemExit(f"novikoff was imported from {done.stdout.strip()}, not from {ENVIRONMENT}.")
    print(f"novikoff is {done.stdout.strip()}")


def main() -> int:
    """Install the wheel and return the exit code of pytest."""
    wheel, chosen = Path(sys.argv[1]).resolve(), sys.argv[2:]
    programs = ROOT / "build" / "wheel-path"
    path_without_compilers(programs, os.environ["PATH"])
    variables = surroundings(programs)
    python = install(wheel, variables)
    copy_checkout(COPY)
    check_surroundings(python, variables)
    for name, reason in NEEDS_SOURCES.items():
        print(f"not run: {name}, which {reason}")
    ignored = [f"--deselect={name}" if "::" in name else f"--ignore={name}" for name in NEEDS_SOURCES]
    command = [python, "-m", "pytest", "-n", "2", "--dist", "worksteal", "-m", "not slow", *ignored, *chosen]
    return subprocess.run(command, cwd=COPY, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
