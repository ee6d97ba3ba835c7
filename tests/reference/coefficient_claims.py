"""The claims of a verdict on coefficients, decided in fractions: slow, short, and nothing like the library's way."""

from fractions import Fraction

from .separability_claims import dot, reduce, spans

UNDECIDED, FINITE, PLUS, MINUS, INFINITE, ALIASED = range(6)


def coefficients_fit(found, rows):
    """Whether the fields have the form that they need."""
    statuses, columns = found.statuses.tolist(), len(found.statuses)
    vectors = [*found.directions, *found.dependences]
    return (
        all(isinstance(status, int) and status in range(6) for status in statuses)
        and all(type(v) is tuple and len(v) == columns and all(type(e) is int for e in v) for v in vectors)
        and len(found.supports) == sum(status in (PLUS, MINUS) for status in statuses)
        and all(hasattr(s, "dtype") and s.dtype.kind in "iu" and s.ndim == 1 for s in found.supports)
        and all(len(s) == len(set(s.tolist())) > 0 for s in found.supports)
        and all(set(s.tolist()) <= set(range(rows)) for s in found.supports)
        and (found.kind != "undecided" or not any(statuses))
    )


def coefficients_hold(found, rows, boundary, plane):
    """Whether all statuses follow from their proofs, given rows z_i, those of the boundary, and the plane or None."""
    directions = [*found.directions, *([] if plane is None else [plane])]
    if any(dot(row, vector) < 0 for row in rows for vector in directions):
        return False
    if any(dot(row, vector) != 0 for row in rows for vector in found.dependences):
        return False
    supports = iter(found.supports)
    for j, status in enumerate(found.statuses.tolist()):
        unit = [Fraction(int(k == j)) for k in range(len(found.statuses))]
        signs = {(v[j] > 0) - (v[j] < 0) for v in directions}
        if status == FINITE and not spans(boundary, [unit]):
            return False
        if status == ALIASED and not any(v[j] for v in found.dependences) and any(row[j] for row in rows):
            return False
        if status == INFINITE and not ({1, -1} <= signs and spans(rows, [unit])):
            return False
        if status in (PLUS, MINUS):
            sign = 1 if status == PLUS else -1
            support = [rows[i] for i in next(supports).tolist()]
            if sign not in signs or not _proves(boundary, support, [sign * e for e in unit]):
                return False
    return True


def _proves(boundary, support, target):
    """Whether the target is a unique combination of the support, with positive weights, up to boundary rows."""
    basis, _ = reduce(boundary)
    table, pivots = reduce(list(zip(*basis, *support, target, strict=True)))
    count = len(basis) + len(support)
    return pivots == list(range(count)) and all(row[count] > 0 for row in table[len(basis) : count])
