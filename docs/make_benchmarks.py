"""Write docs/benchmarks.md from benchmarks/results: make docs. A test fails if the page is out of date."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import accuracy_tables  # noqa: E402  # a script beside this one
import stream_tables  # noqa: E402  # a script beside this one
import svm_tables  # noqa: E402  # a script beside this one

PAGE = """# Benchmarks

Every number on this page is read from `benchmarks/results/`; `make docs` writes the page. `make bench` measures all
of it again and takes hours, most of them for `svm.py`. Each script times all programs alternately in one run, so
that they share whatever else the machine does, and reports medians. The machine was a virtual one with two x86-64
cores, used by others, too. A ratio above 1 means that novikoff is faster.

## Accuracy of the defaults

`make_pipeline(TableEncoder(), LinearSVM())` without any parameter, against LinearSVC, LogisticRegression and
RidgeClassifier with their defaults after StandardScaler and OneHotEncoder, on {accuracy_sets} public data sets: KEEL's
collection with its own folds, the sets that scikit-learn bundles, and sparse files and raw tables, in five stratified
folds of at most 2,000 rows (`benchmarks/accuracy.py`). Means over the sets, accuracy / balanced accuracy:

{accuracy_means}

On each set the best of the three peers is compared with novikoff. The difference of the means over the folds is at most
one standard error of this difference, or in favour of novikoff, on {accuracy_within:.1%} of the sets for accuracy and
on {balanced_within:.1%} for balanced accuracy. With the standard error of the best peer's own mean instead, which is 0
where its folds agree, it is {accuracy_within_best:.1%} and {balanced_within_best:.1%}; by the same count no single peer
is within it of the best of the three more often than {peer_within_best:.1%}. On {below} sets novikoff is less accurate
than the most frequent label ({below_names}); `novikoff fit` says so.

