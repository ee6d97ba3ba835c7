"""The report as text: what is in it, that it is the same each time, and that nothing in it is taken for HTML."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression

import novikoff as nk
from novikoff._report import report
from real_data import two_classes

ALL = ("boundary", "margins", "gap", "weights")
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


class Reader(HTMLParser):
    """The elements of a page, the texts of its headings and tables, and whether it is well nested."""

    VOID = frozenset(("meta", "link", "br", "img", "hr"))

    def __init__(self, page):
        super().__init__()
        self.stack, self.tags, self.ids, self.headings, self.captions = [], [], [], [], []
        self.feed(page)
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] in ("h1", "h2", "h3"):
            self.headings.append((self.stack[-1], data))
        if self.stack and self.stack[-1] == "caption":
            self.captions.append(data)


def figures(page):
    """The data and layouts of the pictures, as the script reads them."""
    return json.loads(re.search(r'id="figures">(.*?)</script>', page, re.S)[1])


def body(page):
    """The page without its scripts and styles."""
    return re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.S)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, np.where(y == 1, "benign", "malignant")


@pytest.fixture(scope="module")
def of_cancer(cancer):
    model = nk.LinearSVM(C=0.5).fit(*cancer)
    return model, report(model, *cancer, model_path="cancer model.nk", data_path="cancer.csv")


def test_it_has_all_its_parts_in_order(of_cancer):
    reader = Reader(of_cancer[1])
    assert [words for level, words in reader.headings if level == "h2"] == [
        "Summary",
        "The certificate",
        "What it learned",
        "How well it predicts",
    ]
    assert [level for level, _ in reader.headings].count("h1") == 1
    assert len(set(reader.ids)) == len(reader.ids)
    assert reader.tags.count("figure") == len(figures(of_cancer[1])) == 6


def test_the_certificate_is_there_in_words_with_the_result_of_every_check(of_cancer, cancer):
    model, page = of_cancer
    for name, value in model.certificate_.claims():
        assert f'<th scope="row">{name}</th><td>{value}</td>' in page
    for check in model.certificate_.verify(*cancer).checks:
        assert check.claim in page
        assert check.detail in page
    assert '<span class="status holds">verified</span>' in page
    assert "novikoff certify &#x27;cancer model.nk&#x27; cancer.csv" in page


def test_other_data_are_not_verified(of_cancer, cancer):
    X, y = cancer
    page = report(of_cancer[0], X[::-1], y[::-1])
    assert '<span class="status fails">not verified</span>' in page


def test_parameters_that_were_set_are_named(of_cancer):
    assert "<td>C = 0.5</td>" in of_cancer[1]


def test_the_same_input_gives_the_same_page(of_cancer, cancer):
    model, page = of_cancer
    assert report(model, *cancer, model_path="cancer model.nk", data_path="cancer.csv") == page


def test_the_pictures_show_the_numbers_of_the_displays(of_cancer, cancer):
    model, page = of_cancer
    drawn = figures(page)
    bars = drawn["figure-margins"]["data"]
    assert sum(sum(trace["y"]) for trace in bars) == len(cancer[1])
    assert sum(bars[1]["y"]) == np.count_nonzero(model.predict(cancer[0]) != cancer[1])
    weights = sorted((abs(x) for trace in drawn["figure-weights"]["data"] for x in trace["x"]), reverse=True)
    np.testing.assert_allclose(weights, np.sort(np.abs(model.coef_[0]))[::-1][:20], rtol=1e-4)
    primal, dual = (np.array(trace["y"]) for trace in drawn["figure-gap"]["data"][:2])
    assert np.all(primal >= dual)


def test_plotly_takes_every_figure(of_cancer):
    """Its Python side checks names and values of attributes."""

    def painted(value):
        if isinstance(value, dict):
            return {key: "#123456" if str(entry).startswith("--") else painted(entry) for key, entry in value.items()}
        return [painted(entry) for entry in value] if isinstance(value, list) else value

    for figure in figures(of_cancer[1]).values():
        go.Figure(painted(figure))


def test_names_that_look_like_html_are_only_text():
    names = [HOSTILE, "{{script}}", "a\u2028b"]
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.1 * X[:, 1] > 0, HOSTILE, "<b>other</b> & 'more'")
    page = report(nk.LinearSVM().fit(X, y), X, y, title=HOSTILE, feature_names=names, model_path=HOSTILE)
    assert page.count("<script") == page.count("</script>") == 3 + get_plotlyjs_mentions()
    assert "<img" not in body(page)
    assert "<b>" not in body(page)
    assert "{{script}}" in body(page)
    Reader(page)
    for figure in figures(page).values():
        for trace in figure["data"]:
            assert "<" not in trace["name"]


def get_plotlyjs_mentions():
    """How often plotly's own script has the word, in its strings."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs().count("<script")


def test_the_policy_allows_the_two_scripts_and_no_network(of_cancer):
    page = of_cancer[1]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert not re.search(r"(src|href)=\"(?!#|data:,)", body(page))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (nk.Perceptron, {"boundary", "margins", "mistakes", "weights"}),
        (nk.AveragedPerceptron, {"boundary", "margins", "mistakes", "weights"}),
        (nk.VotedPerceptron, {"margins", "mistakes", "weights"}),
        (nk.MarginPerceptron, {"boundary", "margins", "mistakes", "weights"}),
        (nk.PassiveAggressiveI, {"boundary", "margins", "mistakes", "weights"}),
        (nk.HardMarginSVM, {"boundary", "margins", "weights"}),
        (nk.LinearSVM, {"boundary", "margins", "gap", "weights"}),
    ],
)
def test_every_learner_has_the_pictures_that_apply_to_it(make, expected):
    X, digit = load_digits(return_X_y=True)
    y = digit == 0
    model = make().fit(X, y)
    page = report(model, X, y)
    assert {name.removeprefix("figure-") for name in figures(page)} == expected | {"roc", "precision-recall"}
    assert '<span class="status holds">verified</span>' in page


