"""Mutants of all formats through the subcommands, in this process: a documented exit code and printable lines.

An input is the name of a format, a line end and the bytes of a file. What is done with the file depends on its bytes.
"""

import random
import sys
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .targets import TARGETS, Target, stored

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))  # where pytest finds it too

SUFFIXES = {
    "svmlight": ".svm", "delimited": ".csv", "ndjson": ".ndjson", "arrow": ".arrow",
    "parquet": ".parquet", "compressed": ".svm", "model": ".nvk", "liblinear": ".model",
}  # fmt: skip
TABLE = b"age,job,label\n20,clerk,no\n41,smith,yes\n33,clerk,no\n55,cook,yes\n"
NEGATIVE = 1  # exit code of a claim that does not hold


class UnexpectedEndError(Exception):
    """A subcommand ended in another way than documented."""


def per_data(path: str, table: str, model: str, out: str) -> tuple[tuple[str, ...], ...]:
    """Return what users do with data."""
    return (
        ("fit", path, "-o", out),
        ("fit", path, "--learner", "perceptron", "--passes", "3"),
        ("predict", model, path),
        ("score", model, path),
        ("stream", path),
        ("certify", model, path),
        ("convert", path, f"{out}.svm"),
        ("convert", path, f"{out}.parquet"),
    )


def per_model(path: str, table: str, model: str, out: str) -> tuple[tuple[str, ...], ...]:
    """Return what users do with models."""
    return (
        ("inspect", path),
        ("predict", path, table),
        ("score", path, table),
        ("certify", path, table),
        ("convert", path, f"{out}.json"),
        ("convert", path, f"{out}.model"),
        ("stream", "-i", path, table),
    )


@cache
def good_files() -> tuple[str, str]:
    """Return the paths of a table and of a model that was fitted to it."""
    from command import done

    table = stored(TABLE, ".good.csv")
    model = table.removesuffix(".csv") + ".nvk"
    done("fit", table, "-o", model)
    return table, model


def run(data: bytes) -> None:
    """Run one subcommand on a file."""
    from command import novikoff

    name, _, content = data.partition(b"\n")
    suffix = SUFFIXES.get(name.decode("latin-1"), ".csv")
    table, model = good_files()
    path, out = stored(content, suffix), table.removesuffix(".good.csv") + ".out"
    ways = (per_model if suffix in (".nvk", ".model") else per_data)(path, table, model, out)
    command = ways[zlib.crc32(content) % len(ways)]
    ended = novikoff(*command)
    allowed = (0, NEGATIVE, 2) if command[0] == "certify" else (0, 2)
    lines = [*ended.err.split("\n"), *ended.out.split("\n")]
    if ended.code not in allowed or not all(line.replace("\t", " ").isprintable() for line in lines):
        raise UnexpectedEndError(f"{command[0]} ended with {ended.code}: {ended.err[-1500:]!a} {ended.out[-300:]!a}")


class CommandLine(Target):
    """The inputs of all formats, with their names."""

    def corpus(self) -> dict[str, bytes]:
        """Return some inputs of each format."""
        return {
            f"{name}/{path}": name.encode() + b"\n" + data
            for name in SUFFIXES
            for path, data in list(TARGETS[name].corpus().items())[:2]
        }


@cache
def _inputs(name: str) -> list[bytes]:
    return list(TARGETS[name].corpus().values())


def mutate(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Return a mutant of any format."""
    name = rng.choice(list(SUFFIXES))
    inputs = _inputs(name)
    return name.encode() + b"\n" + TARGETS[name].mutate(rng, rng.choice(inputs), inputs)


COMMAND_LINE = CommandLine(run, mutate, (), 2_000)
