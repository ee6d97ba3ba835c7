"""Every sentence about accuracy names the rows it was measured on, and the most frequent label beside it."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from command import novikoff

import novikoff as nk

PACKAGE = Path(nk.__file__).parent
SENTENCE = re.compile(
    r"\d+\.\d\d% on (?:the )?(?:[\d,]+ (?:held-out |training |given |test )?rows|held-out rows of \d+ folds).*"
    r"\(always (?:.+|the most frequent label so far): \d+\.\d\d%\)"
)
ABOUT_ACCURACY = re.compile(r"accura|correct|no better|the model predicts|alone predicts")


def table(path, classes, rows, seed):
    """A table whose labels depend on its columns only weakly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    y = np.clip((X[:, 0] + rng.normal(size=rows) + classes / 2).astype(int), 0, classes - 1)
    lines = [f"{a:.2f},{b:.2f},{c:.2f},class {label}" for (a, b, c), label in zip(X, y, strict=True)]
    path.write_text("a,b,c,label\n" + "\n".join(lines) + "\n")
    return path


def runs(folder, classes):
    """Yield the outputs of all subcommands that read a model or labels."""
    data, other = table(folder / "t.csv", classes, 90, 1), table(folder / "o.csv", classes, 40, 2)
    model, online, page = folder / "m.nvk", folder / "s.nvk", folder / "r.html"
    yield novikoff("fit", data, "-o", model)
    yield novikoff("fit", data, "--test", other, "--holdout", "0.3")
    yield novikoff("fit", data, "--holdout", "0", "--certificates")
    yield novikoff("fit", data, "--cv", "3", "--Cs", "3")
    yield novikoff("fit", data, "--C", "1e-9", "--loss", "hinge")
    yield novikoff("fit", data, "--learner", "averaged-perceptron", "--passes", "3")
    yield novikoff("score", model, other)
    yield novikoff("stream", data, "-o", online)
    yield novikoff("stream", data, "-i", online)
    yield novikoff("certify", model, data)
    yield novikoff("inspect", model)
    yield novikoff("predict", model, other)
    yield novikoff("report", model, data, "-o", page)
    yield novikoff("report", model, other, "-o", page)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
def test_all_that_the_command_prints_about_accuracy_has_rows_and_a_baseline(tmp_path, classes):
    found = 0
    for run in runs(tmp_path, classes):
        assert run.code == 0, run
        for line in (run.out + run.err).splitlines():
            if ABOUT_ACCURACY.search(line):
                found += 1
                assert SENTENCE.search(line), line
    assert found > 10


def sentences(path):
    """The texts of a module that have something filled in."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def test_no_sentence_about_accuracy_is_written_by_hand():
    """Numbers are put into sentences about accuracy by the functions of ``evaluate._words`` only."""
    by_hand = [
        f"{path.relative_to(PACKAGE)}:{line}: {text}"
        for folder in ("cli", "_report", "evaluate")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        if path.name != "_words.py"
        for line, text in sentences(path)
        if re.search(r"accuracy|% of the rows|rows? (?:is|are) correct", text) and "{}" in text
    ]
    assert by_hand == []
