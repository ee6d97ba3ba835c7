"""Mistake bounds for every prefix of a stream, as the mistakes plot draws them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import bounds
from .geometry import Floats

# names of the bounds in the plot
NOVIKOFF = "Novikoff's bound, (R/margin)²"
FREUND_SCHAPIRE = "Freund and Schapire's bound"
OTHER_THEOREM = "the theorem's bound"
MARGIN_BINS = 2049  # quantiles that stand for the margins of all rows


def freund_schapire_curve(radius: Floats, margins: Floats, counts: NDArray[np.int64]) -> Floats:
    """Return Freund and Schapire's bound for the first ``counts[i]`` rows, where ``radius[i]`` is their largest |u|.

    Each margin is replaced by the smallest one of its bin. That makes the curve cheap to compute for many rows, and
    the bound remains valid because it can only become larger.
    """
    least = np.unique(np.quantile(margins, np.linspace(0, 1, MARGIN_BINS), method="lower"))
    bins = np.searchsorted(least, margins, side="right") - 1
    in_bin, found, begin = np.zeros(len(least)), [], 0
    for R, end in zip(radius.tolist(), counts.tolist(), strict=True):
        in_bin += np.bincount(bins[begin:end], minlength=len(least))
        seen, begin = in_bin > 0, end
        found.append(bounds.freund_schapire(R, least[seen], in_bin[seen]))
    return np.array(found)
