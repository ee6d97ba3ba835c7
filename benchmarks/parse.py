"""Reading and writing svmlight files, against scikit-learn, LIBLINEAR and zlib.

LIBLINEAR's `train` (Debian: liblinear-tools) is given a copy of the file whose last line is wrong: it reads everything
and then stops, so that its time is that of reading.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Any

from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite
from .harness.session import BUILD


def write_files(rows: int) -> tuple[Path, Path, Path]:
    """Write the text, the text with a wrong last line, and the text compressed, unless they are there."""
    BUILD.mkdir(parents=True, exist_ok=True)
    text, wrong, packed = (BUILD / f"text-{rows}.svm{ending}" for ending in ("", ".wrong", ".gz"))
    if not packed.exists():
        X, y = text_like(rows, 50_000, 57)
        nk.write_svmlight(X, y, text)
        wrong.write_bytes(text.read_bytes() + b"wrong\n")
        nk.write_svmlight(X, y, packed)
    return text, wrong, packed


def train_reads(train: str, path: Path) -> None:
    """Let LIBLINEAR read a file, and check that it got to the last line."""
    done = subprocess.run([train, str(path), "/dev/null"], capture_output=True, text=True, check=False)
    assert "rong input format at line" in done.stderr, done.stderr


def run(session: Session) -> None:
    """Measure all."""
    rows = session.size["rows"]
    text, wrong, packed = write_files(rows)
    size = text.stat().st_size
    X, y = nk.read_svmlight(text)
    right = X.data.sum(), int(X.indices.sum(dtype="int64")), X.nnz

    def distance(answer: Any) -> float:
        """Return 0 if the rows are the right ones; LIBLINEAR returns nothing, and checks itself how far it got."""
        rows = None if answer is None else answer[0]
        return float(rows is not None and (rows.data.sum(), int(rows.indices.sum(dtype="int64")), rows.nnz) != right)

    peers = {"scikit-learn": lambda: load_svmlight_file(str(text))}
    if train := shutil.which("liblinear-train") or shutil.which("train"):
        peers["LIBLINEAR"] = lambda: train_reads(train, wrong)
    else:
        print("LIBLINEAR's train is not installed (Debian: liblinear-tools); it is left out")

    def unpack() -> None:
        assert len(zlib.decompress(packed.read_bytes(), wbits=31)) == size

    reading = session.reading(size)
    session.compare(
        "read",
        {
            "two threads": lambda: nk.read_svmlight(text, n_jobs=2),
            "one thread": lambda: nk.read_svmlight(text, n_jobs=1),
        },
        peers,
        rounds=5,
        cost=distance,
        limit=reading,
        bytes=size,
    )
    session.compare(
        "read, gzip",
        {"novikoff": lambda: nk.read_svmlight(packed)},
        {"zlib, without parsing": unpack},
        rounds=5,
        cost=distance,
        bytes=size,
    )

    def written(write: Any) -> int:
        file = io.BytesIO()
        write(file)
        return file.tell()

    session.compare(
        "write, two threads",
        {"novikoff": lambda: written(lambda file: nk.write_svmlight(X, y, file, n_jobs=2))},
        {"scikit-learn": lambda: written(lambda file: dump_svmlight_file(X, y, file, zero_based=False))},
        rounds=5,
        limit=reading,
        bytes=size,
    )


SUITE = Suite(
    name="parse",
    measures="reading and writing an svmlight file of text-like rows",
    contestants=("scikit-learn", "LIBLINEAR", "zlib"),
    answers="the rows that are read have the same entries, by number and sums",
    limit="reading the bytes of the file from memory once; for gzip, the time of zlib alone",
    run=run,
    quick={"rows": 20_000},
    full={"rows": 200_000},
)
