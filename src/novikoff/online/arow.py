"""AROW: adaptive regularisation of weights."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff._validation import check_number
from novikoff.errors import input_error
from novikoff.theory.certificate import Certificate
from novikoff.theory.rules import Rule

from ._certify import Problem, certify_second_order
from ._classifier import OnlineClassifier

LEAST_R = 1e-100


def check_parameters(where: str, r: object, floor: object) -> tuple[float, float]:
    """Return r and floor of AROW as numbers, or refuse them."""
    number = check_number(where, "r", r, above=0)
    if number < LEAST_R:
        raise input_error(where, f"r must be at least {LEAST_R:g}, but it is {number:g}.")
    return number, 0.0 if floor == 0 else check_number(where, "floor", floor, above=0, at_most=1, other="0")


@dataclass(kw_only=True, eq=False, repr=False)
class AROW(OnlineClassifier):
    """Adaptive regularisation of weights: columns that were seen often are changed less.

    Each weight has a variance, which is 1 at first. With the loss l = max(0, 1 - y w.u), u = (x, 1), and the variance V
    = sum_j s_j u_j^2 of the score, an update adds l / (V + r) y s_j u_j to each weight w_j and u_j^2 / r to 1/s_j. The
    weight of a column with large values soon has a small variance and changes little, so the scale of the columns
    matters less than for the perceptron, and rare columns are learned quickly.

    The variances are a diagonal matrix. ``certificate_`` has what follows from the sum of the examples that caused an
    update (docs/theory.md L1). The mistake bound of the paper is about the full matrix. It does not hold for the
    diagonal one, and is not claimed.

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
        Number of threads; None means 1 and -1 all cores. Each class is learned by one thread.
    verbose : int, default=0
        Whether to print a line after every pass.
    max_features : int, default=None
        For dicts: hash all feature names into this many columns, so that memory stays bounded.
    n_iter_no_change : int, default=5
        Passes without fewer mistakes after which ``fit`` finds out whether the rows are separable, and stops if not;
        None for never.
    classes : array-like, default=None
        All labels that will occur, if they are known. Two classes then cost one binary problem instead of three, and
        any other label is refused. By default, new labels may appear at any time on a stream.
    probability : bool, default=False
        Whether to estimate probabilities from the scores that are given before learning, for ``predict_proba`` and
        ``predict_proba_one``. It is for streams: ``fit``, which visits rows several times, refuses it.
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
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    certificate_ : SecondOrderCertificate or list
        What is proven of the model; a list with one certificate per class for more than two classes.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str or list of str
        Why they ended: "converged", "inseparable", "no progress" or "max_iter"; a list for more than two classes.
        "converged" means that the last pass made no mistake, or could change nothing. Rows with y f(x) < 1 may be left,
        from which another pass would learn.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    MulticlassAROW : All classes together, with one certificate.
    PassiveAggressiveII : The same update with one variance for all columns that never changes.

    References
    ----------
    .. [1] Crammer, Kulesza and Dredze (2009), Adaptive regularization of weight vectors.

    Examples
    --------
    >>> from novikoff import AROW
    >>> model = AROW(fit_intercept=False, max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.coef_.round(4)
    array([[0.6667]])
    """

    r: float = 1.0
    floor: float = 0.0

    _rule_names: ClassVar[tuple[str, ...]] = ("arow",)

    def _rule(self) -> Rule:
        where = type(self).__name__
        r, floor = check_parameters(where, self.r, self.floor)
        return Rule("arow", r, geometry=self._geometry(), extra=floor)

    def _certify(self, problem: Problem) -> Certificate:
        return certify_second_order(problem)
