"""From a file to a fitted model in one line."""

from __future__ import annotations

import warnings
from typing import Any

from novikoff.data.delimited.dialect import DIALECT, DialectOptions
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.formats import find_format
from novikoff.data.reading import Reading
from novikoff.errors import input_error
from novikoff.persistence.table_pipeline import pipeline_of
from novikoff.svm import LinearSVM

ROLES = ("features", "exclude", "text")
OPENING = ("attach", "on_bad")


def fit(
    source: Any,
    *,
    target: str | int | None = None,
    model: Any = None,
    encoder: TableEncoder | None = None,
    weight: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Any:
    r"""Fit an encoder and a learner to a table.

    Parameters
    ----------
    source : path, list of paths, SQL or table
        The table, with labels: anything that ``scan`` reads.
    target : str or int, default=None
        The column of labels: its name, its number from 1, "first" or "last". None takes the one that is called y,
        label, target or class.
    model : learner, default=None
        What is fitted to the encoded rows. None is ``LinearSVM()``.
    encoder : TableEncoder, default=None
        How columns become features. None is ``TableEncoder()``, which imputes, standardises, and gives categories and
        words columns with names.
    weight : str, default=None
        The column of weights.
    format : str, default=None
        As in ``scan``.
    **options : dict
        The options of ``scan`` that say what columns are (features, exclude, text), how delimited text is written
        (delimiter, header, names, encoding, na, decimal, quote, day_first), attach, and on_bad.

    Returns
    -------
    Pipeline
        A pipeline of scikit-learn with the encoder and the learner. It predicts from tables and data frames, and has
        the ``certificate_`` of the learner. A source that is not a table, such as svmlight, gives the learner itself.

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
    allowed = (*ROLES, *DIALECT, *OPENING)
    if unknown := sorted(options.keys() - set(allowed)):
        raise input_error(where, f"there is no option {', '.join(unknown)}. The options are {', '.join(allowed)}.")
    learner = LinearSVM() if model is None else model
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
    learner.fit(batch.X, batch.y, batch.weights)
    learner.reading_ = reading.after(batch)
    return pipeline_of(learner) if is_table else learner


def _tuple(names: Any) -> tuple[str, ...] | None:
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)
