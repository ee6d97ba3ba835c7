"""novikoff stream: it continues bit for bit, and keeps what was learned when it is stopped."""

import errno
import gzip
import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import sets
from command import assert_refused, done, feed, fresh, novikoff, start

import novikoff as nk
from novikoff._fingerprint import RunningFingerprint
from novikoff.cli._streams import OutputError

LINES = sets.svmlight(sets.X, sets.TWO).splitlines(keepends=True)
THREE = sets.svmlight(sets.THREE_X, sets.THREE).splitlines(keepends=True)


def learned(path, lines, *options):
    """The file of a model that learned exactly these lines."""
    path.with_suffix(".svm").write_bytes(b"".join(lines))
    done("stream", path.with_suffix(".svm"), *options, "-q", "-o", path)
    return path


def learned_count(note):
    """The number of examples that the note on standard error names."""
    return int(note.removesuffix(" examples").split()[-1].replace(",", ""))


def wait_until(process, is_met):
    """Wait until a process that runs has met a condition."""
    end = time.monotonic() + 60
    while not is_met():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)


def catches(process, number):
    """Whether a process has a handler for a signal."""
    (mask,) = (line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if "SigCgt" in line)
    return bool(int(mask.split()[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("lines", [LINES, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("name", sets.ONLINE)
def test_a_stream_goes_on_bit_for_bit(tmp_path, name, lines):
    whole = learned(tmp_path / "whole.nvk", lines, "--learner", name)
    first = learned(tmp_path / "first.nvk", lines[:13], "--learner", name)
    second = learned(tmp_path / "second.nvk", lines[13:29], "-i", first)
    third = learned(tmp_path / "third.nvk", lines[29:], "-i", second)
    assert sets.same_model(third, whole)
    assert not sets.same_model(second, whole)


@pytest.mark.parametrize(
    "options",
    [
        ("--class-weight", '{"1": 2.5}'),
        ("--class-weight", "balanced"),
        ("--no-fit-intercept",),
        ("--tie", "positive"),
        ("--slack-feature", "0.5"),
    ],
)
def test_a_stream_goes_on_with_the_options_it_began_with(tmp_path, options):
    options = ("--learner", "perceptron", *options)
    whole = learned(tmp_path / "whole.nvk", LINES, *options)
    first = learned(tmp_path / "first.nvk", LINES[:13], *options)
    assert sets.same_model(learned(tmp_path / "rest.nvk", LINES[13:], "-i", first), whole)


def test_a_stream_scales_its_columns_if_the_command_line_says_so(tmp_path):
    options = ("--learner", "passive-aggressive-i", "--scale", "running", "--normalize")
    model = nk.load(learned(tmp_path / "m.nvk", LINES, *options))
    X, y = nk.read_svmlight(tmp_path / "m.svm")
    expected = nk.PassiveAggressiveI(scale="running", normalize=True).partial_fit(X, y)
    assert np.array_equal(model.coef_, expected.coef_)
    assert (model.scale, model.normalize) == ("running", True)


def test_classes_of_a_stream_weigh_what_the_command_line_says(tmp_path):
    options = ("--learner", "perceptron", "--class-weight", '{"1": 2.5, "-1": 0.5}')
    model = nk.load(learned(tmp_path / "m.nvk", LINES, *options))
    assert model.certificate_.examples == np.where(sets.TWO == 1, 2.5, 0.5).sum()


def test_a_stream_of_mails_goes_on_bit_for_bit(tmp_path):
    options = ("--text", "subject", "--hash-bits", "10", "--weight", "cost")
    for name, records in (("whole", sets.ROWS), ("first", sets.ROWS[:11]), ("rest", sets.ROWS[11:])):
        (tmp_path / f"{name}.ndjson").write_bytes(sets.ndjson(records))
    done("stream", tmp_path / "whole.ndjson", *options, "-q", "-o", tmp_path / "whole.nvk")
    done("stream", tmp_path / "first.ndjson", *options, "-q", "-o", tmp_path / "m.nvk")
    done("stream", tmp_path / "rest.ndjson", "-i", tmp_path / "m.nvk", "-q", "-o", tmp_path / "m.nvk")
    assert sets.same_model(tmp_path / "m.nvk", tmp_path / "whole.nvk")


def test_a_stream_counts_what_the_library_counts(tmp_path, folder):
    progress = nk.evaluate.progressive(nk.Tracker(), nk.scan(str(folder / "two.svm")))
    last = list(progress)[-1]
    run = done("stream", "two.svm", "--json", folder=folder)
    assert (run.json["examples"], run.json["mistakes"]) == (last.examples, last.mistakes)
    assert run.json["loss"] == last.loss


def test_a_stream_of_classes_that_are_learned_together_says_what_its_certificate_counts(folder):
    run = done("stream", "two.svm", "--learner", "multiclass-perceptron", folder=folder)
    assert "it counts examples whose class does not lead, also in a tie, and none while there is one class" in run.out


def test_lines_of_the_table_come_when_they_are_asked_for(folder):
    every = done("stream", "two.svm", "--every", "10", folder=folder).out.splitlines()[2:6]
    assert [line.split()[2] for line in every] == ["10", "20", "30", "40"]
    doubling = done("stream", "two.svm", folder=folder).out.splitlines()[2:9]
    assert [line.split()[2] for line in doubling] == ["1", "2", "4", "8", "16", "32", "40"]


def test_a_stream_that_goes_on_takes_no_other_options(fitted, folder):
    begun = fitted("two.svm", subcommand="stream")
    for options in (("-c", "1"), ("--tie", "positive"), ("--index-base", "0"), ("--no-shuffle",)):
        assert_refused(novikoff("stream", "two.svm", "-i", begun, *options, folder=folder), "-i")
    assert_refused(novikoff("stream", "two.svm", "-i", begun, "--learner", "passive-aggressive", folder=folder))


def test_a_stream_goes_on_from_online_learners_only(model, folder):
    assert_refused(novikoff("stream", "two.svm", "-i", model, folder=folder), "LinearSVM")


def test_what_was_learned_before_the_data_went_wrong_is_kept(tmp_path):
    """A compressed file that was cut: its rows up to there are learned, and the exit code says that it is not whole."""
    (tmp_path / "cut.svm.gz").write_bytes(gzip.compress(b"".join(LINES))[:-60])
    run = novikoff("stream", tmp_path / "cut.svm.gz", "-q", "-o", tmp_path / "m.nvk")
    assert (run.code, run.out) == (2, "")
    note, sentence = run.err.splitlines()
    assert sentence.startswith("novikoff: ")
    assert "gzip" in sentence
    count = learned_count(note)
    assert 0 < count < len(LINES)
    assert sets.same_model(tmp_path / "m.nvk", learned(tmp_path / "same.nvk", LINES[:count]))


@pytest.mark.parametrize(
    ("number", "way"),
    [
        (signal.SIGTERM, "pipe"),
        pytest.param(signal.SIGINT, "follow", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, "pipe", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, "follow", marks=pytest.mark.slow),
    ],
)
def test_a_stream_that_is_stopped_keeps_what_it_learned(tmp_path, number, way):
    output, growing = tmp_path / "m.nvk", tmp_path / "growing.svm"
    options = ["--every", "1", "--learner", "averaged-perceptron", "-o", output]
    if way == "pipe":
        process = start("stream", "-", *options)
        process.stdin.write(b"".join(LINES[:20]))
        process.stdin.flush()
    else:
        growing.write_bytes(b"".join(LINES[:12]))
        process = start("stream", growing, "--follow", *options)
    seen = [process.stdout.readline() for _ in range(2 + (20 if way == "pipe" else 12))]
    if way == "follow":
        with growing.open("ab") as file:
            file.write(b"".join(LINES[12:20]) + LINES[20][:5])  # half a line is not learned
        seen += [process.stdout.readline() for _ in range(8)]
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0 if number == signal.SIGTERM else 130, b"")
    assert seen[-1].split()[2] == b"20"
    assert b"% on 20 rows, each predicted before it was learned" in out
    assert sets.same_model(output, learned(tmp_path / "same.nvk", LINES[:20], "--learner", "averaged-perceptron"))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["m.nvk", "same.nvk", "same.svm"] + ["growing.svm"] * (way == "follow")
    )


def test_a_stream_that_is_stopped_in_json_prints_one_object(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    output = tmp_path / "m.nvk"
    process = start("stream", tmp_path / "pipe", "--json", "-o", output, "--save-every", "0.01s")
    with feed(tmp_path / "pipe", b"".join(LINES)):
        wait_until(process, output.exists)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.count(b"\n") == 1
    found = json.loads(out)
    assert 0 < found["examples"] <= 40
    assert sets.same_model(output, learned(tmp_path / "same.nvk", LINES[: found["examples"]]))


@pytest.mark.slow  # test_fit.py interrupts a fit before its first row
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stream_that_is_stopped_before_its_first_row_saves_nothing(tmp_path, number):
    os.mkfifo(tmp_path / "pipe")
    process = start("stream", tmp_path / "pipe", "-o", tmp_path / "m.nvk")
    with feed(tmp_path / "pipe"):
        wait_until(process, lambda: catches(process, signal.SIGTERM))  # then it catches both
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"novikoff: interrupted\n")
    assert os.listdir(tmp_path) == ["pipe"]


def test_nothing_to_learn_saves_nothing(tmp_path):
    assert_refused(novikoff("stream", "-", "-o", tmp_path / "m.nvk", "-q"))
    assert os.listdir(tmp_path) == []


def test_what_was_learned_is_saved_if_its_table_cannot_be_printed(tmp_path, monkeypatch):
    def fail(*lines):
        raise OutputError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("novikoff.cli.stream.print_lines", fail)
    (tmp_path / "two.svm").write_bytes(b"".join(LINES))
    run = novikoff("stream", tmp_path / "two.svm", "-o", tmp_path / "m.nvk")
    note, sentence = run.err.splitlines()
    assert (run.code, sentence) == (2, "novikoff: Cannot write to standard output: No space left on device.")
    assert nk.load(tmp_path / "m.nvk").certificate_.examples == learned_count(note) == 40


@pytest.mark.slow
@pytest.mark.parametrize("way", ["a closed pipe", "a full disk"])
def test_a_table_that_cannot_be_printed_does_not_lose_what_was_learned(tmp_path, way):
    """The batch at hand is learned to its end, and saved."""
    if way == "a full disk" and not os.path.exists("/dev/full"):
        pytest.skip("/dev/full is missing (run the tests on Linux)")
    data, output = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES) * 500)  # many more lines of the table than a pipe holds
    with open("/dev/full" if way == "a full disk" else os.devnull, "wb") as full:
        options = {"stdout": full} if way == "a full disk" else {}
        process = start("stream", data, "--every", "1", "-o", output, **options)
        if way != "a full disk":
            process.stdout.readline()
            process.stdout.close()
            process.stdout = None
        err = process.communicate(timeout=60)[1].decode()
    note, sentence = err.splitlines()
    assert process.returncode == 2
    assert sentence.startswith("novikoff: Cannot write to standard output: ")
    count = learned_count(note)
    assert nk.load(output).certificate_.examples == count > 0


@pytest.mark.parametrize("way", ["in this process", pytest.param("in its own", marks=pytest.mark.slow)])
def test_a_stream_that_a_learner_refuses_ends_with_a_sentence(folder, tmp_path, way):
    """More is being read ahead when the first batch is refused."""
    done("stream", folder / "mails.csv", "--features", "size", "--features", "cost", "-q", "-o", tmp_path / "named.nvk")
    lines = [f"{i % 2} " + " ".join(f"{j}:1" for j in range(1, 150)) + "\n" for i in range(8_000)]
    (tmp_path / "long.svm").write_text("".join(lines))
    words = ["stream", tmp_path / "long.svm", "-q", "-i", tmp_path / "named.nvk", "-o", tmp_path / "next.nvk"]
    run = novikoff(*words) if way == "in this process" else fresh(*words)
    assert run.code == 2
    assert "columns" in run.err
    assert "terminate" not in run.err


# ---- tables ----------------------------------------------------------------------------------------------------------

HEADER = b"age,job,pay,y\n"
PEOPLE = [
    b"%d,%s,%s,%s\n"
    % (20 + i % 40, [b"clerk", b"cook", b"pilot"][i % 3 - (i > 30)], pay, [b"no", b"yes"][i * i % 3 % 2])
    for i, pay in enumerate([b"%d" % (1000 * i) if i % 7 else b"?" for i in range(60)])
]


def table(path, rows):
    path.write_bytes(HEADER + b"".join(rows))
    return path


def test_a_stream_of_tables_goes_on_bit_for_bit(tmp_path):
    done("stream", table(tmp_path / "whole.csv", PEOPLE), "-q", "-o", tmp_path / "whole.nvk")
    done("stream", table(tmp_path / "a.csv", PEOPLE[:13]), "-q", "-o", tmp_path / "m.nvk")
    for name, rows in (("b", PEOPLE[13:29]), ("c", PEOPLE[29:])):
        done("stream", table(tmp_path / f"{name}.csv", rows), "-i", tmp_path / "m.nvk", "-q", "-o", tmp_path / "m.nvk")
    assert sets.same_model(tmp_path / "m.nvk", tmp_path / "whole.nvk")
    names = nk.load(tmp_path / "m.nvk").reading_.running.names
    assert names == ("age", "pay", "job=clerk", "pay=missing", "job=cook", "job=pilot")


def test_what_was_learned_from_a_stream_of_tables_is_used_and_checked(tmp_path):
    data, model = table(tmp_path / "t.csv", PEOPLE), tmp_path / "m.nvk"
    done("stream", data, "-q", "-o", model)
    assert done("certify", model, data, "--json").json["checks"][0]["claim"] == "encoder"
    other = table(tmp_path / "other.csv", [PEOPLE[0].replace(b"clerk", b"smith"), *PEOPLE[1:]])
    run = novikoff("certify", model, other, "--json")
    assert (run.code, run.json["verdict"]) == (1, "other data, or an altered encoder")
    assert done("score", model, data, "--json").json["rows"] == len(PEOPLE)
    assert "job=cook" in done("inspect", model).out
    (tmp_path / "new.csv").write_bytes(b"job,pay\nsmith,\n")
    assert_refused(
        novikoff("predict", model, tmp_path / "new.csv"), "the table lacks", "age", "--missing-columns impute"
    )
    run = novikoff("predict", model, tmp_path / "new.csv", "--missing-columns", "impute")
    assert run.out.strip() in ("no", "yes")
    assert "the table lacks" in run.err
    assert "job (1)" in run.err


def test_options_of_tables_reach_a_stream(tmp_path):
    data, model = table(tmp_path / "t.csv", PEOPLE), tmp_path / "m.nvk"
    done("stream", data, "--scale", "none", "--missing", "zero", "--exclude", "age", "-q", "-o", model)
    running = nk.load(model).reading_.running
    assert (running.scale, running.missing, running.features) == ("none", "zero", ("job", "pay"))
    done("stream", data, "--hash-bits", "6", "--missing", "zero", "-q", "-o", model)
    assert nk.load(model).n_features_in_ == 64
    assert_refused(novikoff("stream", data, "--scale", "minmax"), "--scale")
    assert_refused(novikoff("stream", data, "--missing", "median"), "--missing")
    assert_refused(novikoff("stream", data, "--idf"), "--idf")
    assert_refused(novikoff("stream", data, "-i", model, "--scale", "none"), "--scale")


# ---- mistakes --------------------------------------------------------------------------------------------------------


def summary(folder, *arguments):
    """The lines below the table, by name."""
    run = novikoff("stream", *arguments, folder=folder)
    assert run.code == 0
    lines = run.out.partition("\n\n")[2].splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith(" "))


