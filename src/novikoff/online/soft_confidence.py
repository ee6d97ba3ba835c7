"""Soft confidence-weighted learning."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

from novikoff._validation import check_number
from novikoff.errors import input_error
from novikoff.theory.certificate import Certificate
from novikoff.theory.rules import Rule

from ._certify import Problem, certify_second_order
from ._classifier import OnlineClassifier

VARIANTS = {"I": "I", "II": "II", 1: "I", 2: "II"}


@dataclass(kw_only=True, eq=False, repr=False)
class SoftConfidenceWeighted(OnlineClassifier):
    """Soft confidence-weighted learning (SCW): margins are measured in standard deviations of the score.

    Each weight has a variance, which is 1 at first. An example is predicted well enough if its label has probability
    eta at least under the distribution of the weights, that is, if y w.u >= phi sqrt(V), where V is the variance of the
    score and phi the quantile of the normal distribution at eta. If not, the distribution becomes the nearest one that
    does so, with a penalty C on what is missing: on the loss itself (I) or on its square (II).

    The variances are a diagonal matrix. ``certificate_`` has what follows from the sum of the examples that caused an
    update (docs/theory.md L1). No bound on the number of mistakes is claimed.

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
    variant : {"I", "II", 1, 2}, default="I"
        Whether the loss is linear (I) or squared (II).
    C : float, default=1.0
        Penalty on the loss. The weight of an example multiplies C.
    eta : float, default=0.9
        Probability with which labels should be predicted, above 0.5 and below 1.

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
    AROW : Also keeps a variance for each column, and measures margins in plain numbers.

    References
    ----------
    .. [1] Wang, Zhao and Hoi (2012), Exact soft confidence-weighted learning.

    Examples
    --------
    >>> from novikoff import SoftConfidenceWeighted
    >>> model = SoftConfidenceWeighted().fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], ["yes", "yes", "no"])
    >>> model.predict([[3.0, 1.0]])
    array(['yes'], dtype='<U3')
    """

    variant: Any = "I"
    C: float = 1.0
    eta: float = 0.9

    _rule_names: ClassVar[tuple[str, ...]] = ("soft confidence I", "soft confidence II")

    def _rule(self) -> Rule:
        where = type(self).__name__
        is_known = isinstance(self.variant, str | int) and not isinstance(self.variant, bool)
        if not is_known or self.variant not in VARIANTS:
            raise input_error(where, f'variant must be "I", "II", 1 or 2, but it is {self.variant!r}.')
        C = check_number(where, "C", self.C, above=0)
        eta = check_number(where, "eta", self.eta, above=0.5, at_most=1)
        if eta == 1:
            raise input_error(where, "eta must be below 1: no label has probability 1 under a normal distribution.")
        phi = NormalDist().inv_cdf(eta)
        return Rule(f"soft confidence {VARIANTS[self.variant]}", C, geometry=self._geometry(), extra=phi)

    def _certify(self, problem: Problem) -> Certificate:
        return certify_second_order(problem)
