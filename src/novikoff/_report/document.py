"""The report: what is computed for the page, section by section."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._atomic import replacing
from novikoff._verify import verify
from novikoff.errors import missing_package
from novikoff.evaluate import Scores
from novikoff.persistence.table_pipeline import is_table_pipeline

from .certificate import command, meanings, split
from .figures.figure import figures_of
from .subject import WHERE, Subject, subject_of
from .tables import Table, count, percent

MAX_CLASSES = 20  # of the table of classes and of the confusion matrix


def report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    feature_names: Any = None,
    class_: Any = None,
    sample_weight: Any = None,
    model_path: str | os.PathLike[str] | None = None,
    data_path: str | os.PathLike[str] | None = None,
    test: tuple[Any, Any] | None = None,
) -> str:
    """Describe a fitted classifier in one self-contained HTML page.

    The page has a summary, the certificate with the result of checking each claim against the data, figures of the
    model, and its predictive performance. It loads nothing from the network and is identical for identical input. It
    needs plotly and jinja2: ``pip install 'novikoff[plot]'``.

    Parameters
    ----------
    model : estimator
        A fitted classifier with ``decision_function``. Classifiers of scikit-learn are accepted; they have no
        certificate. For a pipeline with a ``TableEncoder``, X is the table.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows that the model was fitted to, in the same order.
    y : array-like of shape (n_samples,)
        Their labels.
    path : str or path-like, default=None
        The file to write. If None, the page is only returned.
    title : str, default=None
        The title of the page. By default it names the class of the model.
    feature_names : sequence of str, default=None
        Names of the columns. By default the names that the model knows, or the numbers of the columns.
    class_ : label, default=None
        The class whose one-vs-rest problem the figures show. By default the class that is confused most often; of two
        classes, the last.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the rows that the model was fitted with.
    model_path : str or path-like, default=None
        The model file, for the command that checks the certificate.
    data_path : str or path-like, default=None
        The data file, for the same command.
    test : tuple (X, y), default=None
        Rows and labels that were not used for training. If given, the predictive performance is measured on them.

    Returns
    -------
    str
        The HTML page.

    Raises
    ------
    InvalidInputError
        If the model is not a classifier, the data do not match it, a score overflows, or a package is missing.
    FileError
        If the file cannot be written. A file that was there before is then unchanged.

    See Also
    --------
    novikoff.verify : Check the certificate alone.
    novikoff.plot : The same figures, drawn with matplotlib.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> page = nk.report(nk.LinearSVM().fit(X, y), X, y, title="Four rows")
    >>> "<h1>Four rows</h1>" in page
    True
    """
    try:
        from .page import render  # needs packages that are not always installed
    except ModuleNotFoundError as error:
        raise missing_package(WHERE, error.name, "plot") from error
    if is_table_pipeline(model):
        encoder, learner = model.steps[0][1], model.steps[1][1]
        X, test = encoder.transform(X), None if test is None else (encoder.transform(test[0]), test[1])
        model, feature_names = learner, encoder.encoding_.names if feature_names is None else feature_names
    subject = subject_of(model, X, y, class_, test, feature_names)
    found = verify(model, X, y, sample_weight) if subject.certificates else None
    parts, general = split(list(map(str, subject.strategy.positives)), subject.certificates, found)
    page = render(
        figures_of(subject),
        title=title or f"{type(model).__name__} report",
        lead=_lead(subject),
        summary=_summary(subject),
        classes=_classes(subject.y),
        verification=found,
        parts=parts,
        general=general,
        meanings=meanings(found),
        command=command(model_path, data_path),
        tested=None if subject.test is None else subject.test[2],
        confusion=_confusion(subject.scored[2]),
    )
    if path is not None:
        with replacing(path) as file:
            file.write(page.encode())
    return page


def _lead(subject: Subject) -> str:
    """Return the sentence below the title, without the certificate."""
    rows, columns = subject.table.shape
    accuracies = ", ".join(f"{name} accuracy {percent(found.accuracy)}" for name, found in subject.all_scores())
    shape = f"{count(rows)} rows, {count(columns)} columns, {len(subject.strategy.classes)} classes"
    return f"{shape}. {accuracies[0].upper()}{accuracies[1:]}."


def _summary(subject: Subject) -> list[tuple[str, str]]:
    model, table = subject.model, subject.table
    rows = [("learner", type(model).__name__), ("parameters", _parameters(model))]
    rows.append(("training data", f"{count(table.shape[0])} rows, {count(table.shape[1])} columns"))
    reading = None if subject.record is None else subject.record.reading
    if reading is not None and reading.encoding is not None:
        rows.append(("columns of the table", reading.encoding.summary()))
    if sp.issparse(table):
        rows.append(("nonzero entries", f"{count(table.nnz)}, {percent(table.nnz / np.prod(table.shape))}"))
    for name, found in subject.all_scores():
        rows.append((f"accuracy ({name})", percent(found.accuracy)))
        rows.append((f"balanced accuracy ({name})", percent(found.balanced_accuracy)))
    if len(subject.strategy.positives) > 1:
        rows.append(("class in the figures", f"{subject.class_}, against the rest"))
    return rows


def _parameters(model: Any) -> str:
    """List the parameters that differ from their defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(model)).parameters.items()}
    changed = {
        name: value for name, value in model.get_params(deep=False).items() if repr(value) != repr(defaults[name])
    }
    return ", ".join(f"{name} = {value!r}" for name, value in sorted(changed.items())) or "all at their defaults"


