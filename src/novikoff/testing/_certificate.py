"""The contract of a certificate, as checks."""

from __future__ import annotations

import dataclasses
import html
import json
import pickle
from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.theory.certificate import CERTIFICATES, Certificate
from novikoff.theory.geometry import as_table

from ._runner import Pairs, named, require, run


def certificate_checks() -> Pairs:
    """Return the checks of a certificate.

    Returns
    -------
    list of (str, callable)
        Name of each check, and a function of (certificate, X, y, sample_weight=None) that raises ``AssertionError`` if
        the certificate fails.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.testing import certificate_checks
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1]
    >>> dict(certificate_checks())["verifies_on_its_data"](LinearSVM().fit(X, y).certificate_, X, y)
    """
    return named(CHECKS)


def check_certificate(
    certificate: Certificate, X: Any, y: Any, sample_weight: Any = None, exclude: Collection[str] = ()
) -> None:
    """Check that a certificate keeps its contract, which is written in ``novikoff.theory.Certificate``.

    Parameters
    ----------
    certificate : Certificate
        A certificate whose claims are true.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows that it is about; two or more, of two or more columns.
    y : array-like of shape (n_samples,)
        Labels of two classes, of which one is more frequent than the other. If one binary problem of several is
        checked, this is the class against the rest.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, if there were any.
    exclude : collection of str, default=()
        Names of checks to leave out.

    Raises
    ------
    AssertionError
        If a check fails. A note says which.
    ValueError
        If ``exclude`` names a check that does not exist.

    See Also
    --------
    certificate_checks : The same checks one by one.
    novikoff.theory.Certificate : The contract.

    Examples
    --------
    >>> from novikoff import HardMarginSVM
    >>> from novikoff.testing import check_certificate
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]], [0, 0, 1, 1, 1]
    >>> check_certificate(HardMarginSVM().fit(X, y).certificate_, X, y)
    """
    run(type(certificate).__name__, certificate_checks(), exclude, certificate, X, y, sample_weight)


# ---- the checks ----------------------------------------------------------------------------------------------------


