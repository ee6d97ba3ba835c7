"""Whether rows are those that a model was learned from, by their fingerprint."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from novikoff._fingerprint import RunningFingerprint
from novikoff.record import RunRecord
from novikoff.theory.certificate import OTHER_DATA as OTHER_ROWS
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

OTHER_DATA = "other data"
OTHER_ENCODER = f"{OTHER_DATA}, or an altered encoder"
FALSE_CLAIM = "the claim is false"
ENCODER_ON_TRUST = Check("encoder", "on trust", "its means, scales, fills, categories and words, which define the rows")


def check_fingerprint(record: RunRecord, X: Any, labels: NDArray[Any], weights: Floats | None) -> list[Check]:
    """Check that the rows are those that the model was learned from. Empty if the model does not know them.

    Parameters
    ----------
    record : RunRecord
        The record of the model.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    labels : ndarray of shape (n_samples,)
        Their labels.
    weights : ndarray of shape (n_samples,) or None
        Their weights, without class weights.
    """
    if record.fingerprint is None or X.ndim != 2:
        return []
    if RunningFingerprint().add(X, labels, weights).text() == record.fingerprint:
        return [Check("data", "holds", "these are the rows that the model was learned from")]
    wrong = "rows, labels, weights or their order differ from those that the model was learned from"
    return [Check("data", "fails", f"{OTHER_DATA}: {wrong}, so that its claims are not about them")]


def without_other_data(checks: Iterable[Check]) -> list[Check]:
    """Return checks that do not blame the rows for a failure, for rows that the fingerprint has confirmed.

    Parameters
    ----------
    checks : iterable of Check
        Checks of the certificates.
    """
    hints = (f"{OTHER_ROWS}, or {FALSE_CLAIM}", OTHER_ROWS)
    found = list(checks)
    for hint in hints:
        found = [dataclasses.replace(check, detail=check.detail.replace(hint, FALSE_CLAIM)) for check in found]
    return found


def with_encoder(of_encoder: Sequence[Check], checks: Iterable[Check]) -> list[Check]:
    """Return the checks of an encoder and of the model behind it.

    Rows that an altered encoder makes are not those that the model was learned from either, so the data are not to
    blame alone unless the encoder is checked and holds.

    Parameters
    ----------
    of_encoder : sequence of Check
        What is known of the encoder; empty if there is none.
    checks : iterable of Check
        What the encoded rows show of the model.
    """
    may_be_altered = any(check.status != "holds" for check in of_encoder)
    return [
        *of_encoder,
        *(
            dataclasses.replace(check, detail=check.detail.replace(OTHER_DATA, OTHER_ENCODER, 1))
            if may_be_altered and _is_other_data(check)
            else check
            for check in checks
        ),
    ]


def verdict_on_data(checks: Iterable[Check]) -> str | None:
    """Return in a few words why the claims are not about these rows, or None if they may be.

    Parameters
    ----------
    checks : iterable of Check
        The checks of ``verify``.
    """
    details = [check.detail for check in checks if _is_other_data(check)]
    if not details:
        return None
    return OTHER_ENCODER if details[0].startswith(OTHER_ENCODER) else OTHER_DATA


def _is_other_data(check: Check) -> bool:
    return check.claim == "data" and check.detail.startswith(OTHER_DATA)
