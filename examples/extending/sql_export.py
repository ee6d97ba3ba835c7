"""Models as SQL: a query that computes the scores in a database."""

import os

from novikoff._atomic import replacing
from novikoff.export.base import ExportFormat
from novikoff.export.linear_model import column_names, linear_model
from novikoff.record import RunRecord


class SqlFormat(ExportFormat):
    """A SELECT with one score per binary problem, of a table with the columns of the model."""

    name = "sql"
    suffixes = (".sql",)

    def write(self, record: RunRecord, path: str | os.PathLike[str]) -> None:
        model = linear_model(record)
        names = column_names(record) or [f"x{column}" for column in range(model.coef.shape[1])]
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        scores = [
            " + ".join([repr(bias), *(f"{weight!r} * {name}" for weight, name in zip(row, quoted, strict=True))])
            for row, bias in zip(model.coef.tolist(), model.intercept.tolist(), strict=True)
        ]
        with replacing(path) as file:
            file.write(("SELECT " + ", ".join(scores) + " FROM data\n").encode())


SQL = SqlFormat()
