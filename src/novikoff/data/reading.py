"""How the rows of a model were read, so that other files are read in the same way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp

from novikoff._counts import count, counted
from novikoff._json import TREE, plain_from_tree, plain_to_tree
from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.encoding.encoded import EncodedBatches, read_encoded
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.encoding.running import RunningEncoding
from novikoff.data.encoding.running_batches import RunningBatches
from novikoff.data.encoding.table_encoding import TableEncoding
from novikoff.data.encoding.words import WordSettings
from novikoff.errors import input_error, quote

from .batch import Batch
from .formats import find_format, sources_of
from .formats.base import WHOLE_READ_BATCH
from .hashing import Hashing
from .stream import Scan, read, scan
from .tables.source_table import TableSource

SCAN_BATCH = 8192  # rows of a batch


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
    """The options with which files are read, as a model that learned from a file keeps them in ``reading_``.

    The parameters are those of ``scan``, except for ``kinds``, ``names`` of columns of X, ``dialect``, ``columns``,
    ``encoding``, ``encoder``, ``running`` and ``skipped``.

    Parameters
    ----------
    target : str or int, default=None
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
        What each of the features must hold: number, boolean, date or string.
    names : tuple of str, default=None
        The names of the columns of X, if they have names and no encoder.
    exclude : tuple of str, default=()
        The columns of a table that are not read.
    dialect : DialectOptions, default=None
        What the user said about delimited text.
    columns : tuple of str, default=None
        All columns of the table, in its order.
    encoding : TableEncoding, default=None
        What the table encoder has learned, by which rows of other tables are encoded.
    encoder : dict, default=None
        The parameters of the encoder.
    running : RunningEncoding, default=None
        What the encoder of a stream of tables knows after the last row that was learned.
    skipped : int, default=None
        Number of malformed lines that were left out of the rows the model was fitted to; None if it is not known.
    """

    target: str | int | None = None
    features: tuple[str, ...] | None = None
    weight: str | None = None
    text: tuple[str, ...] = ()
    missing: str = "error"
    hashing: HashingSettings = HashingSettings()
    index_base: int = 1
    kinds: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    dialect: DialectOptions | None = None
    columns: tuple[str, ...] | None = None
    encoding: TableEncoding | None = None
    encoder: dict[str, Annotated[Any, TREE]] | None = None
    running: RunningEncoding | None = None
    skipped: int | None = None

    @property
    def column_names(self) -> tuple[str, ...] | None:
        """The names of the columns of X, if they have names."""
        encoding = self.encoding or self.running
        return self.names if encoding is None else encoding.names

    def encoder_parameters(self) -> dict[str, Any]:
        """Return the parameters of the encoder."""
        try:
            parameters = {name: plain_from_tree(value) for name, value in (self.encoder or {}).items()}
        except ValueError as error:
            raise input_error("reading.encoder", f"{error}.") from None
        if unknown := sorted(parameters.keys() - TableEncoder().get_params().keys()):
            raise input_error("reading.encoder", f"there is no parameter {quote(unknown[0])}.")
        return parameters

    def table_encoder(self) -> TableEncoder | None:
        """Return the encoder that was fitted, with its parameters; None if there is none."""
        if self.encoding is None:
            return None
        encoder = TableEncoder(**self.encoder_parameters())
        encoder.check()
        encoder.encoding_, encoder.notes_ = self.encoding, []
        encoder.feature_names_in_ = np.array(self.encoding.columns, dtype=object)
        encoder.n_features_in_ = len(self.encoding.columns)
        encoder.text_options_ = {"dialect": self.dialect, "expected": self.columns, "label": self.target}
        return encoder

    def after(self, batch: Batch) -> Self:
        """Return these options with the columns of a batch that was read: others must have the same names and kinds."""
        columns, encoder = batch.columns, batch.encoder
        known = dataclasses.replace(
            self,
            target=batch.target or self.target,
            features=self.features if columns is None else tuple(columns),
            index_base=self.index_base if batch.index_base is None else batch.index_base,
            columns=batch.table_columns or self.columns,
            dialect=self._dialect_after(batch),
            weight=batch.weight_column or self.weight,
            text=batch.text_columns or self.text,
            skipped=batch.skipped,
        )
        if batch.running is not None:
            own = {"text": batch.running.text, "running": batch.running}
            return dataclasses.replace(known, **own, encoding=None, encoder=None, kinds=None, names=None)
        if encoder is not None:
            parameters = {name: plain_to_tree(value) for name, value in encoder.get_params().items()}
            return dataclasses.replace(known, encoding=encoder.encoding_, encoder=parameters)
        kinds = self.kinds if columns is None else tuple(columns.values())
        return dataclasses.replace(known, kinds=kinds, names=batch.feature_names)

    def _dialect_after(self, batch: Batch) -> DialectOptions | None:
        """Return what is known about delimited text: later dates have the order of day and month of the first."""
        said = self.dialect or batch.dialect
        if batch.day_first is None or (said is not None and said.day_first is not None):
            return said
        return dataclasses.replace(said or DialectOptions(), day_first=batch.day_first)

    def read(
        self,
        where: str,
        source: Any,
        *,
        labelled: bool = True,
        format: str | None = None,
        encoder: TableEncoder | None = None,
        **more: Any,
    ) -> Batch:
        """Read all rows of a source.

        Parameters
        ----------
        where : str
            The function that the user called.
        source : path, list of paths, bytes, binary file object, "-", SQL or table
            As in ``scan``.
        labelled : bool, default=True
            Whether labels and weights are read.
        format : str, default=None
            As in ``scan``.
        encoder : TableEncoder, default=None
            The encoder that is fitted to a table. None encodes it as before, if there was an encoder.
        **more : dict
            Further options of ``read``; ``counts``, two columns of a table that are y instead of labels; or
            ``missing_columns``, as in ``TableEncoder``.
        """
        if (table := self._table(where, source, labelled, format, encoder is not None, more)) is not None:
            if encoder is None and self.running is not None:
                return self._running(table, WHOLE_READ_BATCH, frozen=True).whole(where)
            return read_encoded(where, table, encoder or self._fitted())
        options = self._options(source, labelled, format)
        return self.checked(where, read(source, format=format, **more, **options))

    def scan(self, source: Any, *, labelled: bool = True, format: str | None = None, **more: Any) -> Scan:
        """Open a source as a stream; ``more`` is passed to ``scan``, except ``missing_columns``, as in ``read``.

        With labels, a running encoder continues to learn; without them, rows are encoded by what it knows.
        """
        batch_size = more.pop("batch_size", SCAN_BATCH)
        if (table := self._table("scan", source, labelled, format, False, more, batch_size, labelled)) is not None:
            if self.running is not None:
                return Scan(self._running(table, batch_size, frozen=not labelled))
            return Scan(EncodedBatches(table, self._fitted(), batch_size))
        return scan(source, format=format, batch_size=batch_size, **more, **self._options(source, labelled, format))

    def begin(
        self,
        source: Any,
        *,
        scale: str,
        missing: str,
        words: WordSettings,
        format: str | None = None,
        **more: Any,
    ) -> Scan:
        """Open a table as a stream that a running encoder begins with; see ``RunningEncoding`` for its settings."""
        batch_size = more.pop("batch_size", SCAN_BATCH)
        table = self._table("scan", source, True, format, True, more, batch_size)
        if table is None:
            raise TypeError("the source is not a table")
        settings: dict[str, Any] = {"scale": scale, "missing": missing, "words": words, "finds_text": not self.text}
        return Scan(RunningBatches(table, batch_size, **settings))

    def as_learned(self, where: str, source: Any, *, format: str | None = None, **more: Any) -> tuple[Batch, bool]:
        """Read all rows of a source as a stream had them, from its first row on.

        Parameters
        ----------
        where : str
            The function that the user called.
        source : path, list of paths, bytes, binary file object, "-", SQL or table
            As in ``scan``.
        format : str, default=None
            As in ``scan``.
        **more : dict
            Further options of ``scan``.

        Returns
        -------
        batch : Batch
            The rows: each is encoded with the means, scales and columns up to it.
        same : bool
            Whether the encoder then knows the same as the one of the model, bit for bit.
        """
        table = self._table(where, source, True, format, False, more, learns=True)
        if table is None or self.running is None:
            return self.read(where, source, format=format, **more), self.running is None
        again = RunningBatches(table, WHOLE_READ_BATCH, state=self.running.again())
        batch = again.whole(where)
        return batch, batch.running == self.running

    def _running(self, table: TableSource, batch_size: int, frozen: bool) -> RunningBatches:
        return RunningBatches(table, batch_size, state=self.running, frozen=frozen)

    def _fitted(self) -> TableEncoding:
        if self.encoding is None:
            raise TypeError("there is no encoder")
        return self.encoding

    def _table(
        self,
        where: str,
        source: Any,
        labelled: bool,
        format: str | None,
        is_new: bool,
        more: dict[str, Any],
        batch_size: int = WHOLE_READ_BATCH,
        learns: bool = False,
    ) -> TableSource | None:
        """Open a table for an encoder; None if the source is not a table, or if there is no encoder.

        ``learns`` says that the running encoder of a stream learns from the rows.
        """
        asked = more.pop("missing_columns", None)
        data_format = find_format(where, source, format)
        known = None if is_new or self.encoding is None else self.encoding.kinds
        if self.running is not None and not is_new:
            known = self.running.known
        if not data_format.is_table or not (is_new or known is not None):
            return None
        options: dict[str, Any] = {
            "target": self.target if labelled else False,
            "weight": self.weight if labelled else None,
            "dialect": self.dialect,
            "expected": self.columns,
            "label": None if is_new else self.target,
        }
        if asked is not None or self.encoder_parameters().get("missing_columns") == "impute":
            options["missing_columns"] = asked or "impute"
        fitted = self.encoding or self.running
        if fitted is not None and not learns:
            options["had_missing"] = fitted.had_missing
        if is_new:
            options |= {"features": self.features, "exclude": list(self.exclude), "text": list(self.text)}
        if "counts" in more:
            options |= {"target": False, "counts": more["counts"]}
        follow = more.get("follow", False)
        options |= {name: value for name, value in more.items() if name in data_format.options}
        table: TableSource = data_format.table(where, sources_of(source), options, batch_size, follow, known)
        return table

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
            "exclude": (list(self.exclude) or None) if self.features is None else None,
            "weight": self.weight if labelled else None,
            "text": list(self.text) or None,
            "missing": self.missing,
            "hashing": self.hashing.transformer(),
            "index_base": self.index_base,
            **(vars(self.dialect) if self.dialect is not None else {}),
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
        raise input_error(
            where, f"the model was fitted on {counted(columns, 'feature')}, but the rows have {count(X.shape[1])}."
        )
    if X.shape[1] < columns:
        return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], columns)), 0
    return X[:, :columns], X.shape[1] - columns
