"""The perceptron that asks for some labels, with exact expectations over all its coins."""

from fractions import Fraction


def dot(v, x):
    return sum((p * q for p, q in zip(v, x, strict=True)), Fraction(0))


def selective_perceptron(X, y, b, coins, budget=float("inf")):
    """Return the rows that were asked for, all mistakes, asked or not, the weighted count and the weights.

    The weighted count is about the rows up to the last label of the budget.
    """
    v, asked, mistakes, count = [0.0] * len(X[0]), [], 0, 0.0
    for t, (x, sign) in enumerate(zip(X, y, strict=True)):
        score = sum(p * q for p, q in zip(v, x, strict=True))
        mistakes += sign * score <= 0
        if len(asked) < budget and coins[t] < b / (b + abs(score)):
            asked.append(t)
            if sign * score <= 0:
                v, count = [p + sign * q for p, q in zip(v, x, strict=True)], count + (b + abs(score)) / b
    return asked, mistakes, count, v


def runs(X, y, b, v=None, t=0):
    """Yield the probability, all mistakes, the weighted count of asked mistakes and the updated rows of every run."""
    v = [Fraction(0)] * len(X[0]) if v is None else v
    if t == len(X):
        yield Fraction(1), 0, Fraction(0), ()
        return
    score = dot(v, X[t])
    sign = y(score) if callable(y) else y[t]
    chance, wrong = b / (b + abs(score)), sign * score <= 0
    learned = [p + sign * q for p, q in zip(v, X[t], strict=True)] if wrong else v
    for share, after, asked in ((chance, learned, True), (1 - chance, v, False)):
        if share:
            for probability, mistakes, count, rows in runs(X, y, b, after, t + 1):
                row = ((t, sign),) if wrong and asked else ()
                yield share * probability, mistakes + wrong, count + (1 / chance if row else 0), row + rows


def counted_runs(X, y, b, budget, is_given=lambda t: True, v=None, t=0, used=0):
    """Yield of every run its probability, and of its complete rows: all mistakes, the estimate, and what it may lack.

    The row t counts if fewer than ``budget`` labels were used before it, and none was asked for that was not given.
    """
    v = [Fraction(0)] * len(X[0]) if v is None else v
    if t == len(X) or used == budget:  # no row after these counts
        yield Fraction(1), 0, Fraction(0), Fraction(0)
        return
    score = dot(v, X[t])
    chance, wrong = b / (b + abs(score)), y[t] * score <= 0
    learned = [p + y[t] * q for p, q in zip(v, X[t], strict=True)] if wrong else v
    if not is_given(t):
        yield chance, wrong, Fraction(0), 1 / chance
    for share, after, asked in ((chance if is_given(t) else 0, learned, True), (1 - chance, v, False)):
        if share:
            count = 1 / chance if wrong and asked else 0
            for run in counted_runs(X, y, b, budget, is_given, after, t + 1, used + asked):
                yield share * run[0], wrong + run[1], count + run[2], run[3]