All sets are in the [last table](#all-sets-of-the-accuracy-comparison) of this page.

## Online learning

200,000 text-like rows with 56 nonzeros in 50,000 columns (`benchmarks/online.py`).

{online}

The ratios vary with the load of the machine: over several runs one epoch was 1.3 to 1.6 times faster, five epochs
between equally fast and 1.4 times faster, dicts 6.8 to 7.4 times and sparse rows 93 to 116 times. Five epochs cost
1.6 ns per nonzero; reading the memory alone would cost 1.3 ns.

{rows_as_they_come}{many_classes}## Reading and writing

An svmlight file of 272 MB with 11.2 million nonzeros (`benchmarks/parse.py`). For gzip the peer is the time that
zlib alone needs, so the ratio cannot exceed 1. Peak memory is 1.07 times the arrays that are returned.

{parse}

Two threads gain nothing while another program uses the second core: in such runs reading was 17 to 19 times faster
than scikit-learn, and 6 to 7 times faster than LIBLINEAR.

## One pass over a file: predict, then learn

The same file, from text to predictions (`benchmarks/stream.py`).

{stream}

{stream_accuracy}{class_streams}{serve}## Raw tables

One million rows of 20 numbers, some of them missing, and 20 categories, as CSV: imputed by the mean with an indicator,
standardised, and one column per category (`benchmarks/tables.py`, measured on two ARM cores).

{tables}

Beyond the encoded rows, novikoff needed {ours_beyond:.0f} MB of memory and the peer {peer_beyond:.0f} MB. The command
`novikoff fit --holdout 0` took {adult:.1f} s from a CSV file of 32,000 rows with 6 numbers and 8 categories to a saved
model with its certificate, the start of Python included.

## Hashing of text

The 25,000 training texts of IMDB (`benchmarks/hashing.py`).

{hashing}

## From the command to the saved model

Each program is a process of its own that reads the 272 MB file and fits a linear support vector machine with C = 1
(`benchmarks/end_to_end.py`). novikoff solves it to a proven gap of 1e-4, LIBLINEAR to its default tolerance. The
time of Vowpal Wabbit does not include its start.

{end_to_end}

`--holdout 0` leaves out the second fit, which measures the accuracy on held-out rows. {start:.1f} s of `novikoff fit`
are the start of Python and scikit-learn, {read:.2f} s reading and {fit:.2f} s solving. Over
several runs the ratio to LIBLINEAR was 2.6 to 2.9. The same with ten times as many rows:

{end_to_end_x10}

## The soft margin

Ten real data sets, with the penalised intercept of scikit-learn's LinearSVC. Each cell has the seconds to a proven
gap of 1e-6, and how many times longer LinearSVC takes to an objective within 1e-6 of the optimum. LinearSVC was
stopped after 20 s, which ≥ marks (`benchmarks/svm.py --cap 20`).

{svm}

The geometric mean is {mean:.1f}, and {capped} of the {cells} cells are lower bounds. Ratios below 1 occur on small
or very sparse data, where LinearSVC takes a few hundredths of a second and the proof costs as much: novikoff loses
{lost} cells, the worst on {worst} with {worst_ratio:.2g}. With its default settings LinearSVC warns on {warned} of
the cells that it did not converge. Compared with those defaults, which prove nothing, a proven gap of 1e-4 took up
to {slowest:.2g} times as long ({slowest_name}). The last four data sets were measured while the machine was in use.

{embeddings}{few_rows}## The hard margin

Against scikit-learn's `SVC(kernel="linear", C=1e10)` and the quadratic program solved by Clarabel
(`benchmarks/margin.py`). The margin of novikoff is proven to be within 1e-6 of the best; that of SVC is 4e-4 to
6e-4 smaller than the best.

{margin}

The geometric means are {svc:.1f} and {clarabel:.0f}. With as few rows as colon has, most of the time goes into
input checks and the certificate.

## Separability

Against the linear programs of R's detectseparation, solved by HiGHS (`benchmarks/separability.py`).

{separability}

On five million rows of 20 columns the verdict took {complete:.0f} s for separable data and {overlap:.0f} s for
overlapping data, with {memory:.0f} MiB beyond the data.

## All sets of the accuracy comparison

Mean over the folds of novikoff, of the best peer, and the standard error of their difference. Losses of more than one
standard error are in bold.

{accuracy_table}
"""
STREAM_ACCURACY = """## Accuracy of predictions before learning

Each example of a stream is predicted, and then learned from (`benchmarks/stream_accuracy.py`). Right predictions in
percent; the best peer is bold. No parameter was chosen by stream: `Tracker()` without arguments, our learners with
their defaults, River's StandardScaler and LogisticRegression, and Vowpal Wabbit with its default loss. The streams
are elec2, mails in time order, covtype (class 2 against the rest, {covtype_rows:,} rows) in the order of its file and
shuffled, the words of text messages, and generated tables like those of a bank and of a census, which do not drift;
raw, or with all columns scaled beforehand. With a delay, a label is learned after so many further examples were
predicted. Where the last label is nearly as good as the learners, their accuracy says little about the rows.

{table}

On each stream, the tracker is compared with the peer that is best there. Without a delay, the tracker's accuracy less
that of the best peer is {raw:+.1f} percentage points on average over the streams with raw columns, and {scaled:+.1f}
over those with scaled columns. It is most behind on this stream: {where}, by {worst:.2f} points.

If labels come late, the tracker judges its members by the predictions that were served; with delays of 100 and 1,000
this average is {late:+.1f} and {later:+.1f} points. Predictions before the first label comes do not count.

"""
CLASS_STREAMS = """The same for streams of several classes (`benchmarks/class_streams.py`), without delay: covtype in
the order of its file and shuffled, news20, MNIST, the rings of abalones, and two generated tables of seven classes.
Their label is the largest of seven linear scores (logit), or the interval that one linear score is in (ordinal). There
are at most 20,000 rows. The second tracker has `MulticlassAROW(scale="centred")` as a third member, which learns all
classes together. Cells without a number were not measured, because River takes too long there.

{table}

`Tracker()` is between {low:+.1f} and {high:+.1f} points from the best peer of each stream, with the third member
between {joint_low:+.1f} and {joint_high:+.1f}. In the ordinal table, a class lies between two others: no plane
separates it from the rest, which one problem per class would need.

"""
SERVE = """## The server

`novikoff serve` over loopback, durable, about 57 features a row, against Vowpal Wabbit's Python binding and a service
of FastAPI and River behind the same front, which keep what they learn in memory (`benchmarks/serve.py`). The machine
had two ARM cores, which the server shares with its client. The rate of `novikoff stream`, which uses both cores, leaves
out its start; the server does more for each example: it looks up names, receives and answers over a socket, and stores
it. Limits are compared as ratios, too: above 1 the limit is kept.

{table}

"""
ROWS_AS_THEY_COME = """The same rows as SciPy may leave them: their entries in random order, and every tenth of
them cut into two with the same index (`benchmarks/unsorted.py`).

{table}

"""
MANY_CLASSES = """20,000 text-like rows of 20 and of 100 classes, five passes (`benchmarks/many_classes.py`).

{table}

"""
FEW_ROWS = """## Fewer rows than columns

`LinearSVM` to a proven gap of 1e-4, against `SVC(kernel="linear")` and LinearSVC with their defaults, as ratios for the
hinge / the squared hinge, which SVC does not have (`benchmarks/few_rows.py`). A cross-validation of 20 values of C in 5
folds took {validated} times less than ten fits of LinearSVC, a ratio below 1 meaning more; in the order of the table.

{table}

"""
EMBEDDINGS = """## Embeddings and digits

Dense float32 rows of ten classes, one-vs-rest with a penalised intercept, to a proven gap of 1e-4 in every problem,
against the fastest of LinearSVC with its defaults and `dual` of "auto", True and False, converged or not
(`benchmarks/embeddings.py`). ≥ marks ratios to fits that were stopped. The geometric mean is {mean:.1f}.

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


def results(name: str) -> Any:
    """Return the saved numbers of a script."""
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows])


