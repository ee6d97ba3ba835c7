"""What the learners use of scikit-learn: base classes, an error, a warning, clones and checks.

In a process of the command line they are replaced by those of ``_plain_estimators.py``: to import scikit-learn takes
longer than everything else that a subcommand imports, and what it adds to a learner is of use only in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from novikoff._plain_estimators import is_wanted

if TYPE_CHECKING or not is_wanted():
    from sklearn.base import BaseEstimator as BaseEstimator
    from sklearn.base import ClassifierMixin as ClassifierMixin
    from sklearn.base import TransformerMixin as TransformerMixin
    from sklearn.base import clone as clone
    from sklearn.exceptions import ConvergenceWarning as ConvergenceWarning
    from sklearn.exceptions import NotFittedError as NotFittedError
    from sklearn.utils import check_random_state as check_random_state
    from sklearn.utils.metaestimators import available_if as available_if
    from sklearn.utils.validation import check_is_fitted as check_is_fitted
else:
    from novikoff._plain_estimators import BaseEstimator as BaseEstimator
    from novikoff._plain_estimators import ClassifierMixin as ClassifierMixin
    from novikoff._plain_estimators import ConvergenceWarning as ConvergenceWarning
    from novikoff._plain_estimators import NotFittedError as NotFittedError
    from novikoff._plain_estimators import TransformerMixin as TransformerMixin
    from novikoff._plain_estimators import available_if as available_if
    from novikoff._plain_estimators import check_is_fitted as check_is_fitted
    from novikoff._plain_estimators import check_random_state as check_random_state
    from novikoff._plain_estimators import clone as clone
