"""The real data sets of the soft-margin benchmarks, each as two classes, -1 and +1.

The files are in $NOVIKOFF_DATA, or in ../shared/data from the project's root. They are not part of the repository.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nk

DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[3] / "shared" / "data"))
SETS = ("a9a", "w8a", "mushrooms", "phishing", "ijcnn1", "spam_stream", "news20", "pcmac", "colon", "covtype")
FILES = {"covtype": "covtype.csv.gz", "digits": "mnist-train-images.idx.gz"}


def path_of(name: str) -> Path:
    return DATA / FILES.get(name, f"{name}.svm.gz")


def at_hand(names: Iterable[str]) -> list[str]:
    """Those whose files are there; the others are named."""
    names = list(names)
    for name in names:
        if not path_of(name).exists():
            print(f"{name} is left out: {path_of(name)} does not exist (set NOVIKOFF_DATA)")
    return [name for name in names if path_of(name).exists()]


def read(name: str, copies: int = 1) -> tuple[Any, np.ndarray]:
    """Rows and labels -1 and +1; ``copies`` stacks the set that many times.

    news20 is its first ten classes against its last ten; covtype is its class 2 against the rest, dense and unscaled;
    digits are the 0 and 1 of MNIST, pixels from 0 to 1.
    """
    if name == "digits":
        return _digits()
    if name == "covtype":
        table = np.loadtxt(path_of(name), delimiter=",", skiprows=1, dtype=np.int16)
        X, positive = table[:, :-1].astype(np.float64), table[:, -1] == 2
    else:
        X, labels = nk.read_svmlight(path_of(name))
        positive = labels > 10 if name == "news20" else labels == labels.max()
    y = np.where(positive, 1, -1)
    if copies > 1:
        X = sp.vstack([X] * copies, format="csr") if sp.issparse(X) else np.vstack([X] * copies)
        y = np.tile(y, copies)
    return X, y


def mnist() -> tuple[np.ndarray, np.ndarray]:
    """Return the 60,000 training digits of MNIST as rows of 784 bytes, and their labels."""
    images, labels = (
        np.frombuffer(gzip.decompress((DATA / f"mnist-train-{part}.idx.gz").read_bytes()), np.uint8, offset=header)
        for part, header in (("images", 16), ("labels", 8))
    )
    return images.reshape(len(labels), -1), labels


def _digits() -> tuple[np.ndarray, np.ndarray]:
    images, labels = mnist()
    few = labels < 2
    return images[few] / 255.0, np.where(labels[few] == 1, 1, -1)
