"""The averaged perceptron."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff._validation import check_choice
from novikoff.theory.rules import Rule

from ._classifier import OnlineClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class AveragedPerceptron(OnlineClassifier):
    """The average of all weights that a perceptron has had, one for each example.

    If v_t are the weights of the perceptron after example t, ``coef_`` and ``intercept_`` are (v_1 + ... + v_T) / T.
    The average is updated only on mistakes, so an example costs no more than with the plain perceptron. An example of
    weight c counts c times. ``certificate_`` is about the last weights of the perceptron.

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
    tie : {"mistake", "positive"}, default="mistake"
        Whether a score of exactly 0 counts as a mistake or as a prediction of the positive class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights, averaged over all examples.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    certificate_ : MistakeCertificate or list
        What is proven of the model; a list with one certificate per class for more than two classes.
    n_iter_ : int
        Number of passes of ``fit``.
    stopped_ : str or list of str
        Why they ended: "converged" (the last pass made no mistake), "inseparable", "no
        progress" or "max_iter"; a list for more than two classes.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    Perceptron : Predicts with the last weights.
    VotedPerceptron : Lets all weights vote.

    References
    ----------
    .. [1] Freund and Schapire (1999), Large margin classification using the perceptron algorithm.

    Examples
    --------
    >>> from novikoff import AveragedPerceptron
    >>> model = AveragedPerceptron(shuffle=False, max_iter=1).fit([[2.0], [-1.0], [1.0]], [1, 0, 1])
    >>> model.coef_, model.intercept_
    (array([[2.]]), array([1.]))
    """

    tie: str = "mistake"

    _rule_names: ClassVar[tuple[str, ...]] = ("perceptron",)

    def _rule(self) -> Rule:
        check_choice(type(self).__name__, "tie", self.tie, ("mistake", "positive"))
        return Rule("perceptron", tie=self.tie, keep="average", geometry=self._geometry())
