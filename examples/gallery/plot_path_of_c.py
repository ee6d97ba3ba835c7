"""
The path of C, and how to choose one
====================================

The parameter C of a support vector machine has to be chosen. A common way is a grid:
fit the machine for each value, score it on rows that it has not seen, and take the
best. Two things can go wrong. If the solver stops too early for large values of C, the
scores there depend on where it stopped. And the best score of a grid is partly due to
chance, so that its C is often larger than necessary.

``LinearSVMPath`` solves for a sequence of C, each value from the solution of the one
before, and gives every value a certificate. ``LinearSVMCV`` does so in every fold and
chooses a C.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import novikoff as nk

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# The data are 569 tumours that come with scikit-learn: 30 measurements of cell nuclei,
# and whether the tumour was malignant. A quarter of the rows is kept for a test at the
# end.

X, y = load_breast_cancer(return_X_y=True)
rows, kept, labels, kept_labels = train_test_split(
    X, y, test_size=0.25, stratify=y, random_state=0
)
mean, deviation = rows.mean(axis=0), rows.std(axis=0)
rows, kept = (rows - mean) / deviation, (kept - mean) / deviation

# %%
# The path
# --------
#
# With a number for ``Cs``, the grid begins at the smallest C that matters, which is
# computed from the rows. Each C comes with its objective and a lower bound on the
# objective of any weights. The gap between them is how far the solution can be from the
# best one.

path = nk.LinearSVMPath(Cs=25, C_max=100.0).fit(rows, labels)
gaps = [certificate.relative_gap for certificate in path.certificates_]
print(f"{len(path.Cs_)} values of C from {path.Cs_[0]:.2g} to {path.Cs_[-1]:.2g}")
print(f"largest relative gap: {max(gaps):.1e}")
assert max(gaps) <= path.tol
assert all(certificate.verify(rows, labels) for certificate in path.certificates_)

# %%
# The weights become longer and less equal as C grows: below C = 0.1 no weight stands
# out, and at C = 100 that of one column is more than twice as large as any other. The
# four columns of largest weight at the end have markers.

weights = path.coefs_[:, 0, :]
largest = np.argsort(-np.abs(weights[-1]))[:4]
figure, axes = plt.subplots(figsize=(7, 4.2))
axes.semilogx(path.Cs_, np.delete(weights, largest, axis=1), color=GREY, lw=0.8, alpha=0.5)
names = load_breast_cancer().feature_names
for column, marker, colour in zip(largest, "os^D", (BLUE, ORANGE, GREEN, "black"), strict=True):
    axes.semilogx(
        path.Cs_, weights[:, column], marker=marker, color=colour, ms=4, label=names[column]
    )
axes.legend(frameon=False)
axes.set(xlabel="C", ylabel="weight of a standardised column")
plt.show()
assert np.abs(weights[-1])[largest[0]] > 2 * np.abs(weights[-1])[largest[1]]

# %%
# Which C to take
# ---------------
#
# ``LinearSVMCV`` follows the path in each of five folds and scores the rows of the fold
# that was left out. By default it takes the C with the best mean score; the rule of one
# standard error takes the smallest C whose score is at most that much below the best.

selection = "one_standard_error"
chosen = nk.LinearSVMCV(Cs=25, C_max=100.0, cv=5, selection=selection, random_state=0).fit(
    rows, labels
)
best = int(np.argmax(chosen.mean_scores_))
print(f"best mean score {chosen.mean_scores_[best]:.3f} at C = {chosen.Cs_[best]:.2g}")
print(f"chosen: C = {chosen.C_:.2g}")

figure, axes = plt.subplots(figsize=(7, 4.2))
scores, errors = chosen.mean_scores_, chosen.standard_errors_
axes.errorbar(chosen.Cs_, scores, errors, fmt="o-", ms=4, color=BLUE, capsize=3)
least = scores[best] - errors[best]
axes.axhline(least, color=GREY, ls="--", lw=1, label="one standard error below the best")
axes.axvline(chosen.Cs_[best], color=GREEN, ls=":", label="best mean score")
axes.axvline(chosen.C_, color=ORANGE, ls="-.", label="chosen")
axes.set(xscale="log", xlabel="C", ylabel="accuracy on rows left out")
axes.legend(frameon=False)
plt.show()

# %%
# The accuracy falls again beyond C = 1: there the weights become much longer, to avoid
# violations of the margin by a few training rows.
#
# The test rows had no part in the choice. Here the larger C predicts
# two more of 143 rows correctly, which is less than one standard error of such a
# proportion, and shows neither rule to be the better one.

at_best = nk.LinearSVM(C=chosen.Cs_[best]).fit(rows, labels)
for name, model in (("chosen C", chosen), ("best C", at_best)):
    score, length = model.score(kept, kept_labels), np.linalg.norm(model.coef_)
    wrong = round((1 - score) * len(kept))
    print(f"{name}: {wrong} of {len(kept)} rows wrong, length of the weights {length:.2f}")
standard_error = np.sqrt(len(kept) * score * (1 - score))
print(f"standard error of the number of wrong rows: {standard_error:.1f}")
