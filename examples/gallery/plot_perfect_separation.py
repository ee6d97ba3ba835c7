"""
Perfect separation in a logistic regression
===========================================

A study compares a drug with a placebo, and all patients who got the drug were cured.
The software prints a huge coefficient with a standard error that is larger still, or a
warning about perfect separation. What is the estimate?

It is infinite: the likelihood never stops growing as the coefficient of the drug grows.
``nk.separability`` decides whether this happens, which coefficients are infinite and
which remain finite, and it proves the answer.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import novikoff as nk

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# The study
# ---------
#
# Forty generated patients with their age. Old patients are cured less often, but all 12
# who got the drug were cured.

random = np.random.default_rng(3)
arm = np.repeat(["placebo", "drug"], [28, 12])
age = random.integers(40, 80, size=40)
recovers = random.random(40) < 1 / (1 + np.exp((age - 60) / 8))
table = pd.DataFrame({"arm": pd.Categorical(arm, ["placebo", "drug"]), "age": age})
cured = np.where(recovers | (arm == "drug"), "yes", "no")
print(pd.crosstab(table["arm"], pd.Series(cured, name="cured")))

# %%
# What a solver does
# ------------------
#
# Without a penalty, the coefficient of the drug depends on where the solver stops. With
# weaker and weaker penalties it grows without end, and the coefficient of the age
# settles.

numbers = np.column_stack([arm == "drug", (age - 60) / 10])
penalties = np.geomspace(1e-8, 10, 19)
paths = np.array(
    [
        LogisticRegression(C=1 / p, tol=1e-10, max_iter=10_000).fit(numbers, cured).coef_[0]
        for p in penalties
    ]
)

figure, axes = plt.subplots(figsize=(7, 4))
axes.semilogx(penalties, paths[:, 0], "o-", ms=4, color=ORANGE, label="drug")
axes.semilogx(penalties, paths[:, 1], "s-", ms=4, color=BLUE, label="age, in decades")
axes.axhline(0, color=GREY, lw=1)
axes.invert_xaxis()
axes.set(xlabel="weight of the penalty (weaker to the right)", ylabel="estimate")
axes.legend(frameon=False)
plt.show()

# %%
# The verdict
# -----------

found = nk.separability(table, cured, positive="yes")
print(found)
assert found.coefficients == {"armdrug": "+infinity", "age": "finite", "(Intercept)": "finite"}

# %%
# The verdict has a proof: a plane that has no patient on its wrong side, and weights of
# patients that show why the other coefficients are finite. ``verify`` checks the proof
# in exact arithmetic, without the code that found it.

print(found.verify(table, cured, exact=True))

# %%
# What to report
# --------------
#
# The infinite coefficient is the result, and not an error in the data. As it grows, the
# patients with the drug are fitted perfectly, and those with the placebo follow a
# regression of their own, whose estimate exists. ``boundary_data`` returns it. Its
# coefficient of the age is the limit of the one above.

reduced = found.boundary_data(table, cured)
decades = (reduced.X.to_numpy() - 60) / 10
limit = (
    LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(decades, reduced.y).coef_[0, 0]
)
print(f"{len(reduced.y)} patients remain, columns {reduced.X.columns.tolist()}")
print(f"age per decade: {limit:.3f}")
print(f"with the weakest penalty above: {paths[0, 1]:.3f}")
assert abs(limit - paths[0, 1]) < 1e-3

# %%
# The two curves are the probabilities of being cured in this limit. That of the drug is
# 1 at every age, which nobody should predict from 12 patients: for predictions, use a
# penalised estimate, such as Firth's.

ages = np.linspace(40, 80, 100)
model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(decades, reduced.y)
figure, axes = plt.subplots(figsize=(7, 4))
axes.plot(
    ages, model.predict_proba((ages[:, None] - 60) / 10)[:, 1], color=BLUE, label="placebo"
)
axes.plot(ages, np.ones(100), color=ORANGE, ls="--", label="drug")
for name, marker, colour, lift in (("placebo", "o", BLUE, -0.02), ("drug", "^", ORANGE, 0.02)):
    chosen = arm == name
    axes.plot(
        age[chosen], (cured[chosen] == "yes") + lift, marker, color=colour, alpha=0.7, ls="none"
    )
axes.set(xlabel="age", ylabel="probability of being cured", ylim=(-0.08, 1.08))
axes.legend(frameon=False, loc="center left")
plt.show()
