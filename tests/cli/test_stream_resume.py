"""novikoff stream --resume: it continues after the last row that was saved, and ends with the bits of one run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import sets
from command import assert_refused, done, novikoff, start

import novikoff as nk
from novikoff.cli._stream_batches import Batches
from novikoff.cli._stream_save import Saver
from novikoff.persistence.model_file import load_position, load_stream
from share import share_of

LINES = sets.svmlight(sets.X, sets.TWO).splitlines(keepends=True)
HEADER = b"age,job,y\n"
PEOPLE = [b"%d,%s,%s\n" % (20 + i % 40, b"job%d" % (i * i % 7 + i // 9), [b"no", b"yes"][i % 3 % 2]) for i in range(60)]
KILLED_STREAMS = Path(__file__).parents[1] / "killed_streams.py"


def rows_of(path):
    """The number of rows of its files that a model has learned."""
    return load_position(path)[1].rows


@pytest.mark.parametrize("name", sets.ONLINE)
def test_a_file_that_grew_is_learned_from_where_the_last_run_ended(tmp_path, name):
    data, model = tmp_path / "grows.svm", tmp_path / "m.nvk"
    command = ("stream", data, "-o", model, "--resume", "--learner", name)
    for end in (13, 29, 40):
        data.write_bytes(b"".join(LINES[:end]))
        run = done(*command, "--json")
        assert rows_of(model) == end
    assert (run.json["examples"], run.json["skipped_rows"]) == (11, 29)
    done("stream", data, "-q", "-o", tmp_path / "whole.nvk", "--learner", name)
    assert sets.same_model(model, tmp_path / "whole.nvk")


@pytest.mark.parametrize("options", [(), ("--scale", "none"), ("--hash-bits", "6")])
def test_a_table_that_grew_keeps_its_encoder(tmp_path, options):
    data, model = tmp_path / "grows.csv", tmp_path / "m.nvk"
    for end in (7, 31, 60):
        data.write_bytes(HEADER + b"".join(PEOPLE[:end]))
        done("stream", data, "-q", "-o", model, "--resume", *options)
    done("stream", data, "-q", "-o", tmp_path / "whole.nvk", *options)
    assert sets.same_model(model, tmp_path / "whole.nvk")
    assert rows_of(model) == 60


def test_several_files_are_resumed_in_their_order(tmp_path):
    model = tmp_path / "m.nvk"
    parts = [PEOPLE[:20], PEOPLE[20:35], PEOPLE[35:]]
    for number, rows in enumerate(parts):
        (tmp_path / f"part{number}.csv").write_bytes(HEADER + b"".join(rows))
        done("stream", tmp_path / "part*.csv", "-q", "-o", model, "--resume")
    done("stream", tmp_path / "part*.csv", "-q", "-o", tmp_path / "whole.nvk")
    assert sets.same_model(model, tmp_path / "whole.nvk")


def test_no_new_rows_change_nothing(tmp_path):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    done("stream", data, "-q", "-o", model)
    known = sets.unsigned(model)
    run = done("stream", data, "-o", model, "--resume", "--json")
    assert (run.json["examples"], run.json["skipped_rows"]) == (0, 40)
    assert sets.unsigned(model) == known
    assert rows_of(model) == 40
    run = done("stream", data, "-i", model, "-o", tmp_path / "other.nvk", "--resume", "--json")
    assert (run.json["examples"], run.json["skipped_rows"]) == (0, 40)


def test_another_file_is_refused(tmp_path):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    done("stream", data, "-q", "-o", model)
    before = model.read_bytes()
    for content, word in ((LINES[:-1], "smaller"), ([*LINES[:-1], LINES[0]], "another"), (LINES[::-1] * 2, "another")):
        data.write_bytes(b"".join(content))
        assert_refused(novikoff("stream", data, "-o", model, "--resume"), word)
    assert_refused(novikoff("stream", "-", "-o", model, "--resume", input=b"".join(LINES)), "--resume")
    assert model.read_bytes() == before
    (tmp_path / "copy.svm").write_bytes(b"".join(LINES) + LINES[0])
    assert done("stream", tmp_path / "copy.svm", "-o", model, "--resume", "--json").json["examples"] == 1


def test_a_model_without_a_position_is_refused(tmp_path):
    (tmp_path / "two.svm").write_bytes(b"".join(LINES))
    nk.save(nk.Perceptron().partial_fit(sets.X, sets.TWO), tmp_path / "m.nvk")
    assert_refused(novikoff("stream", tmp_path / "two.svm", "-o", tmp_path / "m.nvk", "--resume"), "does not know")
    assert_refused(novikoff("stream", tmp_path / "two.svm", "--resume"), "-o")


def test_a_model_that_was_loaded_and_saved_again_has_no_position(tmp_path):
    """It may have learned other rows meanwhile."""
    (tmp_path / "two.svm").write_bytes(b"".join(LINES))
    done("stream", tmp_path / "two.svm", "-q", "-o", tmp_path / "m.nvk")
    nk.save(nk.load(tmp_path / "m.nvk"), tmp_path / "m.nvk")
    assert load_position(tmp_path / "m.nvk")[1] is None


def test_options_are_repeated_or_left_out(tmp_path):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    begun = ("stream", data, "-q", "-o", model, "--resume")
    done(*begun, "--learner", "averaged-perceptron", "--no-fit-intercept")
    done(*begun, "--learner", "averaged-perceptron", "--no-fit-intercept")
    done(*begun)
    assert_refused(novikoff(*begun, "--learner", "averaged-perceptron"), "fit-intercept")
    assert_refused(novikoff(*begun, "--learner", "perceptron", "--no-fit-intercept"), "--learner")


def test_rows_that_are_learned_again_are_named(tmp_path):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    assert not [w for w in done("stream", data, "-o", model, "--json").json["warnings"] if "again" in w]
    (warning,) = (w for w in done("stream", data, "-i", model, "-o", model, "--json").json["warnings"] if "again" in w)
    assert "40 rows" in warning
    assert "--resume" in warning
    assert "learns them again" in novikoff("stream", data, "-i", model).err


def test_a_model_of_the_same_rows_that_is_replaced_is_named(tmp_path):
    """A second run without --resume learns the file anew; it says so before it begins."""
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    done("stream", data, "-o", model)
    run = novikoff("stream", data, "-o", model)
    assert run.code == 0
    assert run.err.startswith(f"warning: {model} has learned the first 40 rows of {data} before, and is replaced")
    assert "--resume" in run.err
    assert [w for w in done("stream", data, "-o", model, "--json").json["warnings"] if "replaced" in w]
    data.write_bytes(b"".join(LINES[::-1]))
    done("stream", data, "-o", model)  # of another file it need not be said
    model.write_bytes(b"no model")
    done("stream", data, "-o", model)


def test_only_a_stream_that_was_not_resumed_has_a_fingerprint(tmp_path):
    """The rows before are not hashed again, so the fingerprint of all rows is not known."""
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES[:20]))
    done("stream", data, "-q", "-o", model)
    rows = nk.read(data)
    assert nk.load(model).record_.fingerprint == nk.fingerprint(rows.X, rows.y)
    done("stream", data, "-q", "-o", model, "--resume")
    assert nk.load(model).record_.fingerprint == nk.fingerprint(rows.X, rows.y)  # there were no new rows
    data.write_bytes(b"".join(LINES))
    done("stream", data, "-q", "-o", model, "--resume")
    assert nk.load(model).record_.fingerprint is None


def test_the_summary_of_a_resumed_stream_tells_its_own_rows_from_those_before(tmp_path):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES[:25]))
    assert "earlier runs" not in done("stream", data, "-o", model).out
    data.write_bytes(b"".join(LINES))
    out = done("stream", data, "-o", model, "--resume", "--every", 5).out
    assert "the numbers count since resuming, after 25 rows of earlier runs" in out
    assert [line.split()[2] for line in out.partition("\n\n")[0].splitlines()[2:]] == ["5", "10", "15"]
    assert "in 15 rows" in out


def test_bad_lines_are_counted_and_do_not_shift_the_position(tmp_path):
    data, model = tmp_path / "bad.svm", tmp_path / "m.nvk"
    lines = [*LINES[:5], b"1 x:1\n", *LINES[5:20], b"what\n", *LINES[20:]]
    command = ("stream", data, "-o", model, "--resume", "--on-bad", "skip")
    data.write_bytes(b"".join(lines[:10]))
    done(*command, "-q")
    data.write_bytes(b"".join(lines))
    run = novikoff(*command, "--json")
    assert (run.code, run.json["bad_lines"], run.json["skipped_rows"]) == (0, 2, 9)
    (tmp_path / "good.svm").write_bytes(b"".join(LINES))
    done("stream", tmp_path / "good.svm", "-q", "-o", tmp_path / "good.nvk")
    assert sets.same_model(model, tmp_path / "good.nvk")
    shown = novikoff("stream", data, "--on-bad", "skip").err
    assert "2 malformed lines" in shown
    assert "line 6" in shown
    assert_refused(novikoff("stream", data, "-q", "-o", model), "line 6")
    assert_refused(novikoff("stream", data, "--on-bad", "ignore"), "--on-bad")


def wait_for(rows, model, process):
    """Wait until a model file holds this many rows."""
    end = time.monotonic() + 60
    while not (model.exists() and rows_of(model) == rows):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_file_that_rotates_is_followed_and_saved_while_it_waits(tmp_path):
    data, model = tmp_path / "log.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES[:12]))
    process = start("stream", data, "--follow", "--save-every", "0.05s", "-q", "-o", model, "--resume")
    wait_for(12, model, process)
    with data.open("ab") as file:
        file.write(b"".join(LINES[12:20]))
    wait_for(20, model, process)
    data.rename(tmp_path / "log.svm.1")
    data.write_bytes(b"".join(LINES[20:27]))
    wait_for(7, model, process)  # of the new file
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    data.write_bytes(b"".join(LINES[20:]))
    done("stream", data, "-q", "-o", model, "--resume")
    (tmp_path / "whole.svm").write_bytes(b"".join(LINES))
    done("stream", tmp_path / "whole.svm", "-q", "-o", tmp_path / "whole.nvk")
    assert sets.same_model(model, tmp_path / "whole.nvk")


class Killed(Exception):
    """Ends a stream without any further step of it, as SIGKILL does."""


def count_down(monkeypatch, learned):
    """Make the next streams die after this many batches, before or after the save that is then due."""
    left = [learned]

    def dying(method):
        def step(self, *arguments):
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return method(self, *arguments)

        return step

    for name in ("learned", "learning"):
        monkeypatch.setattr(Saver, name, dying(getattr(Saver, name)))


@pytest.mark.parametrize("options", [(), ("--delay", "20"), ("--delay", "3", "--learner", "perceptron")])
@pytest.mark.parametrize("name", ["data.svm", "data.csv.gz"])
def test_a_stream_that_dies_between_two_batches_ends_with_the_bits_of_one_run(tmp_path, monkeypatch, name, options):
    """Streams that are killed at any moment are below; this one is quick, and dies at moments of its choice."""
    data, whole, model = tmp_path / name, tmp_path / "whole.nvk", tmp_path / "m.nvk"
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(100, 3)), 2)
    nk.write((X, np.where(X.sum(axis=1) + rng.normal(size=100) > 0, 1, 0)), data)
    monkeypatch.setattr("novikoff.data.reading.SCAN_BATCH", 8)
    monkeypatch.setattr("novikoff.cli._stream_save.MIN_SECONDS", 0.0)
    done("stream", data, "-q", "-o", whole, *options)
    begun = []
    for batches in (3, 8, 2):
        with monkeypatch.context() as patch:
            count_down(patch, batches)
            novikoff("stream", data, "-q", "-o", model, "--resume", "--save-every", "0s", *options)
        begun.append(rows_of(model) if model.exists() else 0)
    is_late = "20" in options  # the first dies before any label is learned, and nothing is saved
    assert begun == ([0, 24, 24] if is_late else [8, 32, 32])  # the third dies before it saves anything
    done("stream", data, "-q", "-o", model, "--resume")
    assert sets.same_model(model, whole)


@pytest.mark.parametrize("kind", ["svm", "csv"])
@pytest.mark.parametrize("learner", [(), ("--learner", "averaged-perceptron"), ("--learner", "perceptron")])
def test_a_stream_with_late_labels_that_is_stopped_goes_on_as_one_run(tmp_path, monkeypatch, kind, learner):
    data, model = tmp_path / f"data.{kind}", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES) if kind == "svm" else HEADER + b"".join(PEOPLE))
    monkeypatch.setattr("novikoff.data.reading.SCAN_BATCH", 4)
    options = ("--delay", "6", "--window", "5", "--json", *learner)
    once = done("stream", data, "-o", tmp_path / "whole.nvk", *options).json
    runs = []
    for batches in (4, 3, 0, 2):
        with monkeypatch.context() as patch:
            stop_after(patch, batches)
            run = novikoff("stream", data, "-o", model, "--resume", *options)
        assert (run.code, run.err) == (0, ""), run
        runs.append(run.json)
        assert len(load_stream(model).unlearned) == 6
        assert load_stream(model).model.record_.fingerprint is None
    runs.append(done("stream", data, "-o", model, "--resume", "--json").json)  # which knows the delay
    assert [run["examples"] for run in runs[:-1]] == [16, 12, 0, 8]  # of its own rows
    assert load_stream(model).unlearned is None
    for name in ("examples", "mistakes", "mistakes_at_learning"):
        assert sum(run.get(name, 0) for run in runs) == once[name], name
    assert sets.same_model(model, tmp_path / "whole.nvk")


def test_labels_that_are_missing_when_the_rows_have_ended_are_learned_by_the_next_run(tmp_path, monkeypatch):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    with monkeypatch.context() as patch:
        stop_after(patch, 1)
        novikoff("stream", data, "-q", "-o", model, "--delay", "6")
    assert rows_of(model) == len(LINES)
    assert "learned now" in done("stream", data, "-o", model, "--resume").out
    done("stream", data, "-q", "-o", tmp_path / "whole.nvk", "--delay", "6")
    assert sets.same_model(model, tmp_path / "whole.nvk")


def test_a_stream_that_is_stopped_before_any_label_is_learned_saves_nothing(tmp_path, monkeypatch):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    with monkeypatch.context() as patch:
        stop_after(patch, 1)
        run = novikoff("stream", data, "-q", "-o", model, "--delay", "100")
    assert (run.code, run.err) == (130, "novikoff: interrupted\n")
    assert not model.exists()
    data.write_bytes(b"".join(LINES[:20]))
    done("stream", data, "-q", "-o", model, "--delay", "30")
    before = model.read_bytes()
    data.write_bytes(b"".join(LINES))
    with monkeypatch.context() as patch:
        stop_after(patch, 1)
        assert novikoff("stream", data, "-q", "-o", model, "--resume").code == 130
    assert model.read_bytes() == before  # from which the next run predicts the rows again


def test_what_waits_for_its_label_is_known_by_its_delay(tmp_path, monkeypatch):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    with monkeypatch.context() as patch:
        stop_after(patch, 1)
        novikoff("stream", data, "-q", "-o", model, "--delay", "6")
    assert_refused(novikoff("stream", data, "-o", model, "--resume", "--delay", "5"), "began with --delay 6")
    (tmp_path / "more.svm").write_bytes(b"".join(LINES[::-1]))
    run = novikoff("stream", tmp_path / "more.svm", "-i", model, "-o", tmp_path / "n.nvk")
    assert "warning: " in run.err
    assert "the labels of 6 rows" in run.err
    assert "delay" not in load_position(tmp_path / "n.nvk")[1].options


def stop_after(monkeypatch, batches):
    """Make streams see SIGTERM after this many batches."""
    step, left = Batches._next, [batches]

    def counted_step(self):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        left[0] -= 1
        return step(self)

    monkeypatch.setattr(Batches, "_next", counted_step)


def killed_streams(folder, name, count, *options):
    """What streams that were killed left, and how often they were."""
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    words = [sys.executable, str(KILLED_STREAMS), name, str(folder), "0", str(count), *options]
    run = subprocess.run(words, capture_output=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, ()) for name in ("data.svm", "data.svm.gz", "data.csv", "data.csv.gz", "data.ndjson")),
        *((name, ("--delay", "100")) for name in ("data.svm.gz", "data.csv")),
        ("data.csv", ("--delay", "9000", "--learner", "arow")),  # more than a batch
    ],
)
def test_a_stream_that_is_killed_at_random_ends_with_the_bits_of_one_run(tmp_path, name, options):
    count = share_of(30)
    left = killed_streams(tmp_path, name, count, *options)
    assert left["kills"] == count
    assert left["resumed"] > 0 or count < 10
    assert left["same"]
