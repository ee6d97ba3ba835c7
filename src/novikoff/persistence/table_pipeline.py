"""The pipeline of a table encoder and a learner, in a module of its own because scikit-learn's are slow to import."""

from __future__ import annotations

import os
from typing import Any

from sklearn.pipeline import Pipeline

from novikoff.record import RunRecord

from .pipelines import encoder_of, table_record
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
    """Return a learner that learned from a table as a pipeline."""
    return TablePipeline([(ENCODER, encoder_of(model)), (MODEL, model)])