def _classes(y: Any) -> Table:
    """Return the number of rows of each class, or of the largest ones."""
    labels, counts = np.unique(y, return_counts=True)
    shown = list(zip(labels.tolist(), counts.tolist(), strict=True))
    caption = "Classes"
    if len(shown) > MAX_CLASSES:
        shown = sorted(shown, key=lambda pair: -pair[1])[:MAX_CLASSES]
        caption = f"The {MAX_CLASSES} largest of {len(labels)} classes"
    rows = [(str(name), count(number), percent(number / len(y))) for name, number in shown]
    return Table(caption, ["class", "rows", "fraction"], rows)


@dataclass(frozen=True)
class Cell:
    """A cell of the confusion matrix; ``shade`` is the strength of its background, from 0 to 1."""

    rows: float
    is_correct: bool
    shade: float


@dataclass(frozen=True)
class Confusion:
    """The confusion matrix or, for many classes, the most frequent errors."""

    names: Sequence[str] = ()
    cells: Sequence[tuple[str, list[Cell], str]] = ()  # class, its row of the matrix, its recall
    frequent: Table | None = None


def _confusion(found: Scores) -> Confusion:
    names, matrix = [str(label) for label in found.labels.tolist()], found.confusion
    if len(names) > MAX_CLASSES:
        errors = matrix - np.diag(np.diag(matrix))
        places = np.argsort(-errors, axis=None, kind="stable")[:MAX_CLASSES]
        pairs = [(int(place) // len(names), int(place) % len(names)) for place in places]
        rows = [(names[i], names[j], count(errors[i, j])) for i, j in pairs if errors[i, j] > 0]
        caption = f"Most frequent errors among {len(names)} classes"
        return Confusion(frequent=Table(caption, ["true class", "predicted class", "rows"], rows))
    cells = []
    for i, (name, total) in enumerate(zip(names, matrix.sum(axis=1).tolist(), strict=True)):
        row = [_cell(number, total, i == j) for j, number in enumerate(matrix[i].tolist())]
        cells.append((name, row, percent(matrix[i, i] / total) if total else "no rows"))
    return Confusion(names=names, cells=cells)


def _cell(number: float, total: float, is_correct: bool) -> Cell:
    """Shade a cell by its fraction of the row; the square root makes a few errors visible."""
    fraction = number / total if total else 0.0
    return Cell(number, is_correct, fraction if is_correct else math.sqrt(fraction))
