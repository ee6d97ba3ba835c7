"""Normalised adaptive updates, by which the scale of columns does not matter."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff._validation import check_choice, check_number
from novikoff.theory.certificate import Certificate
from novikoff.theory.rules import Rule

from ._certify import Problem, certify_second_order
from ._classifier import OnlineClassifier

LOSSES = ("logistic", "hinge", "squared")


@dataclass(kw_only=True, eq=False, repr=False)
class NormalizedAdaptive(OnlineClassifier):
    """Gradient descent whose steps are adapted to each column, so that the scale of the columns does not matter.

    For each column the largest value so far and the sum of squared gradients are kept. A step is divided by both, as
    in algorithm NAG of the paper, so a column may have values of any size, and no column needs to be scaled first.
    Every example is learned from, not only mistakes.

    ``certificate_`` counts the mistakes, and has what follows from their sum (docs/theory.md L1). No bound on their
    number is claimed.

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
    learning_rate : float, default=0.5
        Factor of all steps.
    loss : {"logistic", "hinge", "squared"}, default="logistic"
        What is minimised: log(1 + exp(-y f)), max(0, 1 - y f) or (y - f)^2, where f is the score.

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
        "converged" means that the last pass made no mistake; another pass would change the weights all the same.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    AROW : Keeps a variance for each column instead.

    References
    ----------
    .. [1] Ross, Mineiro and Langford (2013), Normalized online learning.

    Examples
    --------
    >>> from novikoff import NormalizedAdaptive
    >>> X, y = [[1.0, 2e6], [2.0, -1e6], [-1.0, 1e6], [-2.0, -3e6]], ["a", "a", "b", "b"]
    >>> NormalizedAdaptive().fit(X, y).predict([[3.0, 1e6]])
    array(['a'], dtype='<U1')
    """

    learning_rate: float = 0.5
    loss: str = "logistic"

    _rule_names: ClassVar[tuple[str, ...]] = tuple(f"normalized adaptive, {loss}" for loss in LOSSES)

    def _rule(self) -> Rule:
        where = type(self).__name__
        check_choice(where, "loss", self.loss, LOSSES)
        rate = check_number(where, "learning_rate", self.learning_rate, above=0)
        return Rule(f"normalized adaptive, {self.loss}", rate, geometry=self._geometry())

    def _certify(self, problem: Problem) -> Certificate:
        return certify_second_order(problem)
