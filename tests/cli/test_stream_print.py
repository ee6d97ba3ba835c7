"""What a stream prints: the table with its windows, the baselines, and how to continue."""

import pytest
import sets
from command import done

import novikoff as nk
from novikoff.cli._stream_print import header, table_line, window_words
from novikoff.evaluate import WindowScores


@pytest.fixture
def data(tmp_path):
    (tmp_path / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    return tmp_path / "two.svm"


def test_the_columns_of_a_window_are_printed_if_there_is_one(data):
    for options, columns in ((["--window", "10"], 8), ([], 5)):
        lines = done("stream", data, *options).out.partition("\n\n")[0].splitlines()
        assert len(lines[2].split()) == columns
        assert [len(line) for line in lines[:2]] == [len(line) for line in header(bool(options))]


def test_with_a_window_there_is_a_line_per_window(data):
    lines = done("stream", data, "--window", "10").out.partition("\n\n")[0].splitlines()[2:]
    assert [int(line.split()[2]) for line in lines] == [10, 20, 30, 40]
    lines = done("stream", data, "--window", "10", "--every", "20").out.partition("\n\n")[0].splitlines()[2:]
    assert [int(line.split()[2]) for line in lines] == [20, 40]


def test_the_last_window_is_summarised(data):
    out = done("stream", data, "--window", "10").out
    (line,) = (line for line in out.splitlines() if line.startswith("window "))
    *_, last = nk.evaluate.progressive(nk.Tracker(), nk.scan(data), window=10)
    assert f"of the last 10 rows, balanced {nk.evaluate.percent(last.window.balanced_accuracy)}" in line
    assert all(f"{label} {nk.evaluate.percent(value)}" in line for label, value in last.window.recall.items())
    window = done("stream", data, "--window", "10", "--json").json["window"]
    assert window["recall"] == [[label, value] for label, value in last.window.recall.items()]
    assert (window["loss"], window["kappa"]) == (last.window.loss, last.window.kappa)
    assert "window" not in done("stream", data, "--json").json


def test_of_many_labels_the_lowest_recalls_are_printed():
    words = window_words(WindowScores(40, 10, {label: label / 20 for label in range(20)}, 5))
    assert words.endswith(
        "recall: 0 0.00%, 1 5.00%, 2 10.00%, 3 15.00%, 4 20.00%, 5 25.00%, 6 30.00%, 7 35.00%, 8 40.00%, 9 45.00%, ..."
    )


def test_kappa_that_is_not_defined_is_a_dash():
    (record,) = nk.evaluate.progressive(nk.Perceptron(), [(sets.X[:4], [1, 1, 1, 1])], window=2, every=4)
    assert table_line(record).split()[-1] == "-"


def test_both_baselines_and_how_to_resume_are_printed(data, tmp_path):
    out = done("stream", data, "-o", tmp_path / "m.nvk").out
    assert "always the most frequent label so far: " in out
    assert "the label before: " in out
    assert f"novikoff stream -o {tmp_path / 'm.nvk'} --resume DATA" in out
