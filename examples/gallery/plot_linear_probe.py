"""
A linear probe on embeddings
============================

Which of several encoders gives the better embeddings? The usual test is a linear probe:
freeze the encoder, fit a linear classifier to its outputs, and compare the accuracies.
If the classifier has not converged for one of the encoders, the comparison is about the
solver. So each probe here comes with a bound on how far it is from its optimum.

The encoders of this example are small and have no training, so that nothing has to be
downloaded: the pixels themselves, a random projection, and random convolutions. The
images are scikit-learn's handwritten digits, 8 by 8 pixels.
"""

import matplotlib.pyplot as plt
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import novikoff as nk

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# Three frozen encoders
# ---------------------

random = np.random.default_rng(0)
projection = random.normal(size=(64, 12))
filters = random.normal(size=(9, 64))
filters -= filters.mean(axis=0)  # a constant image gives 0


def convolutions(images):
    """Apply 64 filters of 3 by 3 pixels and the ramp, then pool blocks of 2 by 2."""
    squares = images.reshape(-1, 8, 8)
    windows = sliding_window_view(squares, (3, 3), axis=(1, 2))
    responses = np.maximum(windows.reshape(-1, 6, 6, 9) @ filters, 0)
    pooled = responses.reshape(-1, 3, 2, 3, 2, 64).max(axis=(2, 4))
    return pooled.reshape(len(images), -1)


encoders = {
    "pixels": lambda images: images,
    "random projection": lambda images: images @ projection,
    "random convolutions": convolutions,
}

# %%
# The probes
# ----------
#
# The outputs of each encoder are centred and divided by their mean length, so that the
# same C means the same for all. ``LinearSVM`` needs no learning rate. With ten classes
# it solves one problem for each pair of digits, and stops when the relative duality gap
# of each is at most ``tol``.


def embed(encode, rows):
    """Return the embedding of images, centred and scaled by the training images."""
    reference = encode(train)
    centre = reference.mean(axis=0)
    return (encode(rows) - centre) / np.linalg.norm(reference - centre, axis=1).mean()


images, digits = load_digits(return_X_y=True)
train, test, labels, test_labels = train_test_split(
    images, digits, test_size=800, stratify=digits, random_state=0
)
sizes = [50, 100, 200, 500, len(train)]
hits, gaps = {}, []
for name, encode in encoders.items():
    rows, test_rows = embed(encode, train), embed(encode, test)
    probes = [nk.LinearSVM(C=10.0, tol=1e-3).fit(rows[:size], labels[:size]) for size in sizes]
    hits[name] = [probe.predict(test_rows) == test_labels for probe in probes]
    gaps += [certificate.relative_gap for probe in probes for certificate in probe.certificate_]
    print(f"{name:20} {rows.shape[1]:4} columns, accuracy {hits[name][-1].mean():.1%}")
print(f"largest relative gap of all probes and pairs: {max(gaps):.1e}")
assert max(gaps) <= 1e-3

# %%
# No probe is farther than a thousandth from its optimum, so the differences are those
# of the embeddings.

figure, axes = plt.subplots(figsize=(7, 4.2))
for (name, found), style, colour in zip(
    hits.items(), ("o-", "s--", "^-"), (GREY, ORANGE, BLUE), strict=True
):
    axes.semilogx(
        sizes, [100 * right.mean() for right in found], style, color=colour, label=name
    )
axes.set_xticks(sizes, sizes)
axes.minorticks_off()
axes.set(xlabel="images with a label", ylabel="accuracy on 800 other images, %")
axes.legend(frameon=False)
plt.show()

# %%
# The projection to 12 columns loses much. The convolutions are slightly ahead of the
# pixels. The images on which these two probes disagree are so few, however, that this
# could well be chance:

pixels, convolved = hits["pixels"][-1], hits["random convolutions"][-1]
print(f"images on which only the convolutions are right: {(convolved & ~pixels).sum()}")
print(f"images on which only the pixels are right: {(pixels & ~convolved).sum()}")

# %%
# One pair of digits
# ------------------
#
# The digits 3 and 8 look alike. The picture shows the test images by their distance
# from the plane of a probe, for the projection and for the convolutions. Images on the
# wrong side of the boundary are mistakes.

figure, panels = plt.subplots(1, 2, figsize=(8, 4.4))
chosen, chosen_test = np.isin(labels, [3, 8]), np.isin(test_labels, [3, 8])
for panel, name in zip(panels, ("random projection", "random convolutions"), strict=True):
    rows = embed(encoders[name], train[chosen])
    test_rows = embed(encoders[name], test[chosen_test])
    probe = nk.LinearSVM(C=10.0, tol=1e-3).fit(rows, labels[chosen])
    nk.plot.BoundaryDisplay.from_estimator(probe, test_rows, test_labels[chosen_test], ax=panel)
    wrong = int((probe.predict(test_rows) != test_labels[chosen_test]).sum())
    panel.set_title(f"{name}: {wrong} of {chosen_test.sum()} wrong")
plt.show()
