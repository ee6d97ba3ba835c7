"""Every suite keeps the contract, and the runner knows them all."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from benchmarks.harness import Session, Suite, Timed, Worker
from benchmarks.harness.race import race
from benchmarks.harness.ratio import AT_LEAST, MET, MISSED, UNDECIDED, Times, mean_of
from benchmarks.harness.session import RESULTS, load_result
from benchmarks.harness.suite import NAMES, load
from benchmarks.page import figures, sections, stored, svm
from benchmarks.page.stored import ratios, result, rows_of

from benchmarks import __main__ as runner
from benchmarks import margin, serve, svm_cells

ROOT = Path(__file__).parents[2]
NOT_SUITES = {"__init__", "__main__", "svm_cells"}


def docs_module(name):
    """A script of docs/, imported."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_says_what_it_measures(name):
    suite = load(name)
    assert suite.name == name
    assert all(text.strip() for text in (suite.measures, suite.answers, suite.limit))
    assert suite.quick.keys() == suite.full.keys()
    assert all(size.get("rounds", 3) >= 3 for size in (suite.quick, suite.full))
    assert isinstance(suite.missing(), list)


def test_every_module_is_a_suite_or_known_not_to_be_one():
    modules = {path.stem for path in Path(runner.__file__).parent.glob("*.py")}
    assert modules == set(NAMES) | NOT_SUITES


def test_every_stored_result_is_that_of_a_suite_with_full_sizes():
    for path in RESULTS.glob("*.json"):
        if path.stem == "fingerprint":  # not measured
            continue
        found = load_result(path)
        assert found["suite"] == path.stem
        assert found["quick"] is False
        assert path.stem in NAMES


def test_a_suite_that_lacks_something_is_skipped_with_the_reason(tmp_path, capsys):
    texts = dict.fromkeys(("measures", "answers", "limit"), "")
    needs = {"packages": ("no_such_package",), "programs": ("no-such-program",), "files": ("no_such_file",)}
    suite = Suite("x", contestants=(), run=None, quick={}, full={}, **texts, **needs)
    package, program, file = suite.missing()
    assert "no_such_package" in package
    assert program == "the program no-such-program is not installed"
    assert "no_such_file" in file
    assert "NOVIKOFF_DATA" in file
    assert runner.run(suite, True, (), tmp_path) == 0
    assert "skipped: " in capsys.readouterr().out