def ratios(name: str) -> str:
    """Return the table of a script that compares with peers."""
    rows = [[row["work"], row["ours"], row["peer"], f"{row['ratio']:.1f}"] for row in results(name)["table"]]
    return table(["work", "novikoff", "peer", "ratio"], rows)


def mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def accuracy() -> dict[str, Any]:
    """Return the parts of the page about accuracy."""
    entries = results("accuracy")["sets"]
    measures, peers = accuracy_tables.MEASURES, accuracy_tables.PEERS
    within, within_best = (
        [accuracy_tables.share_within(entries, measure, error) for measure in measures]
        for error in ("standard_error", "standard_error_of_best")
    )
    below = accuracy_tables.below_majority(entries)
    header = ["data", "rows x columns", "classes", "majority", "accuracy", "best peer", "error"]
    return {
        "accuracy_sets": len(entries),
        "accuracy_means": table(["sets", "number", "novikoff", *peers], accuracy_tables.means(entries)),
        "accuracy_within": within[0],
        "balanced_within": within[1],
        "accuracy_within_best": within_best[0],
        "balanced_within_best": within_best[1],
        "peer_within_best": max(accuracy_tables.peer_within(entries, measure) for measure in measures),
        "below": len(below) or "no",
        "below_names": ", ".join(below) or "none",
        "accuracy_table": table([*header, "balanced", "best peer", "error"], accuracy_tables.sets(entries)),
    }


def section(name: str, make: Callable[[], str]) -> str:
    """Return the section about a script; empty before it has been measured."""
    return make() if (ROOT / "benchmarks" / "results" / f"{name}.json").exists() else ""


def stream_accuracy() -> str:
    """Return the section about the accuracy on streams."""
    found = results("stream_accuracy")
    accuracy = found["accuracy"]
    worst, where = stream_tables.worst(accuracy, delay=0)
    return STREAM_ACCURACY.format(
        table=table(["stream", *stream_tables.PROGRAMS], stream_tables.rows(accuracy)),
        covtype_rows=found["covtype_rows"],
        raw=stream_tables.lead(accuracy, "raw, delay 0"),
        scaled=stream_tables.lead(accuracy, "scaled, delay 0"),
        worst=max(0.0, worst),
        where=where,
        late=stream_tables.lead(accuracy, "raw, delay 100"),
        later=stream_tables.lead(accuracy, "raw, delay 1000"),
    )


def class_streams() -> str:
    """Return the section about streams of several classes."""
    accuracy = results("class_streams")["accuracy"]
    own, joint = (stream_tables.class_leads(accuracy, tracker) for tracker in stream_tables.CLASS_TRACKERS)
    return CLASS_STREAMS.format(
        table=table(["stream", *stream_tables.CLASS_PROGRAMS], stream_tables.class_rows(accuracy)),
        low=min(own),
        high=max(own),
        joint_low=min(joint),
        joint_high=max(joint),
    )


def few_rows() -> str:
    """Return the section about data with fewer rows than columns."""
    found = results("few_rows")
    cells = {(row["set"], row["rows"], row["C"], row["loss"]): row for row in found["fits"]}
    rows = []
    for (name, kind, C, loss), row in cells.items():
        if loss != "hinge":
            continue
        both = row, cells[name, kind, C, "squared_hinge"]
        milliseconds, linear = (
            " / ".join(f"{factor * one[key]:.3g}" for one in both)
            for key, factor in (("ours, s", 1e3), ("times faster than LinearSVC", 1))
        )
        rows.append([f"{name}, {kind}", f"{C:g}", f"{milliseconds} ms", f"{row['times faster than SVC']:.3g}", linear])
    times = [row["times faster than ten LinearSVC"] for row in found["cross-validation"]]
    return FEW_ROWS.format(
        table=table(["data", "C", "novikoff", "SVC, ratio", "LinearSVC, ratio"], rows),
        validated=", ".join(f"{ratio:.2g}" for ratio in times),
    )


