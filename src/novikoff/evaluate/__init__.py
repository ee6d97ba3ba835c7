"""Scores of a fitted classifier, and progressive evaluation of an online learner."""

from ._progressive import Progress, Record, progressive
from ._scores import Scores, confusion_of, scores
from ._words import accuracy_words, percent

__all__ = ["Progress", "Record", "Scores", "accuracy_words", "confusion_of", "percent", "progressive", "scores"]
