"""All texts for people: what follows from bounds is worded as a bound, and counts have all digits and their noun."""

import dataclasses
import math
import re
import warnings
from decimal import Decimal

import numpy as np
import pytest
from command import novikoff

import novikoff as nk
from report_pages import body

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
APART = np.where(X @ [1.0, -1.0, 0.5, 0.0] > 0.2, "yes", "no")
KEPT = np.abs(X @ [1.0, -1.0, 0.5, 0.0] - 0.2) > 0.1
X, APART = X[KEPT], APART[KEPT]
OVERLAP = np.where(RNG.random(len(X)) < 0.5, "yes", "no")
THREE = np.where(X[:, 0] > 0, APART, "other")

MODELS = {
    "margin perceptron": lambda: (nk.MarginPerceptron(epsilon=0.6), APART),
    "margin perceptron, unfinished": lambda: (nk.MarginPerceptron(max_iter=2, epsilon=0.01), APART),
    "margin perceptron, unit length": lambda: (nk.MarginPerceptron(normalize=True, epsilon=0.9), APART),
    "perceptron": lambda: (nk.Perceptron(), APART),
    "perceptron, overlap": lambda: (nk.Perceptron(max_iter=3), OVERLAP),
    "perceptron, classes": lambda: (nk.Perceptron(max_iter=3), THREE),
    "passive-aggressive": lambda: (nk.PassiveAggressiveI(max_iter=3), OVERLAP),
    "hard margin": lambda: (nk.HardMarginSVM(), APART),
    "hard margin, wide": lambda: (nk.HardMarginSVM(max_iter=1, tol=1e-15), APART),
    "soft margin": lambda: (nk.LinearSVM(loss="hinge"), OVERLAP),
    "soft margin, wide": lambda: (nk.LinearSVM(loss="hinge", C=1e3, max_iter=1), OVERLAP),
    "joint": lambda: (nk.LinearSVM(multi_class="crammer_singer", loss="hinge"), THREE),
    "pairs, wide": lambda: (nk.LinearSVM(loss="hinge", C=1e3, max_iter=1), THREE),
}


def fitted(name):
    """A model of a name, its labels, and what was said while it was fitted."""
    model, y = MODELS[name]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return model, y, [str(warning.message) for warning in caught]


def texts_of(certificate, X, y):
    """All that a certificate says, as plain text."""
    found = [str(certificate), repr(certificate), certificate.explain(), plain(certificate._repr_html_())]
    found += [f"{name}: {text}" for name, text in certificate.claims()]
    found.append(str(certificate.verify(X, y)))
    if certificate.generalization is not None:
        found.append(str(certificate.generalization))
    return found


def plain(page):
    """The text of a page, with one line per element."""
    return re.sub(r"\n\s*\n+", "\n", re.sub(r"<[^>]*>", "\n", body(page)).replace("&#39;", "'"))


def certificates_of(model):
    found = model.certificate_
    return found if isinstance(found, list) else [found]


# ---- bounds --------------------------------------------------------------------------------------------------------

BOUNDED = r"at least|at most|above|below|no more than|or more|or less|between|bound|lies from|claimed|found"
NUMBER = re.compile(r"(?<![\w.,])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])")


def derived(certificate):
    """The numbers that are bounds, or that follow from bounds."""
    fields = ("margin_lower_bound", "margin_upper_bound", "primal", "dual", "relative_gap", "ratio")
    numbers = [float(getattr(certificate, name)) for name in fields if hasattr(certificate, name)]
    numbers += [100 * certificate.ratio] if hasattr(certificate, "ratio") else []
    known = (0.0, 0.5, 1.0, 50.0, 100.0)  # accuracies and areas of other kinds have these, too
    return [
        n for n in numbers if math.isfinite(n) and n > 0 and not any(math.isclose(n, k, rel_tol=1e-3) for k in known)
    ]


def stated_as_facts(text, numbers):
    """The numbers in a text that are one of these, and that no word before or after calls a bound."""
    wrong = []
    for line in text.split("\n"):
        end = 0
        for match in NUMBER.finditer(line):
            before, end = line[max(end, match.start() - 45) : match.start()], match.end()
            shown = Decimal(match[0].replace(",", ""))
            is_telling = len(shown.as_tuple().digits) > 2 and match[0] != line.strip()  # which is a cell of a table
            last_digit = 10.0 ** shown.as_tuple().exponent
            if not is_telling or not any(abs(float(shown) - number) <= last_digit for number in numbers):
                continue
            if not re.search(BOUNDED, before + line[match.end() : match.end() + 8]):
                wrong.append(line[max(0, match.start() - 60) : match.end() + 30])
    return wrong


