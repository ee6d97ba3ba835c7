"""The report: what is computed for the page, section by section."""

from __future__ import annotations

import inspect
import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._atomic import replacing
from novikoff._counts import count, counted
from novikoff.errors import input_error, missing_package
from novikoff.evaluate import Holdout, percent
from novikoff.persistence.pipelines import is_table_pipeline

from .certificate import certificate_table, command, meanings
from .figures.figure import figures_of
from .performance import performance_of
from .subject import WHERE, Subject, subject_of, with_held_out
from .verdict import verdict_of, words_of

STRATEGY_WORDS = {
    "ovr": "one-vs-rest, {} binary problems",
    "ovo": "one-vs-one, {} binary problems",
    "crammer_singer": "Crammer-Singer, one joint problem with {} weight vectors",
    "kesler": "learned together, one joint problem with {} weight vectors",
}


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
    holdout: Holdout | None = None,
) -> str:
    """Describe a fitted classifier in one self-contained HTML page.

    The page starts with a verdict: the accuracy beside that of the most frequent label, whether the certificate was
    verified on these rows, and one picture. Below are the predictive performance by class, the certificate with the
    result of checking each claim, and figures of the model, for several classes by choice of class. The page loads
    nothing from the network and is identical for identical input. It needs plotly and jinja2:
    ``pip install 'novikoff[plot]'``.

    Parameters
    ----------
    model : estimator
        A fitted classifier with ``decision_function``. Classifiers of scikit-learn are accepted; they have no
        certificate. For a pipeline with a ``TableEncoder``, X is the table.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows that the model was fitted to, in the same order. If its certificate shows that they are others, the
        page says so and treats them as test rows.
    y : array-like of shape (n_samples,)
        Their labels.
    path : str or path-like, default=None
        The file to write. If None, the page is only returned.
    title : str, default=None
        The title of the page. By default it names the class of the model.
    feature_names : sequence of str, default=None
        Names of the columns. By default the names that the model knows, or the numbers of the columns.
    class_ : label, default=None
        The class whose figures are shown first. By default the class that is confused most often; of two classes, the
        last.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the rows that the model was fitted with.
    model_path : str or path-like, default=None
        The model file, for the command that checks the certificate.
    data_path : str or path-like, default=None
        The data file, for the same command.
    test : tuple (X, y), default=None
        Rows and labels that were not used for training. If given, the predictive performance is measured on them.
    holdout : Holdout, default=None
        The result of ``novikoff.evaluate.holdout`` for this model, X and y. If given, the predictive performance is
        measured on the rows held out.

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
    if test is not None and holdout is not None:
        raise input_error(WHERE, "give test or holdout, not both.")
    if is_table_pipeline(model):
        encoder, learner = model.steps[0][1], model.steps[1][1]
        X, test = encoder.transform(X), None if test is None else (encoder.transform(test[0]), test[1])
        model, feature_names = learner, encoder.encoding_.names if feature_names is None else feature_names
    subject = subject_of(model, X, y, class_, test, feature_names, sample_weight)
    if holdout is not None:
        subject = with_held_out(subject, holdout)
    page = page_of(subject, title=title, model_path=model_path, data_path=data_path)
    if path is not None:
        with replacing(path) as file:
            file.write(page.encode())
    return page


def page_of(
    subject: Subject,
    *,
    title: str | None = None,
    model_path: str | os.PathLike[str] | None = None,
    data_path: str | os.PathLike[str] | None = None,
) -> str:
    """Return the page about a model and its data; the parameters are those of ``report``."""
    try:
        from .page import render  # needs packages that are not always installed
    except ModuleNotFoundError as error:
        raise missing_package(WHERE, error.name, "plot") from error
    parts, general = subject.parts
    return render(
        figures_of(subject),
        title=title or f"{type(subject.model).__name__} report",
        verdict=verdict_of(subject),
        scored=subject.scored,
        performance=performance_of(subject.scored.scores),
        verification=subject.verification,
        parts=parts,
        certificates=certificate_table(parts),
        general=general,
        meanings=meanings(subject.verification),
        command=command(model_path, data_path if subject.first.kind != "other" else None),
        summary=_summary(subject),
    )


def _summary(subject: Subject) -> list[tuple[str, str]]:
    model, table, strategy = subject.model, subject.table, subject.strategy
    rows = [("learner", type(model).__name__), ("parameters", _parameters(model))]
    rows.append(("rows", f"{subject.first.words}, {counted(table.shape[1], 'column')}"))
    reading = None if subject.record is None else subject.record.reading
    if reading is not None and reading.encoding is not None:
        rows.append(("columns of the table", reading.encoding.summary()))
    if sp.issparse(table):
        rows.append(("nonzero entries", f"{count(table.nnz)}, {percent(table.nnz / np.prod(table.shape))}"))
    sizes = np.unique(subject.y, return_counts=True)[1]
    rows.append(
        ("classes", f"{count(len(strategy.classes))}, of {count(sizes.min())} to {counted(sizes.max(), 'row')}")
    )
    if len(strategy.classes) > 2:
        rows.append(("several classes", STRATEGY_WORDS[strategy.name].format(count(len(strategy.pairs)))))
    for measured in subject.measured:
        found = measured.scores
        guess = f"always one class: {percent(1 / np.count_nonzero(found.support))}"
        rows.append(("training accuracy" if measured.kind == "training" else "accuracy", words_of(measured)))
        rows.append(("balanced accuracy", f"{percent(found.balanced_accuracy)} on {measured.words} ({guess})"))
    return rows


def _parameters(model: Any) -> str:
    """List the parameters that differ from their defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(model)).parameters.items()}
    changed = {
        name: value for name, value in model.get_params(deep=False).items() if repr(value) != repr(defaults[name])
    }
    return ", ".join(f"{name} = {value!r}" for name, value in sorted(changed.items())) or "all at their defaults"
