"""
Labels that cost money
======================

A stream of transactions is free, but an expert has to be paid to say whether one of
them was fraud. For which should one ask? Asking for all is expensive, and asking for a
random tenth spends most of the money on clear cases.

``SelectivePerceptron`` asks with the probability b/(b + s), where s is the absolute
value of the score: always if the score is 0, and rarely if it is large. It learns only
from labels that it has asked for, and estimates from them how many mistakes it has made
in all, also among the examples whose label nobody knows.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# A stream
# --------
#
# Ten thousand generated rows of 20 columns. A plane decides, and one label in fifty is
# wrong.

random = np.random.default_rng(0)
X = random.normal(size=(10_000, 20))
y = X @ random.normal(size=20) > 0
y ^= random.random(len(y)) < 0.02

# %%
# As a service would use it
# -------------------------
#
# ``wants_label`` says whether to ask. Afterwards the example is reported, with its
# label or without.

model = nk.SelectivePerceptron(b=1.0, classes=[False, True])
asked = 0
for x, label in zip(X[:1000], y[:1000].tolist(), strict=True):
    if model.wants_label(x):
        model.learn_one(x, label)
        asked += 1
    else:
        model.skip_one(x)
print(f"asked for {asked} of 1,000 labels")

# %%
# Labels and accuracy
# -------------------
#
# A smaller b asks for fewer labels. ``predict_then_learn`` does the same as the loop
# above for many rows; it is given all labels, but uses only those that the learner asks
# for. For comparison, a perceptron asks for labels at random, each with the same
# probability.


def at_random(share, seed):
    """Return the accuracy of a perceptron that learns from a random share of labels."""
    seen = (np.random.default_rng(seed).random(len(X)) < share).astype(float)
    learner = nk.Perceptron().partial_fit(X[:1], y[:1], classes=[False, True])
    return np.mean(learner.predict_then_learn(X, y, sample_weight=seen) == y)


def selective(b, seed):
    """Return labels asked for, mistakes, and the estimate of the mistakes."""
    learner = nk.SelectivePerceptron(b=b, classes=[False, True], random_state=seed)
    mistakes = (learner.predict_then_learn(X, y) != y).sum()
    return learner.certificate_.asked, mistakes, learner.certificate_.estimate


SEEDS = range(5)
costs = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
runs = np.array([[selective(b, seed) for seed in SEEDS] for b in costs])
shares = runs[:, :, 0].mean(axis=1) / len(X)
mistakes = runs[:, :, 1].mean(axis=1)
right = 1 - mistakes / len(X)
right_at_random = np.array([np.mean([at_random(p, s) for s in SEEDS]) for p in shares])
for b, share, one, other in zip(costs, shares, right, right_at_random, strict=True):
    print(f"b = {b:4}: {share:5.1%} of the labels, {one:.1%} right; at random {other:.1%}")

# %%
percent = 100 * shares
figure, axes = plt.subplots(figsize=(7, 4.2))
axes.semilogx(percent, 100 * right, "o-", color=BLUE, label="SelectivePerceptron")
axes.semilogx(percent, 100 * right_at_random, "s--", color=ORANGE, label="labels at random")
axes.set(xlabel="labels, % of all examples", ylabel="right predictions of all examples, %")
axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
axes.minorticks_off()
axes.legend(frameon=False)
plt.show()

# %%
# With the same number of labels the selective learner is right more often, at every
# point of the curve. On these data a third of the labels is as good as a half.

assert (right > right_at_random).all()
assert abs(right[-1] - right[-2]) < 0.01

# %%
# The mistakes that nobody saw
# ----------------------------
#
# A service does not know all of its mistakes, because it does not know all labels. The
# certificate estimates them: a mistake whose label was asked for with probability p
# counts 1/p times. On average over the random decisions, this estimate equals the number
# of all mistakes. Single estimates from few labels are far off.

estimates = runs[:, :, 2]
figure, axes = plt.subplots(figsize=(7, 4))
dots = axes.semilogx(percent, estimates, "o", color=BLUE, alpha=0.6)
bars = axes.semilogx(percent, mistakes, "_", color="black", ms=22, mew=2)
axes.legend([dots[0], bars[0]], ["estimate", "mistakes, mean of five runs"], frameon=False)
axes.set(xlabel="labels, % of all examples", ylabel="mistakes in 10,000 examples")
axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
axes.minorticks_off()
axes.set_ylim(bottom=0)
plt.show()

for share, few, true in zip(shares, estimates.mean(axis=1), mistakes, strict=True):
    print(f"{share:5.1%} of the labels: estimate {few:.0f}, mistakes {true:.0f} (means)")
