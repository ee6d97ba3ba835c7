"""Excel and OpenDocument files, through polars or pandas."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from novikoff.data.source import name_of
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining
from novikoff.errors import input_error

from .frame import frame_blocks
from .table import TableFormat

OLD_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of .xls
ZIP_MAGIC = b"PK\x03\x04"
PARTS = (
    b"xl/",
    b"[Content_Types].xml",
    b"application/vnd.oasis.opendocument.spreadsheet",
)  # of which a ZIP file has one


class Excel(TableFormat):
    """The first sheet of an .xlsx, .xls or .ods file, whose first row names the columns."""

    name = "excel"
    suffixes = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")

    def recognizes(self, beginning: bytes) -> bool:
        is_zip = beginning.startswith(ZIP_MAGIC) and any(part in beginning for part in PARTS)
        return is_zip or beginning.startswith(OLD_MAGIC)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        path = name_of(source)
        return frame_blocks(where, first_sheet(path), options, batch_size, path)


def first_sheet(path: str) -> Any:
    """Return the first sheet of a file as a DataFrame of the first package that is installed."""
    for read in (_with_polars, _with_pandas):
        with explaining(path, "the file is not a readable Excel or OpenDocument file"):
            try:
                return read(path)
            except ImportError:
                continue
    packages = "polars and fastexcel, or pandas and openpyxl"
    message = f"Excel and OpenDocument files need the packages {packages}."
    raise input_error(path, f"{message} Install them with: pip install 'novikoff[excel]'.")


def _with_polars(path: str) -> Any:
    polars: Any = importlib.import_module("polars")
    importlib.import_module("fastexcel")
    return polars.read_excel(path)


def _with_pandas(path: str) -> Any:
    read: Callable[[str], Any] = importlib.import_module("pandas").read_excel
    return read(path)


EXCEL = Excel()
