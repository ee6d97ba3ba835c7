"""A row of a table as keys and values, and keys and values as hashed columns, a cell at a time."""

import numpy as np

from novikoff._core import hash_key


def keys_of(record, missing="zero"):
    """The features of one row: a dict from columns to numbers, booleans, strings or None."""
    features = {}
    for column, value in record.items():
        if value is None or value != value:
            features |= {f"{column}=missing": 1.0} if missing == "indicator" else {}
        elif isinstance(value, str):
            features[f"{column}={value}"] = 1.0
        else:
            features[column] = float(value)
    return features


def hashed(dicts, n_bits):
    """A matrix of 2**n_bits columns, where keys that meet add up."""
    X = np.zeros((len(dicts), 2**n_bits))
    for row, features in zip(X, dicts, strict=True):
        for key, value in features.items():
            row[hash_key(key) % 2**n_bits] += value
    return X