def test_mistakes_are_counted_once_where_both_counts_agree(folder):
    found = summary(folder, "two.svm", "--learner", "passive-aggressive")
    run = done("stream", "two.svm", "--learner", "passive-aggressive", "--json", folder=folder)
    assert found["mistakes"].startswith(f"{run.json['mistakes']} wrong predictions in 40 rows")
    assert run.json["accuracy"] == 1 - run.json["mistakes"] / 40
    assert "certificate" not in found


def test_another_count_of_mistakes_is_explained(folder, fitted):
    assert "average" in summary(folder, "two.svm", "--learner", "averaged-perceptron")["certificate"]
    assert "one per class" in summary(folder, "three.svm", "--learner", "perceptron")["certificate"]
    assert "before this run" in summary(folder, "two.svm", "-i", fitted("two.svm", subcommand="stream"))["certificate"]
    balanced = ("--learner", "perceptron", "--class-weight", "balanced")
    assert "by their weights" in summary(folder, "two.svm", *balanced)["certificate"]


def test_a_stream_without_options_is_learned_by_a_tracker(tmp_path):
    model = nk.load(learned(tmp_path / "m.nvk", LINES))
    X, y = nk.read_svmlight(tmp_path / "m.svm")
    assert model.certificate_.to_json() == nk.Tracker().partial_fit(X, y).certificate_.to_json()
    assert_refused(novikoff("stream", tmp_path / "m.svm", "--class-weight", "balanced"), "--learner")


def test_rows_are_hashed_only_for_the_file_of_a_new_model(tmp_path, monkeypatch):
    data = tmp_path / "data.svm"
    data.write_bytes(b"".join(LINES))
    hashed = []
    monkeypatch.setattr(RunningFingerprint, "add", lambda *_: hashed.append(1))
    done("stream", data, "-q")
    assert not hashed
    done("stream", data, "-q", "-o", tmp_path / "new.nvk")
    assert hashed
