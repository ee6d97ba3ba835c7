"""Forgeries: certificates with altered numbers, arrays, flags or data. Most of them are false, some remain true."""

import dataclasses
import math

import numpy as np
import scipy.sparse as sp

from adversary.cases import Case, generator, honest

TINY, HUGE = 5e-324, 1.7976931348623157e308
WORDS = ("free", "penalized", "none", "hinge", "squared_hinge", "perceptron", "margin", "passive-aggressive I", "other")
KINDS = ("complete", "quasi-complete", "overlap", "undecided")


def factor(rng):
    """A factor from 1 +- 1e-12 to 1e+-300."""
    if rng.random() < 0.5:
        return 1.0 + rng.choice([-1.0, 1.0]) * 10.0 ** -rng.integers(1, 16)
    return 10.0 ** rng.integers(-300, 301)


def other_number(x, rng):
    """A number near another one, or far away, or none at all."""
    if isinstance(x, int):
        return int(rng.choice([x - 1, x + 1, 2 * x + 1, 0, -x - 1, 10**6]))
    special = (TINY, -TINY, 0.0, -x, HUGE, math.inf, -math.inf, math.nan, 1.0)
    choice = rng.random()
    if choice < 0.15:
        return float(special[rng.integers(len(special))])
    if choice < 0.3:
        return math.nextafter(x, float(rng.choice([-math.inf, math.inf])))
    with np.errstate(all="ignore"):
        return float(np.float64(x) * factor(rng))


def other_array(a, rng):
    """An array of the same shape with one other entry, or all others; seldom one of another length."""
    if a.size == 0:
        return np.zeros(1, dtype=a.dtype)
    choice, altered = rng.integers(8), a.copy()
    at = rng.integers(a.size)
    if a.dtype.kind in "iu":
        if choice < 5:
            altered.flat[at] += rng.choice([-1, 1])
            return altered
        return rng.permutation(a) if choice < 7 else a[:-1]
    with np.errstate(all="ignore"):
        if choice < 3:
            altered.flat[at] = other_number(float(a.flat[at]), rng)
        elif choice == 3:
            altered = a * factor(rng)
        elif choice == 4:
            altered = np.where(a == 0, 0.0, np.copysign(TINY * rng.integers(1, 4), a))
        elif choice == 5:
            altered = np.copysign(float(rng.choice([HUGE, 1e300, 1e155, 1e-155, 1e-310])), a)
        elif choice == 6:
            altered = rng.permutation(a, axis=0)
        else:
            altered = rng.choice([np.zeros_like(a), -a, np.full_like(a, np.nan)])
    return altered


def leaves(value, path=()):
    """All numbers, arrays, flags and words of a certificate, with their places."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, tuple) and any(isinstance(entry, tuple | np.ndarray) for entry in value):
        for place, entry in enumerate(value):
            yield from leaves(entry, (*path, place))
    elif value is not None and path[-1] not in ("positive", "negative", "classes"):
        yield path, value


def with_leaf(certificate, path, value):
    """The certificate with another value at one place."""
    name, *rest = path
    if isinstance(certificate, tuple):
        return (*certificate[:name], value, *certificate[name + 1 :])
    inner = with_leaf(getattr(certificate, name), rest, value) if rest else value
    return dataclasses.replace(certificate, **{name: inner})


def other_leaf(value, rng):
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, str):
        return str(rng.choice(KINDS if value in KINDS else WORDS))
    if isinstance(value, tuple):
        if not value:
            return ((1, 0), (0, 1, 1), np.array([0]))[: int(rng.integers(1, 4))]
        place = int(rng.integers(len(value)))
        return (*value[:place], value[place] + int(rng.choice([-1, 1])), *value[place + 1 :])
    return other_array(value, rng) if isinstance(value, np.ndarray) else other_number(value, rng)


# ---- kinds of forgery: each returns another case, and how many numbers were altered ----------------------------------


def numbers(case, rng):
    """Alter up to six numbers, or up to all but one if there are more; they are judged claim by claim."""
    scalars = [(path, value) for path, value in leaves(case.certificate) if isinstance(value, float | int)]
    scalars = [(path, value) for path, value in scalars if not isinstance(value, bool)]
    count = int(rng.integers(1, min(max(6, len(scalars) - 1), len(scalars)) + 1))
    certificate = case.certificate
    for place in rng.choice(len(scalars), size=count, replace=False):
        path, value = scalars[place]
        certificate = with_leaf(certificate, path, other_number(value, rng))
    return dataclasses.replace(case, certificate=certificate), count


def parts(case, rng):
    """Alter a dual variable, a weight, a cost, a flag or a word, or all of an array."""
    others = [(path, value) for path, value in leaves(case.certificate) if not isinstance(value, float | int)]
    others += [(path, value) for path, value in leaves(case.certificate) if isinstance(value, bool)]
    path, value = others[rng.integers(len(others))]
    return dataclasses.replace(case, certificate=with_leaf(case.certificate, path, other_leaf(value, rng))), 1


def data(case, rng):
    """Alter the rows, their order, that of the columns, a label or a weight."""
    X = case.X.toarray() if sp.issparse(case.X) else case.X.copy()
    y, weights = case.y.copy(), None if case.weights is None else case.weights.copy()
    rows, columns = X.shape
    choice, row = rng.integers(8), rng.integers(rows)
    with np.errstate(all="ignore"):
        if choice == 0:
            X = X[rng.permutation(rows)]
        elif choice == 1:
            X = X[:, rng.permutation(columns)]
        elif choice == 2:
            y[row] = y[rng.integers(rows)]
        elif choice == 3:
            y = rng.permutation(y)
        elif choice == 4:
            X = X * factor(rng)
        elif choice == 5:
            X[row, rng.integers(columns)] = other_number(float(X[row, 0]), rng)
        elif choice == 6:
            weights = np.ones(rows) if weights is None else weights
            weights[row] = rng.choice([0.0, 0.5, 1.0, 2.0])
        else:
            order = rng.permutation(rows)
            X, y, weights = X[order], y[order], None if weights is None else weights[order]
    X = sp.csr_array(X) if sp.issparse(case.X) else X
    return dataclasses.replace(case, X=X, y=y, weights=weights), 1


def swapped(case, rng):
    """Use the certificate of another problem, or of other data."""
    others = []
    while not others:
        others = honest(int(rng.integers(10**6)), case.name)
    return dataclasses.replace(case, certificate=others[rng.integers(len(others))].certificate), 1


FORGERS = ((0.62, numbers), (0.89, parts), (0.995, data), (1.0, swapped))  # with cumulative shares


def forged(number, cases) -> tuple[Case, int]:
    """Return one of the cases, forged, and how many of its numbers were altered."""
    rng = generator(1, number)
    case, count = cases[rng.integers(len(cases))], 0
    for _ in range(1 if rng.random() < 0.8 else 2):
        draw = rng.random()
        forger = next(forger for share, forger in FORGERS if draw <= share)
        case, more = forger(case, rng)
        count += more
    return case, count
