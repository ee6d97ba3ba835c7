"""How accurate a model is on held-out rows, on those of a test file, in cross-validation, and on its own rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._counts import counted
from novikoff.data.batch import Batch
from novikoff.errors import NovikoffError, quote
from novikoff.evaluate import (
    Holdout,
    Scores,
    accuracy_words,
    has_class_weight,
    holdout,
    percent,
    scores_of_labels,
    warnings_of,
)
from novikoff.online import NotHaltedWarning

from ._output import Line, as_fit_options, as_options, progress
from ._scores import accuracy_line, as_result, class_lines

MIN_ROWS = 20  # of which some are held out unless the user asks for it


@dataclass(frozen=True)
class Quality:
    """The scores of a model on some rows.

    Parameters
    ----------
    rows : str
        The rows, in words.
    scores : Scores
        The scores.
    """

    rows: str
    scores: Scores


@dataclass(frozen=True)
class CrossValidated:
    """The mean score of the chosen C over the folds that were held out.

    Parameters
    ----------
    mean : float
        The mean score.
    standard_error : float
        Its standard error.
    folds : int
        Number of folds.
    scoring : str
        The name of the score.
    """

    mean: float
    standard_error: float
    folds: int
    scoring: str

    def line(self, training: Scores) -> Line:
        """Return the mean with its standard error, beside the most frequent label."""
        if self.scoring != "accuracy":
            return f"{self.scoring}", f"{self.mean:.4f} in the mean over {self._rows}"
        return "accuracy", accuracy_words(self.mean, self._rows, training.baseline, training.baseline_label)

    def warnings(self, training: Scores) -> list[str]:
        """Say that the most frequent label is correct as often, up to the standard error."""
        if self.scoring != "accuracy" or self.mean - self.standard_error > training.baseline:
            return []
        words = f"the model is no better than always predicting {quote(training.baseline_label)}"
        return [f"{words}, up to the standard error: {self.line(training)[1]}"]

    @property
    def _rows(self) -> str:
        error = percent(self.standard_error) if self.scoring == "accuracy" else f"{self.standard_error:.4f}"
        return f"the held-out rows of {counted(self.folds, 'fold')}, with a standard error of {error}"


def on_training_rows(model: Any, batch: Batch) -> Quality:
    """Return the scores on the rows that the model was fitted to."""
    return Quality(f"the {counted(batch.X.shape[0], 'row')} it was fitted to", _scores(model, batch))


def on_test_rows(model: Any, batch: Batch, name: str) -> Quality:
    """Return the scores on the rows of another file."""
    return Quality(f"{counted(batch.X.shape[0], 'row')} of {name}", _scores(model, batch))


def held_out(model: Any, batch: Batch, fraction: float | None, quiet: bool) -> Holdout | str:
    """Fit a copy of the model to part of the rows, and compare it with the others; or say why that is not possible."""
    if fraction is None and batch.X.shape[0] < MIN_ROWS:
        return f"there are fewer than {MIN_ROWS} rows"
    seed = model.get_params().get("random_state")
    try:
        with progress("fit without held-out rows", quiet) as update, warnings.catch_warnings():
            warnings.simplefilter("ignore", NotHaltedWarning)  # the fit to all rows says so
            return holdout(
                model,
                batch.X,
                batch.y,
                batch.weights,
                fraction=0.2 if fraction is None else fraction,
                seed=seed if isinstance(seed, int) else 0,
                watch=update,
            )
    except NovikoffError as error:
        return as_options(str(error), ("holdout",)).removeprefix("holdout: ").rstrip(".")


def on_held_out_rows(model: Any, batch: Batch, fraction: float | None, quiet: bool) -> Quality | str:
    """Return the scores of a copy of the model on rows that it was not fitted to, or why there are none."""
    found = held_out(model, batch, fraction, quiet)
    return found if isinstance(found, str) else Quality(counted(found.scores.rows, "held-out row"), found.scores)


def cross_validation_of(model: Any) -> CrossValidated:
    """Return the mean score of the C that ``LinearSVMCV`` chose."""
    place = int(np.flatnonzero(model.Cs_ == model.C_)[0])
    scoring = "accuracy" if model.scoring is None else str(model.scoring)
    return CrossValidated(
        float(model.mean_scores_[place]), float(model.standard_errors_[place]), len(model.scores_), scoring
    )


def _scores(model: Any, batch: Batch) -> Scores:
    return scores_of_labels("fit", batch.y, model.predict(batch.X), np.asarray(model.classes_), batch.weights)


@dataclass(frozen=True)
class Qualities:
    """All that is known about the accuracy of a model.

    Parameters
    ----------
    training : Quality
        On the rows it was fitted to.
    test : Quality or None
        On the rows of another file.
    holdout : Quality or str
        On rows held out, or why there are none.
    folds : CrossValidated or None
        In cross-validation.
    """

    training: Quality
    test: Quality | None
    holdout: Quality | str
    folds: CrossValidated | None

    @property
    def measured(self) -> list[Quality]:
        """The scores on rows that the model has not learned from."""
        return [found for found in (self.test, self.holdout) if isinstance(found, Quality)]

    def warnings(self, record: Any, batch: Batch) -> list[str]:
        """Return the warnings about the model, by its scores on other rows if there are any."""
        folds = [] if self.folds is None or has_class_weight(record) else self.folds.warnings(self.training.scores)
        best = self.measured[0] if self.measured else self.training
        scores = None if best is self.training and folds else best.scores
        return folds + as_fit_options(warnings_of(scores, record, batch.X, batch.y, rows=best.rows))

    def lines(self, warnings: list[str]) -> list[Line]:
        """Return the accuracies, the warnings, and precision and recall of the classes."""
        training = self.training
        lines = [accuracy_line(found.scores, found.rows) for found in self.measured]
        if self.folds is not None:
            lines.append(self.folds.line(training.scores))
        if not lines:
            lines.append(("held out", f"nothing: {self.holdout}"))
        lines.append((f"training {(line := accuracy_line(training.scores, training.rows))[0]}", line[1]))
        lines += [("warning", sentence) for sentence in warnings]
        if self.measured:
            rows = "held-out rows" if self.test is None else "test rows"
            lines += class_lines(self.measured[0].scores, training.scores.labels, rows)
        return lines

    def result(self) -> dict[str, Any]:
        """Return the entries of a JSON object."""
        training = self.training.scores
        found: dict[str, Any] = {
            "baseline": training.baseline,
            "baseline_label": training.baseline_label,
            "training_accuracy": training.accuracy,
        }
        if isinstance(self.holdout, Quality):
            found["holdout"] = as_result(self.holdout.scores)
        if self.folds is not None:
            found["cross_validation"] = vars(self.folds)
        if self.test is not None:
            found |= {"test_accuracy": self.test.scores.accuracy, "test": as_result(self.test.scores)}
        return found
