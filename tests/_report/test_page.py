"""The page as HTML: names of the user are escaped, and the policy allows only the scripts of the page."""

import base64
import hashlib
import html
import re

import numpy as np
import pytest
from plotly.offline import get_plotlyjs

import novikoff as nk
from report_pages import HOSTILE, Reader, body, figures


def test_names_with_markup_are_shown_as_text():
    names = [HOSTILE, "{{ script }}", "a\u2028b"]
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.1 * X[:, 1] > 0, HOSTILE, "<b>other</b> & 'more'")
    page = nk.report(nk.LinearSVM().fit(X, y), X, y, title=HOSTILE, feature_names=names, model_path=HOSTILE)
    assert page.count("<script") == page.count("</script>") == 3 + get_plotlyjs().count("<script")
    assert "<img" not in body(page)
    assert "<b>" not in body(page)
    assert "{{ script }}" in body(page)
    assert HOSTILE in html.unescape(body(page))
    assert Reader(page).stack == []
    for figure in figures(page).values():
        for trace in figure["data"]:
            assert "<" not in trace["name"]


def test_policy_allows_the_two_scripts_and_no_network(svm_page):
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', svm_page)[1])
    scripts = re.findall(r"<script>(.*?)</script>", svm_page, re.S)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert not re.search(r"(src|href)=\"(?!#|data:,)", body(svm_page))


def test_scores_that_overflow_are_refused():
    model = nk.LinearSVM().fit([[1.0, 2.0], [-1.0, 0.0], [2.0, 1.0]], [1, 0, 1])
    with pytest.raises(nk.InvalidInputError, match="Scale the columns of X"):
        nk.report(model, [[1e308, 1e308], [-1e308, -1e308]], [1, 0])
