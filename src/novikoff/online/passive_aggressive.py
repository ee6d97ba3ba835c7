"""The passive-aggressive algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from novikoff._class_weights import class_weight_of
from novikoff._validation import check_number
from novikoff.errors import input_error, quote
from novikoff.theory.rules import Rule

from ._classifier import OnlineClassifier
from ._forgetting import check_forgetting


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressive(OnlineClassifier):
    """Passive-aggressive algorithm: the smallest update after which the example has a margin of 1.

    With the loss l = max(0, 1 - y v.u) and u = (x, 1): v += tau y u, where tau = l / |u|^2. As |u|^2 includes the 1
    of the intercept, the new score of the example is exactly y. If some v has y v.u >= 1 for all examples, there are
    at most R^2 |v|^2 mistakes. ``fit`` stops after a pass without a mistake.

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
        Weights of the classes. They multiply ``sample_weight``; "balanced" gives all classes the same total weight. An
        update already gives the example a margin of 1, so a weight above 1 acts as 1; a dict with several such weights
        that differ is refused.
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
        Why they ended: "converged", "inseparable", "no progress" or "max_iter"; a list for more than two classes.
        "converged" means that the last pass made no mistake, or could change nothing. Rows with y f(x) < 1 may be left,
        from which another pass would learn.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    PassiveAggressiveI : Limits the step, for noisy labels.
    PassiveAggressiveII : Shrinks the step, for noisy labels.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms.

    Examples
    --------
    >>> from novikoff import PassiveAggressive
    >>> model = PassiveAggressive(max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.score_one([-1.0])
    -1.0
    """

    forget: float = 0.0
    half_life: float | None = None

    _rule_names: ClassVar[tuple[str, ...]] = ("passive-aggressive",)

    def _rule(self) -> Rule:
        forgetting = check_forgetting(type(self).__name__, self.forget, self.half_life)
        return Rule("passive-aggressive", geometry=self._geometry(), forgetting=forgetting)

    def _check_class_weight(self) -> None:
        given = self.class_weight
        if not isinstance(given, Mapping):
            return
        where = type(self).__name__
        weights = {class_weight_of(where, given, label) for label in given} | ({1.0} if len(given) == 1 else set())
        if len({weight for weight in weights if weight >= 1}) > 1:
            reason = "weights above 1 act as 1, because an update already gives the example a margin of 1"
            advice = "Divide all weights by the largest one, or use PassiveAggressiveI"
            raise input_error(where, f"class_weight={quote(dict(given))} would have no effect: {reason}. {advice}.")


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressiveI(OnlineClassifier):
    """Passive-aggressive algorithm with a limited step: tau = min(C, l / |u|^2).

    The update solves min 1/2 |v - v_t|^2 + C xi subject to y v.u >= 1 - xi. It suits noisy labels.

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
    forget : float, default=0.0
        Fraction of the weights that each update forgets before it adds its example, for targets that move; below 1.
    half_life : float, default=None
        Number of examples in which the weights fade to a half; None for never. With it or ``forget``, ``fit`` learns
        from the rows once, in their order.
    C : float, default=1.0
        Penalty on margin violations. The larger, the further one example may move the weights; the weight of an example
        multiplies C.

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
        Why they ended: "converged", "inseparable", "no progress" or "max_iter"; a list for more than two classes.
        "converged" means that the last pass made no mistake, or could change nothing. Rows with y f(x) < 1 may be left,
        from which another pass would learn.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    PassiveAggressive : Without a limit, for data that can be separated.
    PassiveAggressiveII : Shrinks every step instead.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms.

    Examples
    --------
    >>> from novikoff import PassiveAggressiveI
    >>> model = PassiveAggressiveI(C=0.1, max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.coef_
    array([[0.2]])
    """

    forget: float = 0.0
    half_life: float | None = None
    C: float = 1.0

    _rule_names: ClassVar[tuple[str, ...]] = ("passive-aggressive I",)

    def _rule(self) -> Rule:
        C = check_number(type(self).__name__, "C", self.C, above=0)
        forgetting = check_forgetting(type(self).__name__, self.forget, self.half_life)
        return Rule("passive-aggressive I", C, geometry=self._geometry(), forgetting=forgetting)


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressiveII(OnlineClassifier):
    """Passive-aggressive algorithm with a smaller step: tau = l / (|u|^2 + 1/(2C)).

    The update solves min 1/2 |v - v_t|^2 + C xi^2 subject to y v.u >= 1 - xi. It suits noisy labels.

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
    forget : float, default=0.0
        Fraction of the weights that each update forgets before it adds its example, for targets that move; below 1.
    half_life : float, default=None
        Number of examples in which the weights fade to a half; None for never. With it or ``forget``, ``fit`` learns
        from the rows once, in their order.
    C : float, default=1.0
        Penalty on margin violations. The larger, the further one example may move the weights; the weight of an example
        multiplies C.

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
        Why they ended: "converged", "inseparable", "no progress" or "max_iter"; a list for more than two classes.
        "converged" means that the last pass made no mistake, or could change nothing. Rows with y f(x) < 1 may be left,
        from which another pass would learn.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    PassiveAggressive : Without a limit, for data that can be separated.
    PassiveAggressiveI : Limits the largest steps instead.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Online passive-aggressive algorithms.

    Examples
    --------
    >>> from novikoff import PassiveAggressiveII
    >>> model = PassiveAggressiveII(C=0.5, max_iter=1, shuffle=False).fit([[1.0], [-1.0]], [1, 0])
    >>> model.coef_.round(3)
    array([[0.667]])
    """

    forget: float = 0.0
    half_life: float | None = None
    C: float = 1.0

    _rule_names: ClassVar[tuple[str, ...]] = ("passive-aggressive II",)

    def _rule(self) -> Rule:
        C = check_number(type(self).__name__, "C", self.C, above=0)
        forgetting = check_forgetting(type(self).__name__, self.forget, self.half_life)
        return Rule("passive-aggressive II", C, geometry=self._geometry(), forgetting=forgetting)
