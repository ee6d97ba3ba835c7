"""Facts about a model: its description, its certificate, and what the page shows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.record import RunRecord
from novikoff.theory.delay_bounds import ServedMistakes

from .model import Model
from .registry import Known

SHOWN = 20  # features of a mistake, and largest weights
NO_BOUND = {"mistakes": None, "words": "No bound is known yet."}


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
    """Return the shadows with their counts, and the mistakes of the model in the same examples, if they are known."""
    found = []
    for name, arm in model.arms.items():
        if name:
            tally = arm.tally
            own = {"name": name, "learner": arm.specification.learner, "examples": tally.examples}
            counts = {"mistakes": tally.mistakes, "model_mistakes": tally.model_mistakes}
            found.append(own | counts | {"stopped": arm.stopped})
    return found


def certificate_of(model: Model) -> dict[str, Any]:
    """Return the certificates of a model, and which counts they are about."""
    answer: dict[str, Any] = {"version": model.examples, "counts": counts_of(model), "certificates": []}
    if not model.examples:
        return answer | {"words": "Nothing has been learned yet."}
    late = _late_counts(model)
    record = model.main.read(lambda learner: learner.record_)
    for name, certificate in record.named_certificates:
        own = {"name": name, "kind": type(certificate).__name__, "claims": dict(certificate.claims())}
        answer["certificates"].append(own)
    served = served_bound_of(record, late)
    return answer | {"served_bound": served, "words": words_of(model, served)}


def words_of(model: Model, served: dict[str, Any] | None) -> str:
    """Return which mistakes the certificate bounds."""
    tally = model.main.tally
    words = (
        "The certificate is about the mistakes at learning time: what was predicted just before a label was learned."
    )
    if served is not None:
        words += f" {served['words']}"
    elif tally.served:
        words += f" {tally.served_mistakes} of {tally.served} served predictions were wrong."
    return words


def _late_counts(model: Model) -> ServedMistakes | None:
    """Return the counts of predictions whose labels came later, without the updates; None if there are none.

    It is called before the record of the learner is made: the learner may go on meanwhile, and later updates only
    weaken the bound.
    """
    tally = model.main.tally
    wrong, delay = tally.served_mistakes, tally.largest_delay
    if not tally.served:
        return None
    return ServedMistakes(wrong, tally.mistakes, 0, len(tally.most_frequent.labels), delay)


def served_bound_of(record: RunRecord, late: ServedMistakes | None) -> dict[str, Any] | None:
    """Return the bound on the wrong predictions that were served before their labels came (docs/theory.md, P2).

    Parameters
    ----------
    record : RunRecord
        That of the learner.
    late : ServedMistakes or None
        The counts, without the updates.

    Returns
    -------
    dict or None
        The bound in ``mistakes``, and ``words`` about it. None if nothing was served, or if the predictions of the
        learner change also without an update.
    """
    if late is None or not record.changes_only_by_updates or record.updates is None:
        return None
    late = replace(late, updates=record.updates)
    return {"mistakes": late.bound, "words": f"{late.explain()}."}


def bound_of(record: RunRecord) -> tuple[dict[str, Any], float | None]:
    """Return the bound on mistakes at learning time that the page shows, and the upper bound on the margin."""
    if len(record.certificates) != 1:
        return {"mistakes": None, "words": "Each class has a bound of its own. The certificate lists them."}, None
    certificate: Any = record.certificates[0]
    margin = _finite(getattr(certificate, "margin_upper_bound", None))
    bound = getattr(certificate, "bound", None)
    if bound is None:
        return NO_BOUND, margin
    if not callable(bound):  # of a tracker: it is about decayed mistakes, which cannot be compared with mistakes
        made = f"The tracker has made {certificate.decayed_mistakes:.4g} decayed mistakes"
        words = f"{made}; given those of its members, at most {bound:.4g} are possible. Older mistakes count less."
        return NO_BOUND | {"words": words}, margin
    if margin is None:
        return NO_BOUND, margin
    words = "If some plane separates the examples, this is the smallest bound that Novikoff's theorem can give for it."
    return {"mistakes": _finite(bound(margin)), "words": words}, margin


def _finite(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def overview_of(known: Known, model: Model) -> dict[str, Any]:
    """Return what the page shows of a model. The writer may change it meanwhile."""
    mistakes = mistakes_of(model)
    tally, labels = model.main.tally, model.label_values()
    counts, late = counts_of(model), _late_counts(model)
    bound, margin, served = NO_BOUND, None, None
    if model.examples:
        record = model.main.read(lambda learner: learner.record_)
        bound, margin = bound_of(record)
        served = served_bound_of(record, late)
        counts |= {} if record.updates is None else {"updates": record.updates}
    return {
        "model": known.name,
        "learner": known.specification.learner,
        "version": model.version.number,
        "classes": sorted(labels),
        "columns": model.width if model.examples else 0,
        "counts": counts,
        "baselines": {
            "last_label_mistakes": tally.last_label_mistakes,
            "majority_mistakes": tally.majority_mistakes,
        },
        "curve": [[*point, None] for point in tally.curve.points()],
        "bound": bound,
        "served_bound": served,
        "margin_bound": margin,
        "shadows": shadows_of(model),
        "latest_mistakes": mistakes,
        "largest_weights": weights_of(model),
    }


def mistakes_of(model: Model) -> list[dict[str, Any]]:
    """Return the latest mistakes with their largest features, the newest first."""
    latest, found = list(model.latest_mistakes), []
    labels = model.label_values()  # read after the mistakes: a label is known before a mistake about it is kept
    for mistake in reversed(latest):
        order = np.argsort(-np.abs(mistake.values), kind="stable")[:SHOWN]
        features = [[model.column_name(int(mistake.columns[k])), float(mistake.values[k])] for k in order.tolist()]
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


def weights_of(model: Model) -> list[dict[str, Any]]:
    """Return the largest weights by absolute value."""
    if not model.examples:
        return []
    try:
        weights, labels = model.main.read(_weights_and_labels)
    except (AttributeError, ValueError, MemoryError):  # no weights of its own, such as a vote
        return []
    largest = np.argpartition(-np.abs(weights), min(SHOWN, weights.size - 1), axis=None)[:SHOWN]
    found = []
    for place in largest[np.argsort(-np.abs(weights.ravel()[largest]), kind="stable")].tolist():
        row, column = divmod(place, weights.shape[1])
        value = float(weights[row, column])
        if value == 0:
            break
        own: dict[str, Any] = {"name": model.column_name(column), "weight": value}
        found.append(own if len(weights) == 1 else own | {"label": labels[row]})
    return found


def _weights_and_labels(learner: Any) -> tuple[NDArray[np.float64], list[Any]]:
    """Return the weights, and the label of each row of them if there are several."""
    return np.atleast_2d(np.asarray(learner.coef_)), learner.classes_.tolist()
