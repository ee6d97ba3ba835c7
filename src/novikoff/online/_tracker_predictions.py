"""The predictions of a mixture: those of its leader, or the vote of its members. Methods of ``Tracker``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._estimators import check_is_fitted
from novikoff._moments import view_of
from novikoff._multiclass import OneVsRest
from novikoff.theory.geometry import Floats

from ._classifier import OnlineClassifier
from ._mixture import codes_of, labels_of


def leader_of(model: Any) -> OnlineClassifier:
    """Return the member with the fewest decayed mistakes."""
    learner: OnlineClassifier = model.learners_[model._counts.leader()]
    return learner


def predict(self: Any, X: Any) -> NDArray[Any]:
    """Predict the labels of rows.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    y : ndarray of shape (n_samples,)
        The labels that the leader predicts, or those with the most votes; of several, that of the first member.
    """
    check_is_fitted(self)
    view = view_of(self)
    if view._learned_vote.kind == "leader":
        return leader_of(view).predict(X)
    classes = view.classes_
    codes = np.array([codes_of(classes, learner.predict(X)) for learner in view.learners_])
    return labels_of(classes, view._counts.choose(view._learned_vote, codes))


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
    view = view_of(self)
    if not view.__sklearn_is_fitted__():
        return None
    if view._learned_vote.kind == "leader":
        return leader_of(view).predict_one(x)
    labels = [learner.predict_one(x) for learner in view.learners_]
    codes = np.array([[labels.index(label)] for label in labels], dtype=np.int32)
    return labels[int(view._counts.choose(view._learned_vote, codes)[0])]


def decision_function(self: Any, X: Any) -> Floats:
    """Return the scores of rows.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        With ``vote="leader"``, those of the member that predicts. Otherwise the fraction of the votes for each
        class; of two classes, that for the last minus that for the first.
    """
    check_is_fitted(self)
    view = view_of(self)
    if view._learned_vote.kind == "leader":
        return leader_of(view).decision_function(X)
    return _votes(view, [learner.predict(X) for learner in view.learners_])[1]


def score_one(self: Any, x: Any) -> Any:
    """Return the score of one example.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features.

    Returns
    -------
    score : float or dict
        A number for two classes, and a dict from class to score for more; 0.0 if no label was seen before. With
        ``vote="leader"``, the score of the member that predicts; otherwise fractions of the votes, as in
        ``decision_function``.
    """
    view = view_of(self)
    if not view.__sklearn_is_fitted__():
        return 0.0
    if view._learned_vote.kind == "leader":
        return leader_of(view).score_one(x)
    labels = np.array([learner.predict_one(x) for learner in view.learners_], dtype=object)
    strategy, scores = _votes(view, [np.array([label]) for label in labels])
    return float(scores[0]) if strategy.is_binary else dict(zip(strategy.positives, scores[0].tolist(), strict=True))


def _votes(model: Any, predictions: list[NDArray[Any]]) -> tuple[OneVsRest, Floats]:
    """Return the classes, and the fractions of the votes that members give by their predictions."""
    strategy = OneVsRest(model.classes_)
    weights = model._counts.vote_weights(model._learned_vote)
    rows = np.arange(len(predictions[0]))
    totals = np.zeros((len(rows), len(strategy.classes)))
    for weight, own in zip(weights, predictions, strict=True):
        totals[rows, codes_of(strategy.classes, own)] += weight
    totals /= sum(weights)
    return strategy, totals[:, -1] - (totals[:, 0] if totals.shape[1] > 1 else 0.0) if strategy.is_binary else totals
