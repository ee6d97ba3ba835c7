"""The second-order perceptron."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff._validation import check_flag, check_number
from novikoff.errors import input_error
from novikoff.theory.certificate import Certificate
from novikoff.theory.rules import Rule

from ._certify import Problem, certify_second_order
from ._classifier import OnlineClassifier

LEAST_A = 1e-100


@dataclass(kw_only=True, eq=False, repr=False)
class SecondOrderPerceptron(OnlineClassifier):
    """Perceptron whose weights are multiplied by the inverse of a matrix of the examples that caused an update.

    After a mistake, y u is added to a sum v and u u' to a matrix A, which starts as a I; u = (x, 1).
    The weights are w = A^-1 v. With ``full=False``, only the diagonal of A is kept, so w_j = v_j / A_j, and an update
    takes as long as one of the perceptron. With ``full=True`` the matrix is complete, which removes the effect of
    columns that depend on each other, but takes time and memory that grow as the square of the number of columns.

    With the full matrix, the number of mistakes is at most D + sqrt(u'Au log det(A/a)) for every plane u with the
    hinge loss D (docs/theory.md L2). The diagonal form predicts with the matrix of the examples before, because the
    model is then linear; the same bound holds for it with the logarithm multiplied by B / log(1 + B), where B is the
    largest u_j^2 divided by a (L4). ``certificate_`` has the factor that was observed in place of the logarithm.

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
    a : float, default=1.0
        The diagonal of the matrix at the start, from 1e-100 on. The larger it is, the more the weights are like those
        of the perceptron.
    full : bool, default=False
        Whether to keep the full matrix, which takes at most 4096 columns.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    certificate_ : SecondOrderCertificate, FullMatrixCertificate or list
        What is proven of the model; a list with one certificate per class for more than two classes.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str or list of str
        Why they ended: "converged", "inseparable", "no progress" or "max_iter"; a list for more than two classes.
        "converged" means that the last pass made no mistake.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    AROW : Updates at margins below 1, too.
    Perceptron : The same without a matrix.

    References
    ----------
    .. [1] Cesa-Bianchi, Conconi and Gentile (2005), A second-order perceptron algorithm.

    Examples
    --------
    >>> from novikoff import SecondOrderPerceptron
    >>> model = SecondOrderPerceptron(fit_intercept=False, max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.coef_
    array([[0.5]])
    """

    a: float = 1.0
    full: bool = False

    _rule_names: ClassVar[tuple[str, ...]] = ("second-order perceptron", "full second-order perceptron")

    def _rule(self) -> Rule:
        where = type(self).__name__
        a = check_number(where, "a", self.a, above=0)
        if a < LEAST_A:
            raise input_error(where, f"a must be at least {LEAST_A:g}, but it is {a:g}.")
        is_full = check_flag(where, "full", self.full)
        return Rule(self._rule_names[int(is_full)], a, geometry=self._geometry())

    def _certify(self, problem: Problem) -> Certificate:
        return certify_second_order(problem)
