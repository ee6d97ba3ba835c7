"""Distance from the optimum against time: one figure per data set, from the results of part A."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("agg")
import matplotlib.pyplot as plt

COSTS = (1.0, 100.0)
LOSSES = ("hinge", "squared_hinge")
FLOOR, CEILING = 1e-9, 1e2  # what is nearer lies on the edge, and so do single points that are farther
BLUE, SKY, ORANGE, GREEN = "#0072B2", "#56B4E9", "#D55E00", "#009E73"  # Okabe and Ito (2008)


def draw(name: str, table: list[dict[str, Any]], points: list[dict[str, Any]], path: Path) -> None:
    """Panels of both losses and two costs; ``points`` are SVC's."""
    figure, axes = plt.subplots(2, 2, figsize=(8, 6), sharex=True, sharey=True, layout="constrained")
    for axis, (loss, C) in zip(axes.flat, [(loss, C) for loss in LOSSES for C in COSTS], strict=True):
        for row in table:
            if (row["loss"], row["C"]) == (loss, C):
                _panel(axis, row)
        for point in points:
            if loss == "hinge" and point["C"] == C:
                label = "SVC, linear kernel (its own problem: free intercept)"
                axis.plot(point["seconds"], _inside(point["distance"]), "D", color=GREEN, ms=7, label=label)
        axis.set(
            xscale="log", yscale="log", ylim=(FLOOR / 3, CEILING * 3), title=f"{loss.replace('_', ' ')}, C = {C:g}"
        )
        axis.axhline(1e-6, color="0.6", lw=0.8, ls=":")
        axis.grid(color="0.92", lw=0.6)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_axisbelow(True)
    for axis in axes[1]:
        axis.set_xlabel("seconds")
    figure.suptitle(f"{name}: time to the optimum", fontweight="bold")
    figure.supylabel("relative distance from the optimum", fontsize="medium")
    labels: dict[str, Any] = {}
    for axis in axes.flat:
        labels |= {label: line for line, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    image = BytesIO()
    figure.savefig(image, dpi=110)
    plt.close(figure)
    Image.open(image).convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(path, "png", optimize=True)


def _panel(axis: Any, row: dict[str, Any]) -> None:
    history, attempts = row["history"], row["attempts"]
    known = (row["best_primal"] - row["dual_bound"]) / row["best_primal"]
    if known > FLOOR:
        axis.axhspan(FLOOR / 10, known, color="0.93", lw=0, label="less than is known of the optimum")
    axis.plot(history["seconds"], _above(history["distance"]), "-", color=BLUE, lw=2, label="LinearSVM, distance")
    axis.plot(history["seconds"], _above(history["gap"]), "--", color=SKY, lw=2, label="LinearSVM, proven gap")
    default, *grown = zip(attempts["seconds"], attempts["distance"], strict=True)
    if grown:
        seconds, distances = np.array(sorted(grown)).T
        axis.plot(seconds, _above(np.minimum.accumulate(distances)), "-", color=ORANGE, lw=0.8)
        axis.plot(seconds, _above(distances), "o", color=ORANGE, ms=4.5, label="LinearSVC, max_iter = 1, 4, 16, ...")
    axis.plot(default[0], _inside(default[1]), "*", color=ORANGE, mec="k", ms=12, label="LinearSVC, defaults")


def _above(values: Any) -> Any:
    return np.maximum(values, FLOOR)


def _inside(values: Any) -> Any:
    return np.clip(values, FLOOR, CEILING)
