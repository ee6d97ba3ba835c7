"""Excel and OpenDocument files, through polars or pandas."""

from __future__ import annotations

import importlib
import re
import zipfile
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


SHEET = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
CELL = re.compile(rb"""\br\s*=\s*["']([A-Za-z]*)([0-9]+)["']""")  # the name of a cell or the number of a row
MAX_ROWS, MAX_COLUMNS = 1 << 20, 1 << 14  # of a sheet of Excel
FREE_CELLS, CELLS_PER_BYTE = 1 << 20, 16  # of a sheet, in all, and beyond that per byte of its text
FREE_BYTES, MAX_RATIO = 16 << 20, 200  # of a part of the file, in all, and beyond that per compressed byte


class Excel(TableFormat):
    """The first sheet of an .xlsx, .xls or .ods file, whose first row names the columns."""

    name = "excel"
    suffixes = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")

    def recognizes(self, beginning: bytes) -> bool:
        is_zip = beginning.startswith(ZIP_MAGIC) and any(part in beginning for part in PARTS)
        return is_zip or beginning.startswith(OLD_MAGIC)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        path = name_of(source)
        check_cells(path)
        return frame_blocks(where, first_sheet(path), options, batch_size, path)


def check_cells(path: str) -> None:
    """Refuse an .xlsx file whose cells are so far apart that the table between them cannot be meant.

    The readers of polars and pandas allocate the whole rectangle: one cell called B2147483647 asks for gigabytes, and
    fastexcel (seen in 0.19) ends the process if it does not get them.

    Parameters
    ----------
    path : str
        The file. Other formats than .xlsx and .xlsm are not checked.

    Raises
    ------
    InvalidInputError
        If a sheet is too large for what the file holds.
    """
    if not zipfile.is_zipfile(path):
        return
    with explaining(path, "the file is not a readable Excel or OpenDocument file"), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size > FREE_BYTES + MAX_RATIO * member.compress_size:
                raise input_error(path, f"a part of {member.compress_size} bytes has {member.file_size} uncompressed.")
            if SHEET.fullmatch(member.filename):
                _check_sheet(path, archive.read(member))


def _check_sheet(path: str, text: bytes) -> None:
    cells = {(letters, digits.lstrip(b"0")) for letters, digits in CELL.findall(text)}
    rows = max((int(digits or b"0") if len(digits) < 10 else MAX_ROWS + 1 for _, digits in cells), default=0)
    columns = max((_column(letters) for letters, _ in cells), default=0)
    if rows > MAX_ROWS or columns > MAX_COLUMNS or rows * columns > FREE_CELLS + CELLS_PER_BYTE * len(text):
        raise input_error(
            path, f"the cells of a sheet of {len(text)} bytes are too far apart: {rows} rows, {columns} columns."
        )


def _column(letters: bytes) -> int:
    """Return the number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + letter - 64
    return number


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
