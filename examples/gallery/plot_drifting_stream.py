"""
A stream that drifts
====================

A model was accurate last month and is not any more: the rules behind the data have
changed. Which learners recover by themselves?

This example makes a stream whose rule changes twice, once suddenly and once slowly,
runs four learners over it, and compares how many of the latest 500 predictions
are right. Each prediction is made before its label is learned.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# The stream
# ----------
#
# The label is the side of a plane, with five percent of the labels wrong. The plane
# jumps at row 4,000, and turns slowly by 90 degrees from row 8,000 to row 12,000.

ROWS, JUMP, TURN, END = 15_000, 4000, 8000, 12_000
random = np.random.default_rng(0)
X = random.normal(size=(ROWS, 10)) * np.geomspace(0.1, 10, 10)  # columns in different units
number = np.arange(ROWS)
angle = np.where(number < JUMP, 0.0, np.pi)
angle += np.clip((number - TURN) / (END - TURN), 0, 1) * np.pi / 2
scaled = X / np.geomspace(0.1, 10, 10)
y = np.cos(angle) * scaled[:, 0] + np.sin(angle) * scaled[:, 1] + 0.5 * scaled[:, 2] > 0
y ^= random.random(ROWS) < 0.05

# %%
# Four learners
# -------------
#
# The averaged perceptron weighs all of its past equally. AROW lowers its step sizes as
# it becomes confident, which ``floor`` limits. ``half_life`` makes a passive-aggressive
# learner forget. ``Tracker`` runs two learners and follows the one that has been right
# more often of late. All of them scale the columns themselves.

learners = {
    "AveragedPerceptron": nk.AveragedPerceptron(scale="centred"),
    "AROW(floor=0.01)": nk.AROW(r=10, floor=0.01, scale="centred"),
    "PA-I with half-life": nk.PassiveAggressiveI(C=0.1, half_life=500, scale="centred"),
    "Tracker()": nk.Tracker(),
}
right = {name: learner.predict_then_learn(X, y) == y for name, learner in learners.items()}
for name, hits in right.items():
    print(f"{name:20} {hits.mean():.1%} right, {hits[END:].mean():.1%} of the last rows")

# %%
window = 500
figure, axes = plt.subplots(figsize=(7, 4.5))
for (name, hits), style, colour in zip(
    right.items(), ("-", "--", ":", "-"), (GREY, ORANGE, GREEN, BLUE), strict=True
):
    mean = np.convolve(hits, np.full(window, 1 / window), mode="valid")
    axes.plot(number[window - 1 :], 100 * mean, style, color=colour, lw=2, label=name)
axes.axvline(JUMP, color="black", ls=":", lw=1)
axes.axvspan(TURN, END, color=GREY, alpha=0.12, lw=0)
axes.annotate("sudden change ", (JUMP, 28), ha="right")
axes.annotate("slow change", ((TURN + END) / 2, 28), ha="center")
axes.set(xlabel="rows", ylabel=f"right among the latest {window}, %", ylim=(25, 100))
figure.legend(frameon=False, loc="outside upper center", ncols=2)
plt.show()

# %%
# After the sudden change the averaged perceptron does not recover within the stream:
# its average still contains all that it had learned before. The learner that forgets
# loses least at the change, but it has fewer right predictions than the others while
# nothing changes. For AROW it is the other way round. The tracker follows the better of its
# two members, and has the most right predictions over the whole stream.

best = max(right, key=lambda name: right[name].mean())
assert best == "Tracker()"
averaged = right["AveragedPerceptron"]
assert averaged[END:].mean() < averaged[:JUMP].mean() - 0.1
