"""The selective perceptron, which asks for some labels only."""

# Without ``from __future__ import annotations``, as in ``_classifier.py``.
from dataclasses import dataclass
from typing import Any, ClassVar

from novikoff._moments import change
from novikoff._validation import check_flag, check_integer, check_number
from novikoff.errors import input_error
from novikoff.theory.certificate import Certificate
from novikoff.theory.rules import Rule
from novikoff.theory.selective_rules import MAX_SEED

from ._certify import Problem, certify_selective
from ._classes import Classes
from ._classifier import OnlineClassifier
from ._one_example import DEFAULT_WEIGHT, skip_example, wants_label_of
from ._two_classes import TwoClasses


@dataclass(kw_only=True, eq=False, repr=False)
class SelectivePerceptron(OnlineClassifier):
    """Perceptron for labels that cost money: it asks for few of them, mostly where the score is near 0.

    Predict the sign of the score p = v.u, where u = (x, 1), and ask for the label with probability b/(b + |p|). If it
    was asked for and the prediction was wrong, v += y u. A larger ``b`` asks for more labels. ``certificate_`` states
    how many were asked for, and an estimate of all mistakes, asked for or not: each asked mistake counts the inverse of
    its probability. In no run does this count exceed the bound of Cesa-Bianchi, Gentile and Zaniboni.

    A service calls ``wants_label`` for an example, and then reports it once: by ``learn_one`` with the label that it
    got, or by ``skip_one``. A label that was not asked for is not used if it is given nevertheless, so that a
    simulation with all labels, by ``partial_fit`` or ``predict_then_learn``, learns the same bits. ``fit`` learns from
    the rows once, in their order.

    Whether a label is asked for is decided by a random number, a coin, which depends on ``random_state`` and on the
    number of examples before. Only two classes are supported.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant feature of 1, which is added to every example.
    max_iter : int, default=10
        Maximum number of passes over the data in ``fit``. It has no effect here, because there is one pass.
    shuffle : bool, default=True
        Whether to visit the rows in a new random order in each pass of ``fit``. It has no effect here, because there is
        one pass, in the given order.
    random_state : int, default=0
        Seed of the coins, from 0 to 2**32 - 1.
    class_weight : None, default=None
        Weights of the classes. They are refused here, because they depend on labels that are not asked for.
    warm_start : bool, default=False
        Whether ``fit`` continues from the present weights.
    n_jobs : int, default=None
        No effect, because one thread learns the one binary problem.
    verbose : int, default=0
        Whether to print a line after every pass. It has no effect here.
    max_features : int, default=None
        For dicts: hash all feature names into this many columns, so that memory stays bounded.
    n_iter_no_change : int, default=5
        Passes without fewer mistakes after which ``fit`` finds out whether the rows are separable, and stops if not;
        None for never. It has no effect here, because there is one pass.
    classes : array-like, default=None
        The two labels, if they are known. By default, they are those that occur first.
    probability : False, default=False
        Not available, because probabilities would need the labels of all examples.
    normalize : bool, default=False
        Whether to scale every example u to unit length first. The margin is then that of the scaled examples.
    scale : {"running", "centred"} or None, default=None
        How to scale the columns: "running" divides each by the root mean square of its values other than 0 so far, and
        "centred", which is for streams, first subtracts the mean of columns that are not 0 in half of the examples.
        ``coef_`` is for the rows as they are given; the certificate is about the rows as they were seen.
    b : float, default=1.0
        How many labels to ask for: an example of score p has the probability b/(b + abs(p)).
    budget : int, default=None
        Number of labels after which no more are asked for. Predictions go on. By default, there is no limit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features)
        The weights.
    intercept_ : ndarray of shape (1,)
        The intercept.
    certificate_ : SelectiveCertificate
        What is proven of the model.
    n_iter_ : int
        Number of passes of ``fit``, which is 1.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    Perceptron : Uses all labels.

    Notes
    -----
    A row of weight k is k copies, each with its own coin, and a fraction is one last copy.

    References
    ----------
    .. [1] Cesa-Bianchi, Gentile and Zaniboni (2006), Worst-case analysis of selective sampling for linear
       classification.

    Examples
    --------
    >>> from novikoff import SelectivePerceptron
    >>> model = SelectivePerceptron(b=0.5, classes=["ham", "spam"])
    >>> for x, label in [({"free": 2.0}, "spam"), ({"lunch": 1.0}, "ham"), ({"free": 3.0}, "spam")]:
    ...     if model.wants_label(x):
    ...         model.learn_one(x, label)
    ...     else:
    ...         model.skip_one(x)
    >>> model.predict_one({"free": 1.0})
    'spam'
    >>> model.certificate_.asked <= model.certificate_.examples
    True
    """

    b: float = 1.0
    budget: int | None = None

    _rule_names: ClassVar[tuple[str, ...]] = ("selective perceptron",)
    _kind_of_classes: ClassVar[type[Classes]] = TwoClasses

    def _rule(self) -> Rule:
        where = type(self).__name__
        b = check_number(where, "b", self.b, above=0)
        seed = check_integer(where, "random_state", self.random_state, at_least=0)
        if seed > MAX_SEED:
            raise input_error(where, f"random_state must be at most {MAX_SEED}, but it is {seed}.")
        if self.budget is not None:
            check_integer(where, "budget", self.budget, at_least=1)
        if check_flag(where, "probability", self.probability):
            raise input_error(where, "probability=True needs the labels of all examples. Leave it out.")
        budget = None if self.budget is None else int(self.budget)
        return Rule("selective perceptron", b, geometry=self._geometry(), extra=float(seed), budget=budget)

    def _check_class_weight(self) -> None:
        if self.class_weight is not None:
            message = "class_weight depends on labels that are not asked for. Leave it out."
            raise input_error(type(self).__name__, message)

    def _certify(self, problem: Problem) -> Certificate:
        return certify_selective(problem)

    def wants_label(self, x: Any) -> bool:
        """Tell whether the learner asks for the label of an example, if it is the next.

        The answer depends on the score and on the next coin, and changes neither: it remains the same until another
        example is reported, by ``learn_one`` or ``skip_one``, or by a batch. So report each example before asking about
        the next. While a label is awaited, other examples can be predicted. They may be reported after it came, or not
        at all: the certificate is about those that were.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        bool
            Whether the label of this example, with weight 1, would be used. False if the budget is used up.
        """
        return wants_label_of(self, x)

    def skip_one(self, x: Any, sample_weight: float = DEFAULT_WEIGHT) -> None:
        """Report an example without its label.

        If ``wants_label`` is true for it, the estimate of all mistakes ends with this example: the certificate states
        what it lacks if the prediction was wrong, as ``missing_weight``. Learning goes on.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.
        sample_weight : float, default=1.0
            Its weight.
        """
        change(self, lambda draft: skip_example(draft, type(self).__name__, x, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
