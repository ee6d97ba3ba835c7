"""The passive-aggressive algorithms of several classes that are learned together."""

# Without ``from __future__ import annotations``, as in ``_classifier.py``.
from dataclasses import dataclass
from typing import ClassVar

from novikoff._validation import check_number
from novikoff.theory.rules import Rule

from ._joint import JointClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class MulticlassPassiveAggressiveI(JointClassifier):
    """Passive-aggressive algorithm of several classes with a limit on the step.

    An example should lead all other classes by 1 or more. If it leads the strongest one by less, the loss is l = 1 -
    lead, and the example u = (x, 1) times tau = min(C, l / (2 |u|^2)) is added to the weights of its class and
    subtracted from those of the other.

    Classes may appear at any time, and start with weights of 0. Weights are stored by column for the classes that have
    one, so that many classes cost little.

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
    C : float, default=1.0
        Penalty on margin violations. The larger, the further one example may move the weights; the weight of an example
        multiplies C.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights of each class; for two classes one row, those of the last minus those of the first.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts, in the same form.
    certificate_ : KeslerCertificate
        What is proven of all classes together.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str
        Why they ended: "converged" (the last pass made no mistake), "no progress" or "max_iter".
    n_features_in_ : int
        Number of features.

    See Also
    --------
    MulticlassPassiveAggressiveII : Shrinks every step instead.
    PassiveAggressiveI : One binary problem per class, with a certificate each.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms, section 8.

    Examples
    --------
    >>> from novikoff import MulticlassPassiveAggressiveI
    >>> X, y = [[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [3.0, 1.0]], ["a", "b", "c", "a"]
    >>> model = MulticlassPassiveAggressiveI(C=0.5).fit(X, y)
    >>> model.predict([[4.0, 0.0], [-2.0, -1.0]])
    array(['a', 'c'], dtype='<U1')
    """

    C: float = 1.0

    _rule_names: ClassVar[tuple[str, ...]] = ("multiclass passive-aggressive I",)

    def _rule(self) -> Rule:
        C = check_number(type(self).__name__, "C", self.C, above=0)
        return Rule("multiclass passive-aggressive I", C, geometry=self._geometry())


@dataclass(kw_only=True, eq=False, repr=False)
class MulticlassPassiveAggressiveII(JointClassifier):
    """Passive-aggressive algorithm of several classes with a smaller step.

    An example should lead all other classes by 1 or more. If it leads the strongest one by less, the loss is l = 1 -
    lead, and the example u = (x, 1) times tau = l / (2 |u|^2 + 1/(2C)) is added to the weights of its class and
    subtracted from those of the other.

    Classes may appear at any time, and start with weights of 0. Weights are stored by column for the classes that have
    one, so that many classes cost little.

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
    C : float, default=1.0
        Penalty on margin violations. The larger, the further one example may move the weights; the weight of an example
        multiplies C.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights of each class; for two classes one row, those of the last minus those of the first.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts, in the same form.
    certificate_ : KeslerCertificate
        What is proven of all classes together.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str
        Why they ended: "converged" (the last pass made no mistake), "no progress" or "max_iter".
    n_features_in_ : int
        Number of features.

    See Also
    --------
    MulticlassPassiveAggressiveI : Limits the largest steps instead.
    PassiveAggressiveII : One binary problem per class, with a certificate each.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms, section 8.

    Examples
    --------
    >>> from novikoff import MulticlassPassiveAggressiveII
    >>> X, y = [[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [3.0, 1.0]], ["a", "b", "c", "a"]
    >>> model = MulticlassPassiveAggressiveII(C=0.5).fit(X, y)
    >>> model.predict([[4.0, 0.0], [-2.0, -1.0]])
    array(['a', 'c'], dtype='<U1')
    """

    C: float = 1.0

    _rule_names: ClassVar[tuple[str, ...]] = ("multiclass passive-aggressive II",)

    def _rule(self) -> Rule:
        C = check_number(type(self).__name__, "C", self.C, above=0)
        return Rule("multiclass passive-aggressive II", C, geometry=self._geometry())
