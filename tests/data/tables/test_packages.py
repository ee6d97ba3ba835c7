"""Optional packages: a missing one is named where it is needed, and not before."""

import importlib
import subprocess
import sys

import pytest

import novikoff as nk
from novikoff.data.tables.packages import MAX_LENGTH, one_line
from table_files import NUMBERS, rows, write


@pytest.mark.parametrize("package", ["pyarrow", "duckdb"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, tmp_path, package):
    path = write(tmp_path, "parquet", NUMBERS)
    real = importlib.import_module

    def refuse(name, *args):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *args)

    monkeypatch.setattr(importlib, "import_module", refuse)
    message = rf"^scan: tables need the package {package}\. Install it with: pip install 'novikoff\[tables\]'$"
    with pytest.raises(nk.InvalidInputError, match=message):
        rows(f"SELECT * FROM '{path}'" if package == "duckdb" else str(path))


@pytest.mark.slow
def test_all_formats_can_be_imported_without_either_package():
    without = "import sys; sys.modules |= {'pyarrow': None, 'duckdb': None}"
    code = f"{without}; from novikoff.data.formats import FORMATS; list(FORMATS.values())"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_another_package_says_is_one_printable_line():
    assert one_line("a\n\tb \x1b[31m\u202e \ud800") == r"a b \x1b[31m\u202e \ud800"
    assert one_line("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"  # a joiner that Persian needs
    assert len(one_line("\x1b" * MAX_LENGTH)) == MAX_LENGTH
