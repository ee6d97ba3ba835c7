"""The table encoder: raw columns to features, as a transformer of scikit-learn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._estimators import BaseEstimator, TransformerMixin, check_is_fitted
from novikoff._validation import check_choice, check_flag, check_integer
from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.hashing import Hashing
from novikoff.data.tables.block import Block
from novikoff.data.tables.source_table import invalid_values
from novikoff.errors import input_error, quote

from .encoded_columns import CategoryColumn, LeftOutColumn, NumberColumn, TextColumn
from .hashed import SQUARABLE_MAX, SQUARABLE_MIN, missing_value
from .noticed import notes, upper_bound
from .summaries import (
    NumberSummary,
    StringSummary,
    columns_of,
    is_row_number,
    safe_scale,
    scaled_moments,
    string_counts,
)
from .table_encoding import TableEncoding
from .tables_of import raw_table
from .unseen import Unseen
from .words import WordSettings, inverse_document_frequency, looks_like_text

SCALES = ("standard", "none", "maxabs", "minmax", "robust")
MISSING_COLUMNS = ("error", "impute")
FILLS = ("mean", "median", "zero", "error")
BUCKETS = 1 << 10  # columns of categories beyond ``max_categories``
MIN_ROWS = 20  # of a table whose columns may be called identifiers
DISTINCT_SHARE = 0.95  # of the values of a column of identifiers
MAX_LISTED, MAX_NAME = 10, 40  # columns in an error message, and characters of each
WHERE = "TableEncoder"


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Encode the columns of a table as numbers: impute, scale, indicators of categories, counts of words.

    - A number becomes ``(x - shift) / scale``. By default that is its distance from the mean in standard deviations.
      Booleans are the numbers 0 and 1. Dates are days since 1970-01-01, with the time of the day as a fraction.
    - A missing number becomes the mean; if a column has missing values in ``fit``, a further column ``age=missing`` is
      1 where the value is missing.
    - A string becomes one of the columns ``job=clerk``, ``job=smith``, ..., which is 1. A missing string is the
      category ``job=missing``, if one is missing in ``fit``.
    - A text becomes the counts of its words, in columns such as ``text:free``.
    - Columns that are constant, or that only number or name the rows, are left out.

    Data that is transformed later may lack values, and may have others: a category or a word that did not occur in
    ``fit`` has no column; a missing value is the mean, or no category. ``transform`` counts these and warns. It refuses
    tables that lack a column altogether, and those with a column of numbers of which more than 1 % are not numbers,
    unless ``missing_columns`` is "impute".

    Parameters
    ----------
    scale : {"standard", "none", "maxabs", "minmax", "robust"}, default="standard"
        The units of numbers. "standard" subtracts the mean and divides by the standard deviation, "maxabs" divides by
        the largest magnitude, "minmax" maps the range to 0 to 1, "robust" subtracts the median and divides by the
        distance between the quartiles.
    missing : {"mean", "median", "zero", "error"} or float, default="mean"
        What a missing number is taken for.
    indicator : bool, default=True
        Add a column ``name=missing`` for columns with missing numbers.
    max_categories : int, default=10000
        The most columns for the categories of one column. The most frequent ones have columns of their own, and the
        others share 1024 columns, ``city#0`` to ``city#1023``, by their hash.
    text : list of str, default=None
        The columns of texts. By default, columns of strings that are mostly different, and of three words or more.
    keep : bool, default=False
        Keep columns that are constant, that are empty, or that look like identifiers.
    lowercase : bool, default=True
        Convert texts to lower case.
    ngram_range : tuple of (int, int), default=(1, 1)
        The fewest and the most words of a text that make up one column.
    binary : bool, default=False
        In texts, use 1 for every word that occurs.
    sublinear_tf : bool, default=False
        In texts, use 1 + log(count) instead of the count.
    norm : {"l2"}, default=None
        "l2" divides the counts of each text by their Euclidean length.
    idf : bool, default=False
        Multiply the counts of words by their inverse document frequency, log((1 + n) / (1 + df)) + 1.
    missing_columns : {"error", "impute"}, default="error"
        What ``transform`` does with a table that lacks a column, or that has a column of numbers of which more than 1 %
        are something else: refuse it, or take these values for missing ones and warn.

    Attributes
    ----------
    encoding_ : TableEncoding
        The means, scales, categories and words.
    feature_names_in_ : ndarray of str
        The columns of the table.
    n_features_in_ : int
        Their number.
    text_options_ : dict
        How delimited text is written, where it does not tell itself, such as the order of day and month.
    notes_ : list of str
        What was noticed in ``fit``: missing values, columns that are left out.

    See Also
    --------
    Hashing : Encode texts and named features without a vocabulary.
    fit : Fit an encoder and a learner to a file in one line.

    References
    ----------
    Weinberger, Dasgupta, Langford, Smola and Attenberg (2009), Feature hashing for large scale multitask learning, for
    the columns that rare categories share.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import TableEncoder
    >>> table = pd.DataFrame({"age": [20.0, 30.0, None, 40.0], "job": ["clerk", "smith", "clerk", "cook"]})
    >>> encoder = TableEncoder(scale="none").fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age=missing', 'job=clerk', 'job=cook', 'job=smith']
    >>> encoder.transform(table).toarray()
    array([[20.,  0.,  1.,  0.,  0.],
           [30.,  0.,  0.,  0.,  1.],
           [30.,  1.,  1.,  0.,  0.],
           [40.,  0.,  0.,  1.,  0.]])
    """

    text_options_: dict[str, Any]

    def __init__(
        self,
        *,
        scale: str = "standard",
        missing: str | float = "mean",
        indicator: bool = True,
        max_categories: int = 10_000,
        text: Sequence[str] | None = None,
        keep: bool = False,
        lowercase: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        binary: bool = False,
        sublinear_tf: bool = False,
        norm: str | None = None,
        idf: bool = False,
        missing_columns: str = "error",
    ) -> None:
        self.scale = scale
        self.missing = missing
        self.indicator = indicator
        self.max_categories = max_categories
        self.text = text
        self.keep = keep
        self.lowercase = lowercase
        self.ngram_range = ngram_range
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.idf = idf
        self.missing_columns = missing_columns

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn means, scales, categories and words.

        Parameters
        ----------
        X : data frame, path, SQL or array of shape (n_samples, n_features)
            The table, without labels: anything that ``novikoff.scan`` reads as a table, or an array of numbers.
        y : object, default=None
            Ignored.

        Returns
        -------
        TableEncoder
            The fitted encoder.
        """
        self._fitted_blocks(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Learn from a table, and return its rows.

        Parameters
        ----------
        X : data frame, path, SQL or array of shape (n_samples, n_features)
            As in ``fit``.
        y : object, default=None
            Ignored.

        Returns
        -------
        csr_array or ndarray of shape (n_samples, n_columns)
            The encoded rows; dense if all columns are numbers.
        """
        blocks = self._fitted_blocks(X)
        return self._as_asked(self.encoding_.rows(blocks, entries=self.entries_))

    def transform(self, X: Any) -> Any:
        """Return encoded rows.

        Parameters
        ----------
        X : data frame, path, SQL or array of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        csr_array or ndarray of shape (n_samples, n_columns)
            The encoded rows; dense if all columns are numbers.
        """
        check_is_fitted(self, "encoding_")
        check_choice(WHERE, "missing_columns", self.missing_columns, MISSING_COLUMNS)
        known = {"missing_columns": self.missing_columns, "had_missing": self.encoding_.had_missing}
        table = raw_table(WHERE, X, self.encoding_.kinds, self.encoding_.columns, **known, **self.text_options_)
        unseen = Unseen(absent=table.columns.absent)
        rows = self.encoding_.rows(table.blocks(), unseen)
        for sentence in [*invalid_values(table), *unseen.sentences()]:
            warnings.warn(f"{WHERE}: {sentence}", UserWarning, stacklevel=2)
        return self._as_asked(rows)

    def _as_asked(self, rows: Any) -> Any:
        """Return dense rows if ``set_output`` asks for a data frame, which cannot hold sparse ones."""
        sklearn = sys.modules.get("sklearn")  # without it, nothing was asked for
        usual = "default" if sklearn is None else sklearn.get_config()["transform_output"]
        asked = getattr(self, "_sklearn_output_config", {}).get("transform", usual)
        return rows.toarray() if asked != "default" and sp.issparse(rows) else rows

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the encoded columns.

        Parameters
        ----------
        input_features : object, default=None
            Ignored.

        Returns
        -------
        ndarray of str
            One name per column.
        """
        check_is_fitted(self, "encoding_")
        return np.array(self.encoding_.names, dtype=object)

    def _fitted_blocks(self, X: Any) -> list[Block]:
        """Learn from a table, and return its raw rows."""
        table = raw_table(WHERE, X, None)
        blocks = list(table.blocks())
        self.fit_blocks(blocks, table.columns.kinds, table.columns.text)
        if table.day_first is not None:
            self.text_options_ = {"dialect": DialectOptions(day_first=table.day_first)}
        return blocks

    # ---- fitting ---------------------------------------------------------------------------------------------------

    def fit_blocks(self, blocks: Sequence[Block], kinds: Mapping[str, str], text: Sequence[str] = ()) -> TableEncoding:
        """Learn from raw rows. For readers of tables; see ``fit``.

        Parameters
        ----------
        blocks : sequence of Block
            All rows.
        kinds : mapping of str to str
            The feature columns in order, and their kinds.
        text : sequence of str, default=()
            The columns of texts, besides those that the parameter ``text`` names.

        Returns
        -------
        TableEncoding
            What was learned, which is also ``encoding_``.
        """
        self.check()
        number_names = [name for name, kind in kinds.items() if kind != "string"]
        numbers, strings = NumberSummary(len(number_names)), StringSummary([n for n in kinds if kinds[n] == "string"])
        for block in blocks:
            numbers.add(block.number_columns(number_names))
            strings.add(block)
        if numbers.rows == 0:
            raise input_error(WHERE, "the table has no rows.")
        if self.missing == "error":
            _refuse_missing(blocks, number_names, strings)
        left_out: list[LeftOutColumn] = []
        found_numbers = []
        for j, name in enumerate(number_names):
            if (reason := self._reason(blocks, numbers, j, name, kinds[name])) is not None:
                left_out.append(LeftOutColumn(name, reason, kinds[name]))
            else:
                found_numbers.append(self._number(blocks, numbers, j, name, kinds[name]))
        texts, categories = self._strings(blocks, strings, [*(self.text or ()), *text], left_out)
        encoding = TableEncoding(
            columns=tuple(kinds),
            numbers=tuple(found_numbers),
            categories=tuple(categories),
            texts=tuple(texts),
            left_out=tuple(left_out),
            words=self.word_settings(),
        )
        if not encoding.names:
            reasons = ", ".join(
                f"{quote(column.name[:MAX_NAME])} ({column.reason})" for column in left_out[:MAX_LISTED]
            )
            reasons += f" and {len(left_out) - MAX_LISTED} more" * (len(left_out) > MAX_LISTED)
            raise input_error(WHERE, f"no column can be used as a feature: {reasons}. Use keep=True to keep them.")
        self.encoding_ = encoding
        self.text_options_ = {}
        self.feature_names_in_ = np.array(list(kinds), dtype=object)
        self.n_features_in_ = len(kinds)
        self.notes_ = notes(encoding, self.missing, self.max_categories, numbers, number_names, strings)
        self.entries_ = upper_bound(encoding, numbers, number_names, strings)
        return encoding

    def check(self) -> None:
        """Refuse parameters that cannot be used; ``fit`` calls it."""
        check_choice(WHERE, "scale", self.scale, SCALES)
        check_choice(WHERE, "missing_columns", self.missing_columns, MISSING_COLUMNS)
        if isinstance(self.missing, bool) or not isinstance(self.missing, int | float):
            check_choice(WHERE, "missing", self.missing, FILLS)
        elif not np.isfinite(self.missing):
            raise input_error(WHERE, f"missing must be a finite number, but it is {quote(self.missing)}.")
        for name in ("indicator", "keep", "idf"):
            check_flag(WHERE, name, getattr(self, name))
        check_integer(WHERE, "max_categories", self.max_categories, at_least=1)

    def word_settings(self) -> WordSettings:
        """Return how texts are split into words.

        Returns
        -------
        WordSettings
            The parameters that concern texts, after a check.
        """
        shared = ("lowercase", "ngram_range", "binary", "sublinear_tf", "norm")
        settings = {name: getattr(self, name) for name in shared}
        Hashing(**settings).fit()  # checks them
        return WordSettings(**settings | {"ngram_range": tuple(self.ngram_range)})

    def _reason(self, blocks: Sequence[Block], summary: NumberSummary, j: int, name: str, kind: str) -> str | None:
        """Return why a column of numbers gives no feature; None if it gives one."""
        count, rows = int(summary.count[j]), summary.rows
        if self.keep:
            return None
        if count == 0:
            return "empty"
        if summary.least[j] == summary.largest[j] and (count == rows or not self.indicator):
            return "constant"
        counts_rows = (
            kind == "number" and count == rows >= MIN_ROWS and summary.largest[j] - summary.least[j] == rows - 1
        )
        if counts_rows and is_row_number(columns_of(blocks, name)):
            return "identifier"
        return None

    def _number(self, blocks: Sequence[Block], summary: NumberSummary, j: int, name: str, kind: str) -> NumberColumn:
        mean, deviation = float(summary.mean[j]), summary.deviation(j)
        least, largest = float(summary.least[j]), float(summary.largest[j])
        if least == largest:  # the mean of equal values may be rounded
            mean, deviation = least, 0.0
        elif least < largest and not SQUARABLE_MIN < deviation < SQUARABLE_MAX:
            mean, deviation = scaled_moments(columns_of(blocks, name))
        middle, quartiles = mean, 1.0
        if summary.count[j] == 0:
            least = largest = 0.0
        elif self.scale == "robust" or self.missing == "median":
            low, middle, high = np.quantile(columns_of(blocks, name), [0.25, 0.5, 0.75]).tolist()
            quartiles = high - low
        shift, scale = {
            "standard": (mean, deviation),
            "none": (0.0, 1.0),
            "maxabs": (0.0, max(abs(least), abs(largest))),
            "minmax": (least, largest - least),
            "robust": (middle, quartiles),
        }[self.scale]
        fills = {"mean": mean, "median": middle, "zero": 0.0, "error": mean}
        fill = fills[self.missing] if isinstance(self.missing, str) else float(self.missing)
        indicator = self.indicator and int(summary.count[j]) < summary.rows
        return NumberColumn(name, kind, shift, safe_scale(scale), fill, indicator)

    def _strings(
        self, blocks: Sequence[Block], summary: StringSummary, text: Sequence[str], left_out: list[LeftOutColumn]
    ) -> tuple[list[TextColumn], list[CategoryColumn]]:
        """Return the columns of texts and of categories; the others are added to ``left_out``."""
        texts, categories, named = [], [], set(text)
        for name in summary.names:
            values, missing = summary.values[name], summary.missing[name]
            rows = summary.rows - missing
            if name in named or (self.text is None and looks_like_text(values, rows)):
                texts.append(self._text(blocks, name, values))
            elif self.keep:
                categories.append(self._category(blocks, name, values, missing > 0))
            elif rows == 0:
                left_out.append(LeftOutColumn(name, "empty", "string"))
            elif len(values) == 1 and missing == 0:
                left_out.append(LeftOutColumn(name, "constant", "string"))
            elif len(values) >= DISTINCT_SHARE * rows and rows >= MIN_ROWS:
                left_out.append(LeftOutColumn(name, "identifier", "string"))
            else:
                categories.append(self._category(blocks, name, values, missing > 0))
        return texts, categories

    def _category(self, blocks: Sequence[Block], name: str, values: Sequence[str], indicator: bool) -> CategoryColumn:
        buckets = 0
        chosen = list(values)
        if len(values) > self.max_categories:
            order = np.argsort(-string_counts(blocks, name), kind="stable")[: self.max_categories]
            chosen, buckets = [values[j] for j in order.tolist()], BUCKETS
        return CategoryColumn(name, tuple(sorted(chosen)), indicator, buckets)

    def _text(self, blocks: Sequence[Block], name: str, values: Sequence[str]) -> TextColumn:
        found, words = self.word_settings().learned(values)
        idf = inverse_document_frequency(found, string_counts(blocks, name)).tolist() if self.idf else ()
        return TextColumn(name, tuple(words), tuple(idf))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def _refuse_missing(blocks: Sequence[Block], number_names: list[str], strings: StringSummary) -> None:
    """Refuse the first missing value."""
    for block in blocks:
        absent = np.isnan(block.number_columns(number_names))
        if absent.any():
            row, j = np.argwhere(absent)[0]
            raise missing_value(block, number_names[j], int(row))
        for name in strings.names:
            codes, _ = block.string_column(name)
            if len(codes) and codes.min() < 0:
                raise missing_value(block, name, int(np.argmin(codes)))
