"""Scores of a fitted classifier in numbers and words, and progressive evaluation of an online learner."""

import lazy_loader as _lazy

__getattr__, __dir__, _ = _lazy.attach_stub(__name__, __file__)

__all__ = [  # the other names are for the packages above
    "Holdout",
    "LeakedColumn",
    "Progress",
    "Record",
    "Scores",
    "WindowScores",
    "accuracy_words",
    "held_out_rows",
    "holdout",
    "leaked_columns",
    "progressive",
    "progressive_words",
    "scores",
    "warnings_of",
]