def check_is_a_registered_frozen_dataclass(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """The class is a frozen dataclass, derives from Certificate, and is in CERTIFICATES under its name."""
    cls = type(certificate)
    require(isinstance(certificate, Certificate), f"{cls.__name__} does not derive from novikoff.theory.Certificate")
    require(dataclasses.is_dataclass(cls), f"{cls.__name__} is not a dataclass")
    try:
        setattr(certificate, dataclasses.fields(cls)[0].name, None)
    except dataclasses.FrozenInstanceError:
        pass
    else:
        raise AssertionError(f"{cls.__name__} is not frozen: its claims can be changed")
    require(CERTIFICATES.get(cls.__name__) is cls, f"CERTIFICATES has no entry {cls.__name__!r} for this class")


def check_verifies_on_its_data(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``verify`` accepts the data, twice with the same result, and does not modify them."""
    X, y = as_table(X), np.asarray(y)
    before = _dense(X).copy(), y.copy()
    found = certificate.verify(X, y, sample_weight)
    require(found, f"verify does not accept the data of the certificate:\n{found}")
    again = certificate.verify(X, y, sample_weight)
    require(again == found, "verify gave another result when it was called again")
    unchanged = np.array_equal(_dense(X), before[0]) and np.array_equal(y, before[1])
    require(unchanged, "verify modified the data")


def check_verifies_exactly(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``verify(..., exact=True)`` refutes no claim."""
    found = certificate.verify(X, y, sample_weight, exact=True)
    require(not found.failures, f"verify(exact=True) refutes the certificate:\n{found}")


def check_fails_on_altered_data(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``verify`` does not accept other shapes, swapped labels or NaN, and raises no error."""
    X, y = _dense(as_table(X)), np.asarray(y)
    labels = np.unique(y)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    half, more = len(y) // 2, None if weights is None else np.append(weights, 1.0)
    swapped = np.where(y == labels[0], labels[-1], labels[0])
    bad = X.copy()
    bad[0, 0] = np.nan
    altered = {
        "no rows": (X[:0], y[:0], None if weights is None else weights[:0]),
        "half of the rows missing": (X[:half], y[:half], None if weights is None else weights[:half]),
        "a row added that contradicts the first": (np.vstack([X, X[:1]]), np.append(y, swapped[:1]), more),
        "a column missing": (X[:, 1:], y, weights),
        "a column added": (np.hstack([X, X[:, :1]]), y, weights),
        "a label missing": (X, y[:-1], weights),
        "labels swapped": (X, swapped, weights),
        "NaN among the values": (bad, y, weights),
    }
    for name, data in altered.items():
        require(not certificate.verify(*data), f"verify accepts altered data ({name})")


def check_says_what_it_claims(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``claims`` returns named texts, each name once; ``explain``, ``str``, ``repr`` and notebooks show text."""
    claims = certificate.claims()
    require(claims, "claims() is empty")
    require(all(isinstance(part, str) for claim in claims for part in claim), "claims() are not pairs of text")
    require(len({name for name, _ in claims}) == len(claims), "a name occurs twice in claims()")
    require(isinstance(certificate.explain(), str) and certificate.explain(), "explain() is not a text")
    require(isinstance(str(certificate), str) and str(certificate), "str() is empty")
    require(type(certificate).__name__ in repr(certificate), "repr() does not name the class")
    page = certificate._repr_html_()
    shown = all(html.escape(part) in page for claim in claims for part in claim)
    require(shown and page.count("<tr>") >= len(claims), "the notebook form does not show all claims")


def check_speaks_of_a_plane_and_parameters(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``plane`` has a weight for each column, ``band`` is positive, and ``stated`` is a dict; or they are absent."""
    plane = certificate.plane()
    if plane is not None:
        shape = np.shape(plane[0])
        require(shape == (as_table(X).shape[1],), f"plane() has weights of shape {shape}")
        require(np.all(np.isfinite([*plane[0], plane[1]])), "plane() has numbers that are not finite")
    band = certificate.band()
    require(band is None or 0 < band < np.inf, f"band() is {band}, which is neither None nor a positive number")
    stated = certificate.stated()
    require(isinstance(stated, dict) and all(isinstance(key, str) for key in stated), "stated() is not a dict of text")


def check_support_belongs_to_the_data(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``support`` names different rows of the data, and none if the data have another shape."""
    X = as_table(X)
    support = certificate.support(X, y)
    rows = np.asarray(support.rows)
    require(isinstance(support.name, str) and support.name, "support() has no name")
    require(len(np.unique(rows)) == len(rows), "support() names a row twice")
    require(np.all((rows >= 0) & (rows < X.shape[0])), "support() names a row that does not exist")
    other = np.hstack([_dense(X), np.ones((X.shape[0], 1))])
    require(len(certificate.support(other, y).rows) == 0, "support() names rows of data with another shape")


def check_can_be_written(certificate: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """``to_json`` has all fields and the kind, and pickle restores the same certificate."""
    text = certificate.to_json()
    fields = {"kind", *(field.name for field in dataclasses.fields(certificate))}
    require(set(json.loads(text)) == fields, f"to_json() does not have exactly the fields {sorted(fields)}")
    require(pickle.loads(pickle.dumps(certificate)).to_json() == text, "pickle changed the certificate")


def _dense(X: Any) -> Any:
    return X.toarray() if sp.issparse(X) else X


CHECKS = (
    check_is_a_registered_frozen_dataclass,
    check_verifies_on_its_data,
    check_verifies_exactly,
    check_fails_on_altered_data,
    check_says_what_it_claims,
    check_speaks_of_a_plane_and_parameters,
    check_support_belongs_to_the_data,
    check_can_be_written,
)
