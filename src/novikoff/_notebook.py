"""The certificates of a fitted classifier as HTML, for notebooks."""

from __future__ import annotations

import html
from typing import Any

MAX_CERTIFICATES = 20  # of a classifier with many classes; the page stays short


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
        summary = html.escape(f"{name}: {' '.join(certificate.claims()[0])}")
        parts.append(f"<details><summary>{summary}</summary>{certificate._repr_html_()}</details>")
    if len(found) > MAX_CERTIFICATES:
        parts.append(f"<p>and {len(found) - MAX_CERTIFICATES} more in certificate_</p>")
    return f"<div>{''.join(parts)}</div>"
