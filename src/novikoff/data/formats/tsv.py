"""TSV: tab-separated values, without quotes."""

from .delimited import Delimited

TSV = Delimited("tsv", (".tsv", ".tab"), "\t", quotes=False)
