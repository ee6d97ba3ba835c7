"""The contents of the report."""

import html
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import novikoff as nk
from novikoff import report
from real_data import two_classes
from report_pages import Reader, body, figures
from wide_rows import HUGE, never_dense, wide_rows

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def test_sections_are_in_order_and_ids_are_unique(svm_page):
    reader = Reader(svm_page)
    sections = [words for level, words in reader.headings if level == "h2"]
    assert sections.pop(0) == "Decision boundary"
    assert sections == ["Predictive performance", "Certificate", "Fitted model", "Summary"]
    assert [level for level, _ in reader.headings].count("h1") == 1
    assert len(set(reader.ids)) == len(reader.ids)
    assert reader.tags.count("figure") == len(figures(svm_page)) == 6


def test_page_shows_all_claims_and_the_result_of_every_check(svm, svm_page, cancer):
    assert svm.certificate_.explain() in svm_page
    for name, value in svm.certificate_.claims():
        assert f'<th scope="row">{name}</th><td>{value}</td>' in svm_page
    for check in svm.certificate_.verify(*cancer).checks:
        assert f'<th scope="row">{check.claim}</th>' in svm_page
        assert check.detail in svm_page
    assert '<span class="status holds">certificate verified</span>' in svm_page
    assert "novikoff certify &#39;cancer model.nvk&#39; cancer.csv" in svm_page


def test_other_data_are_not_verified_and_not_called_training_rows(svm, cancer):
    X, y = cancer
    page = report(svm, X[::-1], y[::-1], data_path="test.csv")
    assert '<span class="status open">certificate not checked</span>' in page
    text = page.lower().replace("pass the training rows", "").replace("which are not the training rows", "")
    assert "training row" not in text
    assert "novikoff certify MODEL DATA" in page  # not with these data


def test_verdict_and_one_picture_come_before_everything_else(svm_page, perceptron_page):
    for page, figure in (svm_page, "boundary"), (perceptron_page, "confusion"):
        order = [
            page.index('class="headline"'),
            page.index(f'id="figure-{figure}"'),
            page.index('<section id="predictions"'),
        ]
        assert order == sorted(order)
        assert page.count("<figure>", 0, order[-1]) == 1


def test_every_accuracy_has_its_rows_and_the_majority_beside_it(svm_page, perceptron_page):
    for page in (svm_page, perceptron_page):
        text = re.sub(r"<[^>]*>", " ", html.unescape(body(page)))
        found = re.findall(r"accuracy\s+(\d+\.\d+%.{60})", text, re.IGNORECASE | re.DOTALL)
        assert len(found) >= 3
        for words in found:
            assert re.match(r"\d+\.\d+% on [\d,]+ (training|test) rows \(always ", words)


def test_model_that_is_no_better_than_guessing_is_not_shown_in_green():
    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.repeat(["no", "yes"], [90, 10])
    page = report(nk.LinearSVM().fit(X, y), X, y)
    assert '<section class="verdict useless"' in page
    assert '<span class="status plain">certificate verified</span>' in page


def test_summary_names_changed_parameters(svm_page):
    assert "<td>C = 0.5</td>" in svm_page


def test_same_input_gives_same_page(svm, svm_page, cancer):
    assert report(svm, *cancer, model_path="cancer model.nvk", data_path="cancer.csv") == svm_page


def test_several_classes_have_one_certificate_each(perceptron, perceptron_page, digits):
    assert perceptron_page.count(": verified</summary>") == 10
    assert "10 certificates, one for each of its binary problems" in perceptron_page
    assert "<td>one-vs-rest, 10 binary problems</td>" in perceptron_page


