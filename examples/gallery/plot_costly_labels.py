"""
Labels that cost money
======================

A stream of transactions is free, but an expert has to be paid to say whether one of them was fraud. For which should
one ask? Asking for all is expensive, and asking for a random tenth spends most of the money on clear cases.

``SelectivePerceptron`` asks with the probability b/(b + s), where s is the size of the score: always if the score is
0, and rarely if it is large. It learns only from labels that it has asked for, and estimates from them how many
mistakes it has made in all, also among the examples whose label nobody knows.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rcParams |= {"axes.spines.top": False, "axes.spines.right": False, "figure.constrained_layout.use": True}

# %%
# A stream
# --------
#
# Ten thousand generated rows of 20 columns. A plane decides, and one label in fifty is wrong.

random = np.random.default_rng(0)
X = random.normal(size=(10_000, 20))
y = X @ random.normal(size=20) > 0
y ^= random.random(len(y)) < 0.02

# %%
# As a service would use it
# -------------------------
#
# ``wants_label`` says whether to ask. Afterwards the example is reported, with its label or without.

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
# A smaller b asks for fewer labels. ``predict_then_learn`` does the same as the loop above for many rows; it is given
# all labels, but uses only those that the learner asks for. Beside it, a perceptron that asks for labels at random,
# each with the same probability.


def at_random(share, seed):
    """Return the accuracy of a perceptron that learns from a random share of the labels."""
    seen = np.random.default_rng(seed).random(len(X)) < share
    learner = nk.Perceptron().partial_fit(X[:1], y[:1], classes=[False, True])
    return np.mean(learner.predict_then_learn(X, y, sample_weight=seen.astype(float)) == y)


SEEDS = range(5)
costs = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
models = {b: [nk.SelectivePerceptron(b=b, classes=[False, True], random_state=seed) for seed in SEEDS] for b in costs}
wrong = {b: [int((model.predict_then_learn(X, y) != y).sum()) for model in models[b]] for b in costs}
shares = np.array([np.mean([model.certificate_.asked for model in models[b]]) / len(X) for b in costs])
selective = np.array([1 - np.mean(wrong[b]) / len(X) for b in costs])
random_choice = np.array([np.mean([at_random(share, seed) for seed in SEEDS]) for share in shares])
for b, share, right, other in zip(costs, shares, selective, random_choice, strict=True):
    print(f"b = {b:4}: {share:6.1%} of the labels, {right:.1%} right; labels at random: {other:.1%} right")

# %%
figure, axes = plt.subplots(figsize=(7, 4.2))
axes.semilogx(100 * shares, 100 * selective, "o-", color=BLUE, label="SelectivePerceptron")
axes.semilogx(100 * shares, 100 * random_choice, "s--", color=ORANGE, label="Perceptron, labels at random")
axes.set(xlabel="labels, % of all examples", ylabel="right predictions of all examples, %")
axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
axes.minorticks_off()
axes.legend(frameon=False)
plt.show()

# %%
# With the same number of labels the selective learner is right more often, at every point of the curve. On these data
# a third of the labels is as good as a half.

assert (selective > random_choice).all()
assert abs(selective[-1] - selective[-2]) < 0.01

# %%
# The mistakes that nobody saw
# ----------------------------
#
# A service does not know all of its mistakes, because it does not know all labels. The certificate estimates them: a
# mistake whose label was asked for with probability p counts 1/p times. Over all random decisions, the mean of this
# estimate is the mean of all mistakes. Single estimates from few labels are far off.

figure, axes = plt.subplots(figsize=(7, 4))
for b, share in zip(costs, shares, strict=True):
    estimates = [model.certificate_.estimate for model in models[b]]
    axes.plot(np.full(len(SEEDS), 100 * share), estimates, "o", color=BLUE, alpha=0.6, label="estimate")
    axes.plot(100 * share, np.mean(wrong[b]), "_", color="black", ms=22, mew=2, label="mistakes, mean of five runs")
    print(f"{share:6.1%} of the labels: estimate {np.mean(estimates):6.0f}, mistakes {np.mean(wrong[b]):6.0f} (means)")
axes.set(xscale="log", xlabel="labels, % of all examples", ylabel="mistakes in 10,000 examples", ylim=(0, None))
axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
axes.minorticks_off()
axes.legend(*(part[:2] for part in axes.get_legend_handles_labels()), frameon=False)
plt.show()
