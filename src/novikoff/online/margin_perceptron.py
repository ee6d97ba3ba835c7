"""The perceptron with a margin."""

from dataclasses import dataclass
from typing import Any, ClassVar

from novikoff._validation import check_number
from novikoff.theory.certificate import Certificate
from novikoff.theory.margin_value import margin_number
from novikoff.theory.rules import Rule

from ._certify import Problem, certify_margin
from ._classifier import OnlineClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class MarginPerceptron(OnlineClassifier):
    """The perceptron that updates until every example has a margin, certified from both sides.

    v += y u whenever y v.u / |v| < theta. With ``margin=gamma``, theta = (1 - epsilon) gamma: if a separator of that
    margin exists, ``fit`` stops after at most 2R/(epsilon gamma) + 2R^2/(epsilon gamma)^2 updates. With
    ``margin="auto"``, theta = (1 - epsilon) |v| / M after M updates, where |v| / M is an upper bound on the unknown
    margin, and the margin reached is at least 1 - epsilon times the largest possible. ``certificate_`` has the margin
    reached and an upper bound on any.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant feature of 1, which is added to every example.
    max_iter : int, default=1000
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
    margin : float, Margin or "auto", default="auto"
        A margin that is known to be possible. With an intercept it is that of the vectors (x, 1), as
        ``HardMarginSVM(penalized_intercept=True)`` has it. A ``Margin`` of another geometry is refused.
    epsilon : float, default=0.5
        The fraction of the margin that may be missed, above 0 and at most 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    certificate_ : PerceptronMarginCertificate or list
        What is proven of the model; a list with one certificate per class for more than two classes.
    margin_ : Margin or tuple of Margin
        A lower bound on the margin of the model, a float that knows its geometry; -infinity if ``fit`` ended before
        every example had its margin. For more than two classes, a tuple with one per class.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str or list of str
        Why they ended: "converged" (the last pass made no update), "inseparable", "no
        progress" or "max_iter"; a list for more than two classes.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    HardMarginSVM : Finds the largest margin itself.
    Perceptron : Stops at any separator.

    References
    ----------
    .. [1] Krauth and Mezard (1987), Learning algorithms with optimal stability in neural networks.
    .. [2] Panagiotakopoulos and Tsampouka (2011), The perceptron with dynamic margin.

    Examples
    --------
    >>> from novikoff import MarginPerceptron
    >>> model = MarginPerceptron(epsilon=0.1, fit_intercept=False).fit([[3.0, 1.0], [-3.0, 1.0]], [1, 0])
    >>> model.certificate_.ratio >= 0.9
    True
    """

    max_iter: int = 1000
    margin: float | str = "auto"
    epsilon: float = 0.5

    _rule_names: ClassVar[tuple[str, ...]] = ("fixed margin", "dynamic margin")
    _until_no_update: ClassVar[bool] = True

    def _rule(self) -> Rule:
        where = type(self).__name__
        epsilon = check_number(where, "epsilon", self.epsilon, above=0, at_most=1)
        geometry = self._geometry()
        if isinstance(self.margin, str) and self.margin == "auto":
            return Rule("dynamic margin", epsilon, geometry=geometry)
        margin = self.margin if isinstance(self.margin, str) else margin_number(where, self.margin, geometry)
        margin = check_number(where, "margin", margin, above=0, other='"auto"')
        return Rule("fixed margin", (1 - epsilon) * margin, geometry=geometry)

    def _asked_margin(self) -> float | None:
        if isinstance(self.margin, str):
            return None
        geometry = self._geometry()
        return float(margin_number(type(self).__name__, self.margin, geometry))

    @property
    def margin_(self) -> Any:
        """A lower bound on the margin: one for two classes, and a tuple with one per class for more."""
        self._require_fitted("margin_")
        found = self.certificate_
        return tuple(c.margin_lower_bound for c in found) if isinstance(found, list) else found.margin_lower_bound

    def _certify(self, problem: Problem) -> Certificate:
        return certify_margin(problem)
