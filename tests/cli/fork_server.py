"""Runs the command line again and again, each time in a process of its own, without importing it each time.

A line of standard input is a run: its arguments and the files that stand for standard input, output and error. The
answer is a line with the exit code, or minus the signal. Run by ``command.py``; not a test.
"""

import importlib
import json
import os
import sys
from contextlib import suppress

from novikoff.cli import main
from novikoff.cli._app import application

LATER = ("typer._adapters", "safetensors.numpy", "sklearn.metrics", "pyarrow.csv", "pyarrow.parquet", "pyarrow.json")


def serve():
    application()  # imports every verb
    for name in LATER:
        with suppress(ImportError):
            importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        run = json.loads(line)
        child = os.fork()
        if child == 0:
            answers.close()
            for number, path in enumerate(run["files"]):
                os.dup2(os.open(path, os.O_RDWR if number else os.O_RDONLY), number)
            sys.stdin = os.fdopen(0, "r", closefd=False)
            os.chdir(run["folder"])
            os.environ.update(run["environment"])
            sys.argv = ["novikoff", *run["arguments"]]
            main()
            sys.exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code, file=answers, flush=True)


if __name__ == "__main__":
    serve()
