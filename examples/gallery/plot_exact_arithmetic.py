"""
Exact arithmetic finds what floats miss
=======================================

Is there a plane that separates two classes? A linear program can answer that, but only
up to its tolerance: if the classes are closer to each other than that, its answer means
nothing. Yet a true answer exists. Every float is a fraction whose denominator is
a power of two, so that a statement about a table of floats is either true or false.

This example makes pairs of data sets with smaller and smaller margins. A line separates
the classes of the first set, and no line those of the second. It compares what a linear
program and novikoff say about them.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linprog

import novikoff as nk

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# Data with a known answer
# ------------------------
#
# The points lie on two parallel lines of slope 3/5, one class on each. All coordinates
# are multiples of a power of two that floats hold exactly, so that the distance of the
# two lines is known, however small it is. For the second set one label in the middle of
# the upper line is changed: now that point lies between two of the other class, and no
# line separates the classes.


def two_lines(exponent, is_separable):
    """Return points 2^-exponent above and below the line 5y = 3x, and their classes."""
    random = np.random.default_rng(exponent)
    place = random.permutation(np.arange(-20, 20)) / 8
    sign = np.where(np.arange(40) % 2 == 0, 1, -1)
    X = np.column_stack([5 * place, 3 * place + sign * 2.0**-exponent])
    if not is_separable:
        upper = np.flatnonzero(sign > 0)
        sign[upper[np.argsort(place[upper])[10]]] = -1
    return X, sign


exponents = np.arange(2, 47, 2)
margins = 2.0**-exponents * 5 / np.sqrt(34)  # half of the distance of the two lines

# %%
# What a linear program says
# --------------------------
#
# Maximise t subject to y (w.x + b) ≥ t and weights between -1 and 1. If the largest t
# is above 0, a line separates the classes, and t divided by the length of w is a
# margin.


def float_margin(X, sign):
    """Return the margin of the line that a linear program finds."""
    signed = sign[:, None] * np.column_stack([X, np.ones(len(X))])
    rows = np.column_stack([-signed, np.ones(len(X))])
    found = linprog(
        [0, 0, 0, -1], A_ub=rows, b_ub=np.zeros(len(X)), bounds=[(-1, 1)] * 3 + [(None, 1)]
    )
    return found.x[3] / max(np.linalg.norm(found.x[:2]), 1e-300)


separable = [two_lines(exponent, True) for exponent in exponents]
mixed = [two_lines(exponent, False) for exponent in exponents]
program = np.array([float_margin(*data) for data in separable])
program_mixed = np.array([float_margin(*data) for data in mixed])

# %%
# What novikoff says
# ------------------
#
# ``nk.separability`` searches with floats first, and decides in integers what rounding
# leaves open. ``HardMarginSVM`` then finds a line, and its certificate, which includes
# all rounding errors, states a margin that the line has at least. It computes in
# floats: for the closest lines it warns that it did not come near the largest margin,
# but what it states is true.

verdicts = [nk.separability(*data).kind for data in separable]
verdicts_mixed = [nk.separability(*data).kind for data in mixed]
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    machines = [nk.HardMarginSVM(tol=0.05).fit(*data) for data in separable]
lower = np.array([machine.certificate_.margin_lower_bound for machine in machines])
print("separable sets:", set(verdicts))
print("other sets:", set(verdicts_mixed))
print("machines that warned:", len(warned))
assert set(verdicts) == {"complete"}
assert "complete" not in verdicts_mixed

# %%
# A set is completely separated if a line has every point strictly on its right side.
# The other sets are quasi-completely separated: the upper line itself has no point on
# its wrong side, but it has points of both classes on it.
#
# The comparison
# --------------

NONE = 1e-17  # where "none" is drawn
figure, panels = plt.subplots(1, 2, figsize=(8, 4.2), sharey=True)
for axes, title, stated, proven in (
    (panels[0], "a line separates the classes", program, lower),
    (panels[1], "no line separates the classes", program_mixed, np.zeros(len(margins))),
):
    stated, proven = np.maximum(stated, NONE), np.maximum(proven, NONE)
    axes.loglog(margins, stated, "^", mfc="none", ms=9, color=ORANGE, label="linear program")
    axes.loglog(margins, proven, "o", ms=4, color=BLUE, label="novikoff")
    axes.axhline(NONE, color=GREY, lw=0.5)
    axes.invert_xaxis()
    axes.set(title=title, xlabel="half of the distance of the two lines")
ticks = 10.0 ** np.arange(-14, 0, 2)
panels[0].set_yticks(
    [NONE, *ticks], ["none", *(f"1e{round(np.log10(tick))}" for tick in ticks)]
)
panels[0].minorticks_off()
panels[0].set(ylabel="margin that is stated")
panels[0].legend(frameon=False, loc="center left")
plt.show()

# %%
# On the left both state margins that are there. On the right there is none, and novikoff
# says so for every set, with a proof. The linear program is right while the two lines are far
# enough apart. Once they are closer to each other than its tolerance, it states about
# the same margin as on the left, so that its number does not say which of the two sets
# it was given.

print(f"sets without a margin: {len(mixed)}")
print(f"the linear program states one for {(program_mixed > 0).sum()} of them")
print(f"the largest of these margins: {program_mixed.max():.1e}")
assert (program_mixed > 0).any()

# %%
# A proof can be checked without the code that found it. For the closest pair of lines:

for name, data in (("separable", separable[-1]), ("not separable", mixed[-1])):
    print(name, nk.separability(*data).verify(*data, exact=True), sep=": ")
