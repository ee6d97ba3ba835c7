"""The partition of rows by enumeration, in integers: slow, short, and nothing like the library's way.

The cone {v : z_i.v >= 0 for all i} is the sum of its extreme rays once columns that depend on others are dropped; each
ray is fixed by as many rows less one as there are columns. A row can be on the right side of a plane that has no row on
its wrong side if and only if some ray has it there.
"""

from itertools import combinations
from operator import mul


def kind(X, y, fit_intercept=True):
    """complete, quasi-complete or overlap, for labels +1 and -1."""
    right = right_side(X, y, fit_intercept)
    return "complete" if all(right) else "quasi-complete" if any(right) else "overlap"


def right_side(X, y, fit_intercept=True):
    """Whether each row is on the right side of some plane that has no row on its wrong side."""
    rows = [
        [int(s) * v for v in as_integers([*x, *([1.0] if fit_intercept else [])])] for x, s in zip(X, y, strict=True)
    ]
    rows = independent_columns(rows)
    found = [False] * len(rows)
    for ray in rays(rows):
        sides = [sum(map(mul, row, ray)) for row in rows]
        if min(sides) >= 0:
            found = [known or side > 0 for known, side in zip(found, sides, strict=True)]
        elif max(sides) <= 0:
            found = [known or side < 0 for known, side in zip(found, sides, strict=True)]
    return found


def as_integers(row):
    """A row times the common denominator of its values: it is on the same side of every plane."""
    ratios = [float(v).as_integer_ratio() for v in row]
    common = max(below for _, below in ratios)  # powers of two
    return [above * (common // below) for above, below in ratios]


def rays(rows):
    """The lines that as many rows less one as there are columns leave."""
    width = len(rows[0])
    if width == 0:
        return
    if width == 1:
        yield [1]
        return
    for some in combinations(unique(rows), width - 1):
        line = null_line(list(some), width)
        if line is not None:
            yield line


def unique(rows):
    return list({tuple(row): row for row in rows}.values())


def independent_columns(rows):
    """The rows without the columns that depend on earlier ones."""
    kept, reduced = [], []
    for j in range(len(rows[0])):
        column = [row[j] for row in rows]
        for pivot, basis in reduced:
            own, other = basis[pivot], column[pivot]
            column = [own * c - other * b for c, b in zip(column, basis, strict=True)]
        pivot = next((i for i, c in enumerate(column) if c != 0), None)
        if pivot is not None:
            kept.append(j)
            reduced.append((pivot, column))
    return [[row[j] for j in kept] for row in rows]


def null_line(rows, width):
    """The direction that all of these rows take to 0, by Cramer's rule; None if there is more than one."""
    minors = [determinant([row[:j] + row[j + 1 :] for row in rows]) for j in range(width)]
    return [-minor if j % 2 else minor for j, minor in enumerate(minors)] if any(minors) else None


def determinant(rows):
    """The determinant by expansion along the first column."""
    if not rows:
        return 1
    return sum(
        (-1) ** i * row[0] * determinant([other[1:] for k, other in enumerate(rows) if k != i])
        for i, row in enumerate(rows)
        if row[0]
    )
