"""The figures of docs/benchmarks.md, drawn from stored results into docs/images/benchmarks."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from benchmarks.harness.session import ROOT, number_text

from .stored import ratios, result

FOLDER = ROOT / "docs" / "images" / "benchmarks"
BLUE, SKY, ORANGE, GREY = "#0072B2", "#56B4E9", "#D55E00", "#999999"  # Okabe and Ito (2008)
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "novikoff", "font.size": 9, "axes.spines.top": False}
STYLE |= {"axes.spines.right": False}
PHONE_WIDTH, PHONE_FONT = 4.6, 12  # inches and points of a figure that remains legible at the width of a phone
SVG_ID = re.compile(r' id="\w*?([0-9a-f]{10})"')
SVG_TAG, SVG_NUMBER = re.compile(r"<\w[^>]*>"), re.compile(r"-?\d+\.\d{3,}")
MIN_DISTANCE, MAX_DISTANCE = 1e-9, 1e2  # what is nearer to the optimum, or farther from it, is drawn there


def time_to_gap() -> Figure | None:
    """Distance from the optimum against time on each data set of the soft margin: the hinge, C = 1."""
    rows = result("svm").get("A", {}).get("table", [])
    cells = [row for row in rows if (row["C"], row["loss"]) == (1.0, "hinge")]
    if not cells:
        return None
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    axes = figure.subplots(2, -(-len(cells) // 2), sharey=True).ravel()
    for axis, cell in zip(axes, cells, strict=False):
        history, attempts = cell["history"], cell["attempts"]
        axis.plot(history["seconds"], _inside(history["distance"]), color=BLUE, label="LinearSVM, distance")
        axis.plot(history["seconds"], _inside(history["gap"]), "--", color=SKY, label="LinearSVM, proven gap")
        axis.plot(
            attempts["seconds"][1:], _inside(attempts["distance"][1:]), "o", ms=3, color=ORANGE, label="LinearSVC"
        )
        default = attempts["seconds"][0], _inside(attempts["distance"][:1])[0]
        axis.plot(*default, "*", ms=9, color=ORANGE, mec="k", label="LinearSVC, defaults")
        axis.set(xscale="log", yscale="log", title=cell["set"])
        axis.xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel("relative distance")
    figure.supxlabel("seconds")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def all_ratios() -> Figure | None:
    """Every stored ratio to another program, wins to the right of 1 and losses to the left."""
    found: dict[str, list[float]] = {}
    for suite, _, _, ratio in ratios():
        found.setdefault(suite, []).append(ratio)
    if not found:
        return None
    figure = Figure(figsize=(PHONE_WIDTH, 0.3 * len(found) + 1.2), layout="constrained")
    axis = figure.subplots()
    for height, values in enumerate(reversed(found.values())):
        colours = [BLUE if value >= 1 else ORANGE for value in values]
        axis.scatter(values, np.full(len(values), height), s=22, c=colours, alpha=0.6, lw=0)
    axis.axvline(1, color="0.4", lw=0.8)
    axis.set(xscale="log", ylim=(-0.7, len(found) - 0.3))
    axis.set_xlabel("time of the peer / time of novikoff\n(orange: novikoff is slower)", fontsize=PHONE_FONT)
    axis.set_yticks(range(len(found)), list(reversed(found)))
    axis.tick_params(labelsize=PHONE_FONT)
    return figure


def throughput() -> Figure | None:
    """Megabytes of text a second."""
    bars: list[tuple[str, float, str]] = []
    for name, title in (("parse", ""), ("stream", "stream, "), ("hashing", "hashing, "), ("tables", "tables, ")):
        for row in result(name).get("table", []):
            if "bytes" in row and "seconds" in row["ours"]:
                bars.append((f"{title}{row['work']}", row["bytes"] / row["ours"]["seconds"] / 1e6, BLUE))
        peers = {
            peer["name"]: row["bytes"] / peer["seconds"] / 1e6
            for row in result(name).get("table", [])
            for peer in row["peers"]
            if "bytes" in row and "seconds" in peer
        }
        bars += [(f"{title}{peer}", rate, ORANGE) for peer, rate in peers.items()]
    return _bars(bars, "MB of text a second; novikoff blue, peers orange") if bars else None


def scaling() -> Figure | None:
    """Seconds of a fit against rows, columns and classes, and the gain of threads."""
    table = result("scaling").get("table", [])
    if not table:
        return None
    figure = Figure(figsize=(10, 2.8), layout="constrained")
    axes = dict(zip(("rows", "columns", "classes", "threads"), figure.subplots(1, 4), strict=True))
    for name, axis in axes.items():
        rows = [row for row in table if row["axis"] == name and "seconds" in row["ours"]]
        values = [row["value"] for row in rows]
        if name == "threads":
            axis.plot([1, *values], [1, *(row["peers"][0].get("ratio", np.nan) for row in rows)], "o-", color=BLUE)
            axis.plot([1, *values], [1, *values], ":", color=GREY)
            axis.set(ylabel="times faster than one", xlabel=name, xticks=[1, *values])
            continue
        axis.plot(values, [row["ours"]["seconds"] for row in rows], "o-", color=BLUE, label="novikoff, gap 1e-4")
        peers = [row["peers"][0].get("seconds", np.nan) for row in rows]
        axis.plot(values, peers, "s-", color=ORANGE, label="LinearSVC")
        axis.plot(values, [row["limit"]["seconds"] for row in rows], ":", color=GREY, label="reading the values")
        axis.set(xscale="log", yscale="log", xlabel=name, ylabel="seconds")
    figure.legend(*axes["rows"].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def memory() -> Figure | None:
    """Peaks of memory beyond the data."""
    bars: list[tuple[str, float, str]] = []
    for row in result("memory").get("peaks", []):
        where = f"{row['work'].removeprefix('novikoff.')}, {row['rows']}"
        bars.append((where, row["ours_MB"], BLUE))
        bars += [(f"{peer}, {row['rows']}", size, ORANGE) for peer, size in row["peers_MB"].items()]
    return _bars(bars, "MB at the peak beyond the data; novikoff blue, peers orange", is_wide=True) if bars else None


def _bars(bars: list[tuple[str, float, str]], label: str, is_wide: bool = False) -> Figure:
    """Return bars from 0, or points over a logarithmic axis if the values differ much."""
    figure = Figure(figsize=(8, 0.24 * len(bars) + 0.8), layout="constrained")
    axis = figure.subplots()
    names, values, colours = zip(*reversed(bars), strict=True)
    if is_wide:
        axis.scatter(values, range(len(bars)), c=colours)
        axis.set_xscale("log")
        axis.grid(axis="y", color="0.9")
        axis.set_axisbelow(True)
    else:
        axis.barh(range(len(bars)), values, color=colours)
    axis.set_yticks(range(len(bars)), names)
    axis.set_xlabel(label)
    for height, value in enumerate(values):
        place = {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "fontsize": 7}
        axis.annotate(number_text(value), (value, height), **place)
    return figure


def _inside(values: Any) -> Any:
    return np.clip(values, MIN_DISTANCE, MAX_DISTANCE)


FIGURES: dict[str, Callable[[], Figure | None]] = {
    "ratios": all_ratios,
    "time_to_gap": time_to_gap,
    "throughput": throughput,
    "scaling": scaling,
    "memory": memory,
}


def image(name: str, description: str) -> str:
    """Return the reference to a figure in Markdown; empty before its numbers have been measured."""
    return f"![{description}](images/benchmarks/{name}.svg)" if FIGURES[name]() is not None else ""


def reproducible(svg: str) -> str:
    """Return the picture with coordinates of two decimals, and with numbers in the place of its hashed ids.

    The last bits of coordinates depend on the processor, and matplotlib hashes them into the ids of clip paths.
    """
    svg = SVG_TAG.sub(lambda tag: SVG_NUMBER.sub(_rounded, tag[0]), svg)
    for number, digest in enumerate(dict.fromkeys(SVG_ID.findall(svg))):
        svg = svg.replace(digest, str(number))
    return svg


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:.7g}"  # without trailing zeros, and without -0


def draw_all(folder: Path = FOLDER) -> None:
    """Draw every figure whose numbers are stored."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        for name, make in FIGURES.items():
            if (figure := make()) is not None:
                picture = StringIO()
                figure.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})
                (folder / f"{name}.svg").write_text(reproducible(picture.getvalue()), encoding="utf-8")
