"""The saved state of a hard margin, and the fitted attributes that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from novikoff._estimators import check_is_fitted
from novikoff._wide_array import stacked
from novikoff.errors import input_error
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.geometry import MAY_BE_WIDE, Dimensions, Floats
from novikoff.theory.hulls import HullCertificate, hull_points

from ._state import Support, as_list

Points = Annotated[Floats, Dimensions(3), MAY_BE_WIDE]


@dataclass(frozen=True)
class HardMarginState:
    """The largest-margin solutions of all binary problems.

    Parameters
    ----------
    certificates : tuple of HullCertificate
        Their certificates.
    support : Support
        The support vectors.
    nearest_points : ndarray of shape (n_problems, 2, n_features) or None, default=None
        The nearest points of the two hulls of each problem; None if the intercept is not free.
    """

    certificates: tuple[HullCertificate, ...]
    support: Support
    nearest_points: Points | None = None

    def check_points(self, n_features: int) -> None:
        """Refuse nearest points that are not two for each problem."""
        shape = (len(self.certificates), 2, n_features)
        if self.nearest_points is not None and self.nearest_points.shape != shape:
            raise input_error("state.nearest_points", f"their shape must be {shape}.")


def margin_of(certificates: Sequence[HullCertificate]) -> Any:
    """Return the margin of one hard margin, or a tuple of those of several."""
    margins = tuple(certificate.margin_lower_bound for certificate in certificates)
    return margins if len(margins) > 1 else margins[0]


def why_no_nearest_points(model: Any) -> str:
    """Return why a model does not have the nearest points of the two hulls."""
    check_is_fitted(model)
    if as_list(model.certificate_)[0].intercept == "free":
        return "the duals of the certificate do not give points of both hulls"
    return "the nearest points of the two hulls belong to a free intercept"


def one_or_all(points: Floats | None) -> Floats | None:
    """Return the nearest points as the fitted attribute has them: for one problem, without the first dimension."""
    return points[0] if points is not None and len(points) == 1 else points


def nearest_points(data: TrainingSet, certificates: Sequence[HullCertificate]) -> Floats | None:
    """Return the nearest points of the two hulls of each problem; None if the intercept is not free."""
    found = []
    for certificate, code in zip(certificates, data.strategy.positive_codes, strict=True):
        signs = np.where(data.codes == code, 1.0, -1.0)
        points = hull_points(data.X, signs, certificate.model.duals) if certificate.intercept == "free" else None
        if points is None:
            return None
        found.append(stacked([data.widen(point) for point in points]))
    return stacked(found)
