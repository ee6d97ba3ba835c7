"""CSV: comma-separated values, with quotes where fields need them."""

from .delimited import Delimited

CSV = Delimited("csv", (".csv",), ",", quotes=True)
