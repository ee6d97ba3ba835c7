"""What is told about a model: its description, its certificate, and what the page shows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .model import Model
from .registry import Known

SHOWN = 20  # features of a mistake, and largest weights


def description_of(known: Known, model: Model) -> dict[str, Any]:
    """Return the specification and the counts of a model."""
    return {
        "name": known.name,
        "specification": {"learner": known.specification.learner} | known.specification.plain(),
        "version": model.version.number,
        "classes": sorted(model.version.labels),
        "columns": model.width if model.examples else 0,
        "counts": counts_of(model),
        "shadows": shadows_of(model),
    }


def counts_of(model: Model) -> dict[str, Any]:
    """Return what was counted."""
    tally = model.main.tally
    return {
        "examples": tally.examples,
        "mistakes": tally.mistakes,
        "served": tally.served,
        "served_mistakes": tally.served_mistakes,
        "largest_delay": tally.largest_delay,
    }


def shadows_of(model: Model) -> list[dict[str, Any]]:
    """Return the shadows with their counts, and the mistakes of the model in the same examples."""
    found = []
    for name, arm in model.arms.items():
        if name:
            own = {"name": name, "learner": arm.specification.learner, "examples": arm.tally.examples}
            found.append(own | {"mistakes": arm.tally.mistakes, "stopped": arm.stopped})
    return found


def certificate_of(model: Model) -> dict[str, Any]:
    """Return the certificates of a model, and which counts they are about."""
    answer: dict[str, Any] = {"version": model.examples, "counts": counts_of(model), "certificates": []}
    if not model.examples:
        return answer | {"words": "Nothing has been learned yet."}
    record = model.main.learner.record_
    for name, certificate in record.named_certificates:
        own = {"name": name, "kind": type(certificate).__name__, "claims": dict(certificate.claims())}
        answer["certificates"].append(own)
    return answer | {"words": words_of(model)}


def words_of(model: Model) -> str:
    """Return which mistakes the certificate bounds."""
    tally = model.main.tally
    words = (
        "The certificate is about the mistakes at learning time: what was predicted just before a label was learned."
    )
    if tally.served:
        words += f" {tally.served_mistakes} of {tally.served} served predictions were wrong."
    return words


def bound_of(model: Model) -> tuple[dict[str, Any], float | None]:
    """Return the bound on mistakes that the page shows, and the upper bound on the margin."""
    empty: dict[str, Any] = {"mistakes": None, "which": "learning", "words": "No bound is known yet."}
    if not model.examples:
        return empty, None
    certificates = model.main.learner.record_.certificates
    if len(certificates) != 1:
        return empty | {"words": "Each class has a bound of its own. The certificate lists them."}, None
    (certificate,) = certificates
    margin = _finite(getattr(certificate, "margin_upper_bound", None))
    bound = getattr(certificate, "bound", None)
    if bound is None:
        return empty, margin
    if not callable(bound):  # of a tracker: it is about decayed mistakes, which cannot be compared with mistakes
        made = f"The tracker has made {certificate.decayed_mistakes:.4g} decayed mistakes"
        words = f"{made}; given those of its members, at most {bound:.4g} are possible. Older mistakes count less."
        return empty | {"words": words}, margin
    if margin is None:
        return empty, margin
    words = "If some plane separates the examples, this is the smallest bound that Novikoff's theorem can give for it."
    return {"mistakes": _finite(bound(margin)), "which": "learning", "words": words}, margin


def _finite(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def overview_of(known: Known, model: Model) -> dict[str, Any]:
    """Return what the page shows of a model."""
    tally, labels = model.main.tally, model.label_values()
    bound, margin = bound_of(model)
    return {
        "model": known.name,
        "learner": known.specification.learner,
        "version": model.version.number,
        "classes": sorted(labels),
        "columns": model.width if model.examples else 0,
        "counts": counts_of(model),
        "baselines": {
            "last_label_mistakes": tally.examples - tally.last_label.right,
            "majority_mistakes": tally.examples - tally.most_frequent.right,
        },
        "curve": [[*point, None] for point in tally.curve.points()],
        "bound": bound,
        "margin_bound": margin,
        "shadows": shadows_of(model),
        "latest_mistakes": mistakes_of(model, labels),
        "largest_weights": weights_of(model),
    }


def mistakes_of(model: Model, labels: list[Any]) -> list[dict[str, Any]]:
    """Return the latest mistakes with their largest features, the newest first."""
    found = []
    for mistake in reversed(list(model.latest_mistakes)):
        order = np.argsort(-np.abs(mistake.values), kind="stable")[:SHOWN]
        features = [[name_of(model, int(mistake.columns[k])), float(mistake.values[k])] for k in order.tolist()]
        found.append(
            {
                "number": mistake.number,
                "label": labels[mistake.code],
                "predicted": None if mistake.predicted < 0 else labels[mistake.predicted],
                "score": _finite(mistake.score),
                "features": features,
            }
        )
    return found


def name_of(model: Model, column: int) -> str:
    """Return the name of a column; that of a hashed one is its number."""
    return f"column {column}" if model.hashing is not None else model.names.name(column)


def weights_of(model: Model) -> list[dict[str, Any]]:
    """Return the largest weights by absolute value."""
    if not model.examples:
        return []
    try:
        weights = np.atleast_2d(np.asarray(model.main.learner.coef_))
    except (AttributeError, ValueError, MemoryError):  # no weights of its own, such as a vote
        return []
    labels = model.main.learner.classes_.tolist()
    largest = np.argpartition(-np.abs(weights), min(SHOWN, weights.size - 1), axis=None)[:SHOWN]
    found = []
    for place in largest[np.argsort(-np.abs(weights.ravel()[largest]), kind="stable")].tolist():
        row, column = divmod(place, weights.shape[1])
        value = float(weights[row, column])
        if value == 0:
            break
        own: dict[str, Any] = {"name": name_of(model, column), "weight": value}
        found.append(own if len(weights) == 1 else own | {"label": labels[row]})
    return found
