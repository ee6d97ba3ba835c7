"""Reading and writing svmlight files against scikit-learn, LIBLINEAR and zlib: ratios from one interleaved run.

python benchmarks/parse.py            # a file of about 270 MB, written to build/ first
python benchmarks/parse.py --quick    # a tenth of it

LIBLINEAR's `train` (Debian: liblinear-tools) is given a copy of the file whose last line is wrong: it reads everything
and then stops, so that its time is that of reading.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import interleave, report, share_of_rows, text_like
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import novikoff as nk

PEAK = """
import sys
import numpy, scipy.sparse, novikoff as nk
def peak():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
before = peak()
X, y = nk.read_svmlight(sys.argv[1])
print(peak() - before, X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes)
"""


def write_files(folder: Path, rows: int) -> tuple[Path, Path, Path]:
    """The text, the text with a wrong last line, and the text compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    text, wrong, packed = (folder / f"text-{rows}.svm{ending}" for ending in ("", ".wrong", ".gz"))
    if not packed.exists():
        X, y = text_like(rows, 50_000, 57)
        nk.write_svmlight(X, y, text)
        wrong.write_bytes(text.read_bytes() + b"wrong\n")
        nk.write_svmlight(X, y, packed)
    return text, wrong, packed


def train_reads(train: str, path: Path) -> None:
    done = subprocess.run([train, str(path), "/dev/null"], capture_output=True, text=True, check=False)
    assert "rong input format at line" in done.stderr, done.stderr


def memory(path: Path) -> tuple[int, int]:
    """Bytes at the peak beyond what the imports take, and bytes of the arrays."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    beyond, arrays = map(int, done.stdout.split())
    return beyond, arrays


def main() -> None:
    share = share_of_rows(__doc__)
    text, wrong, packed = write_files(Path("build") / "bench", 200_000 // share)
    size = text.stat().st_size
    ours, theirs = nk.read_svmlight(text), load_svmlight_file(str(text))
    assert np.array_equal(ours.X.data, theirs[0].data)
    assert np.array_equal(ours.X.indices, theirs[0].indices)

    contestants: dict[str, Callable[[], Any]] = {
        "two": lambda: nk.read_svmlight(text, n_jobs=2),
        "one": lambda: nk.read_svmlight(text, n_jobs=1),
        "scikit-learn": lambda: load_svmlight_file(str(text)),
        "gzip": lambda: nk.read_svmlight(packed),
        "zlib": lambda: zlib.decompress(packed.read_bytes(), wbits=31),
        "write": lambda: nk.write_svmlight(ours.X, ours.y, io.BytesIO(), n_jobs=2),
        "scikit-learn writes": lambda: dump_svmlight_file(ours.X, ours.y, io.BytesIO(), zero_based=False),
    }
    train = shutil.which("liblinear-train") or shutil.which("train")
    if train is None:
        print("LIBLINEAR's train is not installed (Debian: liblinear-tools); it is left out")
    else:
        contestants["LIBLINEAR"] = lambda: train_reads(train, wrong)
    times = interleave(contestants, rounds=5)

    pairs = [
        ("read, two threads", "two", "scikit-learn"),
        ("read, one thread", "one", "scikit-learn"),
        ("read, two threads", "two", "LIBLINEAR"),
        ("read, one thread", "one", "LIBLINEAR"),
        ("read, gzip", "gzip", "zlib"),
        ("write, two threads", "write", "scikit-learn writes"),
    ]
    table = [
        {
            "work": work,
            "ours": f"{times[mine]:.3f} s",
            "peer": f"{times[other]:.3f} s ({other.removesuffix(' writes')})",
            "ratio": times[other] / times[mine],
            "MB/s": size / times[mine] / 1e6,
        }
        for work, mine, other in pairs
        if other in times
    ]
    beyond, arrays = memory(text)
    report(
        "parse",
        share,
        table,
        file_MB=size / 1e6,
        nonzeros=int(ours.X.nnz),
        arrays_MB=arrays / 1e6,
        peak_over_arrays=beyond / arrays,
    )


if __name__ == "__main__":
    main()
