"""A text's n-grams, counted in the columns of their hashes."""

import re
from collections import Counter

import novikoff._core as _core


def words(text, lowercase=True):
    """What scikit-learn's vectorizers find, with each character's lower case taken by itself."""
    if lowercase:
        text = "".join(char.lower()[0] for char in text)
    return re.findall(r"(?u)\b\w\w+\b", text)


def ngrams(text, shortest=1, longest=1, lowercase=True):
    """Every run of so many words, joined by spaces."""
    found = words(text, lowercase)
    return [" ".join(found[i : i + n]) for n in range(shortest, longest + 1) for i in range(len(found) + 1 - n)]


def counts(text, bits=20, **options):
    """How often each column is met."""
    return dict(Counter(_core.hash_key(key) % 2**bits for key in ngrams(text, **options)))
