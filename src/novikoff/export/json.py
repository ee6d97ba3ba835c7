"""Models as plain JSON."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

from novikoff._atomic import replacing
from novikoff._multiclass import sides
from novikoff._version import __version__
from novikoff.record import RunRecord

from .base import ExportFormat, record_of
from .linear_model import column_names, linear_model, parameters_of


class JsonFormat(ExportFormat):
    """One JSON object with weights, labels and certificates."""

    name = "json"
    suffixes = (".json",)

    def write(self, record: RunRecord, path: str | os.PathLike[str]) -> None:
        model, columns = linear_model(record).without_zeros()
        certificates = [json.loads(certificate.to_json()) for certificate in record.certificates]
        counts = model.strategy.counts
        fields = {
            "library": "novikoff",
            "version": __version__,
            "learner": record.learner,
            "parameters": parameters_of(record),
            "classes": model.classes.tolist(),
            "multi_class": model.strategy.name,
            "class_count": None if counts is None else counts.tolist(),
            "pairs": [list(side) for side in sides(model.strategy)] if model.has_pairs else None,
            "n_features": record.n_features,
            "columns": None if columns is None else columns.tolist(),
            "feature_names": column_names(record, columns),
            "coef": model.coef.tolist(),
            "intercept": model.intercept.tolist(),
            "encoder": _encoder(record),
            "certificate": None if not certificates else certificates[0] if len(certificates) == 1 else certificates,
        }
        text = json.dumps(fields, allow_nan=False)
        with replacing(path) as file:
            file.write(text.encode())

    def keeps_encoder(self, record: RunRecord) -> bool:
        return _encoder(record) is not None


def _encoder(record: RunRecord) -> dict[str, Any] | None:
    """Return how the columns of a table become those of the model; None if the model was not fitted to a table."""
    encoding = None if record.reading is None else record.reading.encoding
    return None if encoding is None else dataclasses.asdict(encoding)


JSON = JsonFormat()


def to_json(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as plain JSON, which any program can read.

    The file is one object with the fields ``library``, ``version``, ``learner``, ``parameters``, ``classes``,
    ``multi_class`` ("ovr", "ovo", "crammer_singer" or "kesler"), ``class_count`` (null, or the weight of each class, by
    which ties are decided), ``pairs`` (null, or for "ovo" the positive and the negative label of each row of ``coef``),
    ``n_features``, ``columns``, ``feature_names`` (or null), ``coef``, ``intercept``, ``encoder`` (null, or how the
    columns of a table are encoded: shift and scale of numbers, categories, words) and ``certificate``: null, one
    object, or for several binary problems a list with one object per row of ``coef``. If there are at least 256 columns
    and less than half of them have a weight, ``columns`` lists these, and ``feature_names`` and ``coef`` have an entry
    for each of them only; otherwise ``columns`` is null, and they have one for every column. Numbers read back to the
    same bits; infinities in a certificate are null.

    Parameters
    ----------
    model : classifier
        A fitted linear classifier of novikoff.
    path : str or path-like
        The file, which is written completely or not at all.

    Raises
    ------
    InvalidInputError
        If the model is not linear, or has seen fewer than two classes.
    FileError
        If the file cannot be written.

    See Also
    --------
    novikoff.save : Save a model so that novikoff can load it.

    Examples
    --------
    >>> import json
    >>> import tempfile
    >>> import novikoff as nk
    >>> model = nk.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.export.to_json(model, f"{folder}/model.json")
    ...     with open(f"{folder}/model.json") as file:
    ...         fields = json.load(file)
    >>> fields["learner"], fields["classes"], fields["coef"]
    ('Perceptron', ['no', 'yes'], [[1.0, -1.0]])
    """
    JSON.write(record_of("to_json", model, path), path)
