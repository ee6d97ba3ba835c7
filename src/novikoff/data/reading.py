"""How the rows of a model were read, so that other files are read in the same way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

import scipy.sparse as sp

from novikoff.errors import input_error

from .batch import Batch
from .formats import find_format
from .hashing import Hashing
from .stream import Scan, read, scan


@dataclass(frozen=True)
class HashingSettings:
    """The parameters of ``Hashing`` that determine the columns and values of features; see there for each."""

    n_bits: int = 20
    lowercase: bool = True
    ngram_range: tuple[int, ...] = (1, 1)
    binary: bool = False
    sublinear_tf: bool = False
    norm: str | None = None

    def transformer(self) -> Hashing:
        """Return a transformer with these parameters."""
        return Hashing(**dataclasses.asdict(self))


@dataclass(frozen=True)
class Reading:
    """The options with which files are read, as a model that the command line fitted keeps them in ``reading_``.

    The parameters are those of ``scan``, except for the last two.

    Parameters
    ----------
    target : str, default=None
        The column of labels of a table.
    features : tuple of str, default=None
        The feature columns of a table.
    weight : str, default=None
        The column of weights of a table.
    text : tuple of str, default=()
        The columns of a table that hold text.
    missing : {"error", "zero", "indicator"}, default="error"
        What a missing value of a table means.
    hashing : HashingSettings, default=HashingSettings()
        How features become columns if one of them is not a number.
    index_base : {0, 1}, default=1
        The number of the first feature of svmlight.
    kinds : tuple of str, default=None
        What each of the features must hold: number, string or text.
    names : tuple of str, default=None
        The names of the columns of X, if they have names.
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
        """Return these options with the columns of a batch that was read: others must have the same names and kinds."""
        columns = batch.columns
        return dataclasses.replace(
            self,
            target=batch.target or self.target,
            features=self.features if columns is None else tuple(columns),
            kinds=self.kinds if columns is None else tuple(columns.values()),
            names=batch.feature_names,
            index_base=self.index_base if batch.index_base is None else batch.index_base,
        )

    def read(self, where: str, source: Any, *, labelled: bool = True, format: str | None = None, **more: Any) -> Batch:
        """Read all rows of a source; without labels, only the features of a table. ``more`` is passed to ``read``."""
        options = self._options(source, labelled, format)
        return self.checked(where, read(source, format=format, **more, **options))

    def scan(self, source: Any, *, labelled: bool = True, format: str | None = None, **more: Any) -> Scan:
        """Open a source as a stream; ``more`` is passed to ``scan``."""
        return scan(source, format=format, **more, **self._options(source, labelled, format))

    def checked(self, where: str, batch: Batch) -> Batch:
        """Refuse columns whose kind differs from those that the model was fitted on."""
        if self.kinds is not None and self.features is not None and batch.columns is not None:
            for name, kind in zip(self.features, self.kinds, strict=True):
                if (found := batch.columns.get(name)) != kind:
                    message = f"column {name!r} must hold {kind}s, as when the model was fitted, but it holds {found}s."
                    raise input_error(where, message)
        return batch

    def _options(self, source: Any, labelled: bool, format: str | None) -> dict[str, Any]:
        """Return those of the options that the format of a source takes."""
        options = {
            "target": self.target if labelled else False,
            "features": self.features,
            "weight": self.weight if labelled else None,
            "text": list(self.text) or None,
            "missing": self.missing,
            "hashing": self.hashing.transformer(),
            "index_base": self.index_base,
        }
        taken = find_format("scan", source, format).options
        return {name: value for name, value in options.items() if name in taken}


def fitting(where: str, X: Any, columns: int) -> tuple[Any, int]:
    """Return rows as wide as a model, and how many further columns were dropped.

    Sparse rows may be narrower or wider than those of the model, which has no weights for further columns. A table must
    have exactly the columns of the model.
    """
    if X.shape[1] == columns:
        return X, 0
    if not sp.issparse(X):
        raise input_error(where, f"the model was fitted on {columns} features, but the rows have {X.shape[1]}.")
    if X.shape[1] < columns:
        return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], columns)), 0
    return X[:, :columns], X.shape[1] - columns
