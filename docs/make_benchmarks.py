"""Write docs/benchmarks.md and its figures from benchmarks/results: make docs. A test fails if the page is old."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.harness.machine import MAX_IDLE_LOAD  # noqa: E402  # after the path is set
from benchmarks.harness.ratio import MAX_WIDTH, mean_of  # noqa: E402
from benchmarks.harness.session import ratio_text  # noqa: E402
from benchmarks.harness.suite import NAMES, load  # noqa: E402
from benchmarks.page import figures, sections, svm  # noqa: E402
from benchmarks.page.stored import machine_text, ratios, result, rows_of, stored, suite_text, table  # noqa: E402

INTRODUCTION = """\
# Benchmarks

novikoff against other programs that do the same work, on the same data and the same machine. A **ratio** is the time of
the peer over that of novikoff: above 1 novikoff is faster.

{headlines}

novikoff is slower than the peer in {lost} of {all} stored comparisons, of which [All ratios](#all-ratios) has the list;
those whose peer was stopped are not counted. They are in these sections:

{losses_by_section}

These counts do not include accuracies, peaks of memory and the server, whose tables and figures show where novikoff
loses.

## How times are measured

- All programs of a comparison are warmed up by one call, and then take turns in every round. Tables have medians and,
  if they were stored, quartiles in parentheses.
- The interval of a ratio is a bootstrap interval of 95 % over the rounds. A ratio is not printed if the interval
  contains 1 ("not distinguishable") or if its upper end is more than {width:g} times its lower end ("spread too wide").
  Ratios without an interval were measured before spreads were stored. If a peer was stopped, its ratio is a lower
  bound (≥).
- Answers are compared before anything is timed. A program whose answer is worse than the best one by more than the
  tolerance of the suite is not timed ("worse answer"). In some suites a peer is timed all the same and marked as less
  exact, with the relative difference: this can only favour it. novikoff is never timed on a worse answer.
- A geometric mean says how many ratios are in it. Its interval is a bootstrap interval over these ratios; those whose
  spread is too wide are left out.
- A target of a ratio is met or missed if its whole interval is on one side of the target, and otherwise not decided.
  Where only medians were stored, they are compared.
- The **limit** is the least time that any program needs for the work on the same machine: usually that of reading the
  data from memory once. It is followed by how many times longer novikoff takes.

Results were stored on these machines. A number in parentheses is the load before the run, where it was above {idle};
runs without the name of a processor did not note it.

{machines}

[The last section](#measure-again) has the commands that measure them again.

## All ratios

{ratios}

The comparisons in which novikoff is slower:

{losses}
"""
HEADLINES = (  # suite, beginning of the work of a comparison, words for it; also in README.md
    ("online", "predict_one + learn_one, dict", "predict and learn one example, a dict"),
    ("parse", "read, two threads", "read an svmlight file with two threads"),
    ("tables", "read and encode", "read and encode a CSV file of a million rows and 40 columns"),
    ("end_to_end", "fit", "from an svmlight file to a saved model, on the command line"),
)
AGAIN = """## Measure again

`make bench` measures small versions of all suites in less than ten minutes, prints their tables, and writes them to
`build/bench`. `make bench-full` measures everything, which takes hours, and writes `benchmarks/results`, from which
`make docs` writes this page. `python -m benchmarks --list` describes the suites; `python -m benchmarks NAME` runs
one.
"""
NOT_STORED = """## Suites without a stored result

`make bench-full` measures these, too. Their numbers are published once they have been measured on an idle machine.

{table}
"""
ALL_SETS = """
## All sets of the accuracy comparison

Mean over the folds of novikoff, of the best peer, and the standard error of their difference. Losses of more than one
standard error are in bold.

{table}
"""
SIZES = {
    "mushrooms": "8,124 x 112, sparse",
    "pcmac": "1,943 x 3,289, sparse",
    "basehock": "1,993 x 4,862, sparse",
    "colon": "62 x 2,000",
    "leukemia": "72 x 7,129",
    "digits": "0 and 1 of MNIST, 12,665 x 784",
}


def headlines() -> str:
    """Return the table of the comparisons that the README states."""
    cells = result("svm")["A"]["table"]
    lost = sum(sections.is_lost(svm.against(cell)) for cell in cells)
    mean = mean_of(map(svm.against, cells))
    assert mean is not None
    of = f"median of {mean.count} ratios; LinearSVC wins {lost} of {len(cells)} problems"
    rows = [[f"soft margin, to a proven gap of 1e-6: {of}", "LinearSVC", f"{mean.median:.3g}"]]
    for name, beginning, words in HEADLINES:
        row = next(row for row in rows_of(name) if row["work"].startswith(beginning))
        rows += [[words, peer["name"], ratio_text(peer)] for peer in row["peers"]]
    return table(["work", "peer", "ratio"], rows)


def losses_by_section(lost: list[tuple[str, str, str, float]]) -> str:
    """Return the table of sections with losses, most losses first; each loss has suite, work, peer and ratio."""
    rows = []
    for name, title, _ in SECTIONS:
        found = [row for row in lost if row[0] == name]
        if found:
            _, work, peer, ratio = min(found, key=lambda row: row[3])
            anchor = title.lower().replace(",", "").replace(" ", "-")
            rows.append((len(found), [f"[{title}](#{anchor})", str(len(found)), f"{ratio:.2g} ({peer}; {work})"]))
    rows.sort(key=lambda row: -row[0])
    return table(["section", "losses", "least ratio"], [row for _, row in rows])


def introduction() -> str:
    """Return the beginning of the page: a summary, how times are measured, all ratios and losses."""
    found = list(ratios())
    lost = sorted((row for row in found if row[3] < 1), key=lambda row: row[3])
    machines: dict[str, list[str]] = {}
    for name in stored():
        content = result(name)
        content = content if "machine" in content else content["A"]
        machines.setdefault(machine_text(content), []).append(suite_text(name, content))
    return INTRODUCTION.format(
        headlines=headlines(),
        losses_by_section=losses_by_section(lost),
        width=MAX_WIDTH,
        idle=MAX_IDLE_LOAD,
        machines=table(["machine", "suites"], [[text, ", ".join(names)] for text, names in machines.items()]),
        ratios=figures.image("ratios", "All ratios by suite, losses to the left of 1"),
        lost=len(lost),
        all=len(found),
        losses=table(["work", "peer", "ratio"], [[work, peer, f"{ratio:.2g}"] for _, work, peer, ratio in lost]),
    )


def online() -> str:
    """Return the section about online learning."""
    return f"""200,000 text-like rows with 56 nonzeros in 50,000 columns.

{sections.compared("online")}"""


def parse() -> str:
    """Return the section about reading and writing."""
    return f"""\
An svmlight file of {result("parse")["table"][0]["bytes"] / 1e6:.0f} MB. For gzip the peer is the time that zlib
alone needs, so the ratio cannot exceed 1.

{sections.compared("parse")}"""


def stream() -> str:
    """Return the section about one pass over a file."""
    return f"""The same file, from text to predictions: each example is predicted, and then learned from.

{sections.compared("stream")}"""


def tables() -> str:
    """Return the section about raw tables."""
    found = result("tables")
    ours, peer = found["memory"].values()
    return f"""\
One million rows of 20 numbers, some of them missing, and 20 categories, as CSV: imputed by the mean with an
indicator, standardised, and one column per category.

{sections.compared("tables")}

Beyond the encoded rows, novikoff needed {ours["beyond_MB"]:.0f} MB of memory and the peer {peer["beyond_MB"]:.0f}
MB. The command `novikoff fit --holdout 0` took {found["adult_like_command_s"]:.1f} s from a CSV file of 32,000 rows
with 6 numbers and 8 categories to a saved model with its certificate, the start of Python included."""


def hashing() -> str:
    """Return the section about hashing of text."""
    return f"""The 25,000 training texts of IMDB.

{sections.compared("hashing")}"""


def end_to_end() -> str:
    """Return the section about commands."""
    parts = result("end_to_end")["fit_parts_s"]
    return f"""\
Each program is a process of its own that reads the file of text and fits a linear support vector machine with C =
1, or learns from it in one pass. `novikoff fit` solves to a proven gap of 1e-4, LIBLINEAR to its default tolerance.
The time of Vowpal Wabbit does not include its start.

{sections.compared("end_to_end")}

Of the seconds of `novikoff fit`, {parts["read"]:.2f} are reading and {parts["fit"]:.2f} solving; most of the others
are the start of Python and of its packages."""


def hard_margin() -> str:
    """Return the section about the hard margin."""
    peers = [peer for row in rows_of("margin") for peer in row["peers"]]
    svc, clarabel = (mean_of(peer for peer in peers if peer["name"] == name) for name in ("SVC", "Clarabel"))
    return f"""\
Against scikit-learn's `SVC(kernel="linear", C=1e10)` and the quadratic program solved by Clarabel. Every margin is
compared with the proven upper bound. SVC stops at a smaller margin than the others, and is timed nevertheless.

{sections.hard_margin(SIZES)}

The geometric means are {svc} for SVC and {clarabel} for Clarabel.
With as few rows as colon has, most of the time goes into input checks and the certificate."""


def separability() -> str:
    """Return the section about separability."""
    many = {row["kind"]: row for row in result("separability")["millions"]}
    return f"""\
Against the linear programs of R's detectseparation, solved by HiGHS. The verdicts of novikoff are proven in integers.
Where the classes overlap, the first of the two programs alone would do. Where the separation is quasi-complete,
novikoff also finds which coefficients of a logistic regression are infinite, which the programs do not say.

{sections.separability()}

On five million rows of 20 columns the verdict took {many["complete"]["seconds"]:.0f} s for separable data and
{many["overlap"]["seconds"]:.0f} s for overlapping data, with {max(row["MiB"] for row in many.values()):.0f} MiB
beyond the data."""


def serve() -> str:
    """Return the section about the server."""
    return f"""\
`novikoff serve` over loopback, durable, about 57 features per row, against services of Vowpal Wabbit's Python binding
with Starlette and of River with FastAPI. All run on uvicorn; the peers keep what they learn in memory. The server
shares two cores with its client. The rate of `novikoff stream`, which uses both cores, leaves out its start; the
server does more for each example: it looks up names, receives and answers over a socket, and stores it. Limits are
compared as ratios, too.

{sections.server()}

The log of the server, against two other ways to make groups of examples durable, and against the disk alone:

{sections.server_log()}"""


def memory() -> str:
    """Return the section about memory."""
    return f"""Peaks beyond the data, each in a new process. They do not depend on what else the machine does.

{figures.image("memory", "Peaks of memory")}

{sections.memory()}"""


SECTIONS: tuple[tuple[str, str, Callable[[], str]], ...] = (  # suite, title, text
    ("svm", "The soft margin", sections.soft_margin),
    ("scaling", "Scaling with rows, columns, classes and threads", lambda: sections.compared("scaling")),
    ("memory", "Memory", memory),
    ("online", "Online learning", online),
    ("unsorted", "Rows whose indices are not sorted", lambda: sections.compared("unsorted")),
    ("many_classes", "Online learning of many classes", lambda: sections.compared("many_classes")),
    ("parse", "Reading and writing", parse),
    ("stream", "One pass over a file", stream),
    ("tables", "Raw tables", tables),
    ("hashing", "Hashing of text", hashing),
    ("end_to_end", "From the command to the saved model", end_to_end),
    ("margin", "The hard margin", hard_margin),
    ("separability", "Separability", separability),
    ("few_rows", "Fewer rows than columns", lambda: sections.compared("few_rows")),
    ("embeddings", "Embeddings and digits", lambda: sections.compared("embeddings")),
    ("crammer_singer", "The joint machine of several classes", lambda: sections.compared("crammer_singer")),
    ("path", "The path of C", lambda: sections.compared("path")),
    ("wide", "Wide rows", lambda: sections.compared("wide")),
    ("service", "Calls of a service", lambda: sections.compared("service")),
    ("serve", "The server", serve),
    ("distributed", "Partitions of several machines", sections.distributed),
    ("accuracy", "Accuracy of the defaults", sections.accuracy_section),
    ("stream_accuracy", "Accuracy of predictions before learning", sections.stream_accuracy),
    ("class_streams", "Streams of several classes", sections.class_streams),
    ("probabilities", "Probabilities", lambda: sections.plain("probabilities", "losses")),
)
FIGURES = {
    "svm": ("time_to_gap", "Distance from the optimum against time: hinge, C = 1, from 1e-9 to 100"),
    "parse": ("throughput", "Megabytes a second"),
    "scaling": ("scaling", "Seconds against rows, columns and classes, and the gain of threads"),
}


def section(name: str, title: str, text: Callable[[], str]) -> str:
    """Return a section with its figure; empty before its suite has been measured."""
    if not result(name):
        return ""
    picture = figures.image(*FIGURES[name]) if name in FIGURES else ""
    source = f"Measured by `benchmarks/{name}.py`. Limit: {load(name).limit}."
    parts = [f"## {title}", text(), result(name).get("note", ""), picture, source]
    return "\n\n".join(part for part in parts if part)


def not_stored() -> str:
    """Return the table of suites without a stored result."""
    suites = [load(name) for name in NAMES if not result(name)]
    rows = [[suite.name, suite.measures, ", ".join(suite.contestants)] for suite in suites]
    return NOT_STORED.format(table=table(["suite", "measures", "against"], rows)) if suites else ""


def page() -> str:
    """Return the whole page."""
    parts = [introduction(), *(section(*one) for one in SECTIONS), not_stored()]
    parts += [ALL_SETS.format(table=sections.accuracy_table()), AGAIN]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


if __name__ == "__main__":
    figures.draw_all()
    Path(__file__).with_name("benchmarks.md").write_text(page(), encoding="utf-8")