def test_a_bound_that_is_stated_as_a_fact_is_found():
    assert stated_as_facts("margin at least 0.0362 (24.4 % of the best)", [0.03623, 24.401])
    assert stated_as_facts("margin at least 0.0362, which is at least 24.4 % of the best", [0.03623, 24.401]) == []
    assert stated_as_facts("the relative gap is 0.00123, within", [0.00123])
    assert stated_as_facts("the relative gap is at most 0.00123, within", [0.00123]) == []


@pytest.mark.parametrize("name", MODELS)
def test_bounds_are_worded_as_bounds(name, tmp_path):
    model, y, said = fitted(name)
    texts = list(said)
    for certificate in certificates_of(model):
        texts += texts_of(certificate, X, y)
    texts += [str(nk.verify(model, X, y)), *nk.evaluate.warnings_of(None, model.record_)]
    if name in ("margin perceptron", "hard margin", "soft margin", "pairs, wide"):
        texts.append(plain(nk.report(model, X, y)))
    path = tmp_path / "model.nvk"
    nk.save(model, path)
    texts.append(novikoff("inspect", path, "--certificates").out)
    numbers = [number for certificate in certificates_of(model) for number in derived(certificate)]
    assert numbers
    assert [wrong for text in texts for wrong in stated_as_facts(text, numbers)] == []


@pytest.mark.parametrize("learner", ["margin-perceptron", "hard-margin", "linear-svm", "perceptron"])
def test_the_command_words_bounds_as_bounds(learner, tmp_path):
    nk.write_svmlight(X, np.where(APART == "yes", 1, -1), tmp_path / "rows.svm")
    fit = novikoff("fit", "rows.svm", "--learner", learner, "-o", "model.nvk", "--holdout", "0.2", folder=tmp_path)
    assert fit.code == 0, fit.err
    runs = [fit, *(novikoff(word, "model.nvk", *rest, folder=tmp_path) for word, rest in COMMANDS.items())]
    certificate = nk.load(tmp_path / "model.nvk").certificate_
    numbers = derived(certificate)
    assert numbers
    assert [wrong for run in runs for wrong in stated_as_facts(run.out + run.err, numbers)] == []
    if hasattr(certificate, "ratio"):
        assert re.search(r"at least [\d.]+ % of the best", fit.out)


COMMANDS = {"certify": ["rows.svm"], "inspect": ["--certificates"], "score": ["rows.svm"]}


def test_the_share_of_the_best_margin_is_rounded_down():
    certificate = nk.HardMarginSVM().fit(X, APART).certificate_
    for ratio, shown in (
        (0.24399, "24.3 %"),
        (0.9999996, "99.99996 %"),
        (1 - 1e-14, "99.99999 %"),
        (2.0**-40, "9.09494e-11 %"),
        (1e-5, "0.001 %"),
        (0.99988, "99.98 %"),
    ):
        lower = ratio * certificate.margin_upper_bound
        changed = dataclasses.replace(certificate, margin_lower_bound=lower)
        assert f"which is at least {shown} of the best" in dict(changed.claims())["margin"]
        assert f"has at least {shown} of the best margin" in changed.explain()
    same = dataclasses.replace(certificate, margin_lower_bound=certificate.margin_upper_bound)
    assert "at least 100 % of the best" in str(same)
    unknown = dataclasses.replace(certificate, margin_upper_bound=math.inf)
    assert "%" not in str(unknown) + unknown.explain()


# ---- counts --------------------------------------------------------------------------------------------------------

MANY = 3_399_228
SINGULAR = {"is", "was", "has", "as", "this", "of", "s", "class", "pass", "less"}
SINGULAR |= {"lies", "proves", "follows", "fails", "holds"}
ONE_OF_SEVERAL = re.compile(r"(?<![\w.,/^=+:-])1 ((?:[a-z-]+ )?)([a-z]+s)\b")


def wrong_plurals(text):
    return [match[0] for match in ONE_OF_SEVERAL.finditer(text) if not {match[2], match[1].strip()} & SINGULAR]


def test_a_wrong_plural_is_found():
    assert wrong_plurals("1 rows of 1 feature, 11 rows, 0.1 rows, 1 class, 1 held-out rows") == [
        "1 rows",
        "1 held-out rows",
    ]


