"""Every failure is one sentence and a documented exit code; 1 is a negative verdict only."""

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import time

import pytest
from command import COMMAND, SENTENCE, novikoff, start

from novikoff.cli import _ending
from novikoff.cli._ending import (
    INTERNAL_ERROR,
    INTERRUPTED,
    INVALID_INPUT,
    NEGATIVE_VERDICT,
    check_memory_limit,
    end_with,
    is_out_of_memory,
    protected,
)
from novikoff.cli._streams import OutputError


class OutOfMemoryException(Exception):
    """As DuckDB calls it."""


def raised_from(error, cause):
    try:
        raise error from cause
    except type(error) as found:
        return found


SENTENCES = {
    "Ctrl-C": (KeyboardInterrupt(), "interrupted", INTERRUPTED),
    "a full output": (OutputError(errno.ENOSPC, "full"), "Cannot write to standard output: full.", INVALID_INPUT),
    "no memory": (MemoryError(), "Out of memory.", INVALID_INPUT),
    "a file without memory": (OSError(errno.ENOMEM, "x"), "Out of memory.", INVALID_INPUT),
    "an encoding": (
        UnicodeEncodeError("ascii", "g\u00f6\x1b", 1, 3, "no"),
        r"Standard output cannot encode '\xf6\x1b'. Use PYTHONIOENCODING=utf-8.",
        INVALID_INPUT,
    ),
    "recursion": (RecursionError("deep"), "The input is nested too deeply.", INVALID_INPUT),
    "a file": (
        OSError(errno.EIO, "Input/output error", "t\x1b.svm"),
        r"t\x1b.svm: Cannot read or write: Input/output error.",
        INVALID_INPUT,
    ),
    "a file without a name": (OSError(errno.EIO, "bad"), "Cannot read or write: bad.", INVALID_INPUT),
}


@pytest.mark.parametrize("what", SENTENCES)
def test_a_failure_is_a_sentence_and_an_exit_code(capsys, what):
    error, sentence, code = SENTENCES[what]
    with pytest.raises(SystemExit) as ended:
        end_with(error)
    assert ended.value.code == code
    assert capsys.readouterr() == ("", f"novikoff: {sentence}\n")


def test_an_unexpected_error_shows_its_traceback_in_visible_characters(capsys):
    with pytest.raises(SystemExit) as ended, protected():
        raise RuntimeError("surprise \x1b[31m")
    err = capsys.readouterr().err
    assert ended.value.code == INTERNAL_ERROR
    assert "\x1b" not in err
    assert r"RuntimeError: surprise \x1b[31m" in err
    assert err.endswith("\nnovikoff: internal error; please report it\n")


def test_a_verdict_passes_through():
    with pytest.raises(SystemExit) as ended, protected():
        raise SystemExit(NEGATIVE_VERDICT)
    assert ended.value.code == NEGATIVE_VERDICT


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        OutOfMemoryException("failed to allocate"),
        RuntimeError("can't start new thread"),
        RuntimeError("Resource temporarily unavailable"),
        ImportError("x.so: failed to map segment from shared object"),
        raised_from(ValueError("of a library"), MemoryError()),
    ],
)
def test_libraries_say_in_many_ways_that_memory_is_short(error):
    assert is_out_of_memory(error)


@pytest.mark.parametrize("error", [ValueError("bad_alloc"), OSError(errno.EIO, "x"), ImportError("no module"), None])
def test_other_errors_are_not_about_memory(error):
    assert not is_out_of_memory(error)


def test_errors_that_name_each_other_as_their_cause_end(capsys):
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert not is_out_of_memory(one)


