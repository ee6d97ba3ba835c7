"""
Rows on several machines
========================

The rows are spread over several machines, and moving them is slow or not allowed. A
simple way is to fit one model on each machine and to average the weights. Is the average
the model that one would get from all rows together, and if not, how far is it away?

``nk.distributed.fit`` solves the problem of all rows while the rows stay where they are,
and its certificate says how good the solution is. The same certificate measures the
average. This example uses threads of this process as machines; Dask and Spark are called
in the same way.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import novikoff as nk

BLUE, ORANGE = "#0072b2", "#d55e00"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# The problem
# -----------
#
# The 569 tumours of scikit-learn, divided at random among 2 to 16 machines. All rows
# together give the objective of the soft margin, and a lower bound D on the objective of
# any weights. So the relative gap (P - D) / P of weights with the objective P is an upper
# bound on the fraction by which they could be improved.

X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
sign = np.where(y == 1, 1.0, -1.0)
settings = {"C": 0.1, "loss": "hinge", "tol": 1e-4}
together = nk.LinearSVM(**settings).fit(X, y).certificate_
print(f"all rows together: objective {together.primal:.4f}, at least {together.dual:.4f}")


def gap(coef, intercept):
    """Return the relative gap of some weights over all rows."""
    slack = np.maximum(0, 1 - sign * (X @ coef + intercept))
    objective = coef @ coef / 2 + settings["C"] * slack.sum()
    return (objective - together.dual) / objective


# %%
# The average
# -----------
#
# A machine that has one n-th of the rows gets n times the C: then the objective of all
# rows is the mean of the objectives of the machines.


def average(parts):
    """Fit each part alone, and return the mean of the weights and of the intercepts."""
    alone = settings | {"C": len(parts) * settings["C"]}
    models = [nk.LinearSVM(**alone).fit(X[part], y[part]) for part in parts]
    coefs, intercepts = [m.coef_[0] for m in models], [m.intercept_[0] for m in models]
    return np.mean(coefs, axis=0), np.mean(intercepts)


SEEDS, machines = range(5), [2, 4, 8, 16]
divided = [
    [np.array_split(np.random.default_rng(seed).permutation(len(X)), count) for seed in SEEDS]
    for count in machines
]
averaged = np.array([[gap(*average(parts)) for parts in row] for row in divided])

# %%
# The common fit
# --------------
#
# ``distributed.fit`` takes the parts as they are divided. Its certificate is about all
# rows, and ``distributed.verify`` checks it where the rows are.

common = []
for row in divided:
    rows, labels = [X[part] for part in row[0]], [y[part] for part in row[0]]
    model = nk.distributed.fit(nk.LinearSVM(**settings), rows, labels, on="local:2")
    assert nk.distributed.verify(model, rows, labels, on="local:2")
    common.append(model.certificate_.relative_gap)

for count, gaps, proven in zip(machines, averaged, common, strict=True):
    print(f"{count:2} machines: average {gaps.mean():5.1%}, common fit {proven:.5%}")
assert max(common) <= settings["tol"]

# %%
figure, axes = plt.subplots(figsize=(7, 4.2))
dots = axes.plot(machines, 100 * averaged, "s", color=ORANGE, alpha=0.6)
line = axes.plot(machines, 100 * np.array(common), "o-", color=BLUE)
names = ["average of the models, five divisions", "distributed.fit"]
axes.legend([dots[0], line[0]], names, frameon=False)
axes.set_xticks(machines, machines)
axes.set(xlabel="machines", ylabel="relative gap to the optimum, %")
plt.show()

# %%
# The average becomes worse as each machine has fewer rows. It may still predict well,
# but it is not the model of all rows. The common fit is that model, up to the tolerance
# that was asked for, with any number of machines.

assert averaged[-1].min() > averaged[0].max()
