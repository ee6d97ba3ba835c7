"""The kinds of entries, how a model becomes entries, and how two sets of entries are compared."""

import hashlib
import inspect
import json
import platform

import numpy as np
import scipy.linalg

BITS, AT_MOST, AT_LEAST, MEMBERS, ERROR = "bits", "<=", ">=", "members", "error"

# The certified numbers: an upper bound that is smaller, or a lower bound that is larger, is tighter.
CERTIFIED = {
    "margin_lower_bound": AT_LEAST,
    "margin_upper_bound": AT_MOST,
    "primal": AT_MOST,
    "dual": AT_LEAST,
    "radius": AT_MOST,
    "energy": AT_MOST,
    "sum_square": AT_MOST,
    "longest": AT_MOST,
    "remembered": AT_LEAST,
}
COUNTS = ("examples", "positives", "mistakes", "updates", "passes", "decayed_mistakes", "rounds", "counts")
VERDICTS = ("separates", "halted", "converged")


def bits(*values):
    """A digest: of floats by type, shape and bits, of sparse matrices as dense ones, of all else by repr."""
    digest = hashlib.sha256()
    for value in values:
        if hasattr(value, "toarray"):
            value = value.toarray()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            digest.update(f"{value.dtype} {value.shape}".encode() + np.ascontiguousarray(value).tobytes())
        else:
            digest.update(repr(plain(value)).encode())
    return [BITS, digest.hexdigest()[:12]]


