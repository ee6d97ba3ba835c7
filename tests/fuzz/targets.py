"""What is fuzzed: for every format, a function that reads bytes as a user would, the mutator and the corpus.

A function ends with a result or with a ``NovikoffError`` of one sentence. Every other exception, crash, hang or large
allocation is a finding. To add a format, add an entry to ``TARGETS`` and a folder of small inputs to ``corpus/``.
"""

import atexit
import os
import random
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nk
from model_kinds import model_files

from .containers import mutate_arrow, mutate_model, mutate_parquet, mutate_zip
from .documents import mutate_ndjson
from .mutators import Mutator, mutate_bytes, mutate_text

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
FOLDER = "NOVIKOFF_FUZZ_FOLDER"  # environment variable: where inputs are written
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a folder in memory, if the system has one
MAX_MESSAGE = 1000  # characters of an error's sentence
HASHING = nk.Hashing(n_bits=8)


@dataclass(frozen=True)
class Target:
    """A reader of bytes that others wrote.

    ``folders`` hold the inputs that mutants begin from, and ``made`` makes others; ``mutations`` is the number of
    mutants in the slow tests.
    """

    run: Callable[[bytes], None]
    mutate: Mutator
    folders: tuple[Path, ...]
    mutations: int = 100_000
    made: Callable[[], dict[str, bytes]] = dict

    def corpus(self) -> dict[str, bytes]:
        """Return the inputs by name."""
        paths = sorted(path for folder in self.folders for path in folder.glob("*"))
        return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths} | self.made()

    def mutant(self, inputs: list[bytes], seed: int, index: int) -> bytes:
        """Return mutant ``index`` of a seed."""
        rng = random.Random(seed << 40 | index)
        shortest = min((rng.choice(inputs) for _ in range(3)), key=len)  # short ones are read faster
        return self.mutate(rng, shortest, inputs)


@cache
def _folder() -> str:
    """Return the folder that ``run.py`` names, which it removes, or one that is removed when this process ends."""
    if FOLDER in os.environ:
        return os.environ[FOLDER]
    folder = tempfile.mkdtemp(prefix="novikoff-fuzz-", dir=IN_MEMORY)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def stored(data: bytes, suffix: str) -> str:
    """Write an input to a file, in place of the one before, and return its path."""
    path = f"{_folder()}/input{suffix}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)  # in half the time of open()
    os.write(file, data)
    os.close(file)
    return path


def _variant(data: bytes, count: int) -> int:
    """Return one of several ways to read, which depends only on the bytes."""
    return zlib.crc32(data) % count


def svmlight(data: bytes) -> None:
    """Read svmlight text as a whole or in batches."""
    match _variant(data, 4):
        case 0:
            nk.read_svmlight(data, n_jobs=1, index_base="auto")
        case 1:
            nk.read_svmlight(data, n_jobs=1, index_base=0, dtype=np.float32, n_features=9)
        case 2:
            for _ in nk.scan(data, format="svmlight", batch_size=2, n_jobs=1):
                pass
        case _:
            nk.read_svmlight(data, n_jobs=1)


def _table(source: object, data: bytes, **options: Any) -> None:
    """Read a table encoded, hashed or in batches; a third of them without a name for the labels."""
    options["target"] = "last" if len(data) % 3 == 0 else None
    match _variant(data, 4):
        case 0:
            nk.read(source, missing="mean", **options)
        case 1:
            for _ in nk.scan(source, hashing=HASHING, missing="zero", batch_size=3, **options):
                pass
        case 2:
            for _ in nk.scan(source, batch_size=3, **options):
                pass
        case _:
            nk.read(source, **options)


def delimited(data: bytes) -> None:
    """Read delimited text, whose dialect is judged by the text."""
    _table(data, data, format="csv" if data[:1] != b"\t" else "tsv")


def ndjson(data: bytes) -> None:
    """Read a JSON object per line."""
    _table(data, data, format="ndjson")


def of_path(suffix: str) -> Callable[[bytes], None]:
    """Return the reader of a format of tables that is read from a path."""

    def read(data: bytes) -> None:
        _table(stored(data, suffix), data)

    return read


def model(data: bytes) -> None:
    """Load a model, predict with it and read its claims."""
    loaded = nk.loads(data)
    learner = getattr(loaded, "steps", [("", loaded)])[-1][1]
    with np.errstate(all="ignore"):
        if hasattr(learner, "predict"):  # a path of models does not predict
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # rows without names for a model with names
                learner.predict(sp.csr_array((2, learner.n_features_in_)))
    repr(getattr(learner, "certificate_", None))


def liblinear(data: bytes) -> None:
    """Read a model of LIBLINEAR."""
    loaded = nk.export.from_liblinear(stored(data, ".model"))
    loaded.predict(sp.csr_array((2, loaded.n_features_in_)))


MILLION = 1_000_000
TARGETS = {
    "svmlight": Target(svmlight, mutate_text, (ROOT / "cpp" / "fuzz" / "corpus" / "svmlight", CORPUS / "svmlight")),
    "delimited": Target(delimited, mutate_text, (ROOT / "cpp" / "fuzz" / "corpus" / "delimited", CORPUS / "delimited")),
    "model": Target(model, mutate_model, (), MILLION, model_files),
    "liblinear": Target(liblinear, mutate_text, (CORPUS / "liblinear",), MILLION),
    "ndjson": Target(ndjson, mutate_ndjson, (CORPUS / "ndjson",)),
    "arrow": Target(of_path(".arrow"), mutate_arrow, (CORPUS / "arrow",)),
    "parquet": Target(of_path(".parquet"), mutate_parquet, (CORPUS / "parquet",)),
    "excel": Target(of_path(".xlsx"), mutate_zip, (CORPUS / "excel",), 2_000),
    "numpy": Target(of_path(".npz"), mutate_bytes, (CORPUS / "numpy",), 20_000),
    "compressed": Target(svmlight, mutate_bytes, (CORPUS / "compressed",), 20_000),
}


def judge(run: Callable[[bytes], None], data: bytes) -> tuple[bool, str]:
    """Run a target on an input. Return whether the input was accepted, and what is wrong with the outcome, if anything.

    Other exceptions than those of novikoff are passed on. Warnings must be errors where it is called.
    """
    try:
        run(data)
    except nk.NovikoffError as error:
        return False, fault_of_message(str(error))
    except Warning as warning:
        if not type(warning).__module__.startswith("novikoff"):
            raise
    return True, ""


def fault_of_message(message: str) -> str:
    """Return why an error's text is not one printable line that ends as a sentence does; "" if it is."""
    if not message.isprintable():
        return f"the message is not one line of printable text: {message[:300]!a}"
    if len(message) > MAX_MESSAGE:
        return f"the message has {len(message)} characters: {message[:300]!a}"
    if not message.endswith("."):
        return f"the message does not end as a sentence: {message[-300:]!a}"
    if "alloc of size" in message or "bad_alloc" in message:
        return f"memory was asked for because the file says so: {message[:300]!a}"
    return ""
