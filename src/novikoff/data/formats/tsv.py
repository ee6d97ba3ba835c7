"""TSV: tab-separated values, without quotes."""

from novikoff.data.tables.delimited import Delimited

TSV = Delimited("tsv", (".tsv", ".tab"), "\t", quotes=False)
