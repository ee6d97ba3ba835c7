"""Tables as rows: from files, SQL, and the frames of pandas, polars, pyarrow and DuckDB."""

from .queries import is_query as is_query
from .table import TABLE_FORMATS as TABLE_FORMATS
from .table import Table as Table
from .table import format_of as format_of
from .table import is_frame as is_frame
from .text import TEXT_FORMATS as TEXT_FORMATS
from .text import LineTable as LineTable
from .text import file_blocks as file_blocks
