"""The levels of adaptive conformal sets: level += step (rate - error)."""

from fractions import Fraction


def levels(errors, rate, step, start):
    """Return the errors and the levels; ``errors(level)`` is asked between 0 and 1, where either answer can occur."""
    level, found, path = Fraction(start), [], [Fraction(start)]
    for _ in range(errors.rounds):
        error = 0 if level < 0 else 1 if level > 1 else errors(level)
        level += step * (rate - error)
        found, path = [*found, error], [*path, level]
    return found, path
