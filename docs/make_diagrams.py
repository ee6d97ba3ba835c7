"""Write the diagrams of the manual, docs/images/choosing.svg and docs/images/architecture.svg.

Run it with ``.venv/bin/python docs/make_diagrams.py``. It needs the standard library only. The pictures
bring their own background, so that they can be read on light and dark pages.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
WIDTH = 800
LINE = 17  # distance between two lines of text

STYLE = """
  text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1b2530 }
  .head { font-weight: 600; font-size: 15px }
  .code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 12.5px }
  .small { font-size: 12.5px; fill: #4a5866 }
  .page { fill: #ffffff; stroke: #c9d2dc }
  .asked { fill: #eef2f7; stroke: #8796a5 }
  .answer { fill: #e3f2ea; stroke: #2e7d5b }
  .core { fill: #fdf0dc; stroke: #a86f12 }
  .line { stroke: #5c6b7a; stroke-width: 1.5; fill: none; marker-end: url(#arrow) }
  .tip { fill: #5c6b7a }
  .step { fill: #1f5fa8 }
  .number { fill: #ffffff; font-weight: 600; font-size: 12.5px }
  @media (prefers-color-scheme: dark) {
    text { fill: #f2f5f8 }
    .small { fill: #d3dbe3 }
    .page { fill: #212a34; stroke: #4a5866 }
    .asked { fill: #344252; stroke: #8b9bab }
    .answer { fill: #1d4f3b; stroke: #62c297 }
    .core { fill: #553f15; stroke: #dba74a }
    .line { stroke: #9fb0c0 }
    .tip { fill: #9fb0c0 }
    .step { fill: #8ec1ff }
    .number { fill: #12181f }
  }
"""

STREAM = (
    (("Are probabilities", "needed?"), ("PassiveAggressiveI(", "probability=True,", 'scale="centred")')),
    (("Three classes", "or more?"), ("Tracker([...,", "MulticlassAROW(...)])")),
)
DATA_SET = (
    (("Is it divided among", "several machines?"), ("distributed.fit(", "estimator, X, y)")),
    (("Does the estimate", "of a logit exist?"), ("separability(X, y)",)),
    (("No errors allowed,", "largest margin?"), ("HardMarginSVM()",)),
    (("Shall C be chosen", "by the data?"), ("LinearSVMCV()",)),
)
LAYERS = (
    ("cli", "one module per subcommand", (), "asked"),
    ("serve · distributed", "the server; fits on partitions", (), "asked"),
    ("_report · _client · _play · compat · testing", "report, client, playground, adapters", (), "asked"),
    ("_verify · evaluate · export · plot · _trace", "checks, scores, other formats, figures", (7,), "asked"),
    ("online · svm", "the estimators, one per module", (3,), "answer"),
    ("solvers · _separability · persistence", "methods behind estimators; model files", (4, 6), "asked"),
    ("record", "the frozen record of a fitted learner", (5,), "answer"),
    ("data · theory", "files as rows; statements and their checks", (1, 5), "asked"),
    ("errors, registries, small helpers", "modules with a leading underscore", (), "asked"),
    ("novikoff._core", "C++ kernels: parsers, rows, rules, passes", (2, 4), "core"),
)


def label(x: float, y: float, lines: tuple[str, ...], style: str = "") -> str:
    """Return lines of text, centred at x with their middle at y."""
    first = y - (len(lines) - 1) * LINE / 2 + 5
    return "".join(
        f'<text class="{style}" x="{x:g}" y="{first + place * LINE:g}" text-anchor="middle">{escape(line)}</text>\n'
        for place, line in enumerate(lines)
    )


def box(x: float, y: float, width: float, height: float, style: str) -> str:
    """Return a rectangle with rounded corners."""
    return f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="7"/>\n'


def arrow(points: str) -> str:
    """Return a line with a tip at its end."""
    return f'<path class="line" d="M{points}"/>\n'


def picture(height: float, title: str, description: str, content: str) -> str:
    """Return an SVG file with a title and a description for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-labelledby="title description">\n<title id="title">{escape(title)}</title>\n'
        f'<desc id="description">{escape(description)}</desc>\n<style>{STYLE}</style>\n<defs><marker id="arrow" '
        'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path class="tip" d="M0 0 L10 5 L0 10 z"/></marker></defs>\n'
        f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}"/>\n{content}</svg>\n'
    )


def ladder(x: float, y: float, decisions: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...], last: str) -> str:
    """Return decisions below each other: yes leads to the answer on the right, no to the next decision."""
    content = ""
    for asked, answer in decisions:
        content += box(x, y, 158, 52, "asked") + label(x + 79, y + 26, asked)
        content += arrow(f"{x + 158:g} {y + 26:g} h34") + label(x + 173, y + 14, ("yes",), "small")
        content += box(x + 194, y - 4, 172, 60, "answer") + label(x + 280, y + 26, answer, "code")
        content += arrow(f"{x + 79:g} {y + 52:g} v28") + label(x + 97, y + 66, ("no",), "small")
        y += 80
    return content + box(x, y, 158, 46, "answer") + label(x + 79, y + 23, (last,), "code")


def choosing() -> str:
    """Return the chart of docs/choosing.md."""
    content = box(275, 18, 250, 40, "asked") + label(400, 38, ("What are the examples?",), "head")
    content += arrow("340 58 C340 80 195 76 195 96") + arrow("460 58 C460 80 605 76 605 96")
    content += label(195, 113, ("A stream, or more than fits in memory",), "head")
    content += label(605, 113, ("A data set",), "head")
    content += ladder(16, 136, STREAM, "Tracker()") + ladder(418, 136, DATA_SET, "LinearSVM()")
    return picture(
        520,
        "Which learner to choose",
        "Two chains of decisions, one for streams and one for data sets. The page has the same as a list.",
        content,
    )


def architecture() -> str:
    """Return the layers of docs/architecture.md, with the path of an example."""
    content, y = label(352, 28, ("Imports point down",), "head") + label(736, 28, ("an example",), "small"), 48.0
    for name, words, steps, style in LAYERS:
        content += box(24, y, 656, 44, style)
        content += f'<text class="code" x="40" y="{y + 27:g}">{escape(name)}</text>\n'
        content += f'<text class="small" x="388" y="{y + 27:g}">{escape(words)}</text>\n'
        for place, step in enumerate(steps):
            centre = 716 + 40 * place
            content += f'<circle class="step" cx="{centre}" cy="{y + 22:g}" r="13"/>\n'
            content += label(centre, y + 22, (str(step),), "number")
        y += 52
    return picture(
        y + 8,
        "The layers of novikoff",
        "Ten layers, from the command line to the C++ kernels, with the numbers of the steps that an example passes.",
        content,
    )


def main() -> None:
    """Write both files."""
    for name, content in (("choosing", choosing()), ("architecture", architecture())):
        (IMAGES / f"{name}.svg").write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
