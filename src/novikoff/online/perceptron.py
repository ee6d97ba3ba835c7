"""Rosenblatt's perceptron, also for data that cannot be separated."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff._validation import check_choice, check_number
from novikoff.errors import input_error
from novikoff.theory.rules import Rule

from ._classifier import OnlineClassifier
from ._forgetting import check_forgetting


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(OnlineClassifier):
    """Rosenblatt's perceptron: on a mistake, add the example to the weights.

    Start with v = 0 and predict the sign of v.u, where u = (x, 1). On a mistake, v += y u. If a separator with margin
    gamma exists and all |u| <= R, there are at most (R/gamma)^2 mistakes in any order of the examples. So ``fit``
    ends with a separator if ``max_iter`` is large enough. ``certificate_`` compares the number of mistakes with that
    bound, and says whether the model separates the data.

    If no separator exists, ``slack_feature=delta`` gives every training example a private feature of value delta,
    with which one exists. The private features are not stored, and a new example has none.

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
    forget : float, default=0.0
        Fraction of the weights that each update forgets before it adds its example, for targets that move; below 1.
    half_life : float, default=None
        Number of examples in which the weights fade to a half; None for never. With it or ``forget``, ``fit`` learns
        from the rows once, in their order.
    tie : {"mistake", "positive"}, default="mistake"
        Whether a score of exactly 0 counts as a mistake or as a prediction of the positive class.
    slack_feature : float, default=0.0
        Value of the private feature of each training example; 0 for none.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    certificate_ : MistakeCertificate, MovingTargetCertificate or list
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
    AveragedPerceptron : Predicts with the average of the weights, which is often more accurate.
    MarginPerceptron : Continues until the examples have a margin.

    References
    ----------
    .. [1] Rosenblatt (1958), The perceptron.
    .. [2] Novikoff (1962), On convergence proofs on perceptrons.
    .. [3] Freund and Schapire (1999), Large margin classification using the perceptron algorithm (private features).

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> model = Perceptron().fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], ["yes", "yes", "no"])
    >>> model.predict([[3.0, 1.0]])
    array(['yes'], dtype='<U3')
    >>> model.certificate_.mistakes <= model.certificate_.bound(margin=1.5)
    True
    """

    max_iter: int = 1000
    forget: float = 0.0
    half_life: float | None = None
    tie: str = "mistake"
    slack_feature: float = 0.0

    _rule_names: ClassVar[tuple[str, ...]] = ("perceptron",)

    def _rule(self) -> Rule:
        where = type(self).__name__
        check_choice(where, "tie", self.tie, ("mistake", "positive"))
        delta = 0.0 if self.slack_feature == 0 else check_number(where, "slack_feature", self.slack_feature, above=0)
        forgetting = check_forgetting(where, self.forget, self.half_life)
        if delta > 0 and forgetting.is_any:
            raise input_error(
                where, "slack_feature needs a learner that forgets nothing. Leave out forget and half_life."
            )
        return Rule("perceptron", tie=self.tie, geometry=self._geometry(delta), forgetting=forgetting)
