"""The sections of docs/benchmarks.md, each a table of one result with a paragraph."""

from __future__ import annotations

from typing import Any

from benchmarks.harness.ratio import FASTER, MET, MISSED, SLOWER, UNDECIDED, mean_of, says_something
from benchmarks.harness.session import number_text, ratio_text

from . import accuracy, streams, svm
from .stored import Row, comparisons, result, rows_of, table

STREAM_ACCURACY = """\
Each example of a stream is predicted, and then learned from. Right predictions in percent; the best peer is bold.
No parameter was chosen by stream: `Tracker()` without arguments, our learners with their defaults, River's
StandardScaler and LogisticRegression, and Vowpal Wabbit with its default loss. The streams are elec2, mails in time
order, covtype (class 2 against the rest, {covtype_rows:,} rows) in the order of its file and shuffled, the words of
text messages, and generated tables like those of a bank and of a census, which do not drift; raw, or with all
columns scaled beforehand. With a delay, a label is learned after so many further examples were predicted. Where the
last label is nearly as good as the learners, their accuracy says little about the rows.

{table}

On each stream, the tracker is compared with the peer that is best there. Without a delay, the tracker's accuracy
less that of the best peer is {raw:+.1f} percentage points on average over the streams with raw columns, and
{scaled:+.1f} over those with scaled columns. The largest deficit is {worst:.2f} points, on this stream: {where}.

If labels come late, the tracker judges its members by the predictions that were served; with delays of 100 and
1,000 this average is {late:+.1f} and {later:+.1f} points. Predictions before the first label comes do not count."""
CLASS_STREAMS = """\
The same for streams of several classes, without delay: covtype in the order of its file and shuffled, news20,
MNIST, the rings of abalones, and two generated tables of seven classes. Their label is the largest of seven linear
scores (logit), or the interval that one linear score is in (ordinal). There are at most 20,000 rows. The second
tracker has `MulticlassAROW(scale="centred")` as a third member, which learns all classes together. Cells without a
number were not measured, because River takes too long there.

{table}

`Tracker()` is between {low:+.1f} and {high:+.1f} points from the best peer of each stream, with the third member
between {joint_low:+.1f} and {joint_high:+.1f}. In the ordinal table, a class lies between two others: no plane
separates it from the rest, which one problem per class would need."""
ACCURACY = """\
`make_pipeline(TableEncoder(), LinearSVM())` without any parameter, against LinearSVC, LogisticRegression and
RidgeClassifier with their defaults after StandardScaler and OneHotEncoder, on {sets} public data sets: KEEL's
collection with its own folds, the sets that scikit-learn bundles, and sparse files and raw tables, in five
stratified folds of at most 2,000 rows. Means over the sets, accuracy / balanced accuracy:

{means}

On each set the best of the three peers is compared with novikoff. The difference of the means over the folds is at
most one standard error of this difference, or in favour of novikoff, on {within:.1%} of the sets for accuracy and
on {balanced:.1%} for balanced accuracy. With the standard error of the best peer's own mean instead, which is 0
where its folds agree, these fractions are {within_best:.1%} and {balanced_best:.1%}; counted in this way, no single
peer is within one standard error of the best of the three on more than {peer:.1%} of the sets. On {below} sets
novikoff is less accurate than the most frequent label ({names}); `novikoff fit` warns about it. All sets are in the
[table of all sets](#all-sets-of-the-accuracy-comparison)."""
SVM = """\
Ten real data sets, with the penalised intercept of scikit-learn's LinearSVC. Each cell has the seconds to a proven
gap of 1e-6, and how many times longer LinearSVC takes to an objective within 1e-6 of the optimum. LinearSVC was
stopped after {cap:g} s, which ≥ marks.

{table}

The median of the ratios is {median}, and their geometric mean {mean}.
If LinearSVC had not been stopped, the mean would be larger; the median would be the same.
Ratios below 1 occur on small or very sparse data, where LinearSVC takes a few hundredths of a second and the proof
costs as much: novikoff wins {won} of {cells} cells and loses {lost}; the others are not decided. The least ratio,
{worst_ratio}, is that of {worst}.
With its default settings LinearSVC warns on {warned} of the cells that it did not converge. Compared with those
defaults, which prove nothing, a proven gap of 1e-4 took up to {slowest} times as long ({slowest_name}).

{threads}

Four copies of covtype took {copies} times as long as one. The hinge with a free intercept, against SVC with the
linear kernel: {kernel}."""
DISTRIBUTED = """\
Two workers on one machine. Spark: the same cached DataFrame, and the time of its LinearSVC over ours, whose
objective is not larger. Dask: the time of one process with all its threads over ours on two workers; a ratio below 1
is the cost of distribution where one machine is enough.

{fits}

Rounds, and bytes that were sent, until a gap is proven:

{rounds}

What the parts of a round cost on one core, in nanoseconds for each stored value, with 10^6 columns. If columns are
words, the frequent ones are in the caches; if they are hashed, they are not:

{passes}

A round that computes nothing, on two worker processes:

{tasks}"""


