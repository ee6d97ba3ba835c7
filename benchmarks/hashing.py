"""Hashing of texts against scikit-learn's: ratios from one interleaved run over the training texts of IMDB.

NOVIKOFF_DATA=folder python benchmarks/hashing.py            # all 25,000 texts
NOVIKOFF_DATA=folder python benchmarks/hashing.py --quick    # a tenth of them

The folder, ../shared/data unless said, holds imdb_train.tsv.gz: a label, a name and a text in each line.
"""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path
from typing import Any

from harness import interleave, report, share_of_rows
from sklearn.feature_extraction.text import HashingVectorizer

import novikoff as nk

DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[2] / "shared" / "data"))
BITS = 20


def imdb_texts(path: Path, step: int) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t", 2)[2] for i, line in enumerate(lines) if i % step == 0]


def compare(texts: list[str], work: str, rounds: int, **options: Any) -> list[dict[str, Any]]:
    peer = HashingVectorizer(alternate_sign=False, norm=None, n_features=2**BITS, **options)
    ours = {f"{n} thread{'s' * (n > 1)}": nk.Hashing(n_bits=BITS, n_jobs=n, **options) for n in (1, 2)}
    words = peer.transform(texts).sum()
    for hashing in ours.values():
        assert hashing.transform(texts).sum() == words, "the two must find the same words"
    contestants = {name: partial(maker.transform, texts) for name, maker in {"peer": peer, **ours}.items()}
    times = interleave(contestants, rounds)
    return [
        {
            "work": f"{work}, {name}",
            "ours": f"{1e3 * times[name]:.1f} ms",
            "peer": f"{1e3 * times['peer']:.1f} ms (scikit-learn)",
            "ratio": times["peer"] / times[name],
            "ns a key": 1e9 * times[name] / words,
        }
        for name in ours
    ]


def main() -> None:
    share = share_of_rows(__doc__)
    path = DATA / "imdb_train.tsv.gz"
    if not path.is_file():
        print(f"Skipped: there is no {path}. Set NOVIKOFF_DATA to the folder that holds it.")
        return
    texts = imdb_texts(path, step=share)
    table = compare(texts, "words", rounds=5) + compare(texts, "words and pairs", rounds=3, ngram_range=(1, 2))
    report("hashing", share, table, texts=len(texts), characters=sum(map(len, texts)))


if __name__ == "__main__":
    main()
