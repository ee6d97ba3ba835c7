"""How files became the rows of a model, so that other files become rows in the same way."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import scipy.sparse as sp

from novikoff.errors import invalid

from .batch import Batch
from .hashing import Hashing
from .stream import Scan, is_table, read, scan


@dataclass(frozen=True)
class HashingSettings:
    """The parameters of a ``Hashing`` that decide in which column a name ends up, and with what value."""

    n_bits: int = 20
    lowercase: bool = True
    ngram_range: tuple[int, ...] = (1, 1)
    binary: bool = False
    sublinear_tf: bool = False
    norm: str | None = None

    def transformer(self) -> Hashing:
        """The transformer of these parameters."""
        return Hashing(
            n_bits=self.n_bits,
            lowercase=self.lowercase,
            ngram_range=self.ngram_range,  # type: ignore[arg-type]  # Hashing checks that there are two
            binary=self.binary,
            sublinear_tf=self.sublinear_tf,
            norm=self.norm,
        )


@dataclass(frozen=True)
class Reading:
    """What becomes of the columns of a table, and of the indices of svmlight; ``scan`` says what each option means.

    A model that the command line trained has one as ``reading_``, and its file keeps it.

    Parameters
    ----------
    target, features, weight, text, missing, hashing, index_base : as in ``scan``
    kinds : what each of the features must hold: number, string or text
    names : of the columns of X, where they have names
    """

    target: str | None = None
    features: tuple[str, ...] | None = None
    weight: str | None = None
    text: tuple[str, ...] = ()
    missing: str = "error"
    hashing: HashingSettings = HashingSettings()
    index_base: int = 1
    kinds: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None

    def after(self, batch: Batch) -> Self:
        """The same, with what was found out when this batch was read: a column is then taken by its name and kind."""
        columns = batch.columns
        return dataclasses.replace(
            self,
            target=batch.target or self.target,
            features=self.features if columns is None else tuple(columns),
            kinds=self.kinds if columns is None else tuple(columns.values()),
            names=batch.feature_names,
            index_base=self.index_base if batch.index_base is None else batch.index_base,
        )

    def read(self, where: str, source: Any, *, labelled: bool = True, **opening: Any) -> Batch:
        """All rows of a source; without labels, only the features of a table are read.

        ``opening`` says what the source is: ``format`` and ``attach``, as in ``scan``.
        """
        return self.checked(where, read(source, **opening, **self._options(source, labelled, **opening)))

    def scan(self, source: Any, *, labelled: bool = True, follow: bool = False, **opening: Any) -> Scan:
        """The rows of a source as a stream."""
        return scan(source, follow=follow, **opening, **self._options(source, labelled, **opening))

    def checked(self, where: str, batch: Batch) -> Batch:
        """Refuse columns that hold something else than those that the model learned from."""
        if self.kinds is not None and self.features is not None and batch.columns is not None:
            for name, kind in zip(self.features, self.kinds, strict=True):
                if (found := batch.columns.get(name)) != kind:
                    raise invalid(where, f"A column {name!r} of {kind}s, as the model learned from.", f"{found}s")
        return batch

    def _options(
        self, source: Any, labelled: bool, format: str | None = None, attach: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """What ``scan`` and ``read`` are to be told of this source."""
        if not is_table(source, format):
            return {"index_base": self.index_base} if self.index_base != 1 else {}
        return {
            "target": self.target if labelled else False,
            "features": self.features,
            "weight": self.weight if labelled else None,
            "text": list(self.text) or None,
            "missing": self.missing,
            "hashing": self.hashing.transformer(),
        }


def fitting(where: str, X: Any, columns: int) -> tuple[Any, int]:
    """Rows as wide as a model wants them, and how many columns that it never met were left out.

    Sparse rows may be narrower or wider than those that the model learned from: what it never met has no weight.
    A table must have just the columns of the model.
    """
    if X.shape[1] == columns:
        return X, 0
    if not sp.issparse(X):
        raise invalid(where, f"Rows of {columns} features, as the model learned from.", f"{X.shape[1]}")
    if X.shape[1] < columns:
        return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], columns)), 0
    return X[:, :columns], X.shape[1] - columns
