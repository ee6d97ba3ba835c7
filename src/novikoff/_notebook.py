"""What notebooks show of a fitted model: certificates as HTML, and attributes that do not become dense for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from novikoff._html import folded
from novikoff._wide_array import compact_attributes

MAX_CERTIFICATES = 20  # of a classifier with many classes; the page stays short


class CompactDisplay:
    """A model whose attributes that are dense on request do not become so when they are only listed or displayed.

    It comes before ``BaseEstimator`` among the base classes.
    """

    def __dir__(self) -> Iterable[str]:
        with compact_attributes():  # scikit-learn reads every attribute to see whether it exists
            return super().__dir__()

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Return the fitted attributes for the diagram; scikit-learn calls it since version 1.9."""
        with compact_attributes():
            return super()._get_fitted_attr_html(doc_link)  # type: ignore[misc]  # scikit-learn is untyped


def certificates_html(estimator: Any) -> str:
    """Return the certificate as a table; for more than two classes, one table per problem that can be unfolded.

    Parameters
    ----------
    estimator : object
        A classifier. If it is not fitted, or has no certificate, the result is empty.
    """
    found = getattr(estimator, "certificate_", None)
    if found is None:
        return ""
    if not isinstance(found, list):
        return f"<div>{found._repr_html_()}</div>"
    parts, record = [], getattr(estimator, "record_", None)
    labels = estimator.classes_.tolist() if record is None else [name for name, _ in record.named_certificates]
    for name, certificate in zip(labels[:MAX_CERTIFICATES], found, strict=False):
        summary = f"{name}: {' '.join(certificate.claims()[0])}"
        parts.append(folded(summary, certificate._repr_html_()))
    if len(found) > MAX_CERTIFICATES:
        parts.append(f"<p>and {len(found) - MAX_CERTIFICATES} more in certificate_</p>")
    return f"<div>{''.join(parts)}</div>"