TINY = {
    "two rows": ([[1.0], [-1.0]], ["a", "b"]),
    "two rows, one column is 0": ([[1.0, 0.0], [-1.0, 0.0]], ["a", "b"]),
    "three classes": ([[1.0], [0.0], [-1.0]], ["a", "b", "c"]),
    "overlap": ([[1.0], [0.0], [1.0]], ["a", "b", "b"]),
}
LEARNERS = {
    "perceptron": nk.Perceptron,
    "one pass": lambda: nk.Perceptron(max_iter=1),
    "voted": nk.VotedPerceptron,
    "margin perceptron": nk.MarginPerceptron,
    "passive-aggressive": nk.PassiveAggressiveI,
    "soft margin": nk.LinearSVM,
    "one step": lambda: nk.LinearSVM(loss="hinge", C=1e6, max_iter=1),
    "joint": lambda: nk.LinearSVM(multi_class="crammer_singer", loss="hinge"),
    "hard margin": nk.HardMarginSVM,
}


@pytest.mark.parametrize("data", TINY)
@pytest.mark.parametrize("learner", LEARNERS)
def test_one_of_a_thing_is_singular_in_what_models_say(learner, data):
    rows, labels = TINY[data]
    if learner == "hard margin" and data in ("three classes", "overlap"):
        with pytest.raises(nk.NotSeparableError) as refused:
            nk.HardMarginSVM().fit(rows, labels)
        assert wrong_plurals(str(refused.value)) == []
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LEARNERS[learner]().fit(rows, labels)
    texts = [str(warning.message) for warning in caught]
    for certificate in certificates_of(model):
        texts += texts_of(certificate, np.array(rows), labels)
        texts += texts_of(certificate, np.array(rows)[:1], labels[:1])  # other data, which fail
    texts += [str(nk.verify(model, rows, labels)), str(nk.verify(model, rows[:1], labels[:1]))]
    if learner in ("perceptron", "soft margin", "hard margin"):
        texts.append(plain(nk.report(model, rows, labels)))
    assert [wrong for text in texts for wrong in wrong_plurals(text)] == []


def test_one_of_a_thing_is_singular_in_what_separability_says():
    for rows, labels in TINY.values():
        if len(set(labels)) == 2:
            found = nk.separability(rows, labels)
            assert [wrong for text in texts_of(found, np.array(rows), labels) for wrong in wrong_plurals(text)] == []


def test_one_of_a_thing_is_singular_on_the_command_line(tmp_path):
    (tmp_path / "two.csv").write_text("x,label\n1,a\n-1,b\n")
    (tmp_path / "one.csv").write_text("x,label\n1,a\n")
    (tmp_path / "three.csv").write_text("x,color,label\n1,red,a\n0,red,b\n-1,blue,c\n")
    texts = []
    for data in ("two.csv", "three.csv"):
        for learner in ("linear-svm", "perceptron", "margin-perceptron", "hard-margin"):
            runs = [novikoff("fit", data, "--learner", learner, "-o", "model.nvk", folder=tmp_path)]
            if runs[0].code == 0:
                runs += [novikoff(word, "model.nvk", data, folder=tmp_path) for word in ("certify", "score", "predict")]
                runs += [novikoff("inspect", "model.nvk", "--certificates", folder=tmp_path)]
                runs += [novikoff("score", "model.nvk", "one.csv", folder=tmp_path)]
            texts += [run.out + run.err for run in runs]
    for data in ("one.csv", "two.csv"):
        texts += [(run := novikoff("stream", data, folder=tmp_path)).out + run.err]
        texts += [(run := novikoff("separable", data, folder=tmp_path)).out + run.err]
    assert [wrong for text in texts for wrong in wrong_plurals(text)] == []


@pytest.mark.parametrize("learner", ["perceptron", "margin perceptron", "voted", "passive-aggressive"])
def test_large_counts_have_all_their_digits(learner):
    model = LEARNERS[learner]().fit(X, APART)
    certificate = dataclasses.replace(certificates_of(model)[0], mistakes=float(MANY), examples=float(10 * MANY))
    certificate = dataclasses.replace(certificate, updates=MANY)
    for text in texts_of(certificate, X, APART):
        assert "e+" not in text
    assert "3,399,228" in certificate.explain() + str(certificate.verify(X, APART))
    if learner != "margin perceptron":
        assert str(certificate).startswith("MistakeCertificate: mistakes 3,399,228 in 33,992,280 examples")
