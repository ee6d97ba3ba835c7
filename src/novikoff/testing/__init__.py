"""Checks that a learner or a certificate of your own keeps the contracts of novikoff.

``check_online_learner`` and ``check_certificate`` run all checks and raise an ``AssertionError`` at the first that
fails. ``online_learner_checks`` and ``certificate_checks`` return them one by one, as pairs of name and function, for
use with ``pytest.mark.parametrize``. No test framework is needed.
"""

from ._certificate import certificate_checks as certificate_checks
from ._certificate import check_certificate as check_certificate
from ._online_learner import check_online_learner as check_online_learner
from ._online_learner import online_learner_checks as online_learner_checks
