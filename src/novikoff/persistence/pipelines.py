"""A learner behind the encoder of the tables that it learned from."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from novikoff._json import plain_to_tree
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.reading import Reading
from novikoff.errors import input_error
from novikoff.record import RunRecord


def encoder_of(model: Any) -> TableEncoder | None:
    """Return the encoder of the table that a learner learned from, checked against its weights; None if no table."""
    reading = getattr(model, "reading_", None)
    if reading is None or reading.encoding is None:
        return None
    width = len(reading.encoding.names)
    if width != model.n_features_in_:
        message = f"the encoder makes {width} columns, but the model has weights for {model.n_features_in_}."
        raise input_error("reading.encoding", message)
    encoder: TableEncoder = reading.table_encoder()
    return encoder


def _is_pipeline(model: Any) -> bool:
    """Return whether a model is a pipeline of scikit-learn; without its module, there is none."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(model, module.Pipeline)


def is_table_pipeline(model: Any) -> bool:
    """Return whether a model is a pipeline of a ``TableEncoder`` and one learner."""
    return _is_pipeline(model) and len(model.steps) == 2 and isinstance(model.steps[0][1], TableEncoder)


def table_record(pipeline: Any, record: RunRecord | None = None) -> RunRecord:
    """Return the record of the learner of a pipeline, with the encoder of its first step.

    Parameters
    ----------
    pipeline : Pipeline
        A fitted pipeline of a ``TableEncoder`` and one learner.
    record : RunRecord, default=None
        The record of the learner, if the caller has it.
    """
    encoder, model = pipeline.steps[0][1], pipeline.steps[-1][1]
    record = getattr(model, "record_", None) if record is None else record
    if record is None or not hasattr(encoder, "encoding_"):
        raise AttributeError("the pipeline has not been fitted")
    known = record.reading or Reading(features=encoder.encoding_.columns)
    parameters = {name: plain_to_tree(value) for name, value in encoder.get_params().items()}
    dialect = known.dialect or encoder.text_options_.get("dialect")
    reading = dataclasses.replace(known, encoding=encoder.encoding_, encoder=parameters, dialect=dialect)
    return dataclasses.replace(record, reading=reading, column_names=encoder.encoding_.names)


def refuse_pipeline(where: str, model: Any) -> None:
    """Refuse pipelines other than those of a table encoder and a learner."""
    if _is_pipeline(model) and not is_table_pipeline(model):
        raise input_error(where, "a pipeline must be of a TableEncoder and a learner of novikoff, and nothing else.")
