"""What a notebook shows of a learner: scikit-learn's diagram, and beneath it, once it is fitted, the certificate."""

from __future__ import annotations

import html
from typing import Any

MOST = 20  # classes whose certificates are shown


class ShowsCertificate:
    """A scikit-learn estimator whose form in a notebook ends with ``certificate_``, if it has one."""

    def _repr_html_inner(self) -> str:
        """What ``_repr_html_`` is, unless scikit-learn is set to show estimators as text."""
        return str(super()._repr_html_inner()) + certificates_html(self)  # type: ignore[misc]  # BaseEstimator has it

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """What notebooks ask for first."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)  # type: ignore[misc]  # BaseEstimator has it
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def certificates_html(estimator: Any) -> str:
    """The certificate of a fitted estimator; of more than two classes one a class, to be opened."""
    found = getattr(estimator, "certificate_", None)
    if found is None:
        return ""
    if not isinstance(found, list):
        return f"<div>{found._repr_html_()}</div>"
    parts = []
    for label, certificate in zip(estimator.classes_.tolist()[:MOST], found, strict=False):
        summary = html.escape(f"{label}: {' '.join(certificate.claims()[0])}")
        parts.append(f"<details><summary>{summary}</summary>{certificate._repr_html_()}</details>")
    if len(found) > MOST:
        parts.append(f"<p>and {len(found) - MOST} more, in certificate_</p>")
    return f"<div>{''.join(parts)}</div>"
