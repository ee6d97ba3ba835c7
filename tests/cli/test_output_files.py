"""Full and read-only disks, outputs that are inputs, killed processes: a file is written whole or left as it was."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress

import pytest
import sets
from command import assert_refused, done, feed, novikoff, start


def slow(value):
    """A case for the slow tier: each is a process of its own."""
    return pytest.param(value, marks=pytest.mark.slow)


WRITERS = ("fit", "predict", "stream", "report", "convert", "convert model")


def writing(subcommand, model, data, output):
    """A call that writes a file."""
    return {
        "fit": ["fit", data, "-q", "-o", output],
        "predict": ["predict", model, data, "-o", output],
        "stream": ["stream", data, "-q", "-o", output],
        "report": ["report", model, data, "-o", output],
        "convert": ["convert", data, output, "--to", "csv"],
        "convert model": ["convert", model, output, "--to", "json"],
    }[subcommand]


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A folder on a disk of a few kilobytes that is full."""
    place = tmp_path_factory.mktemp("full")
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root (run the tests as root)")
    (place / "old").write_bytes(b"what was there before")
    with suppress(OSError), (place / "filling").open("wb", buffering=0) as file:
        while file.write(bytes(1024)):
            pass
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("subcommand", WRITERS)
def test_a_full_disk_is_one_sentence_and_leaves_what_was_there(model, folder, full, subcommand):
    run = novikoff(*writing(subcommand, model, folder / "two.svm", full / "old"))
    assert_refused(run, "No space left on device", "old")
    assert (full / "old").read_bytes() == b"what was there before"
    assert sorted(os.listdir(full)) == ["filling", "old"]


@pytest.mark.parametrize("subcommand", WRITERS)
def test_a_folder_that_is_not_there_is_one_sentence(model, folder, tmp_path, subcommand):
    run = novikoff(*writing(subcommand, model, folder / "two.svm", tmp_path / "no" / "folder"))
    assert_refused(run, "No such file or directory")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("subcommand", WRITERS)
def test_a_folder_in_the_place_of_the_output_is_one_sentence(model, folder, tmp_path, subcommand):
    run = novikoff(*writing(subcommand, model, folder / "two.svm", tmp_path))
    assert_refused(run, str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """A folder that cannot be written to, also by root."""
    place = tmp_path_factory.mktemp("read_only")
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(place)]
    if shutil.which("mount") and subprocess.run(mount, capture_output=True, check=False).returncode == 0:
        yield place
        subprocess.run(["umount", str(place)], check=True)
        return
    place.chmod(0o500)
    if os.access(place, os.W_OK):
        pytest.skip("root needs mount for a read-only folder (run the tests as another user, or install mount)")
    yield place
    place.chmod(0o700)


@pytest.mark.parametrize("subcommand", WRITERS)
def test_a_read_only_disk_is_one_sentence(model, folder, read_only, subcommand):
    run = novikoff(*writing(subcommand, model, folder / "two.svm", read_only / "output"))
    assert_refused(run, "output")
    assert os.listdir(read_only) == []


@pytest.fixture(params=["predict", slow("convert"), slow("fit"), slow("stream")])
def halfway(request, model, tmp_path, tmp_path_factory):
    """A process that has read some rows of a pipe and waits for more, and its output, where something was before."""
    output, pipe, subcommand = tmp_path / "output", tmp_path_factory.mktemp("pipe") / "pipe.svm", request.param
    output.write_bytes(b"what was there before")
    os.mkfifo(pipe)
    call = writing(subcommand, model, pipe, output)
    process = start(*(["stream", pipe, "--every", "1", "-o", output] if subcommand == "stream" else call))
    with feed(pipe, sets.svmlight(sets.X, sets.TWO)):
        time.sleep(0.2)
        yield process, output, subcommand
    process.kill()
    process.communicate()


def test_an_interrupted_process_leaves_nothing_behind(halfway):
    """A stream, which has learned something, saves it."""
    process, output, subcommand = halfway
    if subcommand == "stream":
        assert [process.stdout.readline() for _ in range(5)][-1].split()[2] == b"3"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert os.listdir(output.parent) == ["output"]
    if subcommand == "stream":
        assert err == b""
        assert novikoff("inspect", output, "--json").json["learner"] == "Tracker"
    else:
        assert (out, err) == (b"", b"novikoff: interrupted\n")
        assert output.read_bytes() == b"what was there before"


def test_a_stream_may_replace_the_model_that_it_goes_on_from(folder, tmp_path):
    done("stream", folder / "two.svm", "-q", "-o", tmp_path / "m.nvk")
    done("stream", folder / "two.svm", "-q", "-i", tmp_path / "m.nvk", "-o", tmp_path / "m.nvk")


def test_a_device_may_be_the_output(model, folder):
    reading, writing = os.pipe()
    assert done("predict", model, folder / "two.svm", "-o", f"/dev/fd/{writing}").out == ""
    os.close(writing)
    with open(reading) as file:
        assert file.read().count("\n") == 40


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path, subcommand):
    run = novikoff(subcommand, "no such data", "-o", tmp_path / "no such folder" / "model.nvk")
    assert run.code == 2
    assert "no such folder" in run.err
    run = novikoff(subcommand, "no such data", "-o", tmp_path)
    assert "directory" in run.err


@pytest.mark.parametrize(
    "sources", [("rows.csv", "r*.csv", "link.csv"), ("SELECT * FROM 'rows.csv'", "FROM '[r]*.csv'")]
)
def test_an_input_is_not_replaced_under_any_name(tmp_path, sources):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,label\n1,a\n2,b\n")
    (tmp_path / "link.csv").symlink_to("rows.csv")
    for source in sources:
        for call in (["fit", source, "-o"], ["stream", source, "-o"], ["convert", source]):
            for output in ("rows.csv", "link.csv"):
                assert_refused(novikoff(*call, output, folder=tmp_path), "would replace an input")
    assert rows.read_text() == "x,label\n1,a\n2,b\n"


def test_neither_a_model_nor_an_attached_database_is_replaced(folder, fitted, tmp_path):
    model, database = tmp_path / "model.nvk", tmp_path / "people.duckdb"
    model.write_bytes(fitted("two.svm").read_bytes())
    database.write_bytes(b"rows")
    query = ("SELECT * FROM db.people", database, "--to", "csv", "--attach", f"db={database}")
    for call in (["predict", model, folder / "two.svm", "-o", model], ["convert", *query]):
        assert_refused(novikoff(*call), "would replace an input")
    assert (model.read_bytes(), database.read_bytes()) == (fitted("two.svm").read_bytes(), b"rows")