def test_several_classes_have_a_certificate_each_and_one_is_drawn():
    X, y = load_digits(return_X_y=True)
    model = nk.Perceptron(max_iter=3).fit(X[:1200], y[:1200])
    page = report(model, X[:1200], y[:1200], test=(X[1200:], y[1200:]))
    assert page.count("<details><summary>") >= 10
    assert page.count(": verified</summary>") == 10
    assert len(figures(page)["figure-roc"]["data"]) == 11
    accuracy = np.mean(model.predict(X[1200:]) == y[1200:])
    assert f"<td>{100 * accuracy:.1f} %</td>" in page
    assert "<strong>4</strong>" in report(model, X[:1200], y[:1200], class_=4)


def test_the_confusion_table_counts_the_held_out_rows():
    X, y = load_digits(return_X_y=True)
    model = nk.Perceptron(max_iter=3).fit(X[:1200], y[:1200])
    page = report(model, X[:1200], y[:1200], test=(X[1200:], y[1200:]))
    cells = [int(cell) for cell in re.findall(r'<span class="(?:hit|miss)" style="[^"]*">(\d+)</span>', page)]
    expected = np.zeros((10, 10), dtype=int)
    np.add.at(expected, (y[1200:], model.predict(X[1200:])), 1)
    assert cells == expected.ravel().tolist()


def test_very_many_classes_have_their_most_frequent_mistakes_listed():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 10)
    X = rng.normal(size=(300, 5)) + y[:, None] % 7
    page = report(nk.Perceptron(max_iter=2).fit(X, y), X, y)
    assert "The most frequent mistakes among 30 classes" in Reader(page).captions


def test_a_large_sparse_set_leaves_a_small_page(tmp_path):
    X, y = two_classes("spam_stream")
    model = nk.PassiveAggressiveI(max_iter=1).fit(X, y)
    page = report(model, X, y, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert len(json.dumps(figures(page))) < 200_000
    assert "entries other than 0" in page


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_rows_of_all_kinds(kind):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.tile([0, 1], 20)
    X = X + y[:, None]
    page = report(nk.LinearSVM().fit(kind(X), y), kind(X), y)
    assert "column 0" in page or "0" in figures(page)["figure-boundary"]["layout"]["xaxis"]["title"]["text"]


def test_weights_of_rows_and_classes_are_verified():
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    model = nk.LinearSVM(class_weight="balanced").fit(X, y, weights)
    assert "verified</span>" in report(model, X, y, sample_weight=weights)
    assert '<span class="status holds">verified' in report(model, X, y, sample_weight=weights)


def test_a_model_without_certificate_says_so():
    X, y = load_breast_cancer(return_X_y=True)
    page = report(LogisticRegression(max_iter=5000).fit(X / X.max(axis=0), y), X / X.max(axis=0), y)
    assert "carries no certificate" in page
    Reader(page)


def test_rows_of_one_class_only_have_what_can_be_said_of_them(cancer):
    X, y = cancer
    for model in (nk.LinearSVM().fit(X, y), nk.Perceptron(max_iter=3).fit(X, y)):
        page = report(model, X[:5], y[:5])
        assert "not verified" in page
        assert {"figure-margins", "figure-weights"} <= set(figures(page)) <= {f"figure-{name}" for name in ALL}


def test_what_cannot_be_reported_on_is_refused(cancer):
    with pytest.raises(nk.InvalidInputError, match=r"\[report\] A classifier with decision_function. Got Hashing"):
        report(nk.Hashing(), *cancer)
    model = nk.LinearSVM().fit(*cancer)
    with pytest.raises(nk.InvalidInputError, match=r"test = \(X, y\)"):
        report(model, *cancer, test=3)
    with pytest.raises(nk.InvalidInputError, match="feature names"):
        report(model, *cancer, feature_names=["one"])
    with pytest.raises(nk.InvalidInputError, match="class_ that is one of"):
        report(model, *cancer, class_="other")


def test_a_page_that_cannot_be_written_is_an_error_of_ours(cancer, tmp_path):
    with pytest.raises(nk.FileError, match=r"\[report\]"):
        report(nk.LinearSVM().fit(*cancer), *cancer, tmp_path / "not there" / "page.html")


def test_without_plotly_it_says_what_to_install():
    code = (
        "import sys\nsys.modules['plotly'] = None\nfrom novikoff._report import report\n"
        "try:\n    report(None, [[0.0]], [0])\nexcept ValueError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[report] plotly, which `pip install 'novikoff[plot]'` brings." in done.stdout


def test_importing_it_imports_no_plotly():
    code = "import sys, novikoff._report\nprint({'matplotlib', 'plotly'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("place", [0, 1])
def test_the_code_of_the_documentation_runs(place, tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    exec("".join(blocks[: place + 1]), {})
    assert (tmp_path / ("boundary.png", "report.html")[place]).stat().st_size > 10_000


def test_rows_that_overflow_are_refused_in_a_sentence():
    model = nk.LinearSVM().fit([[1.0, 2.0], [-1.0, 0.0], [2.0, 1.0]], [1, 0, 1])
    with pytest.raises(nk.InvalidInputError, match="Rows whose scores"):
        report(model, [[1e308, 1e308], [-1e308, -1e308]], [1, 0])
