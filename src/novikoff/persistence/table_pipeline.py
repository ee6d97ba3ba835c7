"""A learner behind the encoder of the tables that it learned from."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from sklearn.pipeline import Pipeline

from novikoff._json import plain_to_tree
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.reading import Reading
from novikoff.errors import input_error
from novikoff.record import RunRecord

from .stored_record import save_record

ENCODER, MODEL = "encoder", "model"  # the names of the steps


class TablePipeline(Pipeline):  # type: ignore[misc]  # scikit-learn is untyped
    """A pipeline of scikit-learn with a ``TableEncoder`` and a learner, as ``novikoff.fit`` returns it.

    It takes tables where the learner takes rows: data frames, paths, SQL. Its attributes are those of a pipeline, and
    some of the learner's.

    Parameters
    ----------
    steps : list of tuple
        The encoder and the learner, with their names.
    **settings : dict
        The other parameters of ``Pipeline``.
    """

    @property
    def certificate_(self) -> Any:
        """The certificate of the learner, over the encoded rows."""
        return self.steps[-1][1].certificate_

    @property
    def record_(self) -> RunRecord:
        """The record of the learner, with the encoder."""
        return table_record(self)

    @property
    def weights_(self) -> Any:
        """The weights of the learner by the names of encoded columns."""
        return self.steps[-1][1].weights_

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the encoder and the learner to one file, which ``novikoff.load`` reads.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        save_record(self.record_, path)


def pipeline_of(model: Any) -> TablePipeline:
    """Return a learner whose ``reading_`` has an encoder as a pipeline."""
    width = len(model.reading_.encoding.names)
    if width != model.n_features_in_:
        message = f"the encoder makes {width} columns, but the model has weights for {model.n_features_in_}."
        raise input_error("reading.encoding", message)
    return TablePipeline([(ENCODER, model.reading_.table_encoder()), (MODEL, model)])


def is_table_pipeline(model: Any) -> bool:
    """Return whether a model is a pipeline of a ``TableEncoder`` and one learner."""
    return isinstance(model, Pipeline) and len(model.steps) == 2 and isinstance(model.steps[0][1], TableEncoder)


def table_record(pipeline: Pipeline) -> RunRecord:
    """Return the record of the learner of a pipeline, with the encoder of its first step.

    Parameters
    ----------
    pipeline : Pipeline
        A fitted pipeline of a ``TableEncoder`` and one learner.
    """
    encoder, model = pipeline.steps[0][1], pipeline.steps[-1][1]
    record: RunRecord | None = getattr(model, "record_", None)
    if record is None or not hasattr(encoder, "encoding_"):
        raise AttributeError("the pipeline has not been fitted")
    known = record.reading or Reading(features=encoder.encoding_.columns)
    parameters = {name: plain_to_tree(value) for name, value in encoder.get_params().items()}
    dialect = known.dialect or encoder.text_options_.get("dialect")
    reading = dataclasses.replace(known, encoding=encoder.encoding_, encoder=parameters, dialect=dialect)
    return dataclasses.replace(record, reading=reading, column_names=encoder.encoding_.names)


def refuse_pipeline(where: str, model: Any) -> None:
    """Refuse pipelines other than those of a table encoder and a learner."""
    if isinstance(model, Pipeline) and not is_table_pipeline(model):
        raise input_error(where, "a pipeline must be of a TableEncoder and a learner of novikoff, and nothing else.")
