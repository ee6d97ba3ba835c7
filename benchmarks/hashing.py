"""Hashing of texts against scikit-learn's, over the training texts of IMDB."""

from __future__ import annotations

import gzip
from functools import partial
from typing import Any

from sklearn.feature_extraction.text import HashingVectorizer

import novikoff as nk

from .data.sets import DATA
from .harness import Session, Suite

FILE, BITS = "imdb_train.tsv.gz", 20  # a label, a name and a text in each line


def imdb_texts(step: int) -> list[str]:
    """Return every so many texts."""
    with gzip.open(DATA / FILE, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t", 2)[2] for i, line in enumerate(lines) if i % step == 0]


def compare(session: Session, texts: list[str], work: str, **options: Any) -> None:
    """Compare one way of finding words."""
    peer = HashingVectorizer(alternate_sign=False, norm=None, n_features=2**BITS, **options)
    makers = {f"{n} thread{'s' * (n > 1)}": nk.Hashing(n_bits=BITS, n_jobs=n, **options) for n in (1, 2)}
    words = int(peer.transform(texts).sum())
    characters = sum(map(len, texts))
    session.compare(
        work,
        {name: partial(maker.transform, texts) for name, maker in makers.items()},
        {"scikit-learn": partial(peer.transform, texts)},
        rounds=5,
        cost=lambda X: abs(X.sum() - words),
        limit=session.reading(characters),
        bytes=characters,
        keys=words,
    )


def run(session: Session) -> None:
    """Measure all."""
    texts = imdb_texts(session.size["step"])
    compare(session, texts, "words")
    compare(session, texts, "words and pairs", ngram_range=(1, 2))


SUITE = Suite(
    name="hashing",
    measures="words and pairs of words of 25,000 texts as hashed columns",
    contestants=("scikit-learn",),
    answers="both find the same number of words",
    limit="reading the characters from memory once",
    run=run,
    quick={"step": 10},
    full={"step": 1},
    files=(FILE,),
)