def plain(value):
    """Return a value as Python objects, so that its repr does not depend on NumPy."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {plain(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value


def bound(direction, value):
    """A certified number. None and infinity, stored as None, are the bound that says nothing."""
    return [direction, None if value is None or not np.isfinite(float(value)) else float(value)]


def members(names):
    """A set of names."""
    return [MEMBERS, *sorted(set(names))]


def parameters(function):
    """The parameters of a function: positional ones with their position, and each with its default."""
    found = []
    for position, (name, each) in enumerate(inspect.signature(function).parameters.items()):
        default = "" if each.default is each.empty else f"={each.default!r}"
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        place = f"{position}:" if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) else ""
        found.append(f"{place}{star}{name}{default}")
    return found


def certificate_entries(certificates, prefix=""):
    """The certified numbers, counts and verdicts of one certificate, or of a list of them."""
    found = {}
    listed = certificates if isinstance(certificates, list | tuple) else [certificates]
    for number, certificate in enumerate(listed):
        place = f"{prefix}{number} " if len(listed) > 1 else prefix
        counts = {}
        for name in (*CERTIFIED, *COUNTS, *VERDICTS):
            if not hasattr(certificate, name):
                continue
            value = getattr(certificate, name)
            if name in CERTIFIED:
                found[place + name] = bound(CERTIFIED[name], value)
            else:
                counts[name] = plain(value)
        found[f"{place}counts"] = " ".join(f"{name}={value}" for name, value in counts.items())
    return found


def model_entries(model, X, proba=False):
    """What a fitted classifier is: weights, predictions, scores and certificates."""
    found = {"classes": plain(model.classes_), "predictions": bits(model.predict(X))}
    if hasattr(model, "coef_"):
        found["weights"] = bits(model.coef_, model.intercept_)
    if hasattr(model, "decision_function"):
        found["scores"] = bits(model.decision_function(X))
    if proba:
        found["probabilities"] = bits(model.predict_proba(X))
    return found | certificate_entries(model.certificate_)


def compact(leaves):
    """The leaves of a JSON value: one that is not a float as it is, all others as bits."""
    return bits(leaves) if len(leaves) > 1 or isinstance(leaves[0], float | list) else leaves[0]


def document_entries(document, skip=frozenset()):
    """The keys of a JSON object, and the numbers, Booleans and single words at each; texts with spaces do not count.

    Values are digested per key, and per second key of an object in an object. ``skip`` has keys that are ignored.
    """
    keys, values = set(), {}

    def walk(value, path):
        if isinstance(value, dict):
            return [part for key in sorted(value) if key not in skip for part in walk(value[key], (*path, key))]
        if path:
            keys.add(".".join(path[:3]))
        if isinstance(value, list):
            return [[part for entry in value for part in walk(entry, path)]]
        return [] if isinstance(value, str) and " " in value else [value]

    for key in sorted(document):
        if key in skip:
            continue
        value = document[key]
        if key in CERTIFIED:
            values[key] = bound(CERTIFIED[key], value)
        elif isinstance(value, dict):
            for inner in sorted(value):
                if inner not in skip and (found := walk(value[inner], (key, inner))):
                    values[f"{key}.{inner}"] = compact(found)
        elif found := walk(value, (key,)):
            values[key] = compact(found)
        keys.add(key)
    return {"keys": members(keys)} | {f"value of {key}": value for key, value in values.items()}


def arithmetic():
    """A digest of what NumPy, SciPy and BLAS compute here; and the versions, for people."""
    random = np.random.default_rng(0)
    A, b = random.normal(size=(300, 40)), random.normal(size=40)
    computed = [A @ b, A.T @ A, np.exp(A), np.log1p(np.abs(A)), A.sum(axis=0), np.linalg.norm(A, axis=1)]
    computed += [scipy.linalg.solve(A.T @ A, b), np.einsum("ij,ij->i", A, A), np.sin(A)]
    versions = {module.__name__: module.__version__ for module in (np, scipy)}
    return {"digest": bits(*computed)[1], "machine": platform.machine(), "python": platform.python_version()} | versions


def flat(stored):
    """Entries by name."""
    return {
        f"{area} / {case} / {quantity}": value
        for area, cases in stored["areas"].items()
        for case, quantities in cases.items()
        for quantity, value in quantities.items()
    }


def kind(value):
    """The kind of an entry."""
    tagged = isinstance(value, list) and value and value[0] in (BITS, AT_MOST, AT_LEAST, MEMBERS, ERROR)
    return value[0] if tagged else "value"


def looser(direction, before, after):
    """Whether a bound says less than it did."""
    if before is None or after is None:
        return after is None and before is not None
    return after > before if direction == AT_MOST else after < before


def compare(before, after):
    """Return the differences of two stored sets of entries as (whether it matters, what, name, detail)."""
    same_arithmetic = before["arithmetic"]["digest"] == after["arithmetic"]["digest"]
    first = {name: value for name, value in flat(before).items() if name.split(" / ")[0] in after["areas"]}
    second = flat(after)
    found = [(True, "missing", name, kind(first[name])) for name in first.keys() - second.keys()]
    found += [(False, "new", name, kind(second[name])) for name in second.keys() - first.keys()]
    for name in first.keys() & second.keys():
        was, now = first[name], second[name]
        if was == now:
            continue
        if kind(was) != kind(now):
            found.append((True, "differs", name, f"{short(was)} became {short(now)}"))
        elif kind(was) == MEMBERS:
            lost, added = sorted(set(was) - set(now)), sorted(set(now) - set(was))
            found.append((bool(lost), "members", name, f"missing {short(lost)}, new {short(added)}"))
        elif kind(was) in (BITS, AT_MOST, AT_LEAST) and not same_arithmetic:
            continue
        elif kind(was) in (AT_MOST, AT_LEAST):
            worse = looser(was[0], was[1], now[1])
            found.append((worse, "looser" if worse else "tighter", name, f"{was[0]} {was[1]!r} became {now[1]!r}"))
        else:
            found.append((True, "differs", name, f"{short(was)} became {short(now)}"))
    return sorted(found, key=lambda difference: (not difference[0], difference[2]))


def short(value):
    """A value, cut after 300 characters."""
    text = json.dumps(value)
    return text if len(text) <= 300 else text[:300] + " ..."
