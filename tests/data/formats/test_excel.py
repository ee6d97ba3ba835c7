"""Excel files through polars and pandas."""

import importlib
import io
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

import novikoff as nk
from novikoff.data.formats import find_format
from novikoff.data.formats.excel import EXCEL, first_sheet

FRAME = pd.DataFrame({"age": [1.5, 2.0, 4.0], "height": [1, 2, 3], "label": ["a", "b", "a"]})


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as writer:
        FRAME.to_excel(writer, sheet_name="first", index=False)
        FRAME.head(1).to_excel(writer, sheet_name="second", index=False)
    return path


def without(monkeypatch, *packages):
    """Make the import of packages fail."""
    inner = importlib.import_module

    def import_module(name, *more):
        if name in packages:
            raise ImportError(name)
        return inner(name, *more)

    monkeypatch.setattr(importlib, "import_module", import_module)
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize("missing", [(), ("fastexcel",), ("polars",)])
def test_the_first_sheet_is_read_with_what_is_installed(path, missing, monkeypatch):
    without(monkeypatch, *missing)
    assert type(first_sheet(str(path))).__module__.startswith("pandas" if missing else "polars")
    X, y = nk.read(path)
    np.testing.assert_array_equal(X, FRAME[["age", "height"]])
    assert y.tolist() == ["a", "b", "a"]


def test_without_packages_the_error_names_them(path, monkeypatch):
    without(monkeypatch, "polars", "pandas")
    with pytest.raises(nk.InvalidInputError, match=r"t.xlsx: Excel .* need the packages .*novikoff\[excel\]"):
        nk.read(path)


def test_errors_name_the_file(path, tmp_path):
    with pytest.raises(nk.InvalidInputError, match=r"t.xlsx: there is no column 'nothing'"):
        nk.read(path, target="nothing")
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(nk.InvalidInputError, match=r"bad.xlsx: the file is not a readable Excel or OpenDocument file"):
        nk.read(tmp_path / "bad.xlsx")


def test_excel_files_are_recognised_by_content(path, tmp_path):
    assert find_format("scan", path.rename(tmp_path / "rows")) is EXCEL
    assert EXCEL.recognizes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    assert not EXCEL.recognizes(b"PK\x03\x04 any other archive")


def with_cell(data, old, new):
    """An .xlsx file in which a cell has another name."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w") as changed:
        for name in archive.namelist():
            content = archive.read(name)
            changed.writestr(name, content.replace(old, new) if "sheet1" in name else content)
    return out.getvalue()


@pytest.mark.parametrize("cell", [b"B2147483647", b"B1048576", b"ZZZZ2", b"XFD900", b"B2305843009213693951"])
def test_a_cell_that_is_far_from_all_others_is_refused(tmp_path, cell):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"a": [1.5, 2.0], "label": ["p", "q"]}).to_excel(path, index=False)
    path.write_bytes(with_cell(path.read_bytes(), b'r="B2"', b'r="' + cell + b'"'))
    with pytest.raises(nk.InvalidInputError, match=r"too far apart: \d+ rows, \d+ columns\.$"):
        nk.read(path)


@pytest.mark.slow
def test_a_sheet_with_many_cells_is_read(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({f"x{k}": np.arange(2000.0) for k in range(40)} | {"label": [0, 1] * 1000}).to_excel(path, index=False)
    assert nk.read(path).X.shape == (2000, 40)


def test_a_part_that_is_far_larger_than_its_bytes_is_refused(tmp_path):
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b"<x/>")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(64 << 20))
    with pytest.raises(nk.InvalidInputError, match="bytes has 67108864 uncompressed"):
        nk.read(path)
