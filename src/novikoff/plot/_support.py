"""The rows that a model's weights are a sum of, if the data at hand are those it was learned from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.certificate import Certificate
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats, Lifted
from novikoff.theory.hulls import HullCertificate
from novikoff.theory.margin import PerceptronMarginCertificate
from novikoff.theory.mistakes import MistakeCertificate

ROUNDING = 1e-6  # relative


def support_of(certificate: Certificate | None, table: Any, y: Any) -> tuple[NDArray[np.int64], str]:
    """Their numbers, and what to call them; none where the sum of these rows is not the model."""
    none = np.zeros(0, dtype=np.int64)
    if isinstance(certificate, GapCertificate | HullCertificate):
        return certificate.model.duals.rows if _is_sum(certificate, table, y) else none, "support vectors"
    if isinstance(certificate, MistakeCertificate | PerceptronMarginCertificate):
        evidence, name = certificate.evidence, "rows it learned from"
        if evidence.duals is None or len(evidence.weights) != table.shape[1]:
            return none, name
        anew = evidence.recombined(Lifted(table, evidence.geometry), evidence.signs(np.ravel(y)))
        return evidence.duals.rows if anew.check.status == "holds" else none, name
    return none, "support vectors"


def _is_sum(certificate: GapCertificate | HullCertificate, table: Any, y: Any) -> bool:
    """Whether v = sum a_i y_i x_i is as near to w as the certificate says it must be.

    With a gap of g, |v - w|^2 <= 2 g, as the objective is strongly convex; of a largest margin, the cosine between the
    two is at least the share of it that the model has.
    """
    model = certificate.model
    rows, a = model.duals.rows, model.duals.weights
    if len(model.weights) != table.shape[1] or int(rows.max(initial=-1)) >= table.shape[0]:
        return False
    signed = a * model.signs(y)[rows]
    v: Floats = np.asarray(table[rows].T @ signed, dtype=np.float64).ravel()
    w = model.weights
    if certificate.intercept == "penalized":
        v, w = np.append(v, signed.sum()), np.append(w, model.bias)
    lengths = float(np.linalg.norm(v)), float(np.linalg.norm(w))
    if isinstance(certificate, GapCertificate):
        gap = max(0.0, certificate.primal - certificate.dual)
        return float(np.linalg.norm(v - w)) <= math.sqrt(2 * gap) + ROUNDING * (lengths[0] + lengths[1])
    return float(v @ w) >= (certificate.ratio - ROUNDING) * lengths[0] * lengths[1]
