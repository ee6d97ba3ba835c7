"""Learn a real stream with a perceptron, and watch its mistakes stay below Novikoff's bound.

The stream is scikit-learn's handwritten digits, 1,797 images of 8 x 8 grey values, in the order in which they were
collected; the question is whether the digit is a 0.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_digits

import novikoff as nk

PICTURE = Path("out") / "mistakes.png"


def watch(model: nk.Perceptron, images: np.ndarray, labels: np.ndarray) -> list[int]:
    """Predict each image, then learn from it; print how it goes and return the numbers of the mistaken ones."""
    print("average    since   example  current  current")
    print("   loss     last   counter    label  predict")
    progress = nk.evaluate.progressive(model, zip(images, labels.tolist(), strict=True))
    for record in progress:
        prediction = "-" if record.prediction is None else record.prediction
        print(f"{record.loss:7.4f}  {record.loss_since:7.4f}  {record.examples:8d}  {record.label:>7}  {prediction:>7}")
    return list(progress.mistakes)


def draw(mistakes: list[int], examples: int, bound: float, path: Path) -> None:
    """Mistakes against the bound, both on logarithmic axes."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    axes.step([*mistakes, examples], [*range(1, len(mistakes) + 1), len(mistakes)], where="post", color="#1f6f8b", lw=2)
    axes.axhline(bound, color="#c0392b", ls="--")
    axes.text(
        1.1, bound * 0.9, f"Novikoff's bound: {bound:.0f} mistakes, in any order, for ever", color="#c0392b", va="top"
    )
    axes.text(
        examples, len(mistakes) * 1.15, f"{len(mistakes)} mistakes made", color="#1f6f8b", va="bottom", ha="right"
    )
    axes.plot([1, examples], [1, examples], color="0.75", lw=1)
    axes.text(examples**0.72, examples**0.77, "every prediction wrong", color="0.45", ha="right")
    axes.set(xscale="log", yscale="log", xlim=(1, examples), ylim=(0.9, bound * 2))
    axes.set(
        xlabel="examples seen", ylabel="mistakes made", title="A perceptron learns to tell a 0 from the other digits"
    )
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    labels = np.where(digits == 0, "zero", "other")

    print(f"A stream of {len(images)} handwritten digits: is it a 0?\n")
    model = nk.Perceptron()
    mistakes = watch(model, images, labels)
    stream = model.certificate_

    print("\nHow far apart are the two classes? A margin perceptron cycles over the data until it knows within 10 %.")
    separator = nk.MarginPerceptron(epsilon=0.1).fit(images, labels)
    margin = separator.certificate_
    verdict = margin.verify(images, labels)
    bound = stream.bound(margin.margin_lower_bound)

    print(f"""
mistakes made      {stream.mistakes:8.0f}   of {stream.examples:.0f} predictions, each made before its label was seen
mistakes possible  {bound:8.0f}   = (R / margin)^2, with R = {stream.radius:.1f}: Novikoff's bound, for any order
margin, at least   {margin.margin_lower_bound:8.3f}   the separator found has it
margin, at most    {margin.margin_upper_bound:8.3f}   no separator has more: its {margin.updates} updates prove it
margin, at most    {stream.margin_upper_bound:8.3f}   what the stream alone had proved, without being stored

The certificate, checked by code that shares nothing with the learner: {verdict}""")
    draw(mistakes, len(images), bound, PICTURE)
    print(f"\nMistakes against the bound, drawn: {PICTURE}")


if __name__ == "__main__":
    main()
