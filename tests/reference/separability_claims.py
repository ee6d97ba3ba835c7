"""The claims of a verdict on separation, decided in fractions: slow, short, and nothing like the library's way."""

from fractions import Fraction


def rows_of(X, signs, fit_intercept):
    """The z_i = y_i u_i."""
    return [
        [int(s) * Fraction(v) for v in [*x.tolist(), *([1.0] if fit_intercept else [])]]
        for x, s in zip(X, signs, strict=True)
    ]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def reduce(matrix):
    """The reduced echelon form without rows of zeros, and its pivots."""
    table, pivots = [list(row) for row in matrix], []
    for j in range(len(table[0]) if table else 0):
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
    return table[: len(pivots)], pivots


def null_space(matrix, width):
    table, pivots = reduce(matrix)
    basis = []
    for free in (j for j in range(width) if j not in pivots):
        vector = [Fraction(int(j == free)) for j in range(width)]
        for row, pivot in zip(table, pivots, strict=True):
            vector[pivot] = -row[free]
        basis.append(vector)
    return basis


def spans(some, rows):
    return len(reduce([*some, *rows])[1]) == len(reduce(some)[1])


def balances(rows, weights):
    """Whether some weights between half and twice those given balance the rows, by Fourier-Motzkin elimination.

    None if that would take too long.
    """
    basis = null_space([list(column) for column in zip(*rows, strict=True)], len(rows))
    if len(basis) > 2:
        return None
    system = []  # each (c, d) means c.t + d > 0
    for i, a in enumerate(map(Fraction, weights)):
        entries = [vector[i] for vector in basis]
        system += [(entries, -a / 2), ([-e for e in entries], 2 * a)]
    for _ in basis:
        lower, upper, rest = [], [], []
        for c, d in system:
            if c[0] == 0:
                rest.append((c[1:], d))
            else:
                bound = ([e / abs(c[0]) for e in c[1:]], d / abs(c[0]))
                (lower if c[0] > 0 else upper).append(bound)
        pairs = [([a + b for a, b in zip(c, e, strict=True)], d + f) for c, d in lower for e, f in upper]
        system = [(list(c), d) for c, d in {(tuple(c), d) for c, d in rest + pairs}]
    return all(d > 0 for _, d in system)
