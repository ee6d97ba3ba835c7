"""The partition of rows by enumeration, in fractions: slow, short, and nothing like the library's way.

The cone {v : z_i.v >= 0 for all i} is the sum of its extreme rays once columns that depend on others are dropped; each
ray is fixed by as many rows less one as there are columns. A row can be on the right side of a plane that has no row on
its wrong side if and only if some ray has it there.
"""

from fractions import Fraction
from itertools import combinations


def kind(X, y, fit_intercept=True):
    """complete, quasi-complete or overlap, for labels +1 and -1."""
    right = right_side(X, y, fit_intercept)
    return "complete" if all(right) else "quasi-complete" if any(right) else "overlap"


def right_side(X, y, fit_intercept=True):
    """Whether each row is on the right side of some plane that has no row on its wrong side."""
    rows = [
        [Fraction(float(v)) * int(s) for v in [*x, *([1.0] if fit_intercept else [])]]
        for x, s in zip(X, y, strict=True)
    ]
    rows = independent_columns(rows)
    found = [False] * len(rows)
    for ray in rays(rows):
        for sign in (1, -1):
            sides = [sign * sum(a * b for a, b in zip(row, ray, strict=True)) for row in rows]
            if min(sides) >= 0:
                found = [known or side > 0 for known, side in zip(found, sides, strict=True)]
    return found


def rays(rows):
    """The lines that as many rows less one as there are columns leave."""
    width = len(rows[0])
    if width == 0:
        return
    if width == 1:
        yield [Fraction(1)]
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
            factor = column[pivot] / basis[pivot]
            column = [c - factor * b for c, b in zip(column, basis, strict=True)]
        pivot = next((i for i, c in enumerate(column) if c != 0), None)
        if pivot is not None:
            kept.append(j)
            reduced.append((pivot, column))
    return [[row[j] for j in kept] for row in rows]


def null_line(rows, width):
    """The direction that all of these rows take to 0; None if there is more than one."""
    table, pivots = [list(row) for row in rows], []
    for j in range(width):
        place = len(pivots)
        best = next((i for i in range(place, len(table)) if table[i][j] != 0), None)
        if best is None:
            continue
        table[place], table[best] = table[best], table[place]
        table[place] = [v / table[place][j] for v in table[place]]
        for i in range(len(table)):
            if i != place and table[i][j] != 0:
                table[i] = [a - table[i][j] * b for a, b in zip(table[i], table[place], strict=True)]
        pivots.append(j)
    free = [j for j in range(width) if j not in pivots]
    if len(free) != 1:
        return None
    line = [Fraction(0)] * width
    line[free[0]] = Fraction(1)
    for place, pivot in enumerate(pivots):
        line[pivot] = -table[place][free[0]]
    return line
