"""CSV: comma-separated values, with quotes where fields need them."""

from novikoff.data.tables.delimited import Delimited

CSV = Delimited("csv", (".csv",), ",", quotes=True)
