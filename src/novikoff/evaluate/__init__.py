"""Scores of a fitted classifier in numbers and words, and progressive evaluation of an online learner."""

from ._leaks import LeakedColumn, leaked_columns
from ._progressive import Progress, Record, progressive
from ._scores import Scores, scores
from ._scores import confusion_of as confusion_of
from ._warnings import listed as listed
from ._warnings import similar_label as similar_label
from ._warnings import warnings_of
from ._words import accuracy_words
from ._words import percent as percent

__all__ = [
    "LeakedColumn",
    "Progress",
    "Record",
    "Scores",
    "accuracy_words",
    "leaked_columns",
    "progressive",
    "scores",
    "warnings_of",
]