@pytest.mark.slow
def test_figures_of_every_class_can_be_chosen(perceptron, perceptron_page, digits):
    options = re.findall(r'<option value="(\d)"( selected)?>(\d)</option>', perceptron_page)
    assert [name for _, _, name in options] == list("0123456789")
    assert [name for _, selected, name in options if selected] == ["4"]
    assert perceptron_page.count('<div class="choice"') == 10
    assert re.findall(r'<div class="choice" id="choice-(\d)">', perceptron_page) == ["4"]  # the others are hidden
    predicted, y = perceptron.predict(digits[0]), digits[1]
    wrong = [np.count_nonzero((predicted == k) != (y == k)) for k in range(10)]
    assert f" selected>{np.argmax(wrong)}</option>" in report(perceptron, *digits[:2])


def test_confusion_matrix_counts_the_test_rows(perceptron, perceptron_page, digits):
    cells = re.findall(r'<span class="(?:hit|miss)" style="[^"]*">(\d+)</span>', perceptron_page)
    expected = np.zeros((10, 10), dtype=int)
    np.add.at(expected, (digits[3], perceptron.predict(digits[2])), 1)
    assert list(map(int, cells)) == expected.ravel().tolist()


@pytest.mark.slow
def test_many_classes_have_their_most_frequent_errors_listed():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(21), 3)
    X = rng.normal(size=(63, 5)) + y[:, None] % 7
    page = report(nk.Perceptron(max_iter=2).fit(X, y), X, y)
    captions = Reader(page).captions
    assert {"Most frequent errors", "The 20 classes with the lowest F1"} <= set(captions)
    assert "Confusion matrix" not in captions


def test_large_sparse_data_give_a_small_page(tmp_path):
    X, y = two_classes("spam_stream")
    model = nk.PassiveAggressiveI(max_iter=1).fit(X, y)
    page = report(model, X, y, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert len(json.dumps(figures(page))) < 200_000
    assert "nonzero entries" in page


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_arrays_sparse_matrices_and_frames_are_accepted(kind):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.tile([0, 1], 20)
    X = X + y[:, None]
    page = report(nk.LinearSVM().fit(kind(X), y), kind(X), y)
    assert "column 0" in page or "0" in figures(page)["boundary"]["layout"]["xaxis"]["title"]["text"]


def test_row_and_class_weights_are_verified():
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    model = nk.LinearSVM(class_weight="balanced").fit(X, y, weights)
    assert '<span class="status holds">certificate verified' in report(model, X, y, sample_weight=weights)


def test_model_without_certificate_says_so():
    X, y = load_breast_cancer(return_X_y=True)
    page = report(LogisticRegression(max_iter=5000).fit(X / X.max(axis=0), y), X / X.max(axis=0), y)
    assert '<span class="status none">no certificate</span>' in page
    assert "This model has no certificate" in page
    assert Reader(page).headings


def test_rows_of_one_class_have_no_curves(svm, cancer):
    X, y = cancer
    for model in (svm, nk.Perceptron(max_iter=3).fit(X, y)):
        page = report(model, X[:5], y[:5])
        assert "certificate not checked" in page
        assert {"margins", "weights"} <= set(figures(page)) <= {"boundary", "margins", "gap", "weights"}


def test_file_that_cannot_be_written_is_a_file_error(svm, cancer, tmp_path):
    with pytest.raises(nk.FileError, match=r"page\.html"):
        report(svm, *cancer, tmp_path / "missing" / "page.html")


@pytest.mark.parametrize("package", ["jinja2", "plotly"])
def test_missing_package_is_named_with_the_command_that_installs_it(package, svm, cancer, monkeypatch):
    monkeypatch.delitem(sys.modules, "novikoff._report.page", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        nk.InvalidInputError, match=rf"report: the package {package} is not installed.*novikoff\[plot\]"
    ):
        report(svm, *cancer)


@pytest.mark.parametrize("learner", [nk.LinearSVM(), nk.Perceptron()], ids=lambda learner: type(learner).__name__)
def test_a_report_about_wide_rows_makes_no_dense_weights(learner):
    X, y = wide_rows()
    model = learner.fit(X, y)
    with never_dense():
        assert f"{HUGE:,} columns" in report(model, X, y)
