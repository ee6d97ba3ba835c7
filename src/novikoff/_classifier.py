"""The base class of all classifiers: everything that does not depend on how the weights are found."""

from __future__ import annotations

import copy
import os
import sys
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._draft import Draft, change, view_of
from novikoff._estimators import BaseEstimator, ClassifierMixin
from novikoff._multiclass import MulticlassStrategy, OneVsRest
from novikoff._notebook import CompactDisplay, certificates_html
from novikoff._printable import printable
from novikoff._progress import ProgressCallback
from novikoff._wide_array import narrowed, occurring
from novikoff.data.reading import Reading
from novikoff.data.stream import Scan
from novikoff.errors import input_error
from novikoff.persistence.model_file import save
from novikoff.theory.geometry import Floats


def fit_to_scan(model: Any, stream: Scan, y: Any, sample_weight: Any) -> Any:
    """Fit a learner to a stream that ``novikoff.scan`` opened, which has its own labels and weights.

    A table is read whole and encoded by a ``TableEncoder``. A pipeline of the encoder and the learner is then returned,
    which predicts from tables; for other sources, it is the learner.
    """
    where = type(model).__name__
    if y is not None or sample_weight is not None:
        raise input_error(where, "a stream has its own labels and weights. Leave out y and sample_weight.")
    batch = stream.read(where)
    if batch.encoder is None:
        return model.fit(batch.X, batch.y, batch.weights)

    def fit(draft: Draft) -> None:
        draft.model.fit(batch.X, batch.y, batch.weights)
        draft.model.reading_ = Reading().after(batch)

    change(model, fit)
    from novikoff.persistence.table_pipeline import pipeline_of  # slow to import

    return pipeline_of(model)


class Classifier(CompactDisplay, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A classifier with scores, certificates, progress messages and a notebook form.

    A subclass defines ``fit``, ``decision_function`` and ``certificate_``; and ``record_``, ``state_type`` and
    ``from_record``, by which it is saved and loaded.
    """

    state_type: ClassVar[type[Any]]
    learns_in_place: ClassVar[bool] = False  # so that it has readers or one writer: _draft.py

    _copied: ClassVar[tuple[str, ...]] = ()  # attributes that ``_moment`` copies
    verbose: Any = 0  # a class attribute for subclasses without this parameter
    _watcher: ProgressCallback | None = None
    classes_: NDArray[Any]
    record_: Any

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows."""
        raise NotImplementedError  # a subclass defines it

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class with the largest score; of two classes, the last of ``classes_`` if the score is above 0. Exact
            ties, and a score of 0, go to the class with the larger training weight, if the learner knows it; otherwise
            to the first of several classes, and to the last of two.
        """
        strategy, scores = self._decisions(X)
        return strategy.choose(scores)

    def _decisions(self, X: Any) -> tuple[MulticlassStrategy, Floats]:
        """Return how scores become labels, and the scores of rows, which belong together."""
        scores = self.decision_function(X)  # first: it checks that the model is fitted
        return self._strategy, scores

    @property
    def _strategy(self) -> MulticlassStrategy:
        """How scores become labels."""
        return OneVsRest(self.classes_)

    def predict_sign(self, X: Any) -> NDArray[np.int8]:
        """Return the signs of the scores, which tell a score of exactly 0 from a positive one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        signs : ndarray of int8, of the shape of ``decision_function(X)``
            -1, 0 or +1.
        """
        signs: NDArray[np.int8] = np.sign(self.decision_function(X)).astype(np.int8)
        return signs

    @property
    def weights_(self) -> dict[Any, Any]:
        """The weights that are not 0, by the name of their column; for more than two classes, one dict per class.

        With one-vs-one, there is one dict per pair of classes, (positive, negative).

        Columns have the names that a table, a data frame or the keys of dicts gave them; without names, their numbers.
        """
        record = self.record_
        names = record.column_names
        by_class = {}
        for problem in record.problems:
            columns = occurring(problem.weights)
            values = narrowed(problem.weights, columns).tolist()
            keys = columns.tolist() if names is None else [names[column] for column in columns.tolist()]
            pair = (problem.positive, problem.negative)
            by_class[problem.positive if problem.negative is None else pair] = dict(zip(keys, values, strict=True))
        return by_class if len(by_class) > 1 else next(iter(by_class.values()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model to a file that ``novikoff.load`` reads.

        Parameters
        ----------
        path : str or path-like
            The file. The usual suffix is ``.nvk``.

        See Also
        --------
        novikoff.save : The same as a function.
        """
        save(self, path)

    def snapshot(self) -> Self:
        """Return a copy of the model as it is now, which does not change when the model learns on.

        Returns
        -------
        model : object
            A model of the same class with the same parameters and everything that was learned. Neither of the two
            changes when the other one learns. Progress messages of the copy go nowhere until ``watch`` is called.

        See Also
        --------
        novikoff.save : Save a model.

        Examples
        --------
        >>> from novikoff import Perceptron
        >>> model = Perceptron()
        >>> model.learn_one({"a": 1.0}, "yes")
        >>> before = model.snapshot()
        >>> model.learn_one({"a": -1.0}, "no")
        >>> before.predict_one({"a": -1.0}), model.predict_one({"a": -1.0})
        ('yes', 'no')
        """
        model = self._moment()
        done = {*model.get_params(deep=False), *self._copied}
        model.__dict__.update(copy.deepcopy({name: value for name, value in vars(model).items() if name not in done}))
        return model

    def _moment(self) -> Self:
        """Return a view that does not change. Fitted arrays are shared, because ``fit`` replaces them."""
        model = view_of(self)
        model.__dict__.pop("_watcher", None)
        return model

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters. They take effect with the next fit, batch or example.

        What a learner has learned goes on under the rule that it began with.

        Parameters
        ----------
        **parameters : dict
            Parameters by name.

        Returns
        -------
        self : object
            The classifier.
        """
        change(self, lambda draft: super(Classifier, draft.model).set_params(**parameters))
        return self

    def watch(self, tell: ProgressCallback | None) -> Self:
        """Have a function called with progress messages during ``fit``.

        Parameters
        ----------
        tell : callable or None
            Takes a message, and the fraction completed from 0 to 1, or None where it is not known. It is called from
            the threads that do the work. None removes the function set before.

        Returns
        -------
        self : object
            The classifier.
        """
        self._watcher = tell
        return self

    def _forget_reading(self) -> None:
        """Forget which rows were learned before, and how their table was read, unless this fit continues from it."""
        self.__dict__.pop("fingerprint_", None)
        if not getattr(self, "warm_start", False):
            self.__dict__.pop("reading_", None)

    def _progress(self) -> ProgressCallback | None:
        """Return the function that takes progress messages; None if nobody would see them."""
        return self._say if self.verbose or self._watcher is not None else None

    def _say(self, message: str, fraction: float | None = None) -> None:
        if self.verbose:
            print(printable(f"[{type(self).__name__}] {message}"), file=sys.stderr, flush=True)
        if self._watcher is not None:
            self._watcher(message, fraction)

    def __getstate__(self) -> Any:
        return super(Classifier, self._moment()).__getstate__()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram, and below it the certificates."""
        return str(super()._repr_html_inner()) + certificates_html(self)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return what notebooks ask for first."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
