"""What notebooks show of learners and certificates."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

import novikoff as nk
from novikoff._classifier import Classifier
from novikoff._notebook import MAX_CERTIFICATES
from report_pages import Reader
from wide_rows import HUGE, never_dense, wide_rows

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

HOSTILE = "<script>alert(1)</script>"


class Toy(Classifier):
    """A classifier that is fitted when a test gives it a certificate."""

    def __init__(self, C=1.0):
        self.C = C


@pytest.fixture(scope="module")
def certificate():
    return nk.LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).certificate_


def certificates_of(page):
    return page.count("Certificate</caption>")


def test_after_fit_the_certificate_is_shown_below_the_diagram_of_scikit_learn(certificate):
    model = Toy()
    assert certificates_of(model._repr_html_()) == 0
    assert "Toy" in model._repr_mimebundle_()["text/html"]
    model.certificate_ = certificate
    assert model._repr_html_().endswith(f"{certificate._repr_html_()}</div>")
    assert certificates_of(model._repr_mimebundle_()["text/html"]) == 1
    assert model._repr_mimebundle_()["text/plain"] == "Toy()"


def test_display_as_text_has_no_html(certificate):
    model = Toy()
    model.certificate_ = certificate
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_several_classes_can_be_unfolded_and_their_names_are_escaped(certificate):
    model = Toy()
    model.classes_ = np.array([HOSTILE, *map(str, range(MAX_CERTIFICATES + 4))])
    model.certificate_ = [certificate] * (MAX_CERTIFICATES + 5)
    page = model._repr_html_()
    assert certificates_of(page) == MAX_CERTIFICATES
    assert HOSTILE not in page
    assert "and 5 more" in page


def test_learners_show_their_certificates():
    X, y = (part[:300] for part in load_digits(return_X_y=True))
    for model in (nk.Perceptron(max_iter=3), nk.LinearSVM(C=0.01, multi_class="ovr")):
        assert certificates_of(model._repr_html_()) == 0
        assert certificates_of(model.fit(X, y == 0)._repr_html_()) == 1
        assert certificates_of(model.fit(X, y)._repr_html_()) == 10


def test_certificate_is_a_table_without_colours(certificate):
    page = certificate._repr_html_()
    assert "color" not in page
    assert "background" not in page
    assert Reader(page).tags.count("table") == 1
    assert page.count('<th scope="row"') == page.count("<tr>") == len(certificate.claims())


def test_certificate_escapes_its_claims():
    class Hostile(type(nk.Perceptron().fit([[0.0], [1.0]], [0, 1]).certificate_)):
        def claims(self):
            return [(HOSTILE, HOSTILE)]

    certificate = object.__new__(Hostile)
    assert HOSTILE not in certificate._repr_html_()


LEARNERS = [nk.LinearSVM(), nk.HardMarginSVM(), nk.LinearSVMPath(Cs=[1.0]), nk.Perceptron(), nk.AveragedPerceptron()]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_wide_model_is_shown_without_dense_weights(learner):
    model = clone(learner).fit(*wide_rows())
    with never_dense():
        assert type(model).__name__ in model._repr_html_()
        assert type(model).__name__ in make_pipeline(model)._repr_html_()
        assert "n_features_in_" in dir(model)
        assert {"coef_", "coefs_"} & set(dir(model))
    assert model.n_features_in_ == HUGE