def embeddings() -> str:
    """Return the section about dense rows of many classes."""
    cells = results("embeddings")["cells"]

    def mark(cell: Any) -> str:
        peers = {who: seconds for who, seconds in cell["seconds"].items() if who.startswith("LinearSVC")}
        return "" if cell["reached"][min(peers, key=peers.__getitem__)] else "≥"

    rows = [
        [
            cell["set"],
            f"{cell['C']:g}",
            cell["loss"],
            f"{cell['seconds']['LinearSVM, ovr']:.3g} s",
            f"{mark(cell)}{cell['times faster']:.3g}",
        ]
        for cell in cells
    ]
    found = table(["data", "C", "loss", "novikoff", "ratio"], rows)
    return EMBEDDINGS.format(mean=mean([cell["times faster"] for cell in cells]), table=found)


def page() -> str:
    """Return the whole page."""
    end, svm, margin, separability = map(results, ("end_to_end", "svm", "margin", "separability"))
    tables = results("tables")
    cells, hard, sets = svm["A"]["table"], margin["hard margin"], separability["sets"]
    worst, slowest = min(cells, key=svm_tables.ratio), max(cells, key=svm_tables.slowdown)
    return PAGE.format(
        **accuracy(),
        rows_as_they_come=section("unsorted", lambda: ROWS_AS_THEY_COME.format(table=ratios("unsorted"))),
        many_classes=section("many_classes", lambda: MANY_CLASSES.format(table=ratios("many_classes"))),
        stream_accuracy=section("stream_accuracy", stream_accuracy),
        class_streams=section("class_streams", class_streams),
        serve=section("serve", lambda: SERVE.format(table=ratios("serve"))),
        few_rows=section("few_rows", few_rows),
        embeddings=section("embeddings", embeddings),
        **{
            name: ratios(name)
            for name in ("online", "parse", "stream", "tables", "hashing", "end_to_end", "end_to_end_x10")
        },
        ours_beyond=tables["ours beyond"],
        peer_beyond=tables["peer beyond"],
        adult=tables["adult_like_command_s"],
        start=end["fit_start_s"],
        read=end["fit_read_s"],
        fit=end["fit_fit_s"],
        svm=svm_tables.cells(svm),
        mean=mean([svm_tables.ratio(cell) for cell in cells]),
        cells=len(cells),
        capped=sum(not cell["reached"] for cell in cells),
        lost=sum(svm_tables.ratio(cell) < 1 for cell in cells),
        warned=sum(cell["defaults"]["warned"] for cell in cells),
        worst=svm_tables.name_of(worst),
        worst_ratio=svm_tables.ratio(worst),
        slowest=svm_tables.slowdown(slowest),
        slowest_name=svm_tables.name_of(slowest),
        margin=table(
            ["data", "novikoff", "SVC, ratio", "Clarabel, ratio"],
            [
                [
                    f"{row['set']}, {SIZES[row['set']]}",
                    f"{1e3 * row['seconds']['ours']:.3g} ms",
                    *(f"{row['times faster'][peer]:.3g}" for peer in ("SVC", "Clarabel")),
                ]
                for row in hard
            ],
        ),
        svc=mean([row["times faster"]["SVC"] for row in hard]),
        clarabel=mean([row["times faster"]["Clarabel"] for row in hard]),
        separability=table(
            ["data", "verdict", "novikoff", "detectseparation", "ratio"],
            [
                [
                    f"{row['set']}, {row['rows']:,} x {row['columns']}",
                    row["ours"],
                    f"{row['our seconds']:.2f} s",
                    f"{row['both programs']:.2f} s",
                    f"{row['ratio']:.1f}",
                ]
                for row in sets
            ],
        ),
        **{row["kind"]: row["seconds"] for row in separability["millions"]},
        memory=max(row["MiB"] for row in separability["millions"]),
    )


if __name__ == "__main__":
    Path(__file__).with_name("benchmarks.md").write_text(page(), encoding="utf-8")
