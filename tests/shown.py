"""Outputs that the manual shows, compared with those of this machine."""

import math
import re

NUMBER = re.compile(r"(\d+\.\d+(?:e[+-]\d+)?)")


def alike(lines, others):
    """Whether lines are the same but for the last digits of numbers, which depend on the processor.

    They may differ by 1e-6 of their size, or by 1e-12: a small gap is the difference of two much larger numbers.
    """
    parts, expected = (NUMBER.split("\n".join(each)) for each in (lines, others))
    numbers = zip(map(float, parts[1::2]), map(float, expected[1::2]), strict=True)
    return parts[::2] == expected[::2] and all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) for a, b in numbers)
