"""AROW of several classes that are learned together."""

# Without ``from __future__ import annotations``, as in ``_classifier.py``.
from dataclasses import dataclass
from typing import ClassVar

from novikoff.theory.rules import Rule

from ._joint import JointClassifier
from .arow import check_parameters


@dataclass(kw_only=True, eq=False, repr=False)
class MulticlassAROW(JointClassifier):
    """Adaptive regularisation of weights for several classes that are learned together.

    An example should lead all other classes by 1 or more. If it leads the strongest one by less, both change: with the
    loss l = 1 - lead, the example u = (x, 1), a variance s_kj for the weight of each class k and column j, which is 1
    at first, and the variance V = sum_j (s_yj + s_kj) u_j^2 of the lead over the class k, l / (V + r) s_yj u_j is added
    to the weights of the class y of the example, l / (V + r) s_kj u_j is subtracted from those of the other, and u_j^2
    / r is added to 1/s of both. Columns that were seen often in a class are changed less.

    ``certificate_`` has what follows from the sum of the examples that caused an update, in the space of all classes
    together (docs/theory.md L5). The mistake bound of AROW is about the full matrix. It does not hold for the diagonal
    one, and is not claimed.

    Classes may appear at any time, and start with weights of 0. Weights and variances are stored by column for the
    classes that have one, so that many classes cost little.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant feature of 1, which is added to every example.
    max_iter : int, default=10
        Maximum number of passes over the data in ``fit``.
    shuffle : bool, default=True
        Whether to visit the rows in a new random order in each pass of ``fit``.
    random_state : int, RandomState instance or None, default=0
        Seed of the row order.
    class_weight : dict or "balanced", default=None
        Weights of the classes. They multiply ``sample_weight``; "balanced" gives all classes the same total weight.
    warm_start : bool, default=False
        Whether ``fit`` continues from the present weights.
    n_jobs : int, default=None
        No effect, because all classes are learned together, by one thread.
    verbose : int, default=0
        Whether to print a line after every pass.
    max_features : int, default=None
        For dicts: hash all feature names into this many columns, so that memory stays bounded.
    n_iter_no_change : int, default=5
        ``fit`` stops after 4 times this many passes without fewer mistakes, plus half of the passes before them. None
        for never.
    classes : array-like, default=None
        All labels that will occur, if they are known; any other label is then refused. By default, new labels may
        appear at any time on a stream.
    probability : False, default=False
        Not available, because there are no binary problems.
    normalize : bool, default=False
        Whether to scale every example u to unit length first. The margin is then that of the scaled examples.
    scale : {"running", "centred"} or None, default=None
        How to scale the columns: "running" divides each by the root mean square of its values other than 0 so far, and
        "centred", which is for streams, first subtracts the mean of columns that are not 0 in half of the examples.
        ``coef_`` is for the rows as they are given; the certificate is about the rows as they were seen.
    r : float, default=1.0
        How slowly variances shrink and how small updates are, from 1e-100 on. The weight of an example divides r.
    floor : float, default=0.0
        Smallest variance, from 0 to 1. With a positive one, such as 0.01, the weights can follow a stream that changes;
        with 0, they change less and less.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights of each class; for two classes one row, those of the last minus those of the first.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts, in the same form.
    certificate_ : KeslerSumCertificate
        What is proven of all classes together.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str
        Why they ended: "converged" (the last pass made no mistake), "no progress" or "max_iter".
    n_features_in_ : int
        Number of features.

    See Also
    --------
    AROW : One binary problem per class, with a certificate each.
    MulticlassPassiveAggressiveII : The same update with one variance for all columns that never changes.

    References
    ----------
    .. [1] Crammer, Kulesza and Dredze (2009), Adaptive regularization of weight vectors.
    .. [2] Duda and Hart (1973), Pattern Classification and Scene Analysis, section 5.12 (Kesler's construction).

    Examples
    --------
    >>> from novikoff import MulticlassAROW
    >>> X, y = [[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [3.0, 1.0]], ["a", "b", "c", "a"]
    >>> model = MulticlassAROW().fit(X, y)
    >>> model.predict([[4.0, 0.0], [-2.0, -1.0]])
    array(['a', 'c'], dtype='<U1')
    """

    r: float = 1.0
    floor: float = 0.0

    _rule_names: ClassVar[tuple[str, ...]] = ("multiclass arow",)

    def _rule(self) -> Rule:
        r, floor = check_parameters(type(self).__name__, self.r, self.floor)
        return Rule("multiclass arow", r, geometry=self._geometry(), extra=floor)
