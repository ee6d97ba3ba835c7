"""A run of a suite: what is printed, and what is written."""

import pytest
from benchmarks.harness import Session, Suite, Timed
from benchmarks.harness.ratio import SAME
from benchmarks.harness.session import (
    answer_text,
    contestant_text,
    load_result,
    number_text,
    ratio_text,
    save_result,
    seconds_text,
)


def session(tmp_path, only=(), quick=True):
    texts = dict.fromkeys(("measures", "answers", "limit"), "")
    suite = Suite("example", contestants=(), run=lambda _: None, quick={"rows": 1}, full={"rows": 9}, **texts)
    return Session(suite, quick=quick, only=only, folder=tmp_path)


def compare(run, work="work", ours=1.0, peer=2.0, **facts):
    run.compare(work, {"novikoff": lambda: Timed(ours)}, {"peer": lambda: Timed(peer)}, rounds=3, **facts)


def test_a_result_is_read_as_it_was_written(tmp_path):
    content = {"table": [{"work": "a", "values": [1.5, -2e-9]}], "text": "x [1, 2] y"}
    assert load_result(tmp_path / "r.json") == {}
    save_result(tmp_path / "r.json", content)
    assert load_result(tmp_path / "r.json") == content
    assert "[ 1.5, -2e-09 ]" in (tmp_path / "r.json").read_text()


def test_every_comparison_is_written_at_once_with_the_machine(tmp_path):
    run = session(tmp_path)
    compare(run, "a", bytes=10)
    found = load_result(tmp_path / "example.json")
    assert (found["suite"], found["quick"], len(found["table"]), found["table"][0]["bytes"]) == ("example", True, 1, 10)
    assert found["machine"]["cores"] >= 1
    assert {"processor", "memory_GB", "caches", "load_before", "packages", "python"} <= found["machine"].keys()
    assert found["machine"]["packages"]["numpy"]
    compare(run, "b")
    assert [row["work"] for row in load_result(tmp_path / "example.json")["table"]] == ["a", "b"]


@pytest.mark.parametrize(("only", "kept"), [(("b",), {"a": 2.0, "b": 8.0}), ((), {"b": 8.0})], ids=["part", "whole"])
def test_a_run_of_a_part_keeps_the_others_and_a_whole_one_starts_anew(tmp_path, only, kept):
    run = session(tmp_path)
    compare(run, "a")
    compare(run, "b")
    compare(session(tmp_path, only=only), "b", peer=8.0)
    ratios = {row["work"]: row["peers"][0]["ratio"] for row in load_result(tmp_path / "example.json")["table"]}
    assert ratios == kept


def test_rows_of_a_part_replace_those_with_the_same_key(tmp_path):
    run = session(tmp_path)
    run.merge("cells", ("set",), [{"set": "a", "s": 1}, {"set": "b", "s": 2}])
    run.merge("cells", ("set",), [{"set": "a", "s": 3}])
    assert load_result(tmp_path / "example.json")["cells"] == [{"set": "b", "s": 2}, {"set": "a", "s": 3}]


def test_sizes_and_parts_are_chosen(tmp_path):
    assert session(tmp_path).size == {"rows": 1}
    assert session(tmp_path, quick=False).size == {"rows": 9}
    assert session(tmp_path).chosen(["a", "b"]) == ["a", "b"]
    assert session(tmp_path, only=("b",)).chosen(["a", "b"]) == ["b"]
    assert session(tmp_path, only=("c",)).chosen(["a", "b"]) == ["a", "b"]


def test_the_limit_of_reading_grows_with_the_bytes(tmp_path):
    run = session(tmp_path)
    assert run.reading(2e6).seconds == pytest.approx(2 * run.reading(1e6).seconds)
    assert run.reading(1e6).seconds > 0


def test_the_printed_table_has_the_verdict_in_place_of_the_ratio(tmp_path, capsys):
    run = session(tmp_path)
    compare(run, "equal", ours=1.0, peer=1.0)
    compare(run, "faster", ours=1.0, peer=3.0)
    run.finish()
    heading, _, equal, faster = capsys.readouterr().out.splitlines()[:4]
    assert heading.split() == ["work", "novikoff", "peer", "ratio", "limit"]
    assert equal.rstrip().endswith(SAME)
    assert faster.rstrip().endswith("3 (3 to 3)")


OURS = {"cost": 2.0}
SHOWN = [
    (ratio_text({"ratio": 1.234, "ratio_interval": [0.9, 1.3], "verdict": SAME}), SAME),
    (ratio_text({"ratio": 30.0, "ratio_interval": [29.0, 31.0], "verdict": "faster", "bound": "≥"}), "≥ 30 (29 to 31)"),
    (ratio_text({"ratio": 30.0, "bound": "≥"}), "≥ 30"),  # of a run that kept medians only
    (ratio_text({}), ""),
    (contestant_text({"seconds": 60.0, "quartiles": [60.0, 60.0], "stopped": True}), "stopped after 60 s"),
    (answer_text(OURS, {"cost": 2.002, "answer": "less exact"}), "less exact by 0.001"),
    (answer_text(OURS, {"cost": 2.0, "answer": "equal"}), "equal"),
    (answer_text(OURS, {"cost": 2.0}), ""),
    *((seconds_text(12.345), "12.3 s"), (seconds_text(0.0123), "12.3 ms")),
    *((seconds_text(4.56e-6), "4.56 us"), (seconds_text(0.0), "0 us")),
    *((number_text(0.0012345), "0.00123"), (number_text(999.4), "999"), (number_text(999.6), "1,000")),
    *((number_text(1104.0), "1,100"), (number_text(-58123.0), "-58,100")),
]


@pytest.mark.parametrize(("text", "expected"), SHOWN)
def test_numbers_have_three_digits_a_unit_that_fits_and_their_bound(text, expected):
    assert text == expected


def test_the_mean_of_the_ratios_to_each_peer_is_printed(tmp_path, capsys):
    run = session(tmp_path)
    compare(run, "a", peer=2.0)
    compare(run, "b", peer=8.0)
    run.show_means()
    assert capsys.readouterr().out == "geometric mean, peer: 4 (2 ratios)\n"


def test_a_part_that_no_suite_has_is_an_error(tmp_path):
    run = session(tmp_path, only=("rows", "colunms"))
    assert run.chosen(["rows", "columns"]) == ["rows"]
    assert run.chosen(["a", "b"]) == ["a", "b"]
    assert run.unknown_parts() == "example has no part 'colunms'. Its parts: rows, columns, a, b."
    assert session(tmp_path).unknown_parts() is None
