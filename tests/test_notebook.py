"""What notebooks show of learners and certificates."""

from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits

import novikoff as nk
from novikoff._notebook import MOST, ShowsCertificate

HOSTILE = "<script>alert(1)</script>"


class Toy(ShowsCertificate, ClassifierMixin, BaseEstimator):
    """An estimator that is fitted when someone gives it a certificate."""

    def __init__(self, C=1.0):
        self.C = C


class Tables(HTMLParser):
    """How many tables, scripts and details there are, and whether elements are closed as they were opened."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.stack = [], []
        self.feed(page)
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("input", "br", "link", "meta", "img"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


@pytest.fixture(scope="module")
def certificate():
    return nk.LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).certificate_


def certificates_of(page):
    return page.count("Certificate</caption>")


def test_before_the_fit_it_is_scikit_learns_form():
    assert certificates_of(Toy()._repr_html_()) == 0
    assert "Toy" in Toy()._repr_html_()
    assert "text/html" in Toy()._repr_mimebundle_()


def test_after_the_fit_the_certificate_is_beneath(certificate):
    model = Toy()
    model.certificate_ = certificate
    assert certificates_of(model._repr_html_()) == 1
    assert model._repr_html_().endswith(f"{certificate._repr_html_()}</div>")
    assert certificates_of(model._repr_mimebundle_()["text/html"]) == 1
    assert model._repr_mimebundle_()["text/plain"] == "Toy()"


def test_where_estimators_are_shown_as_text_there_is_no_html(certificate):
    model = Toy()
    model.certificate_ = certificate
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_several_classes_are_opened_one_by_one_and_their_names_are_text(certificate):
    model = Toy()
    model.classes_ = np.array([HOSTILE, *map(str, range(MOST + 4))])
    model.certificate_ = [certificate] * (MOST + 5)
    page = model._repr_html_()
    assert certificates_of(page) == MOST
    assert HOSTILE not in page
    assert "and 5 more" in page


def test_learners_show_their_certificates():
    X, y = load_digits(return_X_y=True)
    for model in (nk.Perceptron(max_iter=3), nk.LinearSVM(C=0.01)):
        assert certificates_of(model._repr_html_()) == 0
        assert certificates_of(model.fit(X, y == 0)._repr_html_()) == 1
        assert certificates_of(model.fit(X, y)._repr_html_()) == 10


def test_a_certificate_is_a_table_without_colours_of_its_own(certificate):
    page = certificate._repr_html_()
    assert "color" not in page
    assert "background" not in page
    assert Tables(page).tags.count("table") == 1
    assert page.count('<th scope="row"') == page.count("<tr>") == len(certificate.claims())


def test_a_certificate_escapes_what_it_says():
    class Hostile(type(nk.Perceptron().fit([[0.0], [1.0]], [0, 1]).certificate_)):
        def claims(self):
            return [(HOSTILE, HOSTILE)]

    certificate = object.__new__(Hostile)
    assert HOSTILE not in certificate._repr_html_()
