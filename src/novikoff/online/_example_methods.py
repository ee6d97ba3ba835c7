"""Calls for single examples of a stream, as a service makes them: methods of all online learners."""

from typing import Any

from novikoff._draft import change
from novikoff._estimators import available_if
from novikoff.data.rows import is_keyed
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from ._many_examples import labels_of_many
from ._one_example import DEFAULT_WEIGHT, learn_example
from ._probabilities import has_probabilities, probabilities_of_one, probabilities_of_rows
from ._reading import label_of_one, scores_of_one


def learn_one(self: Any, x: Any, y: Any, sample_weight: float = DEFAULT_WEIGHT) -> None:
    """Learn from one example.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features: values by name, or a row of numbers.
    y : label
        Its label.
    sample_weight : float, default=1.0
        Its weight.
    """
    fast = self._fast_path
    if fast is not None and fast.may_learn and sample_weight == 1.0 and self.class_weight is fast.class_weight:
        if type(x) is dict:
            try:
                if fast.by_name and (code := fast.code_of[y]) < fast.count:
                    weight = 1.0 if fast.weight_of is None else fast.weight_of(y, 1.0)
                    fast.kernel.learn_one(x, code, weight, fast.balanced)
                    return
            except ValueError as error:
                raise input_error(type(self).__name__, str(error)) from None
            except (KeyError, TypeError, RuntimeError):
                pass  # a new label; a class weight that is 0 or bad; or another thread, which ``change`` refuses
        elif not fast.by_name and not is_keyed(x) and fast.learn_row(type(self).__name__, x, y):
            return
    change(self, lambda draft: learn_example(draft, type(self).__name__, x, y, sample_weight))


def predict_one(self: Any, x: Any) -> Any:
    """Predict the label of one example.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features.

    Returns
    -------
    label : object
        The label; None if no label was seen before.
    """
    fast = self._fast_path
    if fast is not None and fast.by_name and fast.answers is not None and type(x) is dict:
        try:
            return fast.answers[fast.kernel.score_one(x, fast.problem) >= 0]
        except ValueError as error:
            raise input_error(type(self).__name__, str(error)) from None
    return label_of_one(self, x)


def score_one(self: Any, x: Any) -> Any:
    """Return the score of one example.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features.

    Returns
    -------
    score : float or dict
        A number for two classes, and a dict from class to score for more; 0.0 if no label was seen before.
    """
    if not self.__sklearn_is_fitted__():
        return 0.0
    view, scores = scores_of_one(self, x)
    return view._classes.named_scores(scores)


def predict_and_score_one(self: Any, x: Any) -> tuple[Any, Any]:
    """Predict the label of one example and return its score, which belong together.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features.

    Returns
    -------
    label : object
        What ``predict_one`` returns: the label; None if no label was seen before.
    score : float or dict
        What ``score_one`` returns: a number for two classes, and a dict from class to score for more.
    """
    fast = self._fast_path
    if fast is not None and fast.by_name and fast.answers is not None and type(x) is dict:
        try:
            score = fast.kernel.score_one(x, fast.problem)
        except ValueError as error:
            raise input_error(type(self).__name__, str(error)) from None
        return fast.answers[score >= 0], score
    if not self.__sklearn_is_fitted__():
        return None, 0.0
    view, scores = scores_of_one(self, x)
    return view._classes.decide_one(scores), view._classes.named_scores(scores)


def predict_many(self: Any, X: Any) -> list[Any]:
    """Predict the labels of many examples, faster than by as many calls of ``predict_one``.

    Parameters
    ----------
    X : list of dicts, or array-like or sparse matrix of shape (n_samples, n_features)
        The features of the examples.

    Returns
    -------
    labels : list
        What ``predict_one`` would return for each example: a label; None if no label was
        seen before.
    """
    return labels_of_many(self, X)


@available_if(has_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
def predict_proba_one(self: Any, x: Any) -> dict[Any, float]:
    """Return the probability of each label for one example. It needs ``probability=True``.

    Probabilities are those of Platt's method, learned online: how often the label was the positive one at such
    scores, when they were given before the label was seen. The label of the largest probability may differ from
    ``predict_one``, which goes by the sign of the score. For more than two classes, the probabilities of the binary
    problems are divided by their sum.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features.

    Returns
    -------
    probabilities : dict
        From label to probability, in ascending order of the labels; empty if no label was seen before.

    References
    ----------
    .. [1] Platt (1999), Probabilistic outputs for support vector machines.
    """
    return probabilities_of_one(self, x)


@available_if(has_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
def predict_proba(self: Any, X: Any) -> Floats:
    """Return the probabilities of the labels of rows, as ``predict_proba_one`` does.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
        One column for each of ``classes_``.
    """
    return probabilities_of_rows(self, X)
