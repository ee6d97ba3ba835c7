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


@pytest.mark.slow  # test_streams.py has the same of the version
@pytest.mark.parametrize("subcommand", ["predict", "score", "inspect", "fit"])
def test_a_full_standard_output_is_exit_code_2_without_a_traceback(model, folder, subcommand):
    if not os.path.exists("/dev/full"):
        pytest.skip("/dev/full is missing (run the tests on Linux)")
    arguments = {"fit": ["fit", folder / "two.svm"], "inspect": ["inspect", model]}
    with open("/dev/full", "wb") as nowhere:
        process = start(*arguments.get(subcommand, [subcommand, model, folder / "two.svm"]), stdout=nowhere)
        err = process.communicate()[1].decode()
    assert process.returncode == 2
    assert err == "novikoff: Cannot write to standard output: No space left on device.\n"


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


@pytest.mark.slow
def test_a_killed_process_leaves_the_output_as_it_was(halfway):
    """A hidden file beside it is all that may stay."""
    process, output, _ = halfway
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert output.read_bytes() == b"what was there before"
    assert all(name.startswith(".output.") for name in os.listdir(output.parent) if name != "output")


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


@pytest.mark.slow
def test_a_fit_that_is_killed_at_any_moment_leaves_a_whole_output(folder, tmp_path):
    data, output = tmp_path / "many.svm", tmp_path / "output"
    data.write_bytes((folder / "two.svm").read_bytes() * 5_000)
    for delay in (1.0, 1.5, 2.0):
        output.write_bytes(b"what was there before")
        process = start("fit", data, "-q", "-o", output)
        time.sleep(delay)
        process.kill()
        process.communicate()
        assert output.read_bytes() == b"what was there before" or novikoff("inspect", output).code == 0


def test_an_output_that_is_its_own_input_is_whole(tmp_path):
    """A model that went on is replaced; data are not."""
    data = tmp_path / "two.svm"
    data.write_bytes(sets.svmlight(sets.X, sets.TWO))
    model = tmp_path / "m.nvk"
    done("stream", data, "-q", "-o", model)
    done("stream", data, "-q", "-i", model, "-o", model)
    before = data.read_bytes()
    run = novikoff("convert", data, data, "--to", "svmlight")
    assert run.code == 2
    assert data.read_bytes() == before


def test_a_device_may_be_the_output(model, folder):
    reading, writing = os.pipe()
    assert done("predict", model, folder / "two.svm", "-o", f"/dev/fd/{writing}").out == ""
    os.close(writing)
    with open(reading) as file:
        assert file.read().count("\n") == 40


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_a_model_does_not_replace_its_data(folder, tmp_path, subcommand):
    data = tmp_path / "rows.svm"
    data.write_bytes((folder / "two.svm").read_bytes())
    run = novikoff(subcommand, data, "-o", data)
    assert (run.code, run.out) == (2, "")
    assert "would replace an input" in run.err
    assert data.read_bytes() == (folder / "two.svm").read_bytes()


def test_predictions_replace_neither_model_nor_data(folder, fitted, tmp_path):
    model = tmp_path / "model.nvk"
    model.write_bytes(fitted("two.svm").read_bytes())
    run = novikoff("predict", model, folder / "two.svm", "-o", model)
    assert run.code == 2
    assert model.read_bytes() == fitted("two.svm").read_bytes()


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path, subcommand):
    run = novikoff(subcommand, "no such data", "-o", tmp_path / "no such folder" / "model.nvk")
    assert run.code == 2
    assert "no such folder" in run.err
    run = novikoff(subcommand, "no such data", "-o", tmp_path)
    assert "directory" in run.err


@pytest.mark.parametrize("source", ["{}/r*.csv", "SELECT * FROM '{}/rows.csv'", "FROM '{}/[r]*.csv'", "{}/link.csv"])
def test_an_input_is_not_replaced_under_another_name(tmp_path, source):
    rows, link = tmp_path / "rows.csv", tmp_path / "link.csv"
    rows.write_text("x,label\n1,a\n2,b\n")
    link.symlink_to("rows.csv")
    source = source.format(tmp_path)
    for call in (["convert", source, rows], ["convert", source, link], ["fit", source, "-o", rows]):
        run = novikoff(*call)
        assert run.code == 2
        assert "would replace an input" in run.err
    assert rows.read_text() == "x,label\n1,a\n2,b\n"


def test_an_attached_database_is_not_replaced(tmp_path):
    database = tmp_path / "people.duckdb"
    database.write_bytes(b"rows")
    run = novikoff("convert", "SELECT * FROM db.people", database, "--to", "csv", "--attach", f"db={database}")
    assert run.code == 2
    assert "would replace an input" in run.err
    assert database.read_bytes() == b"rows"
