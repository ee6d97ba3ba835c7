"""Scores of a fitted classifier in numbers and words, and progressive evaluation of an online learner."""

from ._holdout import Holdout, held_out_rows, holdout
from ._leaks import LeakedColumn, leaked_columns
from ._progressive import Progress, Record, progressive
from ._scores import Scores, scores
from ._scores import scores_of_labels as scores_of_labels
from ._warnings import listed as listed
from ._warnings import similar_label as similar_label
from ._warnings import warnings_of
from ._words import accuracy_words, progressive_words
from ._words import percent as percent

__all__ = [
    "Holdout",
    "LeakedColumn",
    "Progress",
    "Record",
    "Scores",
    "accuracy_words",
    "held_out_rows",
    "holdout",
    "leaked_columns",
    "progressive",
    "progressive_words",
    "scores",
    "warnings_of",
]