def accuracy_section() -> str:
    """Return the section about accuracy, without the table of all sets."""
    entries = result("accuracy")["sets"]
    within, within_best = (
        [accuracy.share_within(entries, measure, error) for measure in accuracy.MEASURES]
        for error in ("standard_error", "standard_error_of_best")
    )
    below = accuracy.below_majority(entries)
    return ACCURACY.format(
        sets=len(entries),
        means=table(["sets", "number", "novikoff", *accuracy.PEERS], accuracy.means(entries)),
        within=within[0],
        balanced=within[1],
        within_best=within_best[0],
        balanced_best=within_best[1],
        peer=max(accuracy.peer_within(entries, measure) for measure in accuracy.MEASURES),
        below=len(below) or "no",
        names=", ".join(below) or "none",
    )


def accuracy_table() -> str:
    """Return the table of all sets."""
    header = ["data", "rows x columns", "classes", "majority", "accuracy", "best peer", "error"]
    return table([*header, "balanced", "best peer", "error"], accuracy.sets(result("accuracy")["sets"]))


def stream_accuracy() -> str:
    """Return the section about the accuracy on streams."""
    found = result("stream_accuracy")
    own = found["accuracy"]
    worst, where = streams.worst(own, delay=0)
    return STREAM_ACCURACY.format(
        table=table(["stream", *streams.PROGRAMS], streams.rows(own)),
        covtype_rows=found["covtype_rows"],
        raw=streams.lead(own, "raw, delay 0"),
        scaled=streams.lead(own, "scaled, delay 0"),
        worst=max(0.0, worst),
        where=where,
        late=streams.lead(own, "raw, delay 100"),
        later=streams.lead(own, "raw, delay 1000"),
    )


def class_streams() -> str:
    """Return the section about streams of several classes."""
    found = result("class_streams")["accuracy"]
    own, joint = (streams.class_leads(found, tracker) for tracker in streams.CLASS_TRACKERS)
    return CLASS_STREAMS.format(
        table=table(["stream", *streams.CLASS_PROGRAMS], streams.class_rows(found)),
        low=min(own),
        high=max(own),
        joint_low=min(joint),
        joint_high=max(joint),
    )


def soft_margin() -> str:
    """Return the section about the soft margin."""
    found = result("svm")
    cells = found["A"]["table"]
    worst, slowest = min(cells, key=svm.ratio), max(cells, key=svm.slowdown)
    threads = [
        [
            svm.name_of(row),
            f"{row['peers'][0]['seconds']:.2f} s",
            f"{row['ours']['seconds']:.2f} s",
            ratio_text(row["peers"][0]),
        ]
        for row in svm.two_threads(found)
    ]
    copies = svm.four_copies(found)
    mean = mean_of(map(svm.against, cells))
    return SVM.format(
        cap=found["A"]["cap"],
        table=svm.cells(found),
        median=f"{mean.median:.3g}" if mean else "",
        mean=mean,
        cells=len(cells),
        won=sum(svm.against(cell)["verdict"] == FASTER for cell in cells),
        lost=sum(is_lost(svm.against(cell)) for cell in cells),
        warned=sum(cell["defaults"]["warned"] for cell in cells),
        worst=svm.name_of(worst),
        worst_ratio=ratio_text(svm.against(worst)),
        slowest=ratio_text(svm.over_defaults(slowest)),
        slowest_name=svm.name_of(slowest),
        threads=table(["two threads to a gap of 1e-6", "one thread", "two threads", "ratio; limit 2"], threads),
        copies=ratio_text(copies["peers"][0]) if copies else "",
        kernel=", ".join(f"{row['set']} {ratio_text(row['peers'][0])}" for row in svm.kernel_machine(found)),
    )


