"""The pictures for plotly: the same numbers as in ``novikoff.plot``, as data and layout, with a sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.plot import BoundaryDisplay, GapDisplay, MarginDisplay, MistakesDisplay, WeightsDisplay

from ._curves import Curve
from ._html import count, details, grid, percent, text
from ._plotly import LONGEST, axis, label, layout, line, logarithmic, numbers, scatter, shares, upright


@dataclass(frozen=True)
class Figure:
    """A picture: its name, what it shows in a sentence, how it is drawn, its numbers as a table if that says more."""

    name: str
    heading: str
    sentence: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    height: str = "22rem"
    table: str = ""


def boundary(display: BoundaryDisplay) -> Figure:
    """The decision line with margin and support."""
    data: list[dict[str, Any]] = []
    size = 7 if len(display.points) < 400 else 5
    for sign, side, colour, symbol in ((-1, 0, "--negative", "square"), (1, 1, "--positive", "circle")):
        points = display.points[display.signs == sign]
        marker: dict[str, Any] = {"color": colour, "symbol": symbol, "size": size, "opacity": 0.75}
        data.append(scatter(points, label(display.names[side]), mode="markers", marker=marker))
    if display.support.any():
        marker = {"color": "--ink", "symbol": "circle-open", "size": size + 4, "line": {"width": 1}}
        marker["opacity"] = display.ring_opacity
        points = display.points[display.support]
        data.append(scatter(points, display.support_name, mode="markers", marker=marker, hoverinfo="skip"))
    lines = [(display.line, "decision line", "solid"), *((ends, "margin", "dash") for ends in display.band)]
    for ends, name, dash in lines:
        if ends is not None:
            first = not any(trace["name"] == name for trace in data)
            stroke = {"color": "--ink", "width": 2 if dash == "solid" else 1.2, "dash": dash}
            data.append(scatter(ends, name, mode="lines", line=stroke, hoverinfo="skip", showlegend=first))
            data[-1]["legendgroup"] = name
    return Figure(
        "boundary",
        "The decision line",
        _boundary_sentence(display),
        data,
        layout(*(axis(label(name, 36)) for name in display.axis_names), hovermode="closest"),
        height="26rem",
    )


def _boundary_sentence(display: BoundaryDisplay) -> str:
    negative, positive = display.names
    words = f"Each mark is a row: squares are {negative}, circles are {positive}. "
    if display.projected:
        words += "The data have more than two columns, so this is a view along the plane: the horizontal axis is the "
        words += f"distance from it, and rows to the right of the line are called {positive}. "
    if display.edge is not None:
        words += f"The dashed lines are the margin, where the score is plus or minus {display.edge:.4g}. "
    if display.support.any():
        words += f"Circled are {display.support_name}, {count(int(display.support.sum()))} of those drawn. "
    if len(display.points) < display.total:
        words += f"{count(len(display.points))} of {count(display.total)} rows are drawn."
    return words.strip()


def margins(display: MarginDisplay) -> Figure:
    """The histogram of signed margins."""
    middles, widths = (display.edges[:-1] + display.edges[1:]) / 2, np.diff(display.edges)
    look = {"type": "bar", "x": numbers(middles), "width": numbers(widths), "hovertemplate": "%{y} rows near %{x:.3g}"}
    right, wrong = display.labels
    data = [
        {**look, "y": display.right.tolist(), "name": right, "marker": {"color": "--right", "line": {"width": 0}}},
        {**look, "y": display.wrong.tolist(), "name": wrong, "marker": {"color": "--wrong", "line": {"width": 0}}},
    ]
    shapes = [upright(0.0, "solid")]
    sentence = f"{count(display.mistaken)} of {count(display.rows)} rows are on the wrong side, below 0. "
    if display.margin is not None:
        shapes.append(upright(display.margin, "dash"))
        sentence += f"{count(display.inside)} are on their right side, but within the margin, which ends at "
        sentence += f"{display.margin:.4g}, the dashed line."
    rows = [
        (f"{low:.4g} to {high:.4g}", count(good), count(bad))
        for low, high, good, bad in zip(
            display.edges[:-1], display.edges[1:], display.right.tolist(), display.wrong.tolist(), strict=True
        )
        if good or bad
    ]
    return Figure(
        "margins",
        "How far on its right side each row is",
        sentence.strip(),
        data,
        layout(axis(display.axis_name), axis("rows"), barmode="stack", bargap=0, shapes=shapes),
        table=grid("Rows by score times label", ["from, to", "right", "wrong"], rows),
    )


def mistakes(display: MistakesDisplay) -> Figure:
    """Mistakes against their bounds, over the stream."""
    total, made = int(display.examples[-1]), float(display.mistakes[-1])
    x = display.examples.tolist()
    data: list[dict[str, Any]] = [
        line([1, total], [1, total], "every prediction wrong", "--muted", "dot", width=1, hoverinfo="skip")
    ]
    for (name, most), colour, dash in zip(
        display.bounds.items(), ("--negative", "--wrong"), ("dash", "dashdot"), strict=False
    ):
        data.append(line(x, numbers(most), name, colour, dash))
    shown = display.mistakes > 0
    data.append(line(display.examples[shown].tolist(), numbers(display.mistakes[shown]), "mistakes", "--positive"))
    data[-1]["line"]["width"] = 2.5
    sentence = f"One pass over the rows in their order, each predicted before it was learned: {count(made)} mistakes "
    sentence += f"in {count(total)} examples. "
    for name, most in display.bounds.items():
        sentence += f"{name} allows {count(round(float(most[-1])))}. "
    if not display.bounds:
        sentence += "No bound is drawn: none applies to this learner, or none that it gives is below the examples."
    keep = sorted({int(place) for place in np.linspace(0, len(x) - 1, 16)})
    rows = [
        (count(x[k]), count(display.mistakes[k]), *(count(round(float(most[k]))) for most in display.bounds.values()))
        for k in keep
    ]
    return Figure(
        "mistakes",
        "Mistakes against the bound" if display.bounds else "Mistakes over the stream",
        sentence.strip(),
        data,
        layout(logarithmic(axis("examples seen")), logarithmic(axis("mistakes made"))),
        table=grid("Mistakes after so many examples", ["examples", "mistakes", *display.bounds], rows),
    )


def gap(display: GapDisplay) -> Figure:
    """Primal and dual, and the gap between them."""
    x = numbers(display.x)
    positive = display.gap > 0
    below = numbers(display.gap[positive])
    data = [
        line(x, numbers(display.primal), "objective, least so far", "--negative"),
        line(x, numbers(display.dual), "lower bound, largest so far", "--positive", fill="tonexty"),
        line(numbers(display.x[positive]), below, "relative gap", "--ink", yaxis="y2"),
        line([x[0], x[-1]], [display.tol, display.tol], f"asked for: {display.tol:g}", "--muted", "dash", yaxis="y2"),
    ]
    data[1]["fillcolor"] = "--shade"
    for trace in data[:3]:
        trace["line"]["shape"] = "hv"
    upper = {**axis("objective"), "domain": [0.46, 1.0], "range": [0.0, display.top]}
    lower = {**logarithmic(axis("relative gap")), "domain": [0.0, 0.38], "anchor": "x"}
    places = sorted({int(place) for place in np.linspace(0, len(x) - 1, 20)})
    rows = [
        (f"{x[k]:g}", f"{display.primal[k]:.8g}", f"{display.dual[k]:.8g}", f"{display.gap[k]:.3g}") for k in places
    ]
    best = layout(axis(display.axis_name), upper, yaxis2=lower)
    best["xaxis"]["anchor"] = "y2"
    return Figure(
        "gap",
        "Closing in on the optimum",
        f"The optimum lies between the two lines of the upper panel at every step. They ended {display.gap[-1]:.2g} "
        f"apart, relative to the objective; {display.tol:g} was asked for.",
        data,
        best,
        height="28rem",
        table=grid(
            "What was known as the solver went on", [display.axis_name, "objective", "lower bound", "gap"], rows
        ),
    )


def weights(display: WeightsDisplay) -> Figure:
    """The largest weights, by name."""
    data: list[dict[str, Any]] = []
    places = list(range(len(display.names)))
    for sign, side, colour in ((-1, 0, "--negative"), (1, 1, "--positive")):
        chosen = [k for k in places if np.sign(display.weights[k]) == sign]
        if chosen:
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "x": numbers(display.weights[chosen]),
                    "y": chosen,
                    "text": [label(display.names[k], 80) for k in chosen],
                    "textposition": "none",
                    "hovertemplate": "%{text}: %{x:.5g}<extra></extra>",
                    "name": f"for {label(display.sides[side])}",
                    "marker": {"color": colour},
                }
            )
    names = {
        **axis(""),
        "tickvals": places,
        "ticktext": [label(name, LONGEST) for name in display.names],
        "range": [len(places) - 0.4, -0.6],
        "showgrid": False,
    }
    sentence = f"The {len(places)} largest of {count(display.nonzero)} weights other than 0, in {count(display.total)} "
    sentence += f"columns. Positive ones speak for {display.sides[1]}, negative ones for {display.sides[0]}. They are "
    sentence += "per unit of their column, so columns of another scale cannot be compared."
    rows = [(name, f"{weight:.6g}") for name, weight in zip(display.names, display.weights.tolist(), strict=True)]
    return Figure(
        "weights",
        "The largest weights",
        sentence,
        data,
        layout(axis("weight"), names, bargap=0.25),
        height=f"{5 + 1.5 * max(3, len(places)):g}rem",
        table=grid("The largest weights", ["column", "weight"], rows),
    )


def roc(curves: list[Curve], chosen: str) -> Figure:
    """The receiver operating characteristic, of every class, one of them brought out."""
    data = [
        *_several([(c.name, c.false_positives, c.true_positives, c.area) for c in curves], chosen, "AUC"),
        line([0, 1], [0, 1], "by chance", "--muted", "dot", width=1, hoverinfo="skip"),
    ]
    return Figure(
        "roc",
        "ROC",
        f"How many of the class are found, against how many others are taken for it, as the threshold falls. The area "
        f"under the curve of {chosen} is {next(c.area for c in curves if c.name == chosen):.4f}; 1 is the best.",
        data,
        layout(shares(axis("false positives, of all others")), shares(axis("true positives, of the class"))),
        table=_areas(curves) if len(curves) > 1 else "",
    )


def precision_recall(curves: list[Curve], chosen: str) -> Figure:
    """Precision and recall, of every class, one of them brought out."""
    best = next(c for c in curves if c.name == chosen)
    data = [
        *_several([(c.name, c.recall, c.precision, c.average_precision) for c in curves], chosen, "AP"),
        line([0, 1], [best.share, best.share], "by chance", "--muted", "dot", width=1, hoverinfo="skip"),
    ]
    return Figure(
        "precision-recall",
        "Precision and recall",
        f"How many of those taken for the class are of it, against how many of it are found. The average precision of "
        f"{chosen} is {best.average_precision:.4f}; {percent(best.share)} of the rows are of this class.",
        data,
        layout(shares(axis("recall")), shares(axis("precision"))),
    )


def _several(curves: list[tuple[str, Any, Any, float]], chosen: str, measure: str) -> list[dict[str, Any]]:
    """Lines of all classes in grey, without entries in the legend, and of one in colour on top of them."""
    data = []
    for name, x, y, value in sorted(curves, key=lambda curve: curve[0] == chosen):
        is_main = name == chosen
        colour, width = ("--positive", 2.5) if is_main else ("--right", 1.0)
        words = f"{label(name)}, {measure} {value:.4f}"
        look: dict[str, Any] = {"showlegend": is_main, "hovertemplate": "%{x:.3f}, %{y:.3f}"}
        data.append(line(numbers(x), numbers(y), words, colour, width=width, **look))
    return data


def _areas(curves: list[Curve]) -> str:
    rows = [(c.name, f"{c.area:.4f}", f"{c.average_precision:.4f}", percent(c.share)) for c in curves]
    return grid("Each class against the rest", ["class", "AUC", "average precision", "share of rows"], rows)


def figure_html(figure: Figure) -> str:
    """Where a figure goes, with what it shows in words."""
    table = details("The numbers", figure.table) if figure.table else ""
    name = f"figure-{figure.name}"
    return (
        f'<figure><h3>{text(figure.heading)}</h3><div class="picture" id="{name}" role="img" '
        f'aria-labelledby="{name}-says" style="height:{figure.height}"></div>'
        f'<figcaption id="{name}-says">{text(figure.sentence)}</figcaption>{table}</figure>'
    )
