"""
Margin against C
================

The soft-margin support vector machine has one parameter, C, and textbooks say that it
trades the width of the margin against the rows that violate it. What does that look
like, and which C is large enough to be "hard"?

This example draws the same 80 points with four values of C, and then the margin, the
slacks and the mistakes over eight orders of magnitude.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# Points that a line separates, but only narrowly
# -----------------------------------------------
#
# Two clouds of 40 points each. One point of each cloud has been moved towards the other
# one, so that a line still separates the classes, but with a small margin.

random = np.random.default_rng(1)
y = np.repeat(["left", "right"], 40)
X = random.normal(scale=0.7, size=(80, 2))
X[:, 0] += np.where(y == "left", -2.0, 2.0)
X[0], X[40] = [0.15, 0.8], [0.45, -0.2]

hard = nk.HardMarginSVM().fit(X, y)
print(hard.certificate_)

# %%
# ``LinearSVM`` minimises ½‖w‖² + C Σξ, where ξ is how far a row is on the wrong side of
# its edge of the margin. The edges are where the score is -1 or +1, at the distance
# 1/‖w‖ from the line. Small C gives a wide margin that ignores the two odd points;
# large C gives the hard margin.

figure, panels = plt.subplots(2, 2, figsize=(8, 6.4))
for panel, C in zip(panels.flat, [0.01, 1.0, 10.0, 1000.0], strict=True):
    model = nk.LinearSVM(C=C, loss="hinge").fit(X, y)
    nk.plot.BoundaryDisplay.from_estimator(model, X, y, feature_names=["x", "y"], ax=panel)
    panel.set_title(f"C = {C:g}, margin {1 / np.linalg.norm(model.coef_):.2f}", fontsize=11)
plt.show()

# %%
# The whole range of C
# --------------------
#
# The margin 1/‖w‖ never grows with C, and the sum of the slacks never grows either:
# both follow from comparing the two objectives at the two solutions. The number of rows
# on the wrong side may rise and fall: between C = 1 and 20 it goes from 1 to 0, back to 1
# and to 0 again, because the machine minimises slacks and not mistakes.

Cs = np.geomspace(1e-4, 1e4, 41)
models = [nk.LinearSVM(C=C, loss="hinge", tol=1e-6).fit(X, y) for C in Cs]
margins = np.array([1 / np.linalg.norm(model.coef_) for model in models])
slacks = np.array([model.slack_.sum() for model in models])
wrong = np.array([(model.predict(X) != y).sum() for model in models])

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5.5), sharex=True)
above.loglog(Cs, margins, "o-", ms=4, color=BLUE, label="margin of the soft-margin machine")
above.axhline(hard.margin_, color=GREY, ls="--", label="hard margin")
above.set(ylabel="margin 1/|w|")
below.semilogx(Cs, slacks, "s-", ms=4, color=ORANGE, label="sum of the slacks")
below.semilogx(Cs, wrong, "^-", ms=4, color=GREEN, label="rows on the wrong side")
below.set(xlabel="C", ylabel="slack, rows")
for axes in (above, below):
    axes.legend(frameon=False)
plt.show()

# %%
# From some C on, nothing changes any more. C is the upper bound of the dual variables,
# and those of the hard margin are finite: once C exceeds the largest of them, the bound
# has no effect.

reached = Cs[margins < 1.001 * hard.margin_][0]
print(f"hard margin: {hard.margin_:.4f}")
print(f"the soft margin is within 0.1 % of it from C = {reached:.3g} on")
assert (np.diff(slacks) < 1e-3).all()
assert (np.diff(margins) < 1e-3 * margins[:-1]).all()
assert (np.diff(wrong) > 0).any()

# %%
# Each of the 41 fits has a certificate: a lower bound on the objective of any other
# line. The largest relative gap of all of them is below the tolerance that was asked
# for, so the curves above are those of the problem and not of a solver that has stopped
# too early.

gaps = [model.certificate_.relative_gap for model in models]
print(f"largest relative gap: {max(gaps):.1e}")
assert max(gaps) <= 1e-6
