"""
Novikoff's bound at work
========================

The perceptron adds an example to its weights whenever it gets one wrong, and does
nothing else. How long can that go on? Novikoff's theorem answers: if no example is
longer than R, and some plane through the origin has every example on its right side at
a distance of at least γ, then the perceptron makes at most (R/γ)² mistakes. The number
of examples and the number of columns do not matter, and neither does the order of the
examples.

This example shows the two inequalities of the proof along one run, and then counts
mistakes on data of different margins.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

# %%
# One run, step by step
# ---------------------
#
# Two hundred points near the unit circle, on both sides of a line through the origin.
# The hard-margin machine finds the line with the largest margin γ, which the theorem
# needs.

random = np.random.default_rng(0)
points = random.normal(size=(200, 2))
points /= np.linalg.norm(points, axis=1)[:, None]
normal = np.sqrt([0.5, 0.5])
side = points @ normal > 0
points += 0.03 * np.where(side[:, None], normal, -normal)  # away from the line

best = nk.HardMarginSVM(fit_intercept=False).fit(points, side)
longest = np.linalg.norm(points, axis=1).max()
print(f"R = {longest:.3f}, margin = {best.margin_:.3f}")
print(f"at most {(longest / best.margin_) ** 2:.1f} mistakes")

# %%
# ``nk.trace`` follows the perceptron update by update. Let v be the weights after M
# updates, and v* the unit vector of the best line. Each update moves v by at least γ in
# the direction of v*, so v.v* is at least Mγ. And as an update follows a mistake, it
# adds at most R² to the square of the length, so the length of v is at most R√M. The
# first side grows faster than the second, and they meet at M = (R/γ)². So the
# perceptron cannot make more updates than that.

steps = nk.trace(nk.Perceptron(fit_intercept=False), points, side)
steps.plot()
assert steps.holds
assert len(steps) <= steps.bound
plt.show()

# %%
# Both inequalities hold at every update. The run ends long before the two sides meet:
# the theorem is about the worst case, and says nothing about how close to it a run
# comes.

print(f"{len(steps)} updates, at most {steps.bound:.1f} are possible")

# %%
# Larger margin, fewer mistakes
# -----------------------------
#
# Now 500 examples of length 1 in 20 columns, whose distance from a plane is exactly γ,
# for nine values of γ and with five seeds each. As R is 1, the bound is 1/γ².

display = nk.plot.StepsDisplay.from_margins()
plt.show()

most = display.updates.max(axis=1)
for margin, updates, bound in zip(display.margins, most, display.bounds, strict=True):
    print(f"margin {margin:5.3f}: up to {updates:4} updates, bound {bound:7.1f}")
assert (display.bounds / 3 <= most).all()
assert (most <= display.bounds * 3 / 4).all()

# %%
# The larger the margin, the fewer updates: their number falls as 1/γ², like the bound. No
# run exceeds the bound, and here it is not far away: the runs need between a third and
# three quarters of it.
