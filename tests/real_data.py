"""Where real data lies, if it is at hand: in $NOVIKOFF_DATA, or in ../shared/data from the project's root."""

import gzip
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import novikoff as nk

DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[2] / "shared" / "data"))
TWO_CLASSES = (
    "colon",
    "pcmac",
    "mushrooms",
    "phishing",
    "a9a",
    "ijcnn1",
    "w8a",
    "spam_stream",
    "news20",
    "covtype",
)


def real(name):
    """The path of a file, or a test, or a module of tests, that is skipped."""
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA} (NOVIKOFF_DATA=/path/to/data make test)", allow_module_level=True)
    return DATA / name


@lru_cache(maxsize=2)
def two_classes(name):
    """A set by its name, with labels -1 and +1, which are the first ten of 20 news groups, the second of 7 forests."""
    if name == "covtype":
        table = pd.read_csv(real("covtype.csv.gz")).to_numpy(np.float64)
        return np.ascontiguousarray(table[:, :-1]), np.where(table[:, -1] == 2, 1, -1)
    batch = nk.read_svmlight(real(f"{name}.svm.gz"))
    labels = np.unique(batch.y)
    positive = labels[:10] if name == "news20" else labels[1:]
    X = batch.X.toarray() if name in ("colon", "leukemia") else batch.X
    return X, np.where(np.isin(batch.y, positive), 1, -1)


def mnist(part, header):
    """The bytes of a file of MNIST, without its header."""
    with gzip.open(real(f"mnist-train-{part}.idx.gz")) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=header)


@lru_cache(maxsize=1)
def zeros_and_ones():
    """The digits 0 and 1 of MNIST, pixels from 0 to 1, with labels -1 and +1."""
    labels = mnist("labels", 8)
    X = mnist("images", 16).reshape(len(labels), -1)[labels < 2]
    return X / 255.0, np.where(labels[labels < 2] == 1, 1, -1)