def test_a_limit_on_memory_that_is_too_small_is_refused(monkeypatch, capsys):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (100 << 20, resource.RLIM_INFINITY))
    with pytest.raises(SystemExit) as ended:
        check_memory_limit()
    assert ended.value.code == INVALID_INPUT
    sentence = "novikoff: Out of memory: the limit is 100 MB (ulimit), and at least 384 MB are needed.\n"
    assert capsys.readouterr().err == sentence
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_without_a_limit_on_memory_nothing_changes(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    check_memory_limit()
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_an_interrupt_during_the_start_ends_it_at_once():
    code = "import os, signal, time\nfrom novikoff.cli._ending import *\n"
    code += "with protected(), interruptible_at_once():\n    try:\n        os.kill(os.getpid(), signal.SIGINT)\n"
    code += "        time.sleep(60)\n    except BaseException:\n        pass\n"  # as some imports do
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (INTERRUPTED, b"", b"novikoff: interrupted\n")


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOSPC, errno.EPIPE])
def test_an_interrupt_during_the_start_ends_it_also_if_nothing_can_be_printed(monkeypatch, number):
    def fail(*args):
        raise OSError(number, "no output")

    codes = []
    monkeypatch.setattr(_ending, "exit_at_once", codes.append)
    with _ending.interruptible_at_once():
        leave = signal.getsignal(signal.SIGINT)
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", fail)
            leave(signal.SIGINT, None)
    assert codes == [INTERRUPTED]


def test_interrupts_are_restored_after_the_start():
    before = signal.getsignal(signal.SIGINT)
    with _ending.interruptible_at_once():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_file_that_cannot_be_read_is_called_an_input(model, tmp_path):
    """The memory of a process is a file of which not every byte can be read."""
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("/proc is missing (run the tests on Linux)")
    for format in ("svmlight", "csv", "ndjson"):
        run = novikoff("fit", "/proc/self/mem", "--format", format)
        assert (run.code, run.out) == (2, "")
        assert run.err == "novikoff: /proc/self/mem: the file cannot be read: Input/output error.\n"
    for call in (["inspect", "/proc/self/mem"], ["convert", "/proc/self/mem", tmp_path / "o.csv"]):
        assert novikoff(*call).err.startswith("novikoff: /proc/self/mem: the file cannot be read: ")


def test_deeply_nested_options_are_refused(folder):
    run = novikoff("fit", folder / "two.svm", "--class-weight", "[" * 100_000)
    assert run.code == 2
    assert SENTENCE.fullmatch(run.err)


@pytest.mark.parametrize(("ending", "code"), [("ctypes.CDLL(None).exit(1)", 2), ("sys.exit(1)", 1), ("None", 0)])
def test_a_library_that_ends_the_process_does_not_give_the_code_of_a_negative_verdict(ending, code):
    """OpenBLAS calls exit(1) if it gets no memory."""
    program = f"import ctypes, sys\nfrom novikoff.cli._ending import replace_exit_code\nreplace_exit_code()\n{ending}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == code
    assert run.stderr == ("novikoff: Out of memory: a library ended the process.\n" if code == 2 else "")


@pytest.mark.slow
@pytest.mark.parametrize("words", [["fit", "two.svm", "-q"], ["certify", "MODEL", "two.svm"], ["fit", "mails.ndjson"]])
def test_a_limit_on_memory_is_a_sentence_whatever_it_is(model, folder, words):
    """Under some limits libraries cannot be imported, or cannot start threads."""
    command = [*COMMAND, *(str(model) if word == "MODEL" else word for word in words)]
    for megabytes in (100, 270, 280, 290, 300, 330, 384, 400, 420, 440, 470, 500):

        def limit(size=megabytes << 20):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

        run = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, preexec_fn=limit, timeout=60, check=False
        )
        assert run.returncode in (0, 2), (megabytes, run)
        assert "Traceback" not in run.stderr
        if run.returncode == 2:
            ours = "".join(line for line in run.stderr.splitlines(True) if not line.startswith(("OpenBLAS", "note: ")))
            assert SENTENCE.fullmatch(ours), (megabytes, run)
            assert "ndjson" in words[1] or "memory" in run.stderr, (megabytes, run)


@pytest.mark.slow
def test_an_interrupt_at_any_moment_is_exit_code_130_without_a_traceback(folder, tmp_path):
    data, chance = tmp_path / "many.svm", random.Random(17)
    data.write_bytes((folder / "two.svm").read_bytes() * 20_000)
    for _ in range(8):
        process = start("fit", data, "-q")
        time.sleep(chance.uniform(0.25, 2.0))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (INTERRUPTED, b"", b"novikoff: interrupted\n")
