"""Delimited text, such as CSV: how it is written, and its columns as raw rows."""