def is_lost(peer: Row) -> bool:
    """Whether novikoff is slower: by the verdict, or by the medians if there is no interval."""
    return peer["verdict"] == SLOWER if "verdict" in peer else says_something(peer) and peer["ratio"] < 1


def distributed() -> str:
    """Return the section about partitions."""
    found, costs = result("distributed"), result("scaling_costs")
    counted = [
        [row["what"], str(row["rounds"]), f"{row['megabytes']:.1f} MB"]
        for row in found["fits"]
        if row["what"].startswith(("rounds", "bytes"))
    ]
    parts = dict.fromkeys(row["part"] for row in costs["passes"])
    values = {(row["part"], row["rows"]): f"{row['ns a value']:.1f}" for row in costs["passes"]}
    return DISTRIBUTED.format(
        fits=comparisons(rows_of("distributed")),
        rounds=table(["work", "rounds", "sent"], counted),
        passes=table(
            ["part", "words", "hashed"], [[part, values[part, "words"], values[part, "hashed"]] for part in parts]
        ),
        tasks=_plain(costs["tasks"], ["part", "partitions", "sent", "ms a round"]),
    )


def server() -> str:
    """Return the table of the server."""
    rows = [
        [row["work"], row["ours"], row["peer"], ratio_text(row), row.get("bar", ""), _met(row)]
        for row in result("serve")["table"]
    ]
    return table(["work", "novikoff", "peer or limit", "ratio", "target", "met"], rows)


def server_log() -> str:
    """Return the table of the log of the server."""
    columns = ["examples in a group", "log", "groups a second", "examples a second", "bytes an example"]
    rows = [
        row | {"time over ours": ratio_text(row) if "verdict" in row else row.get("time against ours", "")}
        for row in result("serve_log")["logs"]
    ]
    return _plain(rows, [*columns, "time over ours"])


def hard_margin(sizes: dict[str, str]) -> str:
    """Return the table of hard margins."""
    return comparisons({**row, "work": f"{row['set']}, {sizes[row['set']]}"} for row in rows_of("margin"))


def separability() -> str:
    """Return the table of verdicts."""
    return comparisons(
        {**row, "work": f"{row['work'].partition(', ')[2]}, {row['rows']:,} x {row['columns']}: {row['kind']}"}
        for row in rows_of("separability")
    )


def memory() -> str:
    """Return the table of peaks of memory."""
    rows = [
        [
            row["work"],
            row["rows"],
            f"{row['ours_MB']:.1f} MB",
            ", ".join(f"{size:.1f} MB ({peer})" for peer, size in row["peers_MB"].items()),
            f"{row['limit_MB']:.1f} MB: {row['limit']}",
        ]
        for row in result("memory").get("peaks", [])
    ]
    return table(["work", "data", "novikoff", "peers", "limit"], rows)


def compared(name: str) -> str:
    """Return the table of comparisons of a suite."""
    return comparisons(rows_of(name))


def plain(name: str, *parts: str) -> str:
    """Return the tables of some parts of a result, as they were measured."""
    tables = ([_flat(row) for row in result(name)[part]] for part in parts)
    return "\n\n".join(_plain(rows, list(rows[0])) for rows in tables)


def _flat(row: Row) -> Row:
    """Return a row with the entries of its dicts as columns."""
    found: Row = {}
    for name, value in row.items():
        found |= {f"{name}, {key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
    return found


def _met(row: Row) -> str:
    """Return whether a target is met. Older results have medians only, and judge by them."""
    return {True: "yes", False: "**no**", None: "", MET: "yes", MISSED: "**no**"}.get(row.get("met"), UNDECIDED)


def _plain(rows: list[Row], columns: list[str]) -> str:
    def text(value: Any) -> str:
        return number_text(value) if isinstance(value, float) else str(value)

    return table(columns, [[text(row.get(column, "")) for column in columns] for row in rows])
