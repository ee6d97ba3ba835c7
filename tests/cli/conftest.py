"""Files that the tests of the command line share."""

import pytest
import sets
from command import novikoff


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with data: two.svm, three.svm, mails in four formats. Nothing in it is changed."""
    place = tmp_path_factory.mktemp("cli")
    (place / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    (place / "three.svm").write_bytes(sets.svmlight(sets.THREE_X, sets.THREE))
    (place / "mails.csv").write_bytes(sets.separated(sets.ROWS, ","))
    (place / "mails.tsv").write_bytes(sets.separated(sets.ROWS, "\t"))
    (place / "mails.ndjson").write_bytes(sets.ndjson(sets.ROWS))
    return place


@pytest.fixture(scope="session")
def fitted(folder):
    """A function that fits a model with these arguments, once, and returns its path."""
    known = {}

    def fit(*arguments, subcommand="fit"):
        key = (subcommand, *map(str, arguments))
        if key not in known:
            known[key] = folder / f"model{len(known)}.nvk"
            assert novikoff(subcommand, *arguments, "-q", "-o", known[key], folder=folder).code == 0
        return known[key]

    return fit


@pytest.fixture(scope="session")
def model(fitted):
    """A linear SVM of two.svm."""
    return fitted("two.svm")
