"""A pass over a file of any size stays within a fixed amount of memory."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from memory import run_alone

SIZE = 2_000_000_000
MOST = 300_000_000

PASS = """
import sys
import novikoff as nk
before = peak()
progress = nk.evaluate.progressive(nk.Perceptron(), nk.scan(sys.argv[1]))
for record in progress: pass
print(peak() - before, progress.examples)
"""


@pytest.fixture(scope="module")
def lines():
    X = sp.random_array((20_000, 50_000), density=57 / 50_000, format="csr", rng=np.random.default_rng(0))
    y = np.where(X @ np.random.default_rng(1).normal(size=50_000) > 0, 1, -1)
    path = []
    nk.write_svmlight(X, y, Writer(path))
    return b"".join(path), len(y)


class Writer:
    def __init__(self, parts):
        self.write = parts.append


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_progressive_pass_over_two_gigabytes_stays_below_300_megabytes(lines, packed, tmp_path):
    text, rows = lines
    times = SIZE // len(text) + 1
    part = gzip.compress(text, 1) if packed else text  # files that were joined end to end are one
    path = tmp_path / "large.svm"
    with path.open("wb") as file:
        for _ in range(times):
            file.write(part)
    beyond, examples = run_alone(PASS, path)
    path.unlink()
    assert examples == times * rows
    assert beyond < MOST
