"""Tables of mixed columns that hypothesis makes, and scikit-learn's encoding of them."""

import datetime
import functools
import math
import warnings

import numpy as np
import polars as pl
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

SCALERS = {
    "standard": StandardScaler,
    "none": FunctionTransformer,
    "maxabs": MaxAbsScaler,
    "minmax": MinMaxScaler,
    "robust": RobustScaler,
}
IMPUTERS = {
    "mean": {"strategy": "mean"},
    "median": {"strategy": "median"},
    "zero": {"strategy": "constant", "fill_value": 0.0},
}
EPOCH = datetime.datetime(1970, 1, 1)
CELLS = {
    "number": st.integers(-4000, 4000).map(lambda value: value / 8),
    "boolean": st.booleans(),
    "date": st.integers(-20_000, 20_000).map(lambda hours: EPOCH + datetime.timedelta(hours=hours)),
    "string": st.sampled_from(["clerk", "cook", "smith", "", "a=b", "ünïcode", "two\nlines"]),
}
FEW_ROWS = st.integers(1, 12)
TYPES = {"number": pl.Float64, "boolean": pl.Boolean, "date": pl.Datetime, "string": pl.String}


@st.composite
def tables(draw, kinds=("number", "boolean", "date", "string"), rows=FEW_ROWS, missing=True):
    """Columns of these kinds as lists, with None for missing values, and the kind of each."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5))
    count = draw(rows)
    cells = {kind: CELLS[kind] | st.none() if missing else CELLS[kind] for kind in kinds}
    columns = {f"c{j}": draw(st.lists(cells[kind], min_size=count, max_size=count)) for j, kind in enumerate(chosen)}
    return columns, {f"c{j}": kind for j, kind in enumerate(chosen)}


def frame(columns, kinds):
    """A data frame with typed columns."""
    return pl.DataFrame(columns, schema={name: TYPES[kinds[name]] for name in columns})


def as_number(value):
    """The number that a value stands for: dates are days since 1970."""
    if value is None:
        return math.nan
    return (value - EPOCH).total_seconds() / 86_400 if isinstance(value, datetime.datetime) else float(value)


def by_name(X, names):
    """The columns of a matrix by their names."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    assert X.shape[1] == len(names) == len(set(names))
    return dict(zip(names, X.T, strict=True))


def ignoring_warnings(function):
    """A function whose warnings are ignored: scikit-learn warns of empty columns."""

    @functools.wraps(function)
    def quiet(*args):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args)

    return quiet


class Reference:
    """The encoding of scikit-learn: a scaler after an imputer, indicators of missing values, one-hot columns."""

    @ignoring_warnings
    def __init__(self, columns, kinds, scale="standard", missing="mean"):
        self.numbers = [name for name in columns if kinds[name] != "string"]
        self.strings = [name for name in columns if kinds[name] == "string"]
        numbers, strings = self.split(columns)
        self.imputer = (
            SimpleImputer(**IMPUTERS[missing], keep_empty_features=True).fit(numbers) if self.numbers else None
        )
        self.scaler = SCALERS[scale]().fit(numbers) if self.numbers else None
        self.indicator = MissingIndicator(error_on_new=False).fit(numbers) if self.numbers else None
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self.one_hot = one_hot.fit(strings) if self.strings else None

    def split(self, columns):
        rows = len(next(iter(columns.values())))
        absent = [None] * rows
        numbers = [[as_number(value) for value in columns.get(name, absent)] for name in self.numbers]
        strings = [columns.get(name, absent) for name in self.strings]
        return np.array(numbers, dtype=float).T, np.array(strings, dtype=object).T

    @ignoring_warnings
    def rows(self, columns):
        """The encoded columns by the names that novikoff gives them."""
        numbers, strings = self.split(columns)
        found = {}
        if self.numbers:
            scaled = np.nan_to_num(self.scaler.transform(self.imputer.transform(numbers)))  # an empty column is 0
            found |= dict(zip(self.numbers, scaled.T, strict=True))
            marked = [f"{self.numbers[j]}=missing" for j in self.indicator.features_]
            found |= dict(zip(marked, self.indicator.transform(numbers).T.astype(float), strict=True))
        if self.strings:
            known = zip(self.strings, self.one_hot.categories_, strict=True)
            pairs = [(name, value) for name, values in known for value in values]
            names = [f"{name}={'missing' if value is None else value}" for name, value in pairs]
            found |= dict(zip(names, self.one_hot.transform(strings).T, strict=True))
        return found


def assert_same_columns(found, expected, atol=1e-9):
    assert found.keys() == expected.keys()
    for name, column in expected.items():
        np.testing.assert_allclose(found[name], column, rtol=1e-9, atol=atol, err_msg=name)
