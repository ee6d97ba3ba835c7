"""
A placeholder
=============

The boundary of a perceptron.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

X = np.array([[1.0, 2.0], [2.0, 1.5], [-1.0, -1.0], [-2.0, 0.5]])
y = np.array([1, 1, -1, -1])
model = nk.Perceptron().fit(X, y)
print(model.certificate_)

# %%
# The boundary:
nk.plot.BoundaryDisplay.from_estimator(model, X, y)
plt.show()