def test_the_list_describes_a_suite(capsys):
    assert runner.main(["parse", "--list"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  {word}: " in printed for word in ("against", "answers", "limit", "quick", "full"))
    with pytest.raises(SystemExit):  # parts need one suite
        runner.main(["--only", "a"])


@pytest.mark.slow
def test_suites_can_be_described_without_the_programs_that_they_compare_with():
    """The site is built where these are not installed."""
    peers = ["clarabel", "river", "vowpalwabbit", "fastapi", "dask", "distributed", "pyspark", "uvloop"]
    code = f"""
import sys
sys.modules.update(dict.fromkeys({peers}))
from benchmarks.harness.suite import NAMES, load
assert all(load(name).limit for name in NAMES)
"""
    outcome = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert outcome.returncode == 0, outcome.stderr


def test_the_page_has_a_section_for_every_suite():
    names = [name for name, *_ in docs_module("make_benchmarks").SECTIONS]
    together = {"scaling_costs", "serve_log"}  # in the sections about partitions and about the server
    assert sorted([*names, *together]) == sorted(NAMES)


def test_the_page_begins_with_gains_and_losses():
    summary = docs_module("make_benchmarks").page().partition("\n## ")[0]
    for peer in ("LinearSVC", "River", "LIBLINEAR", "liblinear-train"):
        assert f" | {peer} | " in summary
    lost = sum(ratio < 1 for *_, ratio in ratios())
    assert f"novikoff is slower than the peer in {lost} of " in summary
    assert sum(map(int, re.findall(r"\) \| (\d+) \| ", summary))) == lost


def test_the_median_of_the_soft_margin_does_not_depend_on_peers_that_were_stopped():
    """The page says so: all lower bounds are above the median, and there are no upper bounds."""
    compared = [row["ratios"]["same objective"] for row in result("svm")["A"]["table"]]
    stopped = [ratio for ratio in compared if "bound" in ratio]
    assert {ratio["bound"] for ratio in stopped} == {AT_LEAST}
    assert min(ratio["ratio_interval"][0] for ratio in stopped) > mean_of(compared).median


def test_the_page_shows_every_figure_that_is_stored():
    shown = re.findall(
        r"\(images/benchmarks/(\w+)\.svg\)", (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    )
    assert sorted(shown) == sorted(path.stem for path in figures.FOLDER.glob("*.svg")), "run make docs"
    assert {"ratios", "time_to_gap", "throughput", "memory"} <= set(shown)


@pytest.mark.slow
def test_the_stored_figures_are_up_to_date(tmp_path):
    figures.draw_all(tmp_path)
    drawn, kept = (
        {path.name: path.read_bytes() for path in folder.glob("*.svg")} for folder in (tmp_path, figures.FOLDER)
    )
    assert drawn.keys() == kept.keys()
    pinned = re.search(r"^matplotlib==(.+)$", (ROOT / ".ci" / "versions.txt").read_text(encoding="utf-8"), re.M)[1]
    if matplotlib.__version__ == pinned:  # other versions may draw in another way
        assert [name for name in kept if drawn[name] != kept[name]] == [], "run make docs"


def test_a_figure_does_not_depend_on_hashes_and_last_bits():
    def picture(clip, x, label):
        return f'<g clip-path="url(#{clip})"><text x="{x}">{label}</text></g><clipPath id="{clip}"/>'

    found = figures.reproducible(picture("p3ea51535ee", 44.1509430000001, "1.2345"))
    assert found == figures.reproducible(picture("p4f933ec2d4", 44.150942999, "1.2345"))
    assert found == '<g clip-path="url(#p0)"><text x="44.15">1.2345</text></g><clipPath id="p0"/>'


# ---- results with and without spreads --------------------------------------------------------------------------------


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of results that the page is made of, and a function that writes one."""
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    return lambda name, **content: (tmp_path / f"{name}.json").write_text(json.dumps(content))


def seconds(*values, answer=None):
    found = iter([values[0], *values])  # the first call warms up
    return lambda: Timed(next(found), answer)


def test_a_new_comparison_replaces_the_medians_of_the_same_work(results):
    ours, peer = "LinearSVM, ovr", "LinearSVC"
    old = {"set": "mnist", "loss": "hinge", "C": 10.0, "seconds": {ours: 1.0, peer: 9.0}}
    old |= {"excess": {ours: 0.0, peer: 0.0005}, "reached": {ours: True, peer: True}}
    results("embeddings", cells=[old, {**old, "C": 0.1}])
    assert [peer["answer"] for row in rows_of("embeddings") for peer in row["peers"]] == ["less exact"] * 2
    contestants = {"novikoff": seconds(1.0, 1.0, 1.0)}, {"LinearSVC": seconds(2.0, 2.0, 2.0)}
    results("embeddings", table=race("mnist, hinge, C = 10", *contestants, rounds=3), cells=[old, {**old, "C": 0.1}])
    found = [(row["work"], row["peers"][0]["ratio"]) for row in rows_of("embeddings")]
    assert found == [("mnist, hinge, C = 0.1", 9.0), ("mnist, hinge, C = 10", 2.0)]
    lines = sections.compared("embeddings").splitlines()
    assert "| 2 (2 to 2) |" in lines[-1]
    assert "| 9 | less exact by 0.0005 |" in lines[-2]


def test_a_ratio_without_meaning_is_not_on_the_page(results):
    noisy = race("work", {"novikoff": seconds(1.0, 1.5, 0.7)}, {"LinearSVC": seconds(1.0, 0.7, 1.5)}, rounds=3)
    results("embeddings", table=noisy)
    assert "| not distinguishable |" in sections.compared("embeddings")
    assert not [name for name, *_ in ratios() if name == "embeddings"]


def cell(interval, verdict, **more):
    """A cell of the soft margin with spreads."""
    found = {"ratio": sum(interval) / 2, "ratio_interval": interval, "verdict": verdict, **more}
    names = ("1e-4", "1e-6", "defaults", "same objective")
    steps = {"gap": 1e-7, "proven": True, "steps": 3, "distance": 0.0}
    return {
        **{"set": "colon", "C": 1.0, "loss": "hinge", "best_primal": 1.0, "dual_bound": 1.0},
        **{"seconds": dict.fromkeys(names, 1.0), "ratios": {"same objective": found, "defaults": found}},
        **{"ours": {"1e-4": steps, "1e-6": steps}, "reached": True, "defaults": {"distance": 0.0, "warned": False}},
    }


def test_cells_of_the_soft_margin_have_intervals():
    table = svm.cells({"A": {"table": [cell([1.9, 2.1], "faster")]}})
    assert table.splitlines()[-1] == "| colon | 1.0 s, 2 (1.9 to 2.1) |"
    assert "| colon | 1.0 s, spread too wide |" in svm.cells({"A": {"table": [cell([1.1, 4.0], "spread too wide")]}})
    stopped = cell([29.0, 31.0], "faster", bound="≥")
    assert "1.0 s, ≥ 30 (29 to 31)" in svm.cells({"A": {"table": [stopped]}})


@pytest.mark.parametrize(
    ("interval", "outcome", "slower"), [([1.0, 1.1], MET, 0), ([1.1, 1.3], UNDECIDED, 0), ([1.3, 1.4], MISSED, 1)]
)
def test_claims_about_the_soft_margin_are_judged_by_intervals(interval, outcome, slower):
    claims = {row["work"]: row for row in svm.summary({"A": {"table": [cell(interval, "")]}})}
    assert claims["time over LinearSVC's defaults, worst cell"]["met"] == outcome
    assert claims["cells above 1.2 times the defaults"]["found"] == str(slower)


@pytest.mark.parametrize(
    ("ours", "milliseconds", "outcome"),
    [
        ([1.0, 1.0, 1.1], [2.0, 3.0, 4.0], MET),
        ([1.0, 1.3, 1.6], [8.0, 9.0, 14.0], UNDECIDED),
        ([1.6, 1.7, 1.8], [11.0, 12.0, 14.0], MISSED),
    ],
)
def test_targets_and_limits_of_the_server_are_judged_by_intervals_and_all_rounds(ours, milliseconds, outcome, results):
    row = serve.row("stream", "ours", "VW", (Times(ours), Times([4.0, 4.0, 4.0])), 3)
    assert (row["bar"], row["met"]) == (">= 3", outcome)
    results("serve", table=[row])
    assert sections.server().splitlines()[-1].endswith({MISSED: "| **no** |"}.get(outcome, f"| {outcome} |"))
    assert serve.limit_row("p99", milliseconds, "ms", 10, "")["met"] == outcome


# ---- suites that measure in another process --------------------------------------------------------------------------


class SameProcess(Worker):
    """A worker that does its jobs in this process, and stops none of them."""

    def __init__(self, prepare, *arguments):
        self._data = prepare(*arguments)

    def __call__(self, cap, job, *arguments):
        return job(self._data, *arguments)

    def close(self):
        pass


def test_a_job_that_was_stopped_is_a_bound():
    assert Worker.contestant(lambda *_: None, 20.0, None)() == Timed(20.0, stopped=True)
    assert Worker.contestant(lambda *_: Timed(1.0, "answer"), 20.0, None)() == Timed(1.0, "answer")


def test_hard_margins_have_intervals_and_say_how_exact_the_peer_is(tmp_path, monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 5))
    y = np.where(X[:, 0] > 0, 1, -1)
    monkeypatch.setattr(margin, "Worker", SameProcess)
    monkeypatch.setattr(margin, "prepare", lambda name: (X + 2 * y[:, None] * np.eye(5)[0], y))
    monkeypatch.setattr(margin, "CONTESTANTS", {"novikoff": margin.ours, "SVC": margin.svc, "poor": poor_plane})
    session = Session(margin.SUITE, quick=True, folder=tmp_path)
    margin.compare(session, "generated")
    (row,) = load_result(tmp_path / "margin.json")["table"]
    assert row["proven"]
    assert row["ours"]["rounds"] == 3
    assert row["ours"]["cost"] == pytest.approx(1.0, abs=1e-6)
    assert all(len(peer["ratio_interval"]) == 2 for peer in row["peers"])
    assert row["peers"][1]["answer"] == "less exact"


def poor_plane(X, y):
    """A plane that separates the classes with less than the best margin."""
    w, b = margin.ours(X, y)
    return w, b + 0.01 * np.linalg.norm(w)


def test_fits_of_the_soft_margin_make_three_rounds_or_more(monkeypatch):
    runs = {"quick": iter([Timed(0.01)] * 99), "slow": iter([Timed(5.0)] * 99)}
    monkeypatch.setattr(SameProcess, "contestant", lambda self, cap, job, name: lambda: next(runs[name]))
    worker = SameProcess(lambda: None)
    times = svm_cells.timed_rounds(worker, 20.0, {"quick": "quick"}, {"quick": 0.01, "stopped": 20.0})
    assert (len(times["quick"].seconds), times["stopped"].seconds, times["stopped"].stopped) == (15, [20.0] * 15, True)
    times = svm_cells.timed_rounds(worker, 20.0, {"slow": "slow"}, {"slow": 5.0})
    assert times["slow"].seconds == [5.0] * 3


def test_rates_are_compared_as_seconds_without_the_warm_up():
    rates = {"ours": iter([1.0, 200.0, 400.0, 100.0]), "peer": iter([1.0, 50.0, 100.0, 25.0])}
    times = serve.rates_of({name: lambda own=own: next(own) for name, own in rates.items()}, 3)
    assert times["ours"].seconds == [1 / 200, 1 / 400, 1 / 100]
    assert serve.rate_text(times["ours"]) == "200/s"
    row = serve.row("work", "", "", (times["ours"], times["peer"]))
    assert (row["ratio"], row["ratio_interval"], row["verdict"]) == (4.0, [4.0, 4.0], "faster")
