"""From a file to a fitted model in one line."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._labels import refuse_amounts
from novikoff.data.delimited.dialect import DIALECT, DialectOptions
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.formats import find_format
from novikoff.data.reading import Reading
from novikoff.errors import did_you_mean, input_error
from novikoff.persistence.table_pipeline import ENCODER, MODEL, TablePipeline, pipeline_of
from novikoff.svm import LinearSVM

ROLES = ("features", "exclude", "text")
OPENING = ("attach", "on_bad")


def fit(
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    model: Any = None,
    encoder: TableEncoder | None = None,
    weight: str | None = None,
    format: str | None = None,
    numbers_as_classes: bool = False,
    **options: Any,
) -> Any:
    r"""Fit an encoder and a learner to a table.

    Parameters
    ----------
    source : path, list of paths, SQL or table
        The table, with labels: anything that ``scan`` reads. With ``y``, a table, an array or a sparse matrix without
        labels.
    y : array-like of shape (n_samples,), default=None
        The labels, if they are not a column of the table.
    target : str or int, default=None
        The column of labels: its name, its number from 1 (or from -1 at the end), "first" or "last". None takes the one
        called y, label, target or class, then one with another usual name, and then the last one, with a warning.
    model : learner, default=None
        What is fitted to the encoded rows. None is ``LinearSVM()``.
    encoder : TableEncoder, default=None
        How columns become features. None is ``TableEncoder()``, which imputes, standardises, and gives categories and
        words columns with names.
    weight : str, default=None
        The column of weights.
    format : str, default=None
        As in ``scan``.
    numbers_as_classes : bool, default=False
        Whether many different numbers may be labels. By default they are refused as a regression target.
    **options : dict
        The parameters of ``LinearSVM``, such as C, if ``model`` is None; and the options of ``scan`` that say what
        columns are (features, exclude, text), how delimited text is written
        (delimiter, header, names, encoding, na, decimal, quote, day_first), attach, and on_bad.

    Returns
    -------
    Pipeline
        A pipeline of scikit-learn with the encoder and the learner. It predicts from tables and data frames, and has
        the ``certificate_`` of the learner. A source that is not a table, such as svmlight or a sparse matrix, gives
        the learner itself.

    Raises
    ------
    InvalidInputError
        If the source is malformed, or an option does not fit.
    FileError
        If a file cannot be read.

    See Also
    --------
    TableEncoder : The encoder.
    save : Save the pipeline to one file.

    Examples
    --------
    >>> import novikoff as nk
    >>> text = b"age;job;y\n20;clerk;no\n30;smith;yes\n40;smith;yes\n25;cook;no\n"
    >>> model = nk.fit(text, format="csv")
    >>> model.predict(b"age;job\n50;smith\n")
    array(['yes'], dtype='<U3')
    >>> bool(model.certificate_.converged)
    True
    """
    where = "fit"
    learner = LinearSVM() if model is None else model
    parameters = {name: options.pop(name) for name in [*options] if name in learner.get_params()}
    if parameters and model is not None:
        named = ", ".join(f"{name}=..." for name in parameters)
        message = f"{', '.join(parameters)} must be given to the model: model={type(model).__name__}({named})."
        raise input_error(where, message)
    learner.set_params(**parameters)
    allowed = (*ROLES, *DIALECT, *OPENING)
    if unknown := sorted(options.keys() - set(allowed)):
        close = did_you_mean(unknown[0], ("target", "weight", *allowed, *learner.get_params()))
        known = f"The options are {', '.join(allowed)}, and the parameters of LinearSVM."
        raise input_error(where, f"there is no option {', '.join(unknown)}.{close} {known}")
    if y is not None:
        if isinstance(y, str):
            raise input_error(where, f"y must be an array of labels. To name the column of labels, use target={y!r}.")
        said = {"target": target, "weight": weight, "format": format} | options
        if wrong := [name for name, value in said.items() if value is not None]:
            raise input_error(where, f"{wrong[0]} cannot be combined with y. Use a table that has the labels.")
        return _fitted_to_labels(where, source, y, learner, encoder, numbers_as_classes)
    if isinstance(source, np.ndarray) or sp.issparse(source):
        raise input_error(where, "an array needs labels. Write fit(X, y).")
    given = {name: value for name, value in options.items() if name in DIALECT}
    reading = Reading(
        target=target,
        features=_tuple(options.get("features")),
        exclude=_tuple(options.get("exclude")) or (),
        text=_tuple(options.get("text")) or (),
        weight=weight,
        dialect=DialectOptions(**given).checked(where) if given else None,
    )
    is_table = find_format(where, source, format).is_table
    encoder = (TableEncoder() if encoder is None else encoder) if is_table else None
    more = {name: options[name] for name in OPENING if options.get(name)}
    batch = reading.read(where, source, format=format, encoder=encoder, **more)
    for note in batch.warnings:
        warnings.warn(f"{where}: {note}", UserWarning, stacklevel=2)
    if not numbers_as_classes:
        refuse_amounts(where, batch.y)
    learner.fit(batch.X, batch.y, batch.weights)
    learner.reading_ = reading.after(batch)
    return pipeline_of(learner) if is_table else learner


def _fitted_to_labels(
    where: str, X: Any, y: Any, learner: Any, encoder: TableEncoder | None, numbers_as_classes: bool
) -> Any:
    """Fit to features and labels: a pipeline with an encoder, or the learner itself for a sparse matrix."""
    labels = np.asarray(y)
    if not numbers_as_classes and labels.ndim == 1:
        refuse_amounts(where, labels)
    if sp.issparse(X):
        return learner.fit(X, y)
    steps = [(ENCODER, TableEncoder() if encoder is None else encoder), (MODEL, learner)]
    return TablePipeline(steps).fit(X, y)


def _tuple(names: Any) -> tuple[str, ...] | None:
    """Return names and numbers of columns as a model file can hold them."""
    return None if names is None else tuple(map(str, [names] if isinstance(names, str | int) else names))
