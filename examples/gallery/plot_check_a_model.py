"""
Checking someone else's model
=============================

A supplier sends a model file and says that the solver has converged. The predictions
look plausible. Has it converged, was it trained on the data that it is said to be
trained on, and has anybody edited it since?

A model file of novikoff has a certificate: the objective that was reached, and a lower
bound on the objective of every other model, with the numbers that prove it. Anyone who
has the data can check the proof. This example checks an honest file, a file that was
edited to look better, and an honest file with the wrong data.
"""

import struct
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import novikoff as nk
import novikoff_check

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)
folder = tempfile.TemporaryDirectory()

# %%
# The files
# ---------
#
# The data are 569 tumours, which both sides have as a CSV file. One model was solved to
# a relative gap of 1e-4, the other one was stopped at a gap of 0.3, which is quicker.

X, y = load_breast_cancer(return_X_y=True)
X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 0, "malignant", "benign")
names = ("data.csv", "careful.nvk", "hasty.nvk", "forged.nvk")
table, careful, hasty, forged = (Path(folder.name) / name for name in names)
nk.write((X, y), table)

solved = nk.LinearSVM(C=1.0, loss="hinge", tol=1e-4).fit(X, y)
stopped = nk.LinearSVM(C=1.0, loss="hinge", tol=0.3).fit(X, y)
nk.save(solved, careful)
nk.save(stopped, hasty)
for model in (solved, stopped):
    print(model.certificate_)

# %%
# The forgery
# -----------
#
# The second model file states its gap honestly. So the supplier edits it: the file now
# says that the lower bound is almost as large as the objective. Nothing else is
# changed.


def forge(source, target, old, new):
    """Write a copy of a model file in which one number of its header is replaced."""
    content = source.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = content[8 : 8 + length].replace(repr(old).encode(), repr(new).encode()).rstrip()
    header += b" " * (-len(header) % 8)
    target.write_bytes(struct.pack("<Q", len(header)) + header + content[8 + length :])


claim = stopped.certificate_
forge(hasty, forged, claim.dual, claim.primal * 0.99995)
received = nk.load(forged)
print(received.certificate_)

# %%
# The file opens, and its statement looks like that of a solved model. A signature or a
# checksum would not help, as the supplier could sign any number. What helps is to
# compute the numbers again from the data.
#
# The check
# ---------
#
# ``nk.verify`` computes both sides again, in NumPy and without the solver. It refuses
# the forged file, and says why.

found = nk.verify(received, X, y)
print(found)
assert not found
assert nk.verify(nk.load(careful), X, y)
assert nk.verify(nk.load(hasty), X, y)

# %%
# If you do not want to trust this package, use ``novikoff-check``, one file of
# plain Python that shares no code with it and decides in exact fractions. On the
# command line: ``novikoff-check forged.nvk data.csv``.

status = novikoff_check.main([str(forged), str(table)])
assert status == 1  # the exit status of the command

# %%
# The picture shows what each file states, and what its own numbers prove. Each bar
# contains the minimum; that of the careful file is so short that only its marks can be
# seen. The lower bound of the forged file is above the minimum.

rows = [
    ("careful.nvk", solved, solved),
    ("hasty.nvk", stopped, stopped),
    ("forged.nvk", received, stopped),
]
figure, axes = plt.subplots(figsize=(7, 2.8))
for height, (_, stated, honest) in enumerate(reversed(rows)):
    proven, stated = honest.certificate_, stated.certificate_
    axes.barh(height, proven.primal - proven.dual, 0.2, proven.dual, color=BLUE, alpha=0.5)
    marker, colour = ("|", BLUE) if stated.dual <= proven.dual else ("x", ORANGE)
    axes.plot(stated.dual, height, marker, color=colour, ms=14, mew=2)
    axes.plot(stated.primal, height, "|", color=BLUE, ms=14, mew=2)
axes.axvline(solved.certificate_.primal, color=GREY, ls="--", lw=1)
minimum = solved.certificate_.primal
axes.annotate("minimum ", (minimum, 2.45), color=GREY, ha="right")
axes.annotate("false lower bound ", (minimum, 0.25), color=ORANGE, ha="right")
axes.set_yticks(range(3), [name for name, *_ in reversed(rows)])
axes.set(xlabel="objective and lower bound: stated (marks), proven (bars)", xlim=(19.5, 28.5))
axes.set_ylim(-0.6, 2.8)
plt.show()

# %%
# Other data
# ----------
#
# Was the model fitted to the data that the supplier names? If two labels of the 569 are
# exchanged, the objective of the weights changes, and an honest certificate no longer
# holds.

exchanged = y.copy()
exchanged[[0, 19]] = exchanged[[19, 0]]
print(y[[0, 19]], "->", exchanged[[0, 19]])
found = nk.verify(solved, X, exchanged)
print(found)
assert not found
folder.cleanup()
