"""The examples of a model learned again, by another learner, exactly as a shadow would have learned them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from novikoff._progress import ProgressCallback, no_progress
from novikoff.errors import input_error
from novikoff.serve.engine.loading import apply
from novikoff.serve.engine.model import Model
from novikoff.serve.engine.specification import Specification
from novikoff.serve.log.records import EXAMPLES

from .past import WIDEST, Past

REPLAYED = "replayed"  # the name of the shadow


@dataclass(frozen=True, eq=False)
class Replayed:
    """What two learners would have predicted just before each example was learned.

    Attributes
    ----------
    learner : OnlineClassifier or Tracker
        The learner that has learned the examples again. Its columns have numbers.
    names : list of str
        The names of these columns; empty if the features are hashed.
    specification, original : Specification
        How it and the learner of the model were made.
    examples : int
        The number of examples.
    mistakes, original_mistakes : int
        How many of them were predicted wrongly.
    majority_mistakes, last_label_mistakes : int
        The mistakes of predicting the most frequent label so far, and the label before.
    """

    learner: Any
    names: list[str]
    specification: Specification
    original: Specification
    examples: int
    mistakes: int
    original_mistakes: int
    majority_mistakes: int
    last_label_mistakes: int


def replay(
    past: Past,
    name: str,
    learner: str | None = None,
    parameters: dict[str, Any] | None = None,
    say: ProgressCallback = no_progress,
) -> Replayed:
    """Let another learner learn the examples of a model.

    The result is that of a shadow which was added before the first example.

    Parameters
    ----------
    past : Past
        The log.
    name : str
        The model.
    learner : str, default=None
        The other learner; by default that of the model.
    parameters : dict, default=None
        Its parameters; without a learner, changes of the parameters of the model.
    say : callable
        Gets a message and the fraction completed.

    Raises
    ------
    ServeError
        If there is no such learner, or it does not have these parameters.
    InvalidInputError
        If there is no such model, it has no examples, or the learner refuses them.
    CorruptRecord
        If the log is damaged, or was compacted.
    """
    known = past.model(name)
    original = known.specification
    if learner is None:
        wanted = Specification.of(
            {"learner": original.learner, "parameters": original.parameters | (parameters or {})}
            | ({} if original.classes is None else {"classes": original.classes})
        )
    else:
        wanted = Specification.of({"learner": learner, "parameters": parameters or {}})
    model = Model(known.number, original, WIDEST)
    model.add_shadow(REPLAYED, wanted)
    for record in past.records_of(known.number):
        if record.kind == EXAMPLES:  # shadows of the server are not asked
            apply(model, record)
            say(f"{model.examples:,} examples", record.sequence / past.store.last)
    if not model.examples:
        raise input_error("log", "the model has learned nothing. Give another model=.")
    arm = model.arms[REPLAYED]
    if arm.stopped is not None:
        raise input_error("log", f"{wanted.learner} refuses an example of the log: {arm.stopped}")
    tally = model.main.tally
    guesses = (tally.majority_mistakes, tally.last_label_mistakes)
    counts = (model.examples, arm.tally.mistakes, tally.mistakes, *guesses)
    return Replayed(arm.learner, model.names.since(0), wanted, original, *counts)
